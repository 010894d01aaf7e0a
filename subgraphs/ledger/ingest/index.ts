export { type ControlNumber, checkControlNumbers, controlNumberOf } from './control-number-watch.js';
export { ingestRaw, type RawIngestDeps } from './ingest-raw.js';
export { INGESTS, type StoredIngest } from './model.js';
export {
  type AcknowledgementNumbers,
  HIGHEST_NUMBER,
  type IngestAnswer,
  type IngestPage,
  type IngestRow,
  type IngestStore,
} from './ports.js';
export { RawIngestRun } from './run.js';
export { ingestArea, rawIngestDeps } from './wiring.js';

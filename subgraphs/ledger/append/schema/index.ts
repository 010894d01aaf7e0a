export { IngestError } from './ingest-result.js';

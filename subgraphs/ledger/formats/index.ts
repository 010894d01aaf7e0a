import { cdaAdapter } from './cda/index.js';
import { fhirAdapter } from './fhir/index.js';
import type { FormatAdapter } from './format-adapter.js';
import { hl7v2Adapter } from './hl7v2/index.js';
import { ncpdpAdapter } from './ncpdp/index.js';
import { x12Adapter } from './x12/index.js';

export { JsonSplitter } from './fhir/json/splitter.js';
export type { Unit } from './fhir/json/splitter-state.js';
export {
  type Acknowledger,
  type AdapterItem,
  type AdapterLimits,
  type AdapterOptions,
  type AttachedDocument,
  DEFAULT_ADAPTER_LIMITS,
  type EventItem,
  type ExceptionItem,
  type FormatAdapter,
  type ItemOutcome,
  type Position,
  type RefusedItem,
  type TransactionItem,
  type WrapperItem,
} from './format-adapter.js';
export { hl7v2Adapter } from './hl7v2/index.js';

/** All formats that raw ingest reads, in detection order. A new format is one line here. */
const ADAPTERS: readonly FormatAdapter[] = [x12Adapter, hl7v2Adapter, fhirAdapter, ncpdpAdapter, cdaAdapter];

/** Finds the adapter of a named format, in any case; null if there is none. */
export function adapterFor(format: string): FormatAdapter | null {
  const wanted = format.toLowerCase();
  return ADAPTERS.find((adapter) => adapter.format === wanted) ?? null;
}

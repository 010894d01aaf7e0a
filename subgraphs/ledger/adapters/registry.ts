import type { FormatAdapter } from './adapter.js';
import { fhirAdapter } from './fhir/fhir-adapter.js';
import { hl7v2Adapter } from './hl7v2/hl7v2-adapter.js';
import { ncpdpAdapter } from './ncpdp/ncpdp-adapter.js';
import { x12Adapter } from './x12/x12-adapter.js';

/** Every format that raw ingest reads, in the order they are tried. A new format is one line here. */
const adapters: readonly FormatAdapter[] = [x12Adapter, hl7v2Adapter, fhirAdapter, ncpdpAdapter];

/** The adapter of a named format, in any case; null when the format is not read (yet). */
export function adapterFor(format: string): FormatAdapter | null {
  const wanted = format.toLowerCase();
  return adapters.find((adapter) => adapter.format === wanted) ?? null;
}

/** The adapter whose format the first bytes show; null when none knows them. */
export function detectAdapter(head: Uint8Array): FormatAdapter | null {
  return adapters.find((adapter) => adapter.detect(head)) ?? null;
}

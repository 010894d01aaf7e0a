import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type AdapterItem,
  type AdapterOptions,
  defaultAdapterLimits,
} from '../../subgraphs/ledger/adapters/adapter.js';
import { fhirAdapter } from '../../subgraphs/ledger/adapters/fhir/fhir-adapter.js';
import { receivedAt } from './x12-reading.js';

export { codesOf, eventsOf, receivedAt, refusedOf } from './x12-reading.js';

/** Reads a body with the adapter, cut into the given chunks or whole. */
export async function readBody(
  body: string | Buffer | readonly Buffer[],
  options: Partial<AdapterOptions> = {},
): Promise<AdapterItem[]> {
  const chunks = typeof body === 'string' ? [Buffer.from(body)] : Buffer.isBuffer(body) ? [body] : body;
  const items: AdapterItem[] = [];
  const settings = { strict: false, receivedAt, limits: defaultAdapterLimits, ...options };
  for await (const item of fhirAdapter.read(asStream(chunks), settings)) items.push(item);
  return items;
}

async function* asStream(chunks: readonly Buffer[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

/** A synthetic body. */
export function fixture(name: string): Buffer {
  return readFileSync(join(process.cwd(), 'test', 'formats', 'fixtures', 'fhir', name));
}

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fhirAdapter } from '../../../../subgraphs/ledger/formats/fhir/index.js';
import {
  type AdapterItem,
  type AdapterOptions,
  DEFAULT_ADAPTER_LIMITS,
} from '../../../../subgraphs/ledger/formats/format-adapter.js';
import { receivedAt } from '../x12/reading.js';

export { codesOf, eventsOf, receivedAt, refusedOf } from '../x12/reading.js';

/** Reads a body with the adapter, cut into the given chunks or whole. */
export async function readBody(
  body: string | Buffer | readonly Buffer[],
  options: Partial<AdapterOptions> = {},
): Promise<AdapterItem[]> {
  const chunks = typeof body === 'string' ? [Buffer.from(body)] : Buffer.isBuffer(body) ? [body] : body;
  const items: AdapterItem[] = [];
  const settings = { strict: false, receivedAt, limits: DEFAULT_ADAPTER_LIMITS, ...options };
  for await (const item of fhirAdapter.read(asStream(chunks), settings)) items.push(item);
  return items;
}

async function* asStream(chunks: readonly Buffer[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

/** A synthetic body. */
export function fixture(name: string): Buffer {
  return readFileSync(join(process.cwd(), 'test/ledger/formats/fhir/fixtures', name));
}

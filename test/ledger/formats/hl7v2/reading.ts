import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type AdapterItem,
  type AdapterOptions,
  DEFAULT_ADAPTER_LIMITS,
} from '../../../../subgraphs/ledger/formats/format-adapter.js';
import { hl7v2Adapter } from '../../../../subgraphs/ledger/formats/hl7v2/index.js';
import { receivedAt } from '../x12/reading.js';

export { codesOf, eventsOf, receivedAt, refusedOf } from '../x12/reading.js';

/** Reads a body with the adapter, cut into the given chunks or whole. */
export async function readBody(
  body: Buffer | readonly Buffer[],
  options: Partial<AdapterOptions> = {},
): Promise<AdapterItem[]> {
  const chunks = Buffer.isBuffer(body) ? [body] : body;
  const items: AdapterItem[] = [];
  const settings = { strict: false, receivedAt, limits: DEFAULT_ADAPTER_LIMITS, ...options };
  for await (const item of hl7v2Adapter.read(asStream(chunks), settings)) items.push(item);
  return items;
}

async function* asStream(chunks: readonly Buffer[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

/** A synthetic message with the segment terminator of the standard, which editors do not keep. */
export function fixture(name: string): Buffer {
  const text = readFileSync(join(process.cwd(), 'test/ledger/formats/hl7v2/fixtures', `${name}.hl7`), 'latin1');
  return Buffer.from(text.replaceAll('\n', '\r'), 'latin1');
}

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type AdapterItem,
  type AdapterOptions,
  DEFAULT_ADAPTER_LIMITS,
  type EventItem,
  type RefusedItem,
} from '../../../../subgraphs/ledger/formats/format-adapter.js';
import { x12Adapter } from '../../../../subgraphs/ledger/formats/x12/index.js';

export const receivedAt = '2026-04-01T12:00:00.000Z';

/** Reads a body with the adapter, cut into the given chunks or whole. */
export async function readBody(
  body: Buffer | readonly Buffer[],
  options: Partial<AdapterOptions> = {},
): Promise<AdapterItem[]> {
  const chunks = Buffer.isBuffer(body) ? [body] : body;
  const items: AdapterItem[] = [];
  const settings = { strict: false, receivedAt, limits: DEFAULT_ADAPTER_LIMITS, ...options };
  for await (const item of x12Adapter.read(asStream(chunks), settings)) items.push(item);
  return items;
}

async function* asStream(chunks: readonly Buffer[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

export function eventsOf(items: readonly AdapterItem[]): EventItem[] {
  return items.filter((item) => item.kind === 'event');
}

export function refusedOf(items: readonly AdapterItem[]): RefusedItem[] {
  return items.filter((item) => item.kind === 'refused');
}

/** Every code that was said of a body: warnings, exceptions, refusals. */
export function codesOf(items: readonly AdapterItem[]): string[] {
  return items.flatMap((item) => [
    ...('code' in item ? [item.code] : []),
    ...('warnings' in item ? item.warnings.map(({ code }) => code) : []),
  ]);
}

/** A synthetic body of this folder, one character a byte. */
export const fixtureText = (name: string): string =>
  readFileSync(join(process.cwd(), 'test/ledger/formats/x12/fixtures', name), 'latin1');

export const readText = (body: string, options: Partial<AdapterOptions> = {}): Promise<AdapterItem[]> =>
  readBody(Buffer.from(body, 'latin1'), options);

export const envelopesOf = async (body: string): Promise<EventItem['envelope'][]> =>
  eventsOf(await readText(body)).map(({ envelope }) => envelope);

/** The body without a segment that stands on its own line. */
export const without = (body: string, segment: string): string => body.replace(`${segment}\n`, '');

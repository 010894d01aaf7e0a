import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type LedgerRow, queryFieldsOf } from '../../../../subgraphs/ledger/append/domain/ledger-row.js';
import {
  type AdapterItem,
  type AdapterOptions,
  DEFAULT_ADAPTER_LIMITS,
  type EventItem,
  type RefusedItem,
} from '../../../../subgraphs/ledger/formats/format-adapter.js';
import { x12Adapter } from '../../../../subgraphs/ledger/formats/x12/index.js';
import { edgesOf } from '../../../../subgraphs/ledger/links/domain/edges.js';
import { linkedEventOf } from '../../../../subgraphs/ledger/links/domain/numbers.js';

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

/** The body without a segment that is on its own line. */
export const without = (body: string, segment: string): string => body.replace(`${segment}\n`, '');

/** The trace number of each pair of linked events, with the relation that the first has to the second. */
export function linksBetween(
  from: readonly EventItem['envelope'][],
  to: readonly EventItem['envelope'][],
): (string | undefined)[][] {
  const [mine, others] = [from, to].map((envelopes, side) =>
    envelopes.flatMap((envelope, at) => {
      const content = JSON.parse(JSON.stringify(envelope));
      const record = Buffer.from(JSON.stringify(content));
      const row = { tenant_id: 't', event_id: `evt_${side}_${at}`, record, query: queryFieldsOf(content) };
      // Only these fields of a row are read.
      return linkedEventOf(row as unknown as LedgerRow) ?? [];
    }),
  );
  const traceOf = (keys: readonly string[]) => keys.find((key) => key.startsWith('TRACE:'))?.slice('TRACE:'.length);
  return (mine ?? []).flatMap((self) =>
    edgesOf(self, others ?? []).map(({ kind, via, event_id }) => {
      const other = others?.find((one) => one.event_id === event_id);
      return [traceOf(self.keys), `${kind} ${via}`, traceOf(other?.keys ?? [])];
    }),
  );
}

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type AdapterItem,
  type AdapterOptions,
  DEFAULT_ADAPTER_LIMITS,
} from '../../../../subgraphs/ledger/formats/format-adapter.js';
import { ncpdpAdapter } from '../../../../subgraphs/ledger/formats/ncpdp/index.js';
import { receivedAt } from '../x12/reading.js';

export { codesOf, eventsOf, receivedAt, refusedOf } from '../x12/reading.js';

/** Reads a body with the adapter, cut into the given chunks or whole. */
export async function readBody(
  body: Buffer | string | readonly Buffer[],
  options: Partial<AdapterOptions> = {},
): Promise<AdapterItem[]> {
  const chunks = typeof body === 'string' ? [Buffer.from(body, 'latin1')] : Buffer.isBuffer(body) ? [body] : body;
  const items: AdapterItem[] = [];
  const settings = { strict: false, receivedAt, limits: DEFAULT_ADAPTER_LIMITS, ...options };
  for await (const item of ncpdpAdapter.read(asStream(chunks), settings)) items.push(item);
  return items;
}

async function* asStream(chunks: readonly Buffer[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

/** A body as written in a fixture: control characters stand as words in braces, lines end nothing. */
export function fixture(name: string): Buffer {
  const text = readFileSync(join(process.cwd(), 'test/ledger/formats/ncpdp/fixtures', name), 'latin1');
  return Buffer.from(name.endsWith('.xml') ? text : telecom(text), 'latin1');
}

const marks: Readonly<Record<string, string>> = { STX: '\x02', ETX: '\x03', FS: '\x1c', GS: '\x1d', RS: '\x1e' };

/** D.0 with its separators written as `<FS>`, `<GS>`, `<RS>`, `<STX>`, `<ETX>`; line ends of the source are left out. */
export function telecom(text: string): string {
  return text.replace(/\r?\n/g, '').replace(/<(STX|ETX|FS|GS|RS)>/g, (_, mark: string) => marks[mark] ?? '');
}

/** A request's header. */
export function requestHeader(about: { code?: string; count?: number; date?: string; provider?: string } = {}): string {
  const { code = 'B1', count = 1, date = '20260302', provider = '1234567893' } = about;
  return `610066D0${code}${'SYNPCN'.padEnd(10)}${count}01${provider.padEnd(15)}${date}${'SYNSOFT'.padEnd(10)}`;
}

/** A response's header. */
export function responseHeader(about: { code?: string; count?: number; status?: string } = {}): string {
  const { code = 'B1', count = 1, status = 'A' } = about;
  return `D0${code}${count}${status}01${'1234567893'.padEnd(15)}20260302`;
}

/** A segment: `AM07` and its fields. */
export function segment(...fields: string[]): string {
  return `\x1e${fields.map((field) => `\x1c${field}`).join('')}`;
}

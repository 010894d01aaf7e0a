import { deserialize } from 'bson';
import { RAW, RawFields, rawDocument } from '../../../../shared/db/raw-fields.js';
import type { EntryHeader } from '../../integrity/index.js';
import type { LedgerRow, QueryFields } from '../domain/ledger-row.js';

// Reads rows of a chain from the bytes of a reply, as `linkRows` builds them. The library reads every row that differs
// (changed or disposed of), so that both ways give the same row.

const ROW = new RawFields([
  '_id',
  'tenant_id',
  'source_system',
  'event_id',
  'recorded_at',
  'commit',
  'fields',
  'member_tag',
  'prev_hash',
  'entry_hash',
  'record',
  'seed',
  'worm_sha256',
  'fact_key',
  'duplicate_key',
  'query',
]);
const HEADER = new RawFields([
  '_id',
  'event_id',
  'recorded_at',
  'commit',
  'fields',
  'member_tag',
  'prev_hash',
  'entry_hash',
  'worm_sha256',
]);
const ID = new RawFields(['tenant_id', 'source_system', 'seq']);
const QUERY = new RawFields(['effective_at', 'event_family', 'event_type', 'outcome', 'member_id']);

const GENERIC_BINARY = 0;

/** Reads a whole row; record and seed are slices of the reply, not copies. */
export function readLedgerRow(raw: unknown): LedgerRow {
  const document = rawDocument(raw);
  const query = isPlainRow(document) ? readQuery(document) : undefined;
  if (query === undefined) return deserialize(document, { promoteBuffers: true }) as LedgerRow;
  const tenant_id = ROW.text(1);
  const source_system = ROW.text(2);
  return {
    _id: { tenant_id: same(tenant_id, ID.text(0)), source_system: same(source_system, ID.text(1)), seq: ID.number(2) },
    tenant_id,
    source_system,
    event_id: ROW.text(3),
    recorded_at: new Date(ROW.epochMs(4)),
    commit: ROW.ascii(5),
    fields: ROW.ascii(6),
    member_tag: ROW.has(7, RAW.string) ? ROW.ascii(7) : null,
    prev_hash: ROW.ascii(8),
    entry_hash: ROW.ascii(9),
    record: ROW.bytes(10),
    seed: ROW.bytes(11),
    worm_sha256: ROW.ascii(12),
    fact_key: ROW.text(13),
    duplicate_key: ROW.text(14),
    query,
  };
}

/** Reads an entry's header and its record's hash from a document that may hold more. */
export function readEntryHeader(raw: unknown): EntryHeader {
  const document = rawDocument(raw);
  if (!isPlainHeader(document)) return decodedHeader(document);
  return {
    seq: ID.number(2),
    event_id: HEADER.text(1),
    commit: HEADER.ascii(3),
    fields: HEADER.ascii(4),
    member_tag: HEADER.has(5, RAW.string) ? HEADER.ascii(5) : null,
    prev_hash: HEADER.ascii(6),
    entry_hash: HEADER.ascii(7),
    recorded_at: new Date(HEADER.epochMs(2)),
    worm_sha256: HEADER.ascii(8),
  };
}

function decodedHeader(document: Buffer): EntryHeader {
  const { _id, event_id, commit, fields, member_tag, prev_hash, entry_hash, recorded_at, worm_sha256 } = deserialize(
    document,
  ) as LedgerRow;
  const header = { seq: _id.seq, event_id, commit, fields, member_tag, prev_hash, entry_hash, recorded_at };
  return { ...header, worm_sha256: worm_sha256 ?? null };
}

/** Checks that the row has exactly the members that an append writes, each of its type. */
function isPlainRow(document: Buffer): boolean {
  if (!ROW.find(document) || ROW.found !== ROW.size || ROW.unknown > 0) return false;
  if (!ROW.has(0, RAW.document) || !ROW.has(4, RAW.date) || !ROW.has(15, RAW.document)) return false;
  for (const binary of [10, 11])
    if (!ROW.has(binary, RAW.binary) || ROW.subtype(binary) !== GENERIC_BINARY) return false;
  for (const text of [1, 2, 3, 5, 6, 8, 9, 12, 13, 14]) if (!ROW.has(text, RAW.string)) return false;
  if (!ROW.has(7, RAW.string) && !ROW.has(7, RAW.null)) return false;
  return isPlainId(document, ROW.place(0));
}

function isPlainHeader(document: Buffer): boolean {
  if (!HEADER.find(document) || HEADER.found !== HEADER.size) return false;
  if (!HEADER.has(0, RAW.document) || !HEADER.has(2, RAW.date)) return false;
  for (const text of [1, 3, 4, 6, 7, 8]) if (!HEADER.has(text, RAW.string)) return false;
  if (!HEADER.has(5, RAW.string) && !HEADER.has(5, RAW.null)) return false;
  return isPlainId(document, HEADER.place(0));
}

function isPlainId(document: Buffer, at: number): boolean {
  if (!ID.find(document, at) || ID.found !== ID.size || ID.unknown > 0) return false;
  return ID.has(0, RAW.string) && ID.has(1, RAW.string) && Number.isSafeInteger(ID.number(2));
}

/** Returns undefined for anything but the query fields of a caller's event. */
function readQuery(document: Buffer): QueryFields | undefined {
  if (!QUERY.find(document, ROW.place(15)) || QUERY.unknown > 0) return undefined;
  if (!QUERY.has(0, RAW.date)) return undefined;
  for (const text of [1, 2]) if (!QUERY.has(text, RAW.string)) return undefined;
  for (const text of [3, 4]) if (QUERY.type(text) !== 0 && !QUERY.has(text, RAW.string)) return undefined;
  const known = { effective_at: new Date(QUERY.epochMs(0)), event_family: QUERY.text(1), event_type: QUERY.text(2) };
  const [outcome, member] = [QUERY.type(3) !== 0, QUERY.type(4) !== 0];
  if (outcome && member) return { ...known, outcome: QUERY.text(3), member_id: QUERY.text(4) };
  if (outcome) return { ...known, outcome: QUERY.text(3) };
  return member ? { ...known, member_id: QUERY.text(4) } : known;
}

/** The two places usually hold the same string. */
const same = (known: string, text: string): string => (known === text ? known : text);

import { deserialize } from 'bson';
import { RAW, RawFields, rawDocument } from '../../../../shared/db/raw-fields.js';
import { shortText } from '../../../../shared/json/short-text.js';
import type { EntryHash, TreeRow } from '../ports/tree-store.js';

/** A stored leaf. */
export interface StoredLeaf {
  readonly _id: { readonly tenant_id: string; readonly tree_index: number };
  readonly tenant_id: string;
  readonly source_system: string;
  readonly seq: number;
  readonly entry_hash: Buffer;
}

const LEAF = new RawFields(['_id', 'tenant_id', 'source_system', 'seq', 'entry_hash']);
const ID = new RawFields(['tenant_id', 'tree_index']);
const ENTRY = new RawFields(['_id', 'entry_hash']);
const ENTRY_ID = new RawFields(['tenant_id', 'source_system', 'seq']);

/** Reads a leaf from the bytes of a reply; the library reads every row that an assigner did not write. */
export function readTreeRow(raw: unknown): TreeRow {
  const document = rawDocument(raw);
  if (!isPlain(document)) return decoded(document);
  return { tree_index: ID.number(1), source_system: LEAF.text(2), seq: LEAF.number(3), entry_hash: LEAF.hex(4) };
}

/** The members of a ledger row that an assigner reads. */
export function readEntryHash(raw: unknown): EntryHash {
  const document = rawDocument(raw);
  const isPlainEntry =
    ENTRY.find(document) &&
    ENTRY.has(0, RAW.document) &&
    ENTRY.has(1, RAW.string) &&
    ENTRY_ID.find(document, ENTRY.place(0)) &&
    Number.isSafeInteger(ENTRY_ID.number(2));
  if (isPlainEntry) return { seq: ENTRY_ID.number(2), entry_hash: ENTRY.ascii(1) };
  const { _id, entry_hash } = deserialize(document) as { readonly _id: { readonly seq: number } } & EntryHash;
  return { seq: _id.seq, entry_hash };
}

function isPlain(document: Buffer): boolean {
  if (!LEAF.find(document) || !LEAF.has(0, RAW.document) || !LEAF.has(2, RAW.string)) return false;
  if (!LEAF.has(4, RAW.binary) || LEAF.subtype(4) !== 0 || !Number.isSafeInteger(LEAF.number(3))) return false;
  return ID.find(document, LEAF.place(0)) && Number.isSafeInteger(ID.number(1));
}

function decoded(document: Buffer): TreeRow {
  // The row may hold values of any type.
  const { _id, source_system, seq, entry_hash }: Readonly<Record<string, unknown>> = deserialize(document, {
    promoteBuffers: true,
  });
  const index = typeof _id === 'object' && _id !== null && 'tree_index' in _id ? _id.tree_index : null;
  const place = typeof index === 'number' ? index : Number.NaN;
  const fields = [
    ['_id', Number.isSafeInteger(place)],
    ['source_system', typeof source_system === 'string'],
    ['seq', Number.isSafeInteger(seq)],
    ['entry_hash', Buffer.isBuffer(entry_hash)],
  ] as const;
  const malformed = fields.find(([, isSound]) => !isSound)?.[0];
  return {
    tree_index: place,
    source_system: shortText(source_system),
    seq: Number.isSafeInteger(seq) ? Number(seq) : 0,
    entry_hash: Buffer.isBuffer(entry_hash) ? entry_hash.toString('hex') : '',
    ...(malformed === undefined ? {} : { malformed }),
  };
}

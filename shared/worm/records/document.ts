import { deserialize } from 'bson';
import { SEED_BYTES } from '../../evidence/commitments.js';

/** The document of a record. Its hash is its key, so a segment needs no separate index. */
export interface RecordDocument {
  readonly _id: string;
  readonly bytes: Buffer;
  /** Only of entries; unverified. One of another type than bytes is empty. */
  readonly seed?: Buffer;
}

const STRING = 0x02;
const BINARY = 0x05;
const HASH_LENGTH = 64;
// Document length, type, "_id\0", string length.
const HASH_AT = 4 + 1 + 4 + 4;
const BYTES_AT = HASH_AT + HASH_LENGTH + 1;
const BYTES_NAME = Buffer.from('\u0005bytes\u0000');
// Name, then length and subtype.
const CONTENT_AT = BYTES_AT + BYTES_NAME.length + 4 + 1;
/** Everything before the bytes of a seed: type, name, length, subtype. */
const SEED_HEAD = Buffer.from([BINARY, ...Buffer.from('seed\u0000'), SEED_BYTES, 0, 0, 0, 0]);
const SEED_LENGTH = SEED_HEAD.length + SEED_BYTES;

/**
 * Decodes a record's BSON as `insertOne` wrote it, without copying the content out of the reply. Verification reads every
 * record, and the copies took a large part of its time. The library decodes any other layout.
 */
export function decodeRecord(raw: Uint8Array): RecordDocument {
  const document = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  if (document[4] !== STRING || document.readInt32LE(HASH_AT - 4) !== HASH_LENGTH + 1) return decoded(document);
  if (document[BYTES_AT] !== BINARY || BYTES_NAME.compare(document, BYTES_AT, BYTES_AT + BYTES_NAME.length) !== 0) {
    return decoded(document);
  }
  const length = document.readInt32LE(CONTENT_AT - 5);
  const end = CONTENT_AT + length;
  if (document[CONTENT_AT - 1] !== 0 || length < 0) return decoded(document);
  const hasSeed = end + SEED_LENGTH + 1 === document.length;
  if (!hasSeed && end + 1 !== document.length) return decoded(document);
  const seedAt = end + SEED_HEAD.length;
  if (hasSeed && SEED_HEAD.compare(document, end, seedAt) !== 0) return decoded(document);
  const _id = document.toString('latin1', HASH_AT, HASH_AT + HASH_LENGTH);
  const bytes = document.subarray(CONTENT_AT, end);
  return hasSeed ? { _id, bytes, seed: document.subarray(seedAt, seedAt + SEED_BYTES) } : { _id, bytes };
}

function decoded(document: Buffer): RecordDocument {
  const { _id, bytes, seed }: Readonly<Record<string, unknown>> = deserialize(document, { promoteBuffers: true });
  // No bytes match the name of a record: its readers report it as damaged.
  return {
    _id: typeof _id === 'string' ? _id : '',
    bytes: bytes instanceof Uint8Array ? Buffer.from(bytes) : Buffer.alloc(0),
    ...(seed === undefined ? {} : { seed: seed instanceof Uint8Array ? Buffer.from(seed) : Buffer.alloc(0) }),
  };
}

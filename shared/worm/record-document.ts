import { deserialize } from 'bson';

/** A record's document: its hash is its key, so that a segment answers look-ups itself. */
export interface RecordDocument {
  readonly _id: string;
  readonly bytes: Buffer;
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

/**
 * Reads a record's BSON as `insertOne` wrote it, without copying its content out of the reply: verification reads every
 * record, and the copies were a large part of its time. Any other layout goes through the library.
 */
export function decodeRecord(raw: Uint8Array): RecordDocument {
  const document = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  if (document[4] !== STRING || document.readInt32LE(HASH_AT - 4) !== HASH_LENGTH + 1) return decoded(document);
  if (document[BYTES_AT] !== BINARY || BYTES_NAME.compare(document, BYTES_AT, BYTES_AT + BYTES_NAME.length) !== 0) {
    return decoded(document);
  }
  const length = document.readInt32LE(CONTENT_AT - 5);
  const end = CONTENT_AT + length;
  if (document[CONTENT_AT - 1] !== 0 || length < 0 || end + 1 !== document.length) return decoded(document);
  return {
    _id: document.toString('latin1', HASH_AT, HASH_AT + HASH_LENGTH),
    bytes: document.subarray(CONTENT_AT, end),
  };
}

function decoded(document: Buffer): RecordDocument {
  const { _id, bytes } = deserialize(document, { promoteBuffers: true }) as Partial<RecordDocument>;
  if (typeof _id !== 'string' || !(bytes instanceof Uint8Array)) throw new Error('a segment holds a foreign document');
  return { _id, bytes: Buffer.from(bytes) };
}

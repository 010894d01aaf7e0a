/**
 * Keys of the `data` store. Everything lives under a u32 prefix, so collections and indexes need no separate store:
 *   record       u32 collection | u64 rid                 -> BSON as received
 *   index entry  u32 index | key string | u64 rid         -> (nothing)
 *   unique entry u32 index | key string                   -> u64 rid
 * A rid grows with every insert, which makes natural order, capped collections and tailable cursors plain ranges.
 */
export const PREFIX_BYTES = 4;
export const RID_BYTES = 8;
export const RECORD_KEY_BYTES = PREFIX_BYTES + RID_BYTES;

const TWO_TO32 = 0x1_0000_0000;

/** LMDB accepts keys up to 1,978 bytes with 4 KiB pages; the rest is for prefix and rid. */
export const MAX_KEY_STRING_BYTES = 1_978 - PREFIX_BYTES - RID_BYTES;

export function recordKey(collectionId: number, rid: number): Buffer {
  const key = Buffer.allocUnsafe(RECORD_KEY_BYTES);
  key.writeUInt32BE(collectionId, 0);
  writeRid(key, rid, PREFIX_BYTES);
  return key;
}

/** Overwrites the rid of a key made by `recordKey`: loops reuse one key, because LMDB copies it at once. */
export function writeRid(key: Buffer, rid: number, offset: number): void {
  key.writeUInt32BE(Math.floor(rid / TWO_TO32), offset);
  key.writeUInt32BE(rid % TWO_TO32, offset + 4);
}

export function readRid(bytes: Buffer, offset: number): number {
  return bytes.readUInt32BE(offset) * TWO_TO32 + bytes.readUInt32BE(offset + 4);
}

export function ridValue(rid: number): Buffer {
  const value = Buffer.allocUnsafe(RID_BYTES);
  writeRid(value, rid, 0);
  return value;
}

/** Key of a unique entry, and the part before the rid of any other. */
export function entryPrefix(indexId: number, keyString: Buffer): Buffer {
  const key = Buffer.allocUnsafe(PREFIX_BYTES + keyString.length);
  key.writeUInt32BE(indexId, 0);
  keyString.copy(key, PREFIX_BYTES);
  return key;
}

export function entryKey(indexId: number, keyString: Buffer, rid: number): Buffer {
  const key = Buffer.allocUnsafe(PREFIX_BYTES + keyString.length + RID_BYTES);
  key.writeUInt32BE(indexId, 0);
  keyString.copy(key, PREFIX_BYTES);
  writeRid(key, rid, PREFIX_BYTES + keyString.length);
  return key;
}

/** First key of a prefix, and with `id + 1` the first one after it. */
export function prefixKey(id: number): Buffer {
  const key = Buffer.allocUnsafe(PREFIX_BYTES);
  key.writeUInt32BE(id, 0);
  return key;
}

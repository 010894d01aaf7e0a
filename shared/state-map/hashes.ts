import { hash } from 'node:crypto';
import { taggedDigest } from '../crypto/hash.js';

// Keys, values and nodes of the state map (docs/adr/0087-the-state-map.md).

export const MAP_HASH_BYTES = 32;

/** Hash of a subtree without keys. */
export const EMPTY_SUBTREE: Buffer = Buffer.alloc(MAP_HASH_BYTES);

/** Key of a subject: D("map-key", kind ‖ 0x00 ‖ x). @param x random identifier of the service, or the member's tag. */
export const mapKey = (kind: string, x: string | Uint8Array): Buffer => taggedDigest('map-key', kind, '\0', x);

/** Value of a state key: D("map-value", kind ‖ u64be(tree_index) ‖ entry_hash) of the subject's latest fact. */
export const stateValue = (kind: string, treeIndex: number, entryHash: Uint8Array): Buffer =>
  taggedDigest('map-value', kind, u64be(treeIndex), entryHash);

/** Value of a log or of a list: D("map-log", u64be(count) ‖ root). */
export const logValue = (count: number, root: Uint8Array): Buffer => taggedDigest('map-log', u64be(count), root);

/** Eight bytes, most significant first. */
export function u64be(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
}

// A hash ends before other code can write into the buffer: the nodes of a large map share one buffer.
const pairBuffer = (tag: string): Buffer =>
  Buffer.concat([Buffer.from(`eas:${tag}:v1\0`), Buffer.alloc(2 * MAP_HASH_BYTES)]);
const leafInput = pairBuffer('map-leaf');
const nodeInput = pairBuffer('map-node');

function pairHash(input: Buffer, first: Uint8Array, second: Uint8Array): Buffer {
  const at = input.length - 2 * MAP_HASH_BYTES;
  input.set(first, at);
  input.set(second, at + MAP_HASH_BYTES);
  return hash('sha256', input, 'buffer');
}

/** Hash of a subtree with one key: D("map-leaf", key ‖ value). */
export const mapLeafHash = (key: Uint8Array, value: Uint8Array): Buffer => pairHash(leafInput, key, value);

/** Hash of a subtree with several keys: D("map-node", left ‖ right). */
export const mapNodeHash = (left: Uint8Array, right: Uint8Array): Buffer => pairHash(nodeInput, left, right);

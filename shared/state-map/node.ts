import { EMPTY_SUBTREE, MAP_HASH_BYTES, mapNodeHash } from './hashes.js';

// Stored nodes of the state map. One stored node covers four levels of the binary tree, so that a path needs few reads.
// A subtree with one key is that key's leaf; its parent holds it.

/** Children of one stored node. */
export const MAP_WIDTH = 16;

/** The only key of a subtree. */
interface MapLeaf {
  readonly key: Buffer;
  readonly value: Buffer;
  readonly hash: Buffer;
}

/** A stored node, by the version that wrote it. */
interface MapBranch {
  readonly version: number;
  readonly hash: Buffer;
}

export type MapChild = MapLeaf | MapBranch | null;

export const isLeaf = (child: MapLeaf | MapBranch): child is MapLeaf => 'key' in child;

/** The children of one stored node, by their nibble. */
export type MapNode = readonly MapChild[];

export const EMPTY_NODE: MapNode = Array.from({ length: MAP_WIDTH }, () => null);

/** The nibble of a key at a depth, counted in nibbles from the root. */
export const nibbleAt = (key: Uint8Array, depth: number): number =>
  ((key[depth >> 1] ?? 0) >> (depth % 2 === 0 ? 4 : 0)) & 0x0f;

/** A subtree within a stored node: nothing, one leaf, or a node over several keys. */
type Span = { readonly hash: Buffer; readonly leaf: MapLeaf | null } | null;

/** The subtree over `width` children from `from` on; `width` is a power of two. */
export function spanOf(node: MapNode, from = 0, width = MAP_WIDTH): Span {
  if (width === 1) {
    const child = node[from] ?? null;
    return child && { hash: child.hash, leaf: isLeaf(child) ? child : null };
  }
  const half = width / 2;
  const left = spanOf(node, from, half);
  const right = spanOf(node, from + half, half);
  if (left === null && right === null) return null;
  // A subtree with one key is that key's leaf.
  if (left === null && right?.leaf) return right;
  if (right === null && left?.leaf) return left;
  return { hash: mapNodeHash(left?.hash ?? EMPTY_SUBTREE, right?.hash ?? EMPTY_SUBTREE), leaf: null };
}

const ABSENT = 0;
const LEAF = 1;
const BRANCH = 2;
const LEAF_BYTES = 3 * MAP_HASH_BYTES;
const BRANCH_BYTES = 8 + MAP_HASH_BYTES;

/** A node as stored: 16 bytes of types, then each child: key ‖ value ‖ hash, or u64be(version) ‖ hash. */
export function encodeNode(node: MapNode): Buffer {
  const types = Buffer.alloc(MAP_WIDTH);
  const parts: Uint8Array[] = [types];
  for (const [i, child] of node.entries()) {
    if (child === null) continue;
    types[i] = isLeaf(child) ? LEAF : BRANCH;
    if (isLeaf(child)) parts.push(child.key, child.value, child.hash);
    else {
      const version = Buffer.alloc(8);
      version.writeBigUInt64BE(BigInt(child.version));
      parts.push(version, child.hash);
    }
  }
  return Buffer.concat(parts);
}

/** @throws RangeError for bytes that `encodeNode` does not write. */
export function decodeNode(bytes: Buffer): MapNode {
  let at = MAP_WIDTH;
  const take = (length: number): Buffer => {
    at += length;
    if (at > bytes.length) throw new RangeError('a node of the map is cut short');
    return bytes.subarray(at - length, at);
  };
  const node = Array.from({ length: MAP_WIDTH }, (_, i): MapChild => {
    const type = bytes[i];
    if (type === ABSENT) return null;
    if (type === LEAF) return leafFrom(take(LEAF_BYTES));
    if (type === BRANCH) return branchFrom(take(BRANCH_BYTES));
    throw new RangeError('a node of the map has a child of an unknown type');
  });
  if (at !== bytes.length) throw new RangeError('a node of the map has further bytes');
  return node;
}

const leafFrom = (bytes: Buffer): MapLeaf => ({
  key: bytes.subarray(0, MAP_HASH_BYTES),
  value: bytes.subarray(MAP_HASH_BYTES, 2 * MAP_HASH_BYTES),
  hash: bytes.subarray(2 * MAP_HASH_BYTES),
});

function branchFrom(bytes: Buffer): MapBranch {
  const version = bytes.readBigUInt64BE();
  if (version > BigInt(Number.MAX_SAFE_INTEGER)) throw new RangeError('a node of the map has an impossible version');
  return { version: Number(version), hash: bytes.subarray(8) };
}

/** A version of a map, or the subtree below a stored node. */
export interface MapRoot {
  readonly version: number;
  readonly root: Buffer;
}

/** A stored node, list or log that the map does not prove. */
export class MapDamaged extends Error {}

/**
 * Decodes a stored node and compares it with the hash that its parent, or the root of the map, states.
 *
 * @throws MapDamaged
 */
export function provenNode(bytes: Buffer | undefined, hash: Buffer, path: string): MapNode {
  const node = decodedNode(bytes, path);
  if ((spanOf(node)?.hash ?? EMPTY_SUBTREE).equals(hash)) return node;
  throw new MapDamaged(`the node ${path || 'at the root'} of the map does not have its hash`);
}

function decodedNode(bytes: Buffer | undefined, path: string): MapNode {
  try {
    return decodeNode(bytes ?? Buffer.alloc(0));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new MapDamaged(`the node ${path || 'at the root'} of the map has an invalid form`, { cause: error });
  }
}

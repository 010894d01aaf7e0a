import { EMPTY_SUBTREE } from './hashes.js';
import { decodeNode, isLeaf, MAP_WIDTH, type MapNode, nibbleAt, spanOf } from './node.js';
import type { MapEntry, MapNodeName, MapNodes } from './update.js';

/**
 * Proof that a map has a value for a key, or has none. `leaf` is where the key's path ends: the key itself, another key
 * that is alone in its subtree, or null for a subtree without keys. `siblings` are the sibling hashes of the path, from the
 * root down.
 */
export interface MapProof {
  readonly leaf: MapEntry | null;
  readonly siblings: readonly Buffer[];
}

interface Walk {
  readonly key: Buffer;
  readonly at: number;
  readonly name: MapNodeName;
  readonly siblings: Buffer[];
}

/**
 * Proves the presence or absence of keys in one version. Nodes are read level by level.
 *
 * @param version null for the empty map.
 * @returns the proofs in the order of the keys.
 */
export async function proveKeys(
  nodes: MapNodes,
  version: number | null,
  keys: readonly Buffer[],
): Promise<readonly MapProof[]> {
  const proofs = keys.map((): MapProof => ({ leaf: null, siblings: [] }));
  let walks: Walk[] = keys.flatMap((key, at) =>
    version === null ? [] : [{ key, at, name: { version, path: '' }, siblings: [] }],
  );
  while (walks.length > 0) {
    const decoded = await readOnce(nodes, walks);
    walks = walks.flatMap((walk) => {
      const { end, next } = step(decoded.get(walk.name.path) ?? [], walk);
      if (end !== undefined) proofs[walk.at] = { leaf: end, siblings: walk.siblings };
      return next ? [next] : [];
    });
  }
  return proofs;
}

/** Paths of one version have one node each, which several keys may share. */
async function readOnce(nodes: MapNodes, walks: readonly Walk[]): Promise<ReadonlyMap<string, MapNode>> {
  const names = [...new Map(walks.map(({ name }) => [name.path, name])).values()];
  const bytes = await nodes.read(names);
  return new Map(names.map(({ path }, i) => [path, decodeNode(bytes[i] ?? Buffer.alloc(0))]));
}

/** Follows a key through one stored node and collects the siblings of its four levels. */
function step(node: MapNode, walk: Walk): { readonly end?: MapEntry | null; readonly next?: Walk } {
  const nibble = nibbleAt(walk.key, walk.name.path.length);
  let from = 0;
  for (let width = MAP_WIDTH; width > 1; ) {
    const span = spanOf(node, from, width);
    if (span === null) return { end: null };
    if (span.leaf) return { end: entryOf(span.leaf) };
    width /= 2;
    const isRight = nibble >= from + width;
    walk.siblings.push(spanOf(node, isRight ? from : from + width, width)?.hash ?? EMPTY_SUBTREE);
    if (isRight) from += width;
  }
  const child = node[nibble] ?? null;
  if (child === null) return { end: null };
  if (isLeaf(child)) return { end: entryOf(child) };
  const path = walk.name.path + nibble.toString(16);
  return { next: { ...walk, name: { version: child.version, path } } };
}

const entryOf = ({ key, value }: MapEntry): MapEntry => ({ key, value });

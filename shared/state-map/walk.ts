import { isLeaf, type MapRoot, provenNode } from './node.js';
import type { MapEntry, MapNodes } from './update.js';

/** All keys of a version in ascending order, in the memory of one path. @throws MapDamaged */
export async function* leavesOfMap(nodes: MapNodes, { version, root }: MapRoot, path = ''): AsyncGenerator<MapEntry> {
  const [bytes] = await nodes.read([{ version, path }]);
  for (const [i, child] of provenNode(bytes, root, path).entries()) {
    if (child === null) continue;
    if (isLeaf(child)) yield { key: child.key, value: child.value };
    else yield* leavesOfMap(nodes, { version: child.version, root: child.hash }, path + i.toString(16));
  }
}

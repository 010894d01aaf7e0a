import { EMPTY_SUBTREE, mapLeafHash } from './hashes.js';
import {
  EMPTY_NODE,
  encodeNode,
  isLeaf,
  type MapChild,
  MapDamaged,
  type MapNode,
  type MapRoot,
  nibbleAt,
  provenNode,
  spanOf,
} from './node.js';

/** Name of a stored node: the version that wrote it, and its path in nibbles from the root as hex digits. */
export interface MapNodeName {
  readonly version: number;
  readonly path: string;
}

/** Reads stored nodes. */
export interface MapNodes {
  /** Returns the bytes of the nodes in the order asked. @throws if one is missing. */
  read(names: readonly MapNodeName[]): Promise<readonly Buffer[]>;
}

/** A key and its value; both have 32 bytes. */
export interface MapEntry {
  readonly key: Buffer;
  readonly value: Buffer;
}

/** A new value of a key. */
export interface MapChange extends MapEntry {
  /** The value that the old version must have; null for none, absent for any. */
  readonly before?: Buffer | null;
}

/** Result of one batch: what to store, and what no later version reads. */
export interface MapUpdate {
  readonly root: Buffer;
  /** Nodes of the new version, without their version. */
  readonly written: readonly { readonly path: string; readonly bytes: Buffer }[];
  /** Nodes that versions from this one on do not read. */
  readonly stale: readonly MapNodeName[];
}

/**
 * Sets keys of a map. The old version stays readable as long as its nodes are kept. Nodes are read level by level: one
 * read for each level that a changed key passes.
 *
 * @param from the version to start from, and its root; null for the empty map.
 * @param version the new version, greater than every earlier one.
 * @param entries each key once.
 * @throws RangeError for a key that occurs twice; MapDamaged for a node that its parent does not prove, and for a key that
 * does not have its value `before`.
 */
export async function updateMap(
  nodes: MapNodes,
  { from, version }: { readonly from: MapRoot | null; readonly version: number },
  entries: readonly MapChange[],
): Promise<MapUpdate> {
  const sorted = [...entries].sort((a, b) => a.key.compare(b.key));
  if (sorted.some(({ key }, i) => sorted[i + 1]?.key.equals(key)))
    throw new RangeError('a key of the map occurs twice');
  const known = await readPaths(nodes, from, sorted);
  const change = new Change(known, version);
  const root = change.root(from?.version ?? null, sorted);
  return { root, written: change.written, stale: change.stale };
}

interface Reached {
  readonly name: MapNodeName;
  readonly hash: Buffer;
  readonly entries: readonly MapChange[];
}

/** Reads every stored node on the paths of the keys, by path. */
async function readPaths(nodes: MapNodes, from: MapRoot | null, entries: readonly MapChange[]) {
  const known = new Map<string, MapNode>();
  let reached: Reached[] =
    from === null ? [] : [{ name: { version: from.version, path: '' }, hash: from.root, entries }];
  if (from === null) for (const entry of entries) requireBefore(entry, null);
  while (reached.length > 0) {
    const bytes = await nodes.read(reached.map(({ name }) => name));
    reached = reached.flatMap(({ name, hash, entries: own }, i) => {
      const node = provenNode(bytes[i], hash, name.path);
      known.set(name.path, node);
      return groupsOf(own, name.path.length).flatMap(({ nibble, group }) => {
        const child = node[nibble] ?? null;
        if (child === null || isLeaf(child)) {
          for (const entry of group) requireBefore(entry, child);
          return [];
        }
        const next = { version: child.version, path: childPath(name.path, nibble) };
        return [{ name: next, hash: child.hash, entries: group }];
      });
    });
  }
  return known;
}

/** @param leaf where the key's path ends. */
function requireBefore({ key, before }: MapChange, leaf: MapEntry | null): void {
  if (before === undefined) return;
  const value = leaf?.key.equals(key) ? leaf.value : null;
  if (value === null ? before === null : before?.equals(value)) return;
  throw new MapDamaged('a list or log is not what the map states');
}

const childPath = (path: string, nibble: number): string => path + nibble.toString(16);

interface Group {
  readonly nibble: number;
  readonly group: readonly MapChange[];
}

/** Sorted entries by their nibble at a depth. */
function groupsOf(entries: readonly MapChange[], depth: number): Group[] {
  const groups: Group[] = [];
  for (let start = 0; start < entries.length; ) {
    const nibble = nibbleAt(entries[start]?.key ?? EMPTY_SUBTREE, depth);
    let end = start + 1;
    while (end < entries.length && nibbleAt(entries[end]?.key ?? EMPTY_SUBTREE, depth) === nibble) end++;
    groups.push({ nibble, group: entries.slice(start, end) });
    start = end;
  }
  return groups;
}

/** Builds the nodes of a new version from the leaves up. */
class Change {
  readonly written: { path: string; bytes: Buffer }[] = [];
  readonly stale: MapNodeName[] = [];
  readonly #known: ReadonlyMap<string, MapNode>;
  readonly #version: number;

  constructor(known: ReadonlyMap<string, MapNode>, version: number) {
    this.#known = known;
    this.#version = version;
  }

  /** The root is stored also when it holds one key or none. */
  root(from: number | null, entries: readonly MapEntry[]): Buffer {
    return spanOf(this.#write('', from, entries))?.hash ?? EMPTY_SUBTREE;
  }

  #write(path: string, from: number | null, entries: readonly MapEntry[]): MapNode {
    const node: MapChild[] = [...((from === null ? undefined : this.#known.get(path)) ?? EMPTY_NODE)];
    for (const { nibble, group } of groupsOf(entries, path.length)) {
      node[nibble] = this.#child(childPath(path, nibble), node[nibble] ?? null, group);
    }
    if (from !== null) this.stale.push({ version: from, path });
    this.written.push({ path, bytes: encodeNode(node) });
    return node;
  }

  #child(path: string, before: MapChild, entries: readonly MapEntry[]): MapChild {
    if (before !== null && !isLeaf(before)) return this.#branch(path, before.version, entries);
    const all = before === null ? entries : withLeaf(entries, before);
    const [only, ...others] = all;
    if (only === undefined || others.length > 0) return this.#branch(path, null, all);
    return { ...only, hash: mapLeafHash(only.key, only.value) };
  }

  #branch(path: string, from: number | null, entries: readonly MapEntry[]): MapChild {
    const span = spanOf(this.#write(path, from, entries));
    return { version: this.#version, hash: span?.hash ?? EMPTY_SUBTREE };
  }
}

/** The entries and a leaf that was alone so far, unless they replace it. */
function withLeaf(entries: readonly MapEntry[], { key, value }: MapEntry): readonly MapEntry[] {
  if (entries.some((entry) => entry.key.equals(key))) return entries;
  return [...entries, { key, value }].sort((a, b) => a.key.compare(b.key));
}

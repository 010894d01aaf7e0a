import { CompactRange } from '../../../shared/merkle/compact-range.js';
import { leafHash } from '../../../shared/merkle/hashes.js';
import { sound } from '../../../shared/records/sound-rows.js';
import { MapDamaged, type MapRoot } from '../../../shared/state-map/node.js';
import type { MapEntry } from '../../../shared/state-map/update.js';
import { leavesOfMap } from '../../../shared/state-map/walk.js';
import type { TenantLedger } from '../append/index.js';
import type { CheckpointRow, TreeStore } from '../transparency/index.js';
import { type CommittedMap, committedMapOf } from './committed-maps.js';
import { MAP_PARTITION } from './domain/map-entry.js';
import { type MapOp, mapOpsOf } from './domain/map-ops.js';
import { LedgerFold } from './fold-ledger.js';
import type { FoldReader, MapStore } from './ports.js';

export interface VerifyMapDeps {
  readonly reader: FoldReader;
  readonly trees: TreeStore;
  /** Names differing keys; null where no stored map is. */
  readonly maps: MapStore | null;
  /** Called with the number of folded entries and of all. */
  readonly report?: ((done: number, total: number) => void) | undefined;
}

/** Result of a fold. */
export interface MapFinding {
  /** The newest valid map; null for none. */
  readonly map: CommittedMap | null;
  /** Root that the entries lead to, in hex; null without a map, and where an entry cannot be folded. */
  readonly folded: string | null;
  readonly entries: number;
  readonly changes: number;
  /** Entries `map.committed` at another index than they name, or under no checkpoint of their own. */
  readonly voids: number;
  /** Entries of the tree after the map. */
  readonly after: number;
  /** Keys that differ, by kind and identifier where the entries name them; the first few. */
  readonly differing: readonly string[];
  /** Root of the tree up to the map's own leaf, from the entries; null where they cannot be folded. */
  readonly tree_root: string | null;
  /** The checkpoint under which the map is the last leaf. */
  readonly checkpoint: { readonly tree_size: number; readonly root_hash: string; readonly note: string } | null;
  /** Why the entries cannot be folded. */
  readonly fault: string | null;
}

const READ_ENTRIES = 2_000;
const MAX_NAMED = 20;

/** Folds the entries of a tenant and compares the root with the newest valid entry `map.committed`. */
export async function verifyMap(
  deps: VerifyMapDeps,
  tenantId: string,
  ledger: Pick<TenantLedger, 'head' | 'rows'>,
): Promise<MapFinding> {
  const { map, checkpoint, voids } = await validMap(deps.trees, tenantId, ledger);
  const size = await deps.trees(tenantId).size();
  const none = {
    map,
    voids,
    folded: null,
    entries: 0,
    changes: 0,
    differing: [],
    tree_root: null,
    checkpoint,
    fault: null,
  };
  if (map === null) return { ...none, after: size };
  const after = size - map.tree_size - 1;
  const fold = await LedgerFold.open();
  const tree = new CompactRange();
  try {
    for (let at = 0; at < map.tree_size; at += READ_ENTRIES) {
      const entries = await deps.reader.entries(tenantId, at, Math.min(map.tree_size, at + READ_ENTRIES));
      for (const entry of entries) {
        await fold.add(entry);
        tree.append(leafHash(Buffer.from(entry.entry_hash, 'hex')));
      }
      deps.report?.(Math.min(map.tree_size, at + READ_ENTRIES), map.tree_size);
    }
    tree.append(leafHash(Buffer.from(map.entry_hash, 'hex')));
    const tree_root = tree.root().toString('hex');
    const folded = (await fold.root()).toString('hex');
    const differing = folded === map.root ? [] : await differingKeys(deps, tenantId, map, fold);
    return { ...none, folded, entries: map.tree_size, changes: fold.changes, after, differing, tree_root };
  } catch (error) {
    if (!(error instanceof MapDamaged)) throw error;
    return { ...none, after, fault: error.message };
  } finally {
    await fold.close();
  }
}

/** The newest map at its own index under its own checkpoint; all others are void. */
async function validMap(
  trees: TreeStore,
  tenantId: string,
  ledger: Pick<TenantLedger, 'head' | 'rows'>,
): Promise<{
  readonly map: CommittedMap | null;
  readonly checkpoint: MapFinding['checkpoint'];
  readonly voids: number;
}> {
  const tree = trees(tenantId);
  const incarnation = (await sound(() => tree.latestIncarnation()))?.incarnation ?? 1;
  let map: CommittedMap | null = null;
  let checkpoint: MapFinding['checkpoint'] = null;
  let voids = 0;
  const end = Number((await ledger.head(MAP_PARTITION))?._id.seq ?? 0);
  for (let from = 1; from <= end; from += READ_ENTRIES) {
    const rows = await ledger.rows(MAP_PARTITION, from, Math.min(end, from + READ_ENTRIES - 1), READ_ENTRIES);
    const indexes = await tree.treeIndexOf(
      MAP_PARTITION,
      rows.map(({ _id }) => _id.seq),
    );
    for (const row of rows) {
      const stated = committedMapOf(row);
      const isAtIndex = stated !== null && indexes.get(stated.seq) === stated.tree_size;
      const signed = isAtIndex ? await checkpointAt(tree, incarnation, stated.tree_size + 1) : null;
      if (signed === null) voids++;
      else {
        map = stated;
        const { tree_size, root_hash, note } = signed;
        checkpoint = { tree_size, root_hash, note };
      }
    }
  }
  return { map, checkpoint, voids };
}

async function checkpointAt(
  tree: ReturnType<TreeStore>,
  incarnation: number,
  size: number,
): Promise<CheckpointRow | null> {
  for (let each = incarnation; each >= 1; each--) {
    const found = await sound(() => tree.checkpointOfSize(each, size));
    if (found) return found;
  }
  return null;
}

async function differingKeys(
  { maps, reader }: VerifyMapDeps,
  tenantId: string,
  map: CommittedMap,
  fold: LedgerFold,
): Promise<readonly string[]> {
  if (maps === null) return [];
  const root: MapRoot = { version: map.tree_size, root: Buffer.from(map.root, 'hex') };
  const keys = new Set<string>();
  try {
    for await (const key of differences(leavesOfMap(maps(tenantId), root), fold.entries())) {
      keys.add(key.toString('hex'));
      if (keys.size >= MAX_NAMED) break;
    }
  } catch (error) {
    // Old versions are not kept, and the stored map proves nothing here.
    if (!(error instanceof MapDamaged)) throw error;
    return [];
  }
  return namesOf(reader, tenantId, map.tree_size, keys);
}

/** Keys with different values in two sorted sequences. */
async function* differences(a: AsyncIterable<MapEntry>, b: AsyncIterable<MapEntry>): AsyncGenerator<Buffer> {
  const [left, right] = [a[Symbol.asyncIterator](), b[Symbol.asyncIterator]()];
  let [one, other] = [await left.next(), await right.next()];
  while (!one.done || !other.done) {
    const order = one.done ? 1 : other.done ? -1 : Buffer.compare(one.value.key, other.value.key);
    if (order < 0 && !one.done) yield one.value.key;
    else if (order > 0 && !other.done) yield other.value.key;
    else if (!one.done && !other.done && !one.value.value.equals(other.value.value)) yield one.value.key;
    if (order <= 0) one = await left.next();
    if (order >= 0) other = await right.next();
  }
}

/** Names keys by the entries that change them; a key that no entry changes stays in hex. */
async function namesOf(reader: FoldReader, tenantId: string, size: number, keys: Set<string>): Promise<string[]> {
  const names = new Map([...keys].map((key) => [key, key]));
  for (let at = 0; at < size; at += READ_ENTRIES) {
    const entries = await reader.entries(tenantId, at, Math.min(size, at + READ_ENTRIES));
    for (const { key, name } of entries.flatMap(mapOpsOf) as readonly MapOp[]) {
      const text = key.toString('hex');
      if (name !== null && names.has(text)) names.set(text, `${name.kind}/${name.x}`);
    }
  }
  return [...names.values()].sort();
}

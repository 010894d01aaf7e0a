import { MapDamaged, type MapRoot } from '../../../shared/state-map/node.js';
import type { MapChange } from '../../../shared/state-map/update.js';
import { decodeItem, type LogChunk, type MapItem, newItem } from './domain/map-item.js';
import { type FoldedEntry, type MapOp, mapOpsOf } from './domain/map-ops.js';
import type { ItemRow, TenantMap, UpdateMap } from './ports.js';

/** The version to start from, and the last committed one: a crash left rows of versions in between. */
interface SliceBase {
  readonly committed: number;
  readonly from: MapRoot | null;
}

/**
 * Folds some entries into the next version and stores it.
 *
 * @param version the tree index after the last entry.
 * @returns the root of the version.
 * @throws MapDamaged for a stored row that the map of the version before does not prove
 */
export async function foldSlice(
  { map, update }: { readonly map: TenantMap; readonly update: UpdateMap },
  { committed, from }: SliceBase,
  version: number,
  entries: readonly FoldedEntry[],
): Promise<Buffer> {
  const touched = touchedKeys(entries);
  const counted = [...touched].filter(([, ops]) => ops[0]?.kind !== 'STATE').map(([key]) => key);
  const rows = await map.items(counted);
  const items: ItemRow[] = [];
  const chunks: (LogChunk & { readonly key: string })[] = [];
  const changes = [...touched].map(([key, ops]): MapChange => {
    const last = ops.at(-1);
    if (last?.kind === 'STATE') return { key: last.key, value: last.value };
    const row = rows.get(key) ?? null;
    const data = row === null ? null : dataAt(row, from?.version ?? 0);
    const { item, before, filled } = applied(data, ops);
    chunks.push(...filled.map((chunk) => ({ ...chunk, key })));
    items.push({ key, version, data: item.encode(), before: committedBefore(row, committed) });
    return { key: Buffer.from(key, 'hex'), value: item.value(), before };
  });
  const made = await update(map, { from, version }, changes);
  await map.write({ version, update: made, items, chunks });
  return made.root;
}

/** Operations by the key in hex, in the order of the entries. */
function touchedKeys(entries: readonly FoldedEntry[]): ReadonlyMap<string, MapOp[]> {
  const touched = new Map<string, MapOp[]>();
  for (const entry of entries) {
    for (const op of mapOpsOf(entry)) {
      const key = op.key.toString('hex');
      const known = touched.get(key);
      if (known === undefined) touched.set(key, [op]);
      else known.push(op);
    }
  }
  return touched;
}

/** The state of a key at a version; null before its first. */
function dataAt({ version, data, before }: ItemRow, at: number): Buffer | null {
  if (version <= at) return data;
  return before !== null && before.version <= at ? before.data : null;
}

/** The state to which a crash returns. */
const committedBefore = (row: ItemRow | null, committed: number): ItemRow['before'] => {
  if (row === null) return null;
  return row.version <= committed ? { version: row.version, data: row.data } : row.before;
};

function applied(
  data: Buffer | null,
  ops: readonly MapOp[],
): { readonly item: MapItem; readonly before: Buffer | null; readonly filled: readonly LogChunk[] } {
  const [first] = ops;
  if (first === undefined) throw new MapDamaged('a key without an operation');
  const item = data === null ? newItem(first) : decodeItem(data);
  const before = data === null ? null : item.value();
  const filled = ops.map((op) => item.apply(op)).filter((chunk) => chunk !== null);
  return { item, before, filled };
}

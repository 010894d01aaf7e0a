import type { Db, Filter } from 'mongodb';
import { contentOf, isAltered, isLinked, type LedgerRow } from '../../append/domain/index.js';
import { LEDGER_COLLECTION } from '../../append/index.js';
import type { TreeRow, TreeStore } from '../../transparency/index.js';
import type { FoldedEntry } from '../domain/map-ops.js';
import { EntryDamaged, type FoldReader } from '../ports.js';

/** Partitions with entries that may be facts; only their records are read. */
const FACT_SOURCES: ReadonlySet<string> = new Set(['_records', '_system']);

/** Members of a row that the fold of an event needs. */
const HEADER = {
  tenant_id: 1,
  source_system: 1,
  event_id: 1,
  recorded_at: 1,
  commit: 1,
  fields: 1,
  member_tag: 1,
  prev_hash: 1,
  entry_hash: 1,
  map_logs: 1,
  'query.matter_id': 1,
  'query.incident_id': 1,
} as const;

type HeaderRow = LedgerRow & { readonly query?: { readonly matter_id?: unknown; readonly incident_id?: unknown } };

/**
 * Reads entries in the order of the tree. Headers must have their hash and be the leaf; facts must match their commitment.
 * The fields `matter_id` and `incident_id` of events are those of the row: verification compares them with the record.
 */
export function foldReader(db: Db, trees: TreeStore): FoldReader {
  const rows = db.collection<LedgerRow>(LEDGER_COLLECTION, { promoteBuffers: true });
  const chain = async (tenantId: string, source: string, leaves: readonly TreeRow[]) => {
    const sequences = leaves.map(({ seq }) => seq);
    const id = (seq: number) => ({ tenant_id: tenantId, source_system: source, seq });
    const filter: Filter<LedgerRow> = { _id: { $gte: id(Math.min(...sequences)), $lte: id(Math.max(...sequences)) } };
    const options = { sort: { _id: 1 }, batchSize: leaves.length + 1 } as const;
    const projection = FACT_SOURCES.has(source) ? {} : { projection: HEADER };
    return rows.find(filter, { ...options, ...projection }).toArray();
  };
  return {
    entries: async (tenantId, from, to) => {
      const leaves = await trees(tenantId).rows(from, to - from);
      if (leaves.length !== to - from || leaves.some((leaf, i) => leaf.malformed || leaf.tree_index !== from + i)) {
        throw new EntryDamaged(`the tree lacks a leaf between ${from} and ${to}`);
      }
      const bySource = new Map<string, TreeRow[]>();
      for (const leaf of leaves) {
        const known = bySource.get(leaf.source_system);
        if (known === undefined) bySource.set(leaf.source_system, [leaf]);
        else known.push(leaf);
      }
      const found = new Map<string, LedgerRow>();
      for (const [source, some] of bySource) {
        for (const row of await chain(tenantId, source, some)) found.set(`${row._id.seq} ${source}`, row);
      }
      return leaves.map((leaf) => foldedEntry(leaf, found.get(`${leaf.seq} ${leaf.source_system}`)));
    },
  };
}

/** @throws EntryDamaged */
function foldedEntry(leaf: TreeRow, row: HeaderRow | undefined): FoldedEntry {
  const isFact = FACT_SOURCES.has(leaf.source_system);
  if (row === undefined || row.entry_hash !== leaf.entry_hash || (isFact ? isAltered(row) : !isLinked(row))) {
    throw new EntryDamaged(`the entry ${leaf.source_system}/${leaf.seq} is missing or altered`);
  }
  const { tree_index, source_system, entry_hash } = leaf;
  const { member_tag, query, map_logs } = row;
  return {
    tree_index,
    source_system,
    entry_hash,
    member_tag,
    ...(typeof query?.matter_id === 'string' ? { matter_id: query.matter_id } : {}),
    ...(typeof query?.incident_id === 'string' ? { incident_id: query.incident_id } : {}),
    ...(map_logs === undefined ? {} : { map_logs }),
    record: isFact ? (contentOf(row) ?? null) : null,
  };
}

import type { Collection, Db } from 'mongodb';
import type { EventSelection } from '../../../shared/contracts/ledger-records.js';
import { AI_PROVENANCE_PARTITION, CUSTODY_PARTITION, SYSTEM_PARTITIONS } from '../../../shared/ids/tenant.js';
import { decodeCursor, encodeCursor } from '../../../shared/pagination/cursor.js';
import { factKeyRange, type LedgerRow } from '../append/domain/index.js';
import { LEDGER_COLLECTION, readLedgerRow, timeFilter } from '../append/index.js';
import type { DisposalTies } from '../disposal/domain.js';
import { TREE_COLLECTION } from '../transparency/index.js';
import type { ChainPlace, FoundPlaces, RecordReads, TenantRecordReads } from './ports.js';

const RESERVED: readonly string[] = [...SYSTEM_PARTITIONS, AI_PROVENANCE_PARTITION];
const PLACE_ONLY = { _id: 1, event_id: 1, 'query.effective_at': 1 } as const;

interface StoredLeaf {
  readonly _id: { readonly tenant_id: string; readonly tree_index: number };
  readonly tenant_id: string;
  readonly source_system: string;
  readonly seq: number;
  readonly entry_hash: Buffer;
}

/** Reads for bundles over the driver's collections; every filter starts with the tenant. */
export function mongoRecordReads(db: Db, tiesOf: (tenantId: string) => DisposalTies): RecordReads {
  const rows = db.collection<LedgerRow>(LEDGER_COLLECTION, { promoteBuffers: true });
  const leaves = db.collection<StoredLeaf>(TREE_COLLECTION, { promoteBuffers: true });
  return (tenantId) => new MongoRecordReads(rows, leaves, tenantId, tiesOf(tenantId));
}

class MongoRecordReads implements TenantRecordReads {
  readonly #rows: Collection<LedgerRow>;
  readonly #leaves: Collection<StoredLeaf>;
  readonly #tenantId: string;
  readonly #ties: DisposalTies;

  constructor(rows: Collection<LedgerRow>, leaves: Collection<StoredLeaf>, tenantId: string, ties: DisposalTies) {
    this.#rows = rows;
    this.#leaves = leaves;
    this.#tenantId = tenantId;
    this.#ties = ties;
  }

  /**
   * Reads one id after the other, because each has its own index. The cursor names the id and the place in its order.
   */
  async select(selection: EventSelection, cursor: string | null, limit: number): Promise<FoundPlaces> {
    const branches = branchesOf(selection);
    const ties = tiesOf(this.#ties, selection);
    const [at, after] = cursor === null ? [0, ''] : splitCursor(cursor);
    const branch = branches[at];
    // Disposed events come last: an event that loses its content during the walk was returned before, or is returned
    // here.
    const found = branch ? await this.#live(branch, selection, after, limit) : await this.#disposed(ties, after, limit);
    const places = found.map(({ _id }) => ({ source_system: _id.source_system, seq: _id.seq }));
    const last = found.length < limit ? undefined : found.at(-1);
    if (last !== undefined) return { places, next: `${at}:${branch ? cursorAfter(last) : last.event_id}` };
    const isLast = at >= branches.length || (at + 1 === branches.length && ties.length === 0);
    return { places, next: isLast ? null : `${at + 1}:` };
  }

  /**
   * Finds events by their query fields. An event named by id may be disposed of; it has no time then and matches every
   * window.
   */
  #live(branch: Branch, { from_ms: fromMs, to_ms: toMs }: EventSelection, after: string, limit: number) {
    const time = timeFilter({
      ...(fromMs === undefined ? {} : { fromMs }),
      ...(toMs === undefined ? {} : { toMs }),
      ...(after === '' ? {} : { after: decodeCursor(after) }),
      ascending: false,
    });
    const inTime = 'event_id' in branch ? { $or: [time, { disposal_id: { $exists: true } }] } : time;
    return this.#found({ ...branch, ...inTime }, { 'query.effective_at': -1, event_id: -1 }, limit);
  }

  /** Finds disposed events by their keyed hashes (disposal/domain.ts), in any window. */
  async #disposed(ties: readonly string[], after: string, limit: number) {
    if (ties.length === 0) return [];
    const beyond = after === '' ? {} : { event_id: { $lt: after } };
    return this.#found({ disposed_of: { $in: [...ties] }, ...beyond }, { event_id: -1 }, limit);
  }

  #found(which: Branch, order: Readonly<Record<string, -1>>, limit: number) {
    const filter = { tenant_id: this.#tenantId, source_system: { $nin: RESERVED }, ...which };
    return this.#rows
      .find(filter, { projection: PLACE_ONLY })
      .sort(order)
      .limit(limit)
      .batchSize(limit + 1)
      .toArray();
  }

  async rows(places: readonly ChainPlace[]): Promise<readonly LedgerRow[]> {
    const ids = places.map(({ source_system, seq }) => ({ tenant_id: this.#tenantId, source_system, seq }));
    const found: unknown[] = await this.#rows
      .find({ _id: { $in: ids } }, { raw: true, batchSize: ids.length + 1 })
      .toArray();
    return found.map(readLedgerRow);
  }

  custody(keys: readonly string[]): Promise<readonly LedgerRow[]> {
    if (keys.length === 0) return Promise.resolve([]);
    const filter = { tenant_id: this.#tenantId, 'query.custody_keys': { $in: [...keys] } };
    return this.#rows.find({ ...filter, source_system: CUSTODY_PARTITION }).toArray();
  }

  async named(partition: string, sourceRecordIds: readonly string[]): Promise<readonly LedgerRow[]> {
    const found = await Promise.all(
      sourceRecordIds.map((id) => {
        const { from, before } = factKeyRange(id);
        const filter = { tenant_id: this.#tenantId, source_system: partition, fact_key: { $gte: from, $lt: before } };
        return this.#rows.find(filter).toArray();
      }),
    );
    return found.flat();
  }

  async headWithin(sourceSystem: string, treeSize: number) {
    const filter = {
      tenant_id: this.#tenantId,
      source_system: sourceSystem,
      '_id.tree_index': { $lt: treeSize },
    };
    const last = await this.#leaves.findOne(filter, { sort: { tenant_id: -1, source_system: -1, seq: -1 } });
    return last && { seq: last.seq, hash: last.entry_hash.toString('hex') };
  }
}

type Branch = Readonly<Record<string, unknown>>;

/** A condition that one index answers. */
function branchesOf(selection: EventSelection): readonly Branch[] {
  const { member_ids = [], event_ids = [], matter_id, incident_id } = selection;
  return [
    ...member_ids.map((id) => ({ 'query.member_id': id })),
    ...(matter_id === undefined ? [] : [{ 'query.matter_id': matter_id }]),
    ...(incident_id === undefined ? [] : [{ 'query.incident_id': incident_id }]),
    ...(event_ids.length === 0 ? [] : [{ event_id: { $in: [...event_ids] } }]),
  ];
}

const tiesOf = (ties: DisposalTies, { member_ids = [], matter_id, incident_id }: EventSelection): readonly string[] => [
  ...member_ids.map((id) => ties.tie('member_id', id)),
  ...(matter_id === undefined ? [] : [ties.tie('matter_id', matter_id)]),
  ...(incident_id === undefined ? [] : [ties.tie('incident_id', incident_id)]),
];

const cursorAfter = ({ query, event_id }: Pick<LedgerRow, 'query' | 'event_id'>): string =>
  encodeCursor({ atMs: query?.effective_at.getTime() ?? 0, id: event_id });

function splitCursor(cursor: string): readonly [number, string] {
  const colon = cursor.indexOf(':');
  return [Number(cursor.slice(0, colon)), cursor.slice(colon + 1)];
}

import type { Collection, Db, Document } from 'mongodb';
import { duplicateKeyOf } from '../../../shared/db/duplicate-key.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { PENDING_INDEX } from '../../../shared/outbox/outbox.js';
import { declareCollection } from '../../../shared/records/collections.js';
import { rowOfDocument } from '../../../shared/records/record-document.js';
import { documentsOf, RecordStore, type RecordStoreDeps } from '../../../shared/records/record-store.js';
import type { RowCheck } from '../../../shared/records/row-check.js';
import {
  type ConnectorRow,
  type ConnectorRun,
  type ConnectorRuns,
  type ConnectorStore,
  NO_COUNTS,
  type RunLease,
  type RunNote,
  type TenantConnectors,
} from './ports.js';

export const CONNECTORS = declareCollection(
  'connectors',
  [{ tenant_id: 1, created_at: -1, _id: -1 }],
  [{ active: 1, status: 1 }],
  // Two connectors on one folder would claim the files of each other.
  [
    { tenant_id: 1, 'config.folder': 1 },
    { unique: true, partialFilterExpression: { active: true, 'config.folder': { $exists: true } } },
  ],
  PENDING_INDEX,
);

/** Steps kept in the row; the ledger keeps all of them. */
const KEPT_STEPS = 50;

export const connectorStore = (deps: RecordStoreDeps, check: RowCheck): ConnectorStore => {
  const options = {
    collection: CONNECTORS,
    id: 'connector_id',
    check,
    keptLines: KEPT_STEPS,
    endsWhen: ({ status }: Pick<ConnectorRow, 'status'>) => status === 'DELETED',
  } as const;
  return {
    forTenant: (tenantId) => new ConnectorRecords(deps, options, tenantId),
    toRun: async () => {
      const found = documentsOf(deps.db, CONNECTORS).find({ active: true, status: { $in: ['ENABLED', 'ERROR'] } });
      return (await found.toArray()).map((document) => rowOfDocument<ConnectorRow>(document, options.id));
    },
  };
};

class ConnectorRecords extends RecordStore<ConnectorRow> implements TenantConnectors {
  count(): Promise<number> {
    return this.documents.countDocuments({ tenant_id: this.tenantId, active: true });
  }
}

interface RunDocument extends Partial<Omit<ConnectorRun, 'connector_id'>> {
  readonly _id: string;
  readonly tenant_id: string;
  readonly owner?: string | null;
  readonly fence?: number;
}

const runOf = ({ _id, tenant_id: _, owner: __, fence: ___, ...rest }: RunDocument): ConnectorRun => ({
  connector_id: _id,
  listening: rest.listening ?? null,
  last_port: rest.last_port ?? null,
  last_message_at: rest.last_message_at ?? null,
  last_error: rest.last_error ?? null,
  retry_at: rest.retry_at ?? null,
  attempts: rest.attempts ?? 0,
  cursor: rest.cursor ?? {},
  until: rest.until ?? null,
  counters: { ...NO_COUNTS, ...rest.counters },
});

/** A crash loses at most a lease or a count; the next runner waits until the lease ends. */
const PASSING = { writeConcern: { w: 1 } } as const;

/** Stores the state of running connectors; every filter names the tenant. */
export function mongoConnectorRuns(db: Db): ConnectorRuns {
  return new MongoConnectorRuns(db.collection<RunDocument>('connector_runs', PASSING));
}

class MongoConnectorRuns implements ConnectorRuns {
  readonly #rows: Collection<RunDocument>;

  constructor(rows: Collection<RunDocument>) {
    this.#rows = rows;
  }

  async of(tenantId: TenantId, connectorIds: readonly string[]): Promise<ReadonlyMap<string, ConnectorRun>> {
    if (connectorIds.length === 0) return new Map();
    const found = await this.#rows.find({ tenant_id: tenantId, _id: { $in: [...connectorIds] } }).toArray();
    return new Map(found.map((row) => [row._id, runOf(row)]));
  }

  async hold(
    { tenant_id, connector_id }: Pick<ConnectorRow, 'tenant_id' | 'connector_id'>,
    owner: string,
    nowMs: number,
    untilMs: number,
  ): Promise<RunLease | null> {
    const free = [{ until: { $lte: new Date(nowMs) } }, { until: null }, { owner }];
    try {
      const row = await this.#rows.findOneAndUpdate(
        { _id: connector_id, tenant_id, $or: free },
        { $set: { owner, until: new Date(untilMs) }, $inc: { fence: 1 } },
        { upsert: true, returnDocument: 'after' },
      );
      return row && { tenantId: tenant_id, connectorId: connector_id, fence: row.fence ?? 0 };
    } catch (error) {
      // Another process holds the lease: the upsert met the row that did not match.
      if (!duplicateKeyOf(error)) throw error;
      return null;
    }
  }

  async renew(lease: RunLease, untilMs: number): Promise<boolean> {
    const { matchedCount } = await this.#rows.updateOne(held(lease), { $set: { until: new Date(untilMs) } });
    return matchedCount === 1;
  }

  async release(lease: RunLease): Promise<void> {
    await this.#rows.updateOne(held(lease), { $set: { until: new Date(0), owner: null, listening: null } });
  }

  async note(lease: RunLease, note: RunNote): Promise<boolean> {
    const { matchedCount } = await this.#rows.updateOne(held(lease), changeOf(note));
    return matchedCount === 1;
  }

  async add(
    { tenant_id, connector_id }: Pick<ConnectorRow, 'tenant_id' | 'connector_id'>,
    note: RunNote,
  ): Promise<void> {
    await this.#rows.updateOne({ _id: connector_id, tenant_id }, changeOf(note), { upsert: true });
  }
}

const held = ({ tenantId, connectorId, fence }: RunLease) => ({ _id: connectorId, tenant_id: tenantId, fence });

function changeOf({ counts = {}, last_message_at, cursor, ...rest }: RunNote): Document {
  const added = Object.entries(counts).filter(([, value]) => value !== 0);
  const places = Object.entries(cursor ?? {}).map(([type, place]) => [`cursor.${type}`, place]);
  const set = { ...rest, ...Object.fromEntries(places) };
  return {
    ...(Object.keys(set).length > 0 ? { $set: set } : {}),
    ...(last_message_at === undefined ? {} : { $max: { last_message_at } }),
    ...(added.length > 0 ? { $inc: Object.fromEntries(added.map(([name, n]) => [`counters.${name}`, n])) } : {}),
  };
}

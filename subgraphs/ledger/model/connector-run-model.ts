import type { Collection, Db } from 'mongodb';
import { Schema } from 'mongoose';
import { duplicateKeyOf } from '../../../shared/db/duplicate-key.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import {
  type ConnectorRow,
  type ConnectorRun,
  type ConnectorRuns,
  NO_COUNTS,
  type RunLease,
  type RunNote,
} from '../service/ports/connector-store.js';

export const connectorRunSchema = new Schema(
  {
    _id: { type: String, required: true },
    tenant_id: { type: String, required: true },
    owner: String,
    fence: Number,
    until: Date,
    counters: Schema.Types.Mixed,
    listening: Schema.Types.Mixed,
    last_port: Number,
    last_message_at: Date,
    last_error: Schema.Types.Mixed,
    retry_at: Date,
    attempts: Number,
    cursor: Schema.Types.Mixed,
  },
  { collection: 'connector_runs', versionKey: false, autoIndex: false, minimize: false },
);

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

/** A lease or a count is lost at worst: then another waits until the lease is over. */
const PASSING = { writeConcern: { w: 1 } } as const;

/** How connectors fare, over the driver's collection; every filter names the tenant. */
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
      // Held: the upsert ran into the row that did not match.
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
    const { matchedCount } = await this.#rows.updateOne(held(lease), changeOf(note) as never);
    return matchedCount === 1;
  }

  async add(
    { tenant_id, connector_id }: Pick<ConnectorRow, 'tenant_id' | 'connector_id'>,
    note: RunNote,
  ): Promise<void> {
    await this.#rows.updateOne({ _id: connector_id, tenant_id }, changeOf(note) as never, { upsert: true });
  }
}

const held = ({ tenantId, connectorId, fence }: RunLease) => ({ _id: connectorId, tenant_id: tenantId, fence });

function changeOf({ counts = {}, last_message_at, cursor, ...rest }: RunNote): Record<string, unknown> {
  const added = Object.entries(counts).filter(([, value]) => value !== 0);
  const places = Object.entries(cursor ?? {}).map(([type, place]) => [`cursor.${type}`, place]);
  const set = { ...rest, ...Object.fromEntries(places) };
  return {
    ...(Object.keys(set).length > 0 ? { $set: set } : {}),
    ...(last_message_at === undefined ? {} : { $max: { last_message_at } }),
    ...(added.length > 0 ? { $inc: Object.fromEntries(added.map(([name, n]) => [`counters.${name}`, n])) } : {}),
  };
}

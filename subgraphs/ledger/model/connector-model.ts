import type { Collection, Db, Filter } from 'mongodb';
import { Schema } from 'mongoose';
import { DURABLE } from '../../../shared/db/database.js';
import { duplicateKeyOf } from '../../../shared/db/duplicate-key.js';
import { keysetQuery } from '../../../shared/db/keyset.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { type EffectRelay, PENDING_INDEX } from '../../../shared/outbox/outbox.js';
import type { LedgerEntryEffect } from '../../../shared/outbox/pending-effect.js';
import type {
  ConnectorQuery,
  ConnectorRow,
  ConnectorStore,
  ConnectorWrite,
  TenantConnectors,
} from '../service/ports/connector-store.js';

export const CONNECTOR_COLLECTION = 'connectors';

/** Steps kept beside the connector; all of them stand in the ledger. */
const HISTORY_STEPS = 50;

export const connectorSchema = new Schema(
  {
    _id: { type: String, required: true },
    tenant_id: { type: String, required: true },
    kind: { type: String, required: true },
    name: { type: String, required: true },
    source_system: { type: String, required: true },
    direction: { type: String, required: true },
    config: { type: Schema.Types.Mixed, required: true },
    wrapped_secrets: { type: Schema.Types.Mixed, required: true },
    status: { type: String, required: true },
    /** Absent once it is deleted. */
    active: Boolean,
    revision: { type: Number, required: true },
    created_at: { type: Date, required: true },
    created_by: { type: String, required: true },
    updated_at: { type: Date, required: true },
    history: [Schema.Types.Mixed],
    pending: [Schema.Types.Mixed],
  },
  { collection: CONNECTOR_COLLECTION, versionKey: false, autoIndex: false, minimize: false },
);
connectorSchema.index({ tenant_id: 1, created_at: -1, _id: -1 });
connectorSchema.index({ active: 1, status: 1 });
// Two connectors on one folder would take each other's files.
connectorSchema.index(
  { tenant_id: 1, 'config.folder': 1 },
  { unique: true, partialFilterExpression: { active: true, 'config.folder': { $exists: true } } },
);
connectorSchema.index(...PENDING_INDEX);

interface ConnectorDocument extends Omit<ConnectorRow, 'connector_id'> {
  readonly _id: string;
  readonly active?: true;
  readonly pending: readonly LedgerEntryEffect[];
}

const rowOf = ({ _id, active: _, pending: __, ...rest }: ConnectorDocument): ConnectorRow => ({
  ...rest,
  connector_id: _id,
});

/** Connectors by tenant over the driver's collection; every filter of a tenant's begins with the tenant. */
export function mongoConnectorStore(db: Db, outbox: EffectRelay): ConnectorStore {
  const rows = db.collection<ConnectorDocument>(CONNECTOR_COLLECTION);
  return {
    forTenant: (tenantId) => new MongoTenantConnectors(rows, outbox, tenantId),
    toRun: async () => (await rows.find({ active: true, status: { $in: ['ENABLED', 'ERROR'] } }).toArray()).map(rowOf),
  };
}

class MongoTenantConnectors implements TenantConnectors {
  readonly #rows: Collection<ConnectorDocument>;
  readonly #outbox: EffectRelay;
  readonly #tenantId: TenantId;

  constructor(rows: Collection<ConnectorDocument>, outbox: EffectRelay, tenantId: TenantId) {
    this.#rows = rows;
    this.#outbox = outbox;
    this.#tenantId = tenantId;
  }

  async get(connectorId: string): Promise<ConnectorRow | null> {
    const found = await this.#rows.findOne({ ...this.#one(connectorId), active: true });
    return found && rowOf(found);
  }

  async list(query: ConnectorQuery): Promise<readonly ConnectorRow[]> {
    const page = keysetQuery('created_at', query);
    const filters = (['kind', 'status', 'source_system'] as const).flatMap((name) =>
      query[name] === undefined ? [] : [{ [name]: query[name] }],
    );
    const filter = { $and: [{ tenant_id: this.#tenantId, active: true }, ...filters, page.filter] };
    const cursor = this.#rows.find(filter as Filter<ConnectorDocument>).sort(page.sort);
    return (await cursor.limit(page.fetch).toArray()).map(rowOf);
  }

  count(): Promise<number> {
    return this.#rows.countDocuments({ tenant_id: this.#tenantId, active: true });
  }

  async insert({ connector: { connector_id, ...rest }, step, pending }: ConnectorWrite): Promise<ConnectorRow | null> {
    const document = { ...rest, _id: connector_id, active: true as const, history: [step], pending };
    try {
      await this.#rows.insertOne(document, { writeConcern: DURABLE });
    } catch (error) {
      if (duplicateKeyOf(error)) return null;
      throw error;
    }
    return { connector_id, ...rest, history: [step] };
  }

  async replace({ connector, step, pending }: ConnectorWrite, revision: number): Promise<ConnectorRow | null> {
    const { connector_id, ...rest } = connector;
    try {
      const changed = await this.#rows.findOneAndUpdate(
        { ...this.#one(connector_id), active: true, revision },
        {
          $set: rest,
          ...(connector.status === 'DELETED' ? { $unset: { active: true } } : {}),
          $push: { history: { $each: [step], $slice: -HISTORY_STEPS }, pending: { $each: [...pending] } },
        } as never,
        { returnDocument: 'after', writeConcern: DURABLE },
      );
      return changed && rowOf(changed);
    } catch (error) {
      if (duplicateKeyOf(error)) return null;
      throw error;
    }
  }

  relay({ connector, pending }: ConnectorWrite): Promise<void> {
    return this.#outbox.relay(CONNECTOR_COLLECTION, connector.connector_id, pending);
  }

  #one(connectorId: string): { readonly _id: string; readonly tenant_id: TenantId } {
    return { _id: connectorId, tenant_id: this.#tenantId };
  }
}

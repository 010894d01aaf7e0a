import { type Connection, type Model, Schema } from 'mongoose';
import { duplicateKeyOf } from '../../../shared/db/duplicate-key.js';
import { keysetQuery } from '../../../shared/db/keyset.js';
import { ANY_TENANT, OPERATOR_TENANT, type TenantId } from '../../../shared/ids/tenant.js';
import { PENDING_INDEX } from '../../../shared/outbox/outbox.js';
import type { PendingEffect } from '../../../shared/outbox/pending-effect.js';
import type { TenantRecord, TenantStatus, Tenants } from '../service/ports.js';

/** `_id` is the tenant_id: uniqueness then needs no index of its own. */
interface TenantDocument extends Omit<TenantRecord, 'tenant_id'> {
  readonly _id: TenantId;
  readonly pending: readonly PendingEffect[];
}

export const TENANT_COLLECTION = 'tenants';

const TENANT_SCHEMA = new Schema<TenantDocument>(
  {
    _id: { type: String, required: true },
    name: { type: String, required: true },
    status: { type: String, required: true, enum: ['ACTIVE', 'SUSPENDED'] satisfies TenantStatus[] },
    log_id: { type: String, required: true },
    created_at: { type: Date, required: true },
    rate_limit_per_minute: { type: Number, default: null },
    pending: { type: [Schema.Types.Mixed], default: [] } as never,
  },
  { collection: TENANT_COLLECTION, versionKey: false, strict: 'throw', strictQuery: 'throw' },
);
TENANT_SCHEMA.index({ log_id: 1 }, { unique: true });
TENANT_SCHEMA.index({ created_at: -1, _id: -1 });
TENANT_SCHEMA.index(...PENDING_INDEX);

export const tenantModel = (connection: Connection): Model<TenantDocument> =>
  (connection.models['Tenant'] as Model<TenantDocument> | undefined) ??
  connection.model<TenantDocument>('Tenant', TENANT_SCHEMA);

const recordOf = ({ _id, pending: _, ...rest }: TenantDocument): TenantRecord => ({ tenant_id: _id, ...rest });

export function tenantRepository(model: Model<TenantDocument>): Tenants {
  return {
    async insert({ tenant_id, ...rest }, pending) {
      try {
        await model.create({ _id: tenant_id, ...rest, pending });
        return true;
      } catch (error) {
        if (duplicateKeyOf(error)) return false;
        throw error;
      }
    },
    within(reach) {
      // Both conditions stand side by side, so that none can be asked away by a caller's own filter.
      const seen = [{ _id: { $ne: OPERATOR_TENANT } }, ...(reach === ANY_TENANT ? [] : [{ _id: reach }])];
      return {
        async get(tenantId) {
          const found = await model
            .findOne({ $and: [...seen, { _id: tenantId as TenantId }] })
            .lean<TenantDocument>()
            .exec();
          return found === null ? null : recordOf(found);
        },
        async list(query) {
          const page = keysetQuery('created_at', query);
          const filters = [
            ...(query.status === undefined ? [] : [{ status: query.status }]),
            ...(query.name === undefined ? [] : [{ name: query.name }]),
          ];
          const rows = await model
            .find({ $and: [...seen, ...filters, page.filter] })
            .sort(page.sort)
            .limit(page.fetch)
            .lean<TenantDocument[]>()
            .exec();
          return rows.map(recordOf);
        },
        async change(tenantId, { from, set, pending }) {
          const changed = await model
            .findOneAndUpdate(
              { $and: [...seen, { _id: tenantId as TenantId, status: from }] },
              { $set: set, $push: { pending: { $each: pending } } } as Record<string, unknown>,
              { returnDocument: 'after' },
            )
            .lean<TenantDocument>()
            .exec();
          return changed === null ? null : recordOf(changed);
        },
      };
    },
    async summary(tenantId) {
      const found = await model.findById(tenantId).lean<TenantDocument>().exec();
      if (found === null) return undefined;
      const { _id, log_id, status, rate_limit_per_minute: limit } = found;
      return { tenant_id: _id, log_id, status, ...(limit == null ? {} : { rate_limit_per_minute: limit }) };
    },
  };
}

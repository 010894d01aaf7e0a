import { type Connection, type Model, Schema } from 'mongoose';
import { duplicateKeyOf } from '../../../shared/db/duplicate-key.js';
import { keysetQuery } from '../../../shared/db/keyset.js';
import { ANY_TENANT } from '../../../shared/ids/tenant.js';
import { PENDING_INDEX } from '../../../shared/outbox/outbox.js';
import type { PendingEffect } from '../../../shared/outbox/pending-effect.js';
import type { Reach } from '../domain/key-grant.js';
import type { RoleRecord, RoleStore, RolesInReach } from '../service/ports/role-store.js';

export const ROLE_COLLECTION = 'roles';

/** `_id` is the role_id. */
interface RoleDocument extends Omit<RoleRecord, 'role_id'> {
  readonly _id: string;
  /** The name while the role is there: a deleted one gives its name free. */
  readonly live_name?: string;
  readonly pending: readonly PendingEffect[];
}

const ROLE_SCHEMA = new Schema<RoleDocument>(
  {
    _id: { type: String, required: true },
    tenant_id: { type: String, required: true },
    name: { type: String, required: true },
    live_name: { type: String },
    description: { type: String, default: null },
    scopes: { type: [String], required: true },
    created_at: { type: Date, required: true },
    created_by: { type: String, required: true },
    updated_at: { type: Date, required: true },
    closed_at: { type: Date, default: null },
    pending: { type: [Schema.Types.Mixed], default: [] } as never,
  },
  { collection: ROLE_COLLECTION, versionKey: false, strict: 'throw', strictQuery: 'throw' },
);
ROLE_SCHEMA.index(
  { tenant_id: 1, live_name: 1 },
  { unique: true, partialFilterExpression: { live_name: { $exists: true } } },
);
ROLE_SCHEMA.index({ tenant_id: 1, created_at: -1, _id: -1 });
ROLE_SCHEMA.index({ created_at: -1, _id: -1 });
ROLE_SCHEMA.index(...PENDING_INDEX);

type RoleModel = Model<RoleDocument>;

export const roleModel = (connection: Connection): RoleModel =>
  (connection.models['Role'] as RoleModel | undefined) ?? connection.model<RoleDocument>('Role', ROLE_SCHEMA);

const recordOf = ({ _id, live_name: _live, pending: _, ...rest }: RoleDocument): RoleRecord => ({
  role_id: _id,
  ...rest,
});

export function roleStore(model: RoleModel): RoleStore {
  return {
    async insert({ role_id, ...rest }, pending) {
      try {
        await model.create({ _id: role_id, ...rest, live_name: rest.name, pending });
        return true;
      } catch (error) {
        if (duplicateKeyOf(error)) return false;
        throw error;
      }
    },
    within: (reach) => rolesInReach(model, reach),
    async scopesOf(tenantId, roleIds) {
      if (roleIds.length === 0) return [];
      const rows = await model
        .find({ tenant_id: tenantId, _id: { $in: [...roleIds] }, live_name: { $exists: true } })
        .lean<RoleDocument[]>()
        .exec();
      return rows.map(recordOf);
    },
  };
}

function rolesInReach(model: RoleModel, reach: Reach): RolesInReach {
  const seen = reach === ANY_TENANT ? {} : { tenant_id: reach };
  const there = (roleId: string) => ({ $and: [seen, { _id: roleId, live_name: { $exists: true } }] });
  const changed = async (roleId: string, update: Record<string, unknown>): Promise<RoleRecord | null> => {
    const found = await model
      .findOneAndUpdate(there(roleId), update, { returnDocument: 'after' })
      .lean<RoleDocument>()
      .exec();
    return found === null ? null : recordOf(found);
  };
  return {
    async get(roleId) {
      const found = await model.findOne(there(roleId)).lean<RoleDocument>().exec();
      return found === null ? null : recordOf(found);
    },
    async list({ name, ...window }) {
      const page = keysetQuery('created_at', window);
      const filters = name === undefined ? [] : [{ name }];
      const rows = await model
        .find({ $and: [seen, { live_name: { $exists: true } }, ...filters, page.filter] })
        .sort(page.sort)
        .limit(page.fetch)
        .lean<RoleDocument[]>()
        .exec();
      return rows.map(recordOf);
    },
    async change(roleId, { set, pending }) {
      const names = set.name === undefined ? {} : { live_name: set.name };
      try {
        return await changed(roleId, {
          $set: { ...set, ...names, closed_at: null },
          $push: { pending: { $each: pending } },
        });
      } catch (error) {
        if (duplicateKeyOf(error)) return 'TAKEN';
        throw error;
      }
    },
    close: (roleId, at) => changed(roleId, { $set: { closed_at: at } }),
    async reopen(roleId) {
      await changed(roleId, { $set: { closed_at: null } });
    },
    async remove(roleId, pending) {
      const removed = await changed(roleId, { $unset: { live_name: '' }, $push: { pending: { $each: pending } } });
      return removed !== null;
    },
  };
}

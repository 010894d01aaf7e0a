import { type Connection, type Model, Schema } from 'mongoose';
import { duplicateKeyOf } from '../../../shared/db/duplicate-key.js';
import { keysetQuery } from '../../../shared/db/keyset.js';
import { ANY_TENANT } from '../../../shared/ids/tenant.js';
import { PENDING_INDEX } from '../../../shared/outbox/outbox.js';
import type { PendingEffect } from '../../../shared/outbox/pending-effect.js';
import type { Reach } from '../domain/key-grant.js';
import type { ActorChange, ActorRecord, ActorStore, ActorsInReach } from '../service/ports/actor-store.js';

export const ACTOR_COLLECTION = 'actors';

/** `_id` is the actor_id. */
interface ActorDocument extends Omit<ActorRecord, 'actor_id'> {
  readonly _id: string;
  readonly pending: readonly PendingEffect[];
}

const ACTOR_SCHEMA = new Schema<ActorDocument>(
  {
    _id: { type: String, required: true },
    tenant_id: { type: String, required: true },
    name: { type: String, required: true },
    kind: { type: String, required: true },
    status: { type: String, required: true },
    role_ids: { type: [String], required: true },
    created_at: { type: Date, required: true },
    created_by: { type: String, required: true },
    updated_at: { type: Date, required: true },
    pending: { type: [Schema.Types.Mixed], default: [] } as never,
  },
  { collection: ACTOR_COLLECTION, versionKey: false, strict: 'throw', strictQuery: 'throw' },
);
ACTOR_SCHEMA.index({ tenant_id: 1, created_at: -1, _id: -1 });
ACTOR_SCHEMA.index({ created_at: -1, _id: -1 });
ACTOR_SCHEMA.index({ tenant_id: 1, role_ids: 1 });
ACTOR_SCHEMA.index(...PENDING_INDEX);

type ActorModel = Model<ActorDocument>;

export const actorModel = (connection: Connection): ActorModel =>
  (connection.models['Actor'] as ActorModel | undefined) ?? connection.model<ActorDocument>('Actor', ACTOR_SCHEMA);

const recordOf = ({ _id, pending: _, ...rest }: ActorDocument): ActorRecord => ({ actor_id: _id, ...rest });

export function actorStore(model: ActorModel): ActorStore {
  return {
    async insert({ actor_id, ...rest }, pending) {
      try {
        await model.create({ _id: actor_id, ...rest, pending });
        return true;
      } catch (error) {
        if (duplicateKeyOf(error)) return false;
        throw error;
      }
    },
    within: (reach) => actorsInReach(model, reach),
    async isRoleHeld(tenantId, roleId) {
      const found = await model.findOne({ tenant_id: tenantId, role_ids: roleId }).lean<ActorDocument>().exec();
      return found !== null;
    },
  };
}

function actorsInReach(model: ActorModel, reach: Reach): ActorsInReach {
  const seen = reach === ANY_TENANT ? {} : { tenant_id: reach };
  return {
    async get(actorId) {
      const found = await model
        .findOne({ $and: [seen, { _id: actorId }] })
        .lean<ActorDocument>()
        .exec();
      return found === null ? null : recordOf(found);
    },
    async list({ status, kind, name, ...window }) {
      const page = keysetQuery('created_at', window);
      const filters = [
        ...(status === undefined ? [] : [{ status }]),
        ...(kind === undefined ? [] : [{ kind }]),
        ...(name === undefined ? [] : [{ name }]),
      ];
      const rows = await model
        .find({ $and: [seen, ...filters, page.filter] })
        .sort(page.sort)
        .limit(page.fetch)
        .lean<ActorDocument[]>()
        .exec();
      return rows.map(recordOf);
    },
    async change(actorId, change) {
      const changed = await model
        .findOneAndUpdate({ $and: [seen, { _id: actorId }, ...conditionsOf(change)] }, updateOf(change), {
          returnDocument: 'after',
        })
        .lean<ActorDocument>()
        .exec();
      return changed === null ? null : recordOf(changed);
    },
  };
}

const conditionsOf = ({ from }: ActorChange): Record<string, unknown>[] => [
  ...(from.status === undefined ? [] : [{ status: from.status }]),
  ...(from.hasRole === undefined ? [] : [{ role_ids: from.hasRole }]),
  ...(from.lacksRole === undefined ? [] : [{ role_ids: { $ne: from.lacksRole } }]),
];

const updateOf = ({ set, addRole, removeRole, pending }: ActorChange): Record<string, unknown> => ({
  $set: set,
  $push: { pending: { $each: pending }, ...(addRole === undefined ? {} : { role_ids: addRole }) },
  ...(removeRole === undefined ? {} : { $pull: { role_ids: removeRole } }),
});

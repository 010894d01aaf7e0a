import type { Db } from 'mongodb';
import { DURABLE } from '../../../shared/db/database.js';
import type { LearntModel, MatchModelStore } from './ports.js';

/** One document a tenant; `_id` is the tenant_id. */
const MATCH_MODEL_COLLECTION = 'member_match_models';

interface ModelDocument extends LearntModel {
  readonly _id: string;
}

export function matchModelStore(db: Db): MatchModelStore {
  const rows = db.collection<ModelDocument>(MATCH_MODEL_COLLECTION);
  return {
    async get(tenantId) {
      const found = await rows.findOne({ _id: tenantId });
      if (found === null) return null;
      const { _id, ...model } = found;
      return model;
    },
    async put(tenantId, model) {
      await rows.replaceOne({ _id: tenantId }, { ...model }, { upsert: true, writeConcern: DURABLE });
    },
  };
}

import type { Collection, Db } from 'mongodb';
import { Schema } from 'mongoose';
import { DURABLE } from '../../../shared/db/database.js';
import { duplicateKeyOf } from '../../../shared/db/duplicate-key.js';
import type { HiddenOfEvent, RedactionStore } from '../service/ports/redaction-store.js';

export const EVENT_REDACTION_COLLECTION = 'event_redactions';

interface EventRedactionRow extends HiddenOfEvent {
  readonly _id: { readonly tenant_id: string; readonly event_id: string };
}

/** What applied redactions hide of events; the vault's redactions are what it follows from. */
export const eventRedactionSchema = new Schema(
  {
    _id: { tenant_id: String, event_id: String },
    redaction_id: { type: String, required: true },
    ordinal: { type: Number, required: true },
    pointers: [String],
  },
  { collection: EVENT_REDACTION_COLLECTION, versionKey: false, autoIndex: false },
);

/** Found by the primary key alone, which begins with the tenant. */
export function mongoRedactionStore(db: Db): RedactionStore {
  const rows: Collection<EventRedactionRow> = db.collection(EVENT_REDACTION_COLLECTION);
  return (tenant_id) => ({
    async of(eventIds) {
      if (eventIds.length === 0) return new Map();
      const found = await rows.find({ _id: { $in: eventIds.map((event_id) => ({ tenant_id, event_id })) } }).toArray();
      return new Map(found.map(({ _id, ...hidden }) => [_id.event_id, hidden]));
    },
    async put(event_id, hidden) {
      const filter = { _id: { tenant_id, event_id }, ordinal: { $lt: hidden.ordinal } };
      try {
        await rows.updateOne(filter, { $set: { ...hidden } }, { upsert: true, writeConcern: DURABLE });
      } catch (error) {
        // What stands is of this ordinal or a later one: the filter missed it, and the insert met it.
        if (!duplicateKeyOf(error)) throw error;
      }
    },
  });
}

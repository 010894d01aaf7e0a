import { type Collection, type Db, type Document, MaxKey, MinKey } from 'mongodb';
import { DURABLE } from '../../../shared/db/database.js';
import { duplicateKeyOf } from '../../../shared/db/duplicate-key.js';
import type { StateRows } from '../../../shared/facts/record-states.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import { stateOfRow, strayRow } from '../../../shared/records/check-rows.js';
import type { RedactionRow, RedactionRowsByTenant } from './ports.js';

export const EVENT_REDACTION_COLLECTION = 'event_redactions';

interface EventRedactionDocument extends RedactionRow {
  readonly _id: { readonly tenant_id: string; readonly event_id: string };
}

/** The identifiers of a tenant's rows after `from`. */
const between = (tenant_id: string, from: unknown) => ({
  $gt: { tenant_id, event_id: from },
  $lt: { tenant_id, event_id: new MaxKey() },
});

/** The rows of all events with hidden fields, for verification. */
export function redactionStates(db: Db, stateOf: (row: Partial<RedactionRow>) => JsonObject): StateRows {
  const rows = db.collection<EventRedactionDocument>(EVENT_REDACTION_COLLECTION);
  const find = (filter: Document, limit: number) =>
    rows.find(filter, { sort: { _id: 1 }, limit, batchSize: limit + 1 }).toArray();
  return {
    collection: EVENT_REDACTION_COLLECTION,
    page: async (tenantId, after, limit) => {
      const stray = { _id: between(tenantId, new MinKey()), '_id.event_id': { $not: { $type: 'string' } } };
      const strays = after === null ? await find(stray, limit) : [];
      // Texts come before every object.
      const text = { ...between(tenantId, after ?? ''), $lt: { tenant_id: tenantId, event_id: {} } };
      const found = await find({ _id: text }, limit);
      const states = found.map((row) => stateOfRow(row._id.event_id, row, { stateOf }));
      const next = found.length < limit ? null : (states.at(-1)?.id ?? null);
      return { rows: [...strays.map(({ _id }) => strayRow(_id.event_id)), ...states], next };
    },
  };
}

/** Found by the primary key alone, which starts with the tenant. */
export function mongoRedactionRows(db: Db): RedactionRowsByTenant {
  const rows: Collection<EventRedactionDocument> = db.collection(EVENT_REDACTION_COLLECTION);
  return (tenant_id) => ({
    async of(eventIds) {
      if (eventIds.length === 0) return new Map();
      const found = await rows.find({ _id: { $in: eventIds.map((event_id) => ({ tenant_id, event_id })) } }).toArray();
      return new Map(found.map(({ _id, ...row }) => [_id.event_id, row]));
    },
    async put(event_id, row) {
      const filter = { _id: { tenant_id, event_id }, 'fact.seq': { $lt: row.fact.seq } };
      try {
        await rows.updateOne(filter, { $set: { ...row } }, { upsert: true, writeConcern: DURABLE });
      } catch (error) {
        // The stored fact is the same or later: the filter missed it, and the insert collided.
        if (!duplicateKeyOf(error)) throw error;
      }
    },
    async adopt(event_id, fact) {
      const unnamed = { _id: { tenant_id, event_id }, fact: { $exists: false } };
      await rows.updateOne(unnamed, { $set: { fact } }, { writeConcern: DURABLE });
    },
    async *all() {
      const own: Document = { _id: between(tenant_id, new MinKey()) };
      for await (const { _id, ...row } of rows.find(own, { sort: { _id: 1 } })) yield { event_id: _id.event_id, row };
    },
  });
}

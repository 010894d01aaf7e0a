import { Schema } from 'mongoose';

export const SEARCH_COLLECTION = 'event_search';
export const SEARCH_HIDDEN_COLLECTION = 'event_search_hidden';
export const SEARCH_CURSOR_COLLECTION = 'event_search_cursors';

/** What events are found by; made from the ledger, and made again by `npm run search:rebuild`. */
export const searchSchema = new Schema(
  {
    _id: { tenant_id: String, source_system: String, seq: Number },
    tenant_id: { type: String, required: true },
    space: { type: String, required: false },
    event_id: { type: String, required: true },
    effective_at: { type: Date, required: true },
    event_family: String,
    event_type: String,
    outcome: String,
    terms: [String],
    weights: [Number],
    words: String,
    length: Number,
  },
  { collection: SEARCH_COLLECTION, versionKey: false, autoIndex: false },
);

/** The one index: an entry a term. Within a term the newest event comes first. */
export const SEARCH_INDEX = { tenant_id: 1, space: 1, terms: 1, effective_at: -1 } as const;
searchSchema.index(SEARCH_INDEX);

/** What redactions took out of the search. No index can be made again without it. */
export const searchHiddenSchema = new Schema(
  { _id: { tenant_id: String, event_id: String }, pointers: [String] },
  { collection: SEARCH_HIDDEN_COLLECTION, versionKey: false, autoIndex: false },
);

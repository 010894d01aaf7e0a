import { Schema } from 'mongoose';

export const GRAPH_COLLECTION = 'graph_records';
export const GRAPH_GENERATION_COLLECTION = 'graph_generations';
export const GRAPH_CURSOR_COLLECTION = 'graph_cursors';

/**
 * One document = one record with all edges that go out from it: written at once, replaced at once. `ends` holds an edge as
 * `target⏎KIND`, or `target⏎KIND⏎H` where a redaction hides it, so that one index answers what leads into a node, by kind.
 */
export const graphRecordSchema = new Schema(
  {
    _id: { tenant_id: String, generation: Number, node: String },
    tenant_id: { type: String, required: true },
    generation: Number,
    node: String,
    at: Date,
    ends: [String],
    label: String,
    status: String,
    source_system: String,
    category: String,
    labels: [String],
    read_at: Date,
  },
  { collection: GRAPH_COLLECTION, versionKey: false, autoIndex: false },
);
// The newest of a target and a kind without reading the rest: a procedure code has more events than anybody wants to see.
graphRecordSchema.index({ tenant_id: 1, generation: 1, ends: 1, at: -1, node: -1 });

/** Which generation readers see. */
export const graphGenerationSchema = new Schema(
  { _id: { type: String, required: true }, tenant_id: String, live: Number, last: Number },
  { collection: GRAPH_GENERATION_COLLECTION, versionKey: false, autoIndex: false },
);

/** How far each chain is projected; rows of a queue (shared/jobs). */
export const graphCursorSchema = new Schema(
  {
    _id: { type: String, required: true },
    tenant_id: { type: String, required: true },
    generation: Number,
    source_system: String,
    seq: Number,
    behind_since: Date,
  },
  { collection: GRAPH_CURSOR_COLLECTION, versionKey: false, autoIndex: false, strict: false },
);
graphCursorSchema.index({ behind_since: 1 }, { partialFilterExpression: { behind_since: { $exists: true } } });

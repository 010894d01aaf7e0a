import type { Db, Document } from 'mongodb';
import { Schema } from 'mongoose';
import { DURABLE } from '../../../shared/db/database.js';
import type { WorkRow } from '../../../shared/jobs/work-queue.js';
import type { TextStatus } from '../domain/text-states.js';
import type { IndexedText, TextKey, TextSource, TextStore } from '../service/ports/text-store.js';

export const TEXT_COLLECTION = 'document_texts';

/** `_id` is `<document_id>:<sha256>`: a content of a document, read once. */
export interface TextRow extends TextSource, WorkRow, Partial<Omit<IndexedText, keyof TextKey>> {
  readonly _id: string;
  readonly tenant_id: TextKey['tenant_id'];
  readonly created_at: Date;
  readonly status: TextStatus;
  /** Why it failed. */
  readonly reason?: string;
}

/** What documents are found by; all of it follows from their bytes and records. */
export const textSchema = new Schema(
  {
    _id: { type: String, required: true },
    tenant_id: { type: String, required: true },
    document_id: { type: String, required: true },
    sha256: { type: String, required: true },
    size: Number,
    media_type: String,
    created_at: Date,
    status: String,
    reason: String,
    terms: [String],
    weights: [Number],
    words: String,
    length: Number,
    text: String,
  },
  { collection: TEXT_COLLECTION, versionKey: false, autoIndex: false, strict: false },
);
textSchema.index({ tenant_id: 1, terms: 1, created_at: -1 });
textSchema.index({ tenant_id: 1, document_id: 1 });

export const textId = ({ document_id, sha256 }: Pick<TextKey, 'document_id' | 'sha256'>): string =>
  `${document_id}:${sha256}`;

type Part = Parameters<ReturnType<TextStore>['count']>[0];

/** Prefixes hold letters, digits and apostrophes alone: nothing in them means anything to an expression. */
const matching = (part: Part): string | RegExp => (part.kind === 'term' ? part.term : new RegExp(`^${part.prefix}`));

/** Every filter begins with the tenant. */
export function mongoTextStore(db: Db): TextStore {
  const rows = db.collection<TextRow>(TEXT_COLLECTION);
  return (tenantId) => ({
    async expect(source) {
      const work = { ...source, status: 'PENDING', next_attempt_at: source.created_at };
      await rows.updateOne(
        { _id: textId(source) },
        { $setOnInsert: work as never },
        { upsert: true, writeConcern: DURABLE },
      );
    },
    async look({ all, none, limit }) {
      const parts: Document[] = [
        ...all.map((part) => ({ terms: matching(part) })),
        ...none.map((part) => ({ terms: part.kind === 'term' ? { $ne: part.term } : { $not: matching(part) } })),
      ];
      // Rows that wait have no terms yet, and are found by none.
      const filter = { tenant_id: tenantId, $and: parts } as never;
      const found = await rows
        .find(filter, { projection: { text: 0 } })
        .sort({ created_at: -1 })
        .limit(limit)
        .toArray();
      return found.map((row) => ({
        ...row,
        terms: row.terms ?? [],
        weights: row.weights ?? [],
        words: row.words ?? '',
        length: row.length ?? 0,
      }));
    },
    async standing(key) {
      const filter = { _id: textId(key), tenant_id: tenantId };
      const row = await rows.findOne(filter, { projection: { status: 1, reason: 1 } });
      return row === null ? null : { status: row.status, reason: row.reason ?? null };
    },
    async texts(keys) {
      const ids = keys.map(textId);
      const found = await rows.find({ _id: { $in: ids }, tenant_id: tenantId }, { projection: { text: 1 } }).toArray();
      return new Map(found.map(({ _id, text = '' }) => [_id, text]));
    },
    count: (part, limit) => rows.countDocuments({ tenant_id: tenantId, terms: matching(part) } as never, { limit }),
    total: () => rows.countDocuments({ tenant_id: tenantId, status: { $ne: 'PENDING' } }, { limit: 1_000_000 }),
  });
}

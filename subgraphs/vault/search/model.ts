import type { Db, Document } from 'mongodb';
import { DURABLE } from '../../../shared/db/connection-options.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { WorkRow } from '../../../shared/jobs/work-queue.js';
import { declareCollection } from '../../../shared/records/collections.js';
import type { TextStatus } from '../documents/domain.js';
import type { IndexedText, TextKey, TextSource, TextStore } from './ports.js';

/** `_id` is `<document_id>:<sha256>`: one content of a document. */
export interface TextRow extends TextSource, WorkRow, Partial<Omit<IndexedText, keyof TextKey>> {
  readonly _id: string;
  readonly tenant_id: TextKey['tenant_id'];
  readonly created_at: Date;
  readonly status: TextStatus;
  /** Failure code. */
  readonly reason?: string;
}

/** The search index of documents, derived from their bytes and records. */
export const TEXTS = declareCollection(
  'document_texts',
  [{ tenant_id: 1, terms: 1, created_at: -1 }],
  [{ tenant_id: 1, document_id: 1 }],
);

const textId = ({ document_id, sha256 }: Pick<TextKey, 'document_id' | 'sha256'>): string => `${document_id}:${sha256}`;

type Part = Parameters<ReturnType<TextStore>['count']>[0];

/** Prefixes consist of letters, digits and apostrophes, which need no escaping. */
const matching = (part: Part): string | RegExp => (part.kind === 'term' ? part.term : new RegExp(`^${part.prefix}`));

/** Texts by tenant; every filter starts with the tenant. */
export function mongoTextStore(db: Db): TextStore {
  const rows = db.collection<TextRow>(TEXTS.name);
  return (tenantId) => ({
    async expect(source) {
      const work = { ...source, status: 'PENDING' as const, next_attempt_at: source.created_at };
      await rows.updateOne({ _id: textId(source) }, { $setOnInsert: work }, { upsert: true, writeConcern: DURABLE });
    },
    async find({ all, none, limit }) {
      const parts: Document[] = [
        ...all.map((part) => ({ terms: matching(part) })),
        ...none.map((part) => ({ terms: part.kind === 'term' ? { $ne: part.term } : { $not: matching(part) } })),
      ];
      // Pending rows have no terms yet, so no search finds them.
      const filter = { tenant_id: tenantId, $and: parts };
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
    async state(key) {
      const filter = { _id: textId(key), tenant_id: tenantId };
      const row = await rows.findOne(filter, { projection: { status: 1, reason: 1 } });
      return row === null ? null : { status: row.status, reason: row.reason ?? null };
    },
    async texts(keys) {
      const ids = keys.map(textId);
      const found = await rows.find({ _id: { $in: ids }, tenant_id: tenantId }, { projection: { text: 1 } }).toArray();
      return new Map(found.map(({ _id, text = '' }) => [_id, text]));
    },
    count: (part, limit) => rows.countDocuments({ tenant_id: tenantId, terms: matching(part) }, { limit }),
    total: () => rows.countDocuments({ tenant_id: tenantId, status: { $ne: 'PENDING' } }, { limit: 1_000_000 }),
  });
}

/** Deletes the texts of disposed documents and of their renditions. */
export const forgetTextsIn =
  (db: Db) =>
  async (tenantId: TenantId, documentIds: readonly string[]): Promise<void> => {
    if (documentIds.length === 0) return;
    const texts = db.collection<TextRow>(TEXTS.name);
    await texts.deleteMany({ tenant_id: tenantId, document_id: { $in: [...documentIds] } }, { writeConcern: DURABLE });
  };

import type { Collection } from 'mongodb';
import { GroupedCalls } from '../../../shared/clock/grouped-calls.js';
import { duplicatesAmong } from '../../../shared/db/duplicate-key.js';
import { keysetQuery } from '../../../shared/db/keyset.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { dueAt, type WorkRow } from '../../../shared/jobs/work-queue.js';
import type { EffectRelay } from '../../../shared/outbox/outbox.js';
import type {
  DocumentQuery,
  DocumentStore,
  DocumentWrite,
  StoredDocument,
  TenantDocuments,
} from '../service/ports/document-store.js';
import { DOCUMENT_COLLECTION, type DocumentModel, type DocumentRow } from './document-model.js';

/** Without what the outbox and the queue of scans keep in the row. */
export function documentOf(row: DocumentRow): StoredDocument {
  const { _id, pending, next_attempt_at, lease_until, lease_token, lease_owner, claims, poisoned_at, ...rest } = row;
  return { ...rest, document_id: _id };
}

/** Documents by tenant; every filter begins with the tenant. */
export function documentStore(model: DocumentModel, outbox: EffectRelay): DocumentStore {
  const inserts: Inserts = new GroupedCalls((_, rows) => insertNew(model, rows), MOST_INSERTED);
  return (tenantId) => new MongoTenantDocuments(model, outbox, inserts, tenantId);
}

type NewRow = Omit<DocumentRow, keyof WorkRow> & Pick<DocumentRow, '_id' | 'tenant_id'>;

/** Tells of each row whether it is new. */
type Inserts = GroupedCalls<NewRow, boolean>;

const MOST_INSERTED = 100;

async function insertNew(model: DocumentModel, rows: readonly NewRow[]): Promise<readonly boolean[]> {
  try {
    // The driver's own insert: casting by the schema costs more than the write of a small document.
    await model.collection.insertMany([...rows] as never, { ordered: false });
    return rows.map(() => true);
  } catch (error) {
    const taken = duplicatesAmong(error);
    if (taken === null) throw error;
    return rows.map((_, i) => !taken.has(i));
  }
}

const EQUAL = ['matter_id', 'document_type', 'source_system', 'media_type', 'filename', 'sha256'] as const;
const AMONG = [
  ['document_ids', '_id'],
  ['statuses', 'status'],
  ['member_ids', 'member_ids'],
  ['event_ids', 'event_ids'],
] as const;

function filtersOf(query: DocumentQuery): Record<string, unknown>[] {
  return [
    ...EQUAL.flatMap((name) => (query[name] === undefined ? [] : [{ [name]: query[name] }])),
    ...AMONG.flatMap(([asked, name]) => (query[asked] === undefined ? [] : [{ [name]: { $in: [...query[asked]] } }])),
    ...(query.scan_status === undefined ? [] : [{ 'scan.status': query.scan_status }]),
    ...(query.tag === undefined ? [] : [{ tags: query.tag }]),
  ];
}

class MongoTenantDocuments implements TenantDocuments {
  readonly #model: DocumentModel;
  readonly #outbox: EffectRelay;
  readonly #inserts: Inserts;
  readonly #tenantId: TenantId;

  constructor(model: DocumentModel, outbox: EffectRelay, inserts: Inserts, tenantId: TenantId) {
    this.#model = model;
    this.#outbox = outbox;
    this.#inserts = inserts;
    this.#tenantId = tenantId;
  }

  async get(documentId: string): Promise<StoredDocument | null> {
    const found = await this.#rows.findOne(this.#one(documentId));
    return found === null ? null : documentOf(found);
  }

  list(query: DocumentQuery): Promise<readonly StoredDocument[]> {
    return this.#listed('created_at', query, {});
  }

  listBy(time: 'effective_at' | 'created_at', query: DocumentQuery): Promise<readonly StoredDocument[]> {
    return this.#listed(time, query, { effective_at: time === 'effective_at' ? { $ne: null } : null });
  }

  async #listed(time: string, query: DocumentQuery, among: object): Promise<readonly StoredDocument[]> {
    const page = keysetQuery(time, query);
    const rows = await this.#model
      .find({ $and: [{ tenant_id: this.#tenantId }, ...filtersOf(query), among, page.filter] } as never)
      .sort(page.sort)
      .limit(page.fetch)
      .lean<DocumentRow[]>()
      .exec();
    return rows.map(documentOf);
  }

  async insert({ document: { document_id, ...rest }, change, pending }: DocumentWrite): Promise<StoredDocument | null> {
    const due = rest.scan.status === 'PENDING' ? dueAt(rest.created_at.getTime()) : {};
    const row = { _id: document_id, ...rest, history: [change], pending, ...due };
    const isNew = await this.#inserts.call(this.#tenantId, row);
    return isNew ? { document_id, ...rest, history: [change] } : null;
  }

  async replace(
    { document: { document_id, ...rest }, change, pending }: DocumentWrite,
    revision: number,
  ): Promise<StoredDocument | null> {
    const changed = await this.#rows.findOneAndUpdate(
      { ...this.#one(document_id), revision },
      { $set: rest, $push: { history: change, pending: { $each: [...pending] } } } as never,
      { returnDocument: 'after' },
    );
    return changed === null ? null : documentOf(changed);
  }

  relay({ document, pending }: DocumentWrite): Promise<void> {
    return this.#outbox.relay(DOCUMENT_COLLECTION, document.document_id, pending);
  }

  async referenced(sha256s: readonly string[]): Promise<ReadonlySet<string>> {
    const standing = { tenant_id: this.#tenantId, status: { $ne: 'DISPOSED' as const } };
    const among = { $in: [...sha256s] };
    const own = await this.#model.distinct('sha256', { ...standing, sha256: among });
    const renditions = await this.#model.distinct('rendition.sha256', { ...standing, 'rendition.sha256': among });
    return new Set([...own, ...renditions] as string[]);
  }

  /** The driver's own collection: queries cast by the schema cost as much again as the reading of one row. */
  get #rows(): Collection<DocumentRow> {
    return this.#model.collection as unknown as Collection<DocumentRow>;
  }

  #one(documentId: string): { readonly _id: string; readonly tenant_id: TenantId } {
    return { _id: documentId, tenant_id: this.#tenantId };
  }
}

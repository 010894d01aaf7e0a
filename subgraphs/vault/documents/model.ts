import { GroupedCalls } from '../../../shared/clock/grouped-calls.js';
import type { FactPlace } from '../../../shared/facts/fact.js';
import type { StateRows } from '../../../shared/facts/record-states.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { dueAt } from '../../../shared/jobs/work-queue.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import { PENDING_INDEX } from '../../../shared/outbox/outbox.js';
import type { Page } from '../../../shared/pagination/cursor.js';
import { inBatches, MAX_COMPARED } from '../../../shared/records/batches.js';
import { rowStates, STATES_INDEX } from '../../../shared/records/check-rows.js';
import { declareCollection } from '../../../shared/records/collections.js';
import { namesIn } from '../../../shared/records/list-query.js';
import type { RecordDocument } from '../../../shared/records/record-document.js';
import { RecordStore, type RecordStoreDeps } from '../../../shared/records/record-store.js';
import type { RecordWrite } from '../../../shared/records/records.js';
import type { RowCheck } from '../../../shared/records/row-check.js';
import type { Follows, RowFacts } from '../../../shared/records/row-facts.js';
import { type SoundRows, soundOnly } from '../../../shared/records/sound-rows.js';
import { verifiesRows } from '../../../shared/records/verified-rows.js';
import { documentRef } from './domain.js';
import type {
  DocumentQuery,
  DocumentStore,
  RedactedDocument,
  StoredDocument,
  TenantDocuments,
  VaultEffect,
} from './ports.js';

export const DOCUMENTS = declareCollection(
  'documents',
  [{ tenant_id: 1, created_at: -1, _id: -1 }],
  [{ tenant_id: 1, status: 1, created_at: -1, _id: -1 }],
  [{ tenant_id: 1, member_ids: 1, created_at: -1, _id: -1 }],
  [{ tenant_id: 1, member_ids: 1, effective_at: -1, _id: -1 }],
  [{ tenant_id: 1, event_ids: 1, created_at: -1, _id: -1 }],
  [{ tenant_id: 1, matter_id: 1, created_at: -1, _id: -1 }],
  [{ tenant_id: 1, document_type: 1, created_at: -1, _id: -1 }],
  [{ tenant_id: 1, sha256: 1 }],
  [{ tenant_id: 1, 'rendition.sha256': 1 }],
  STATES_INDEX,
  PENDING_INDEX,
);

/** Members of the scan queue: a document that waits for its scan is also a row of it. */
const QUEUED = ['next_attempt_at', 'lease_until', 'lease_token', 'lease_owner', 'claims', 'poisoned_at'];

type DocumentWrite = RecordWrite<StoredDocument, VaultEffect>;

/** Inserts documents in groups, and returns each new row, or null where the identifier is taken. */
type Inserts = GroupedCalls<DocumentWrite, StoredDocument | null, TenantId>;

const MAX_INSERTED = 100;

interface DocumentForm {
  readonly check: RowCheck;
  readonly facts: RowFacts<StoredDocument>;
  readonly follows: Follows<StoredDocument, VaultEffect>;
}

export function documentStore(deps: RecordStoreDeps, form: DocumentForm): DocumentStore {
  verifiesRows(deps, { collection: DOCUMENTS, id: 'document_id', hidden: QUEUED, ...form });
  const inserts: Inserts = new GroupedCalls((tenantId, writes) => storeOf(tenantId).insertMany(writes), MAX_INSERTED);
  const storeOf = (tenantId: TenantId) => new DocumentRecords(deps, form, inserts, tenantId);
  return storeOf;
}

/** The renditions of documents, for the verification of the ledger. */
export const renditionStates = (
  { db }: Pick<RecordStoreDeps, 'db'>,
  stateOf: (rendition: StoredDocument['rendition']) => JsonObject,
): StateRows =>
  rowStates<RecordDocument & Pick<StoredDocument, 'rendition'>>({
    db,
    collection: DOCUMENTS.name,
    where: { rendition: { $ne: null } },
    factOf: ({ rendition }) => rendition?.fact,
    stateOf: ({ rendition }) => stateOf(rendition),
  });

/** The documents of a tenant with a rendition. */
export const redactedDocuments =
  ({ db }: Pick<RecordStoreDeps, 'db'>) =>
  (tenant_id: TenantId): AsyncIterable<RedactedDocument> =>
    db.collection<RedactedDocument>(DOCUMENTS.name).find({ tenant_id, rendition: { $ne: null } }, { sort: { _id: 1 } });

const TIMES = { effective_at: { effective_at: { $ne: null } }, created_at: { effective_at: null } } as const;

/** Members of a document that its facts hold as references. */
const NAMED_BY = ['member_ids', 'event_ids', 'matter_id'] as const;

class DocumentRecords extends RecordStore<StoredDocument, VaultEffect> implements TenantDocuments {
  readonly #inserts: Inserts;

  constructor(deps: RecordStoreDeps, form: DocumentForm, inserts: Inserts, tenantId: TenantId) {
    super(deps, { collection: DOCUMENTS, id: 'document_id', hidden: QUEUED, ...form }, tenantId);
    this.#inserts = inserts;
  }

  override async page(query: DocumentQuery): Promise<Page<StoredDocument>> {
    const [seen, filters] = seenQuery(query);
    return this.pageWhere(seen, [...scanFilter(query), ...filters], { named: await this.#namedBy(query) });
  }

  async pageBy(time: keyof typeof TIMES, query: DocumentQuery): Promise<Page<StoredDocument>> {
    const named = await this.#namedBy(query);
    if (named === null) throw new TypeError('a list of documents by their time needs members or events');
    return this.pageWhere(query, [...scanFilter(query), TIMES[time]], { listedBy: time, named });
  }

  async soundPage(query: DocumentQuery): Promise<Page<StoredDocument> & Pick<SoundRows<StoredDocument>, 'damaged'>> {
    const named = query.cursor === undefined ? await this.#namedBy(query) : null;
    const page = await this.documentsWhere(query, scanFilter(query), 'created_at');
    const ids = page.items.map(({ _id }) => _id);
    const { rows, damaged } = await this.soundAmong(ids);
    const more = named === null ? [] : await this.#damagedOthers(query, named);
    return { items: rows, next_cursor: page.next_cursor, damaged: [...damaged, ...more] };
  }

  /** The damaged documents among those that facts name and rows do not. */
  async #damagedOthers({ where }: DocumentQuery, named: readonly string[]): Promise<readonly string[]> {
    const names = NAMED_BY.flatMap((name) => (namesIn(where[name]).length === 0 ? [] : [name]));
    const conditions = names.slice(0, 1).map((name) => ({ [name]: { $in: namesIn(where[name]) } }));
    const damaged: string[] = [];
    for (const part of inBatches(named, MAX_COMPARED)) {
      const filters = [{ tenant_id: this.tenantId, _id: { $in: [...part] } }, ...conditions];
      const listed = new Set(await this.idsWhere({ $and: filters }));
      const others = await this.soundAmong(part.filter((id) => !listed.has(id)));
      damaged.push(...others.damaged);
    }
    return damaged;
  }

  soundAmong(ids: readonly string[]): Promise<SoundRows<StoredDocument>> {
    return soundOnly(ids, (some) => this.among(some));
  }

  override insert(write: DocumentWrite): Promise<StoredDocument | null> {
    return this.#inserts.call(this.tenantId, write);
  }

  /** A new document without a verdict is due work of the scan. */
  protected override documentOf(write: DocumentWrite, fact?: FactPlace): RecordDocument {
    const { scan, created_at } = write.members;
    return { ...super.documentOf(write, fact), ...(scan.status === 'PENDING' ? dueAt(created_at.getTime()) : {}) };
  }

  async referenced(sha256s: readonly string[]): Promise<ReadonlySet<string>> {
    const ids = new Set(await this.naming(sha256s.map((sha256) => documentRef('sha256', sha256))));
    // A row without a fact names contents too: the comparison rejects it, and nothing is deleted.
    for (const name of ['sha256', 'rendition.sha256']) {
      const filter = { tenant_id: this.tenantId, [name]: { $in: [...sha256s] } };
      for (const id of await this.idsWhere(filter)) ids.add(id);
    }
    const named = new Set<string>();
    for (const part of inBatches([...ids], MAX_COMPARED)) {
      for (const { status, sha256, rendition } of await this.among(part)) {
        if (status !== 'DISPOSED') for (const one of [sha256, rendition?.sha256]) if (one) named.add(one);
      }
      if (sha256s.every((sha256) => named.has(sha256))) break;
    }
    return new Set(sha256s.filter((sha256) => named.has(sha256)));
  }

  /** The documents that the facts name for the first such condition of a query; null without such a condition. */
  async #namedBy({ where }: DocumentQuery): Promise<readonly string[] | null> {
    const ids = namesIn(where.document_id);
    if (ids.length > 0) return ids;
    for (const name of NAMED_BY) {
      const refs = namesIn(where[name]).map((value) => documentRef(name, value));
      if (refs.length > 0) return this.naming(refs);
    }
    return null;
  }
}

/** Members of a document that its rendition replaces for its readers. */
const REPLACED = ['filename', 'tags', 'sha256', 'media_type'] as const;
/** Members that no reader sees of a disposed document, so that no filter finds it by them. */
const NOT_OF_DISPOSED = ['filename', 'tags'] as const;

/** Conditions on replaced members become filters over what the reader sees. */
function seenQuery(query: DocumentQuery): readonly [DocumentQuery, readonly object[]] {
  const kept = NOT_OF_DISPOSED.some((name) => query.where[name] !== undefined) ? [{ status: { $ne: 'DISPOSED' } }] : [];
  if (query.seesRenditions !== true) return [query, kept];
  const filters = REPLACED.flatMap((name): object[] => {
    const value = query.where[name];
    return value === undefined ? [] : [seenFilter(name, Array.isArray(value) ? { $in: value } : value)];
  });
  const others = Object.entries(query.where).filter(([name]) => !REPLACED.some((replaced) => replaced === name));
  return [{ ...query, where: Object.fromEntries(others) }, [...kept, ...filters]];
}

/** A rendition without names keeps those of the document. */
const seenFilter = (name: (typeof REPLACED)[number], match: unknown): object => ({
  $or: [
    { rendition: null, [name]: match },
    { rendition: { $ne: null }, [`rendition.${name}`]: match },
    { rendition: { $ne: null }, [`rendition.${name}`]: { $exists: false }, [name]: match },
  ],
});

const scanFilter = ({ scan_status }: DocumentQuery): readonly object[] =>
  scan_status === undefined ? [] : [{ 'scan.status': scan_status }];

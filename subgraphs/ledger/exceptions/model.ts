import { type AnyBulkWriteOperation, type Db, type Document, MaxKey, MongoBulkWriteError } from 'mongodb';
import { DURABLE } from '../../../shared/db/database.js';
import { duplicateKeyOf } from '../../../shared/db/duplicate-key.js';
import { PENDING_INDEX } from '../../../shared/outbox/outbox.js';
import type { Page } from '../../../shared/pagination/cursor.js';
import { declareCollection } from '../../../shared/records/collections.js';
import { type RecordDocument, rowOfDocument } from '../../../shared/records/record-document.js';
import { documentsOf, RecordStore, type RecordStoreDeps } from '../../../shared/records/record-store.js';
import type { RowCheck } from '../../../shared/records/row-check.js';
import type { LedgerRow } from '../append/domain/index.js';
import { LEDGER_COLLECTION } from '../append/index.js';
import type {
  ConflictStore,
  ExceptionCell,
  ExceptionCount,
  ExceptionQuery,
  ExceptionRow,
  ExceptionStore,
  ExceptionWindow,
  Opening,
  OpenOutcome,
  TenantExceptions,
} from './ports.js';

export const EXCEPTIONS = declareCollection(
  'exceptions',
  // Unique among open exceptions: of two concurrent openings, one inserts and both read the same row.
  [
    { tenant_id: 1, kind: 1, subject_key: 1 },
    { unique: true, partialFilterExpression: { active: true } },
  ],
  [{ tenant_id: 1, created_at: -1, _id: -1 }],
  [{ tenant_id: 1, status: 1, created_at: -1, _id: -1 }],
  [{ tenant_id: 1, kind: 1, created_at: -1, _id: -1 }],
  [{ tenant_id: 1, subject_ids: 1, created_at: -1, _id: -1 }],
  [{ 'known_gap.until': 1 }, { partialFilterExpression: { status: 'KNOWN_GAP' } }],
  PENDING_INDEX,
);

export const exceptionStore = (deps: RecordStoreDeps, check: RowCheck): ExceptionStore => {
  const options = {
    collection: EXCEPTIONS,
    id: 'exception_id',
    check,
    counted: ['occurrences', 'last_seen_at'],
    endsWhen: ({ status }: Pick<ExceptionRow, 'status'>) => status === 'RESOLVED',
    endedStay: true,
  } as const;
  return {
    forTenant: (tenantId) => new ExceptionRecords(deps, options, tenantId),
    gapsOver: async (nowMs, limit) => {
      const over: Document = { status: 'KNOWN_GAP', 'known_gap.until': { $lte: new Date(nowMs) } };
      const found = documentsOf(deps.db, EXCEPTIONS).find(over).sort({ 'known_gap.until': 1 }).limit(limit);
      return (await found.toArray()).map((document) => rowOfDocument<ExceptionRow>(document, options.id));
    },
  };
};

const ACTIVE = { active: true } as const;
const BULK = { ordered: false, writeConcern: DURABLE } as const;
/** Members of an upsert's filter, or that it counts: `$setOnInsert` may not name them again. */
const UPSERTED: ReadonlySet<string> = new Set([
  'tenant_id',
  'kind',
  'subject_key',
  'active',
  'occurrences',
  'last_seen_at',
]);

type Grouping = 'kind' | 'status' | 'severity' | 'source' | 'month';

class ExceptionRecords extends RecordStore<ExceptionRow> implements TenantExceptions {
  override page({ where, ...window }: ExceptionQuery): Promise<Page<ExceptionRow>> {
    const { subject_kind, subject_id, ...equal } = where;
    const further = subject_kind === undefined ? [] : [{ 'subject.kind': subject_kind }];
    return this.pageWhere({ ...window, where: { ...equal, subject_ids: subject_id } }, further);
  }

  async open(writes: readonly Opening[]): Promise<readonly OpenOutcome[]> {
    const opened = new Set(await this.#write(writes.map((write) => this.#upsert(write))));
    const repeated = writes.filter(({ members }) => !opened.has(members.exception_id));
    await this.#amend(repeated.filter(({ once }) => once));
    const open = repeated.length === 0 ? new Map<string, ExceptionRow>() : await this.#openOf(repeated);
    return writes.map(({ members, line }) => {
      const fresh = { ...members, history: [line] };
      if (opened.has(members.exception_id)) return { exception: fresh, opened: true };
      return { exception: open.get(keyOf(members)) ?? fresh, opened: false };
    });
  }

  /** @returns ids of the inserted rows. */
  async #write(upserts: readonly AnyBulkWriteOperation<RecordDocument>[]): Promise<readonly string[]> {
    const options = { ordered: false, writeConcern: DURABLE } as const;
    try {
      const { upsertedIds } = await this.documents.bulkWrite(upserts, options);
      return Object.values(upsertedIds);
    } catch (error) {
      // Another request has just inserted it: the repetition is counted there.
      if (!(error instanceof MongoBulkWriteError) || !duplicateKeyOf(error)) throw error;
      const lost = [error.writeErrors].flat().flatMap(({ index }) => upserts[index] ?? []);
      const { upsertedIds } = await this.documents.bulkWrite(lost, options);
      const inserted = Object.values(error.result.upsertedIds);
      return [...inserted, ...Object.values(upsertedIds)];
    }
  }

  #upsert(write: Opening): AnyBulkWriteOperation<RecordDocument> {
    const { _id, tenant_id, ...members } = this.documentOf(write);
    if (write.once)
      return { updateOne: { filter: { _id, tenant_id }, update: { $setOnInsert: members }, upsert: true } };
    const { kind, subject_key, occurrences, last_seen_at } = write.members;
    const rest = Object.fromEntries(Object.entries({ ...members, _id }).filter(([name]) => !UPSERTED.has(name)));
    const filter = { tenant_id, kind, subject_key, ...ACTIVE };
    const update = { $setOnInsert: rest, $inc: { occurrences }, $max: { last_seen_at } };
    return { updateOne: { filter, update, upsert: true } };
  }

  /** Updates the detail of an unresolved exception, because a later report knows more. */
  async #amend(writes: readonly Opening[]): Promise<void> {
    if (writes.length === 0) return;
    const updates = writes.map(({ members: { exception_id, tenant_id, detail, last_seen_at, updated_at } }) => {
      const filter = { _id: exception_id, tenant_id, ...ACTIVE, detail: { $ne: detail } };
      // Increments the revision, so that a concurrent change does not restore the old detail.
      const update = { $set: { detail, updated_at }, $inc: { occurrences: 1, revision: 1 }, $max: { last_seen_at } };
      return { updateOne: { filter, update } };
    });
    await this.documents.bulkWrite(updates, BULK);
  }

  async #openOf(writes: readonly Opening[]): Promise<ReadonlyMap<string, ExceptionRow>> {
    const ids = writes.filter(({ once }) => once).map(({ members }) => members.exception_id);
    const others = writes.filter(({ once }) => !once).map(({ members }) => members);
    const kinds = [...new Set(others.map(({ kind }) => kind))];
    const subjects = [...new Set(others.map(({ subject_key }) => subject_key))];
    const tenant_id = this.tenantId;
    const byKey = { tenant_id, kind: { $in: kinds }, subject_key: { $in: subjects }, ...ACTIVE };
    const found = [
      ...(others.length === 0 ? [] : await this.documents.find(byKey).toArray()),
      ...(ids.length === 0 ? [] : await this.documents.find({ _id: { $in: ids }, tenant_id }).toArray()),
    ].map((document) => this.rowOf(document));
    return new Map(found.map((exception) => [keyOf(exception), exception]));
  }

  async unresolved(kind: ExceptionRow['kind'], subject_key: string): Promise<ExceptionRow | null> {
    const found = await this.documents.findOne({ tenant_id: this.tenantId, kind, subject_key, ...ACTIVE });
    return found && this.rowOf(found);
  }

  async countByAge(bounds: readonly Date[]): Promise<readonly ExceptionCount[]> {
    const bucket = bounds.reduceRight<Document | number>(
      (older, bound, place) => ({ $cond: [{ $gt: ['$created_at', bound] }, place, older] }),
      bounds.length,
    );
    const found = await this.documents
      .aggregate<Omit<ExceptionCount, 'kind' | 'bucket'> & { _id: Pick<ExceptionCount, 'kind' | 'bucket'> }>([
        { $match: { tenant_id: this.tenantId, ...ACTIVE } },
        { $project: { kind: 1, created_at: 1 } },
        { $group: { _id: { kind: '$kind', bucket }, count: { $sum: 1 }, oldest: { $min: '$created_at' } } },
      ])
      .toArray();
    return found.map(({ _id, count, oldest }) => ({ ..._id, count, oldest }));
  }

  async cells({ fromMs, toMs }: ExceptionWindow): Promise<readonly ExceptionCell[]> {
    const bounds = {
      ...(fromMs === undefined ? {} : { $gte: new Date(fromMs) }),
      ...(toMs === undefined ? {} : { $lt: new Date(toMs) }),
    };
    const members = { kind: '$kind', status: '$status', severity: '$severity', source: '$source', month: MONTH };
    const open = { $subtract: ['$resolved_at', '$created_at'] };
    const found = await this.documents
      .aggregate<Omit<ExceptionCell, Grouping> & { readonly _id: Pick<ExceptionCell, Grouping> }>([
        {
          $match: { tenant_id: this.tenantId, ...(Object.keys(bounds).length > 0 ? { created_at: bounds } : {}) },
        },
        {
          $group: {
            _id: members,
            count: { $sum: 1 },
            resolved: { $sum: { $cond: [IS_RESOLVED, 1, 0] } },
            resolution_ms: { $sum: { $cond: [IS_RESOLVED, open, 0] } },
          },
        },
      ])
      .toArray();
    return found.map(({ _id, ...sums }) => ({ ..._id, ...sums, resolution_ms: Number(sums.resolution_ms) }));
  }
}

const MONTH = { $dateToString: { date: '$created_at', format: '%Y-%m' } } as const;
const IS_RESOLVED = { $eq: ['$status', 'RESOLVED'] } as const;

const keyOf = ({ kind, subject_key }: Pick<ExceptionRow, 'kind' | 'subject_key'>): string => `${kind} ${subject_key}`;

/** A lost row only costs another look. */
interface CursorRow {
  readonly _id: { readonly tenant_id: string; readonly source_system: string };
  readonly seq: number;
}

export function mongoConflictStore(db: Db): ConflictStore {
  const rows = db.collection<LedgerRow>(LEDGER_COLLECTION);
  const cursors = db.collection<CursorRow>('exception_cursors');
  return {
    marked: ({ tenantId, sourceSystem }, afterSeq, limit) => {
      const filter = {
        tenant_id: tenantId,
        source_system: sourceSystem,
        '_id.seq': { $gt: afterSeq },
        conflicts_with: { $exists: true },
      };
      const projection = { event_id: 1, conflicts_with: 1 } as const;
      return rows.find(filter, { projection }).sort({ '_id.seq': 1 }).limit(limit).toArray();
    },
    doneUpTo: async (tenantId) => {
      const ids: Document = {
        $gte: { tenant_id: tenantId, source_system: '' },
        $lt: { tenant_id: tenantId, source_system: new MaxKey() },
      };
      const found = await cursors.find({ _id: ids }).toArray();
      return new Map(found.map(({ _id, seq }) => [_id.source_system, seq]));
    },
    markDone: async ({ tenantId, sourceSystem }, seq) => {
      const _id = { tenant_id: tenantId, source_system: sourceSystem };
      await cursors.updateOne({ _id }, { $max: { seq } }, { upsert: true });
    },
  };
}

import {
  type AnyBulkWriteOperation,
  type Collection,
  type Db,
  type Document,
  type Filter,
  MongoBulkWriteError,
} from 'mongodb';
import { Schema } from 'mongoose';
import { DURABLE } from '../../../shared/db/database.js';
import { duplicateKeyOf } from '../../../shared/db/duplicate-key.js';
import { keysetQuery } from '../../../shared/db/keyset.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { PENDING_INDEX } from '../../../shared/outbox/outbox.js';
import type { PendingEffect } from '../../../shared/outbox/pending-effect.js';
import type {
  ExceptionQuery,
  ExceptionRow,
  ExceptionStore,
  ExceptionWrite,
  TenantExceptions,
  Told,
} from '../service/ports/exception-store.js';

export const EXCEPTION_COLLECTION = 'exceptions';

const MIXED = Schema.Types.Mixed;

export const exceptionSchema = new Schema(
  {
    _id: String,
    tenant_id: { type: String, required: true },
    kind: { type: String, required: true },
    severity: { type: String, required: true },
    status: { type: String, required: true },
    source: { type: String, required: true },
    subject: { type: MIXED, required: true },
    subject_key: { type: String, required: true },
    subject_ids: { type: [String], required: true },
    detail: { type: MIXED, required: true },
    raw_sha256: String,
    active: Boolean,
    occurrences: { type: Number, required: true },
    last_seen_at: { type: Date, required: true },
    assigned_to: String,
    resolution: String,
    resolution_note: String,
    resolved_at: Date,
    known_gap: { reason: String, until: Date },
    revision: { type: Number, required: true },
    created_at: { type: Date, required: true },
    updated_at: { type: Date, required: true },
    history: [MIXED],
    pending: [MIXED],
  },
  { collection: EXCEPTION_COLLECTION, versionKey: false, autoIndex: false, minimize: false },
);
// Unique among those that stand: of two that open the same at once, one inserts and both read the same row back.
exceptionSchema.index(
  { tenant_id: 1, kind: 1, subject_key: 1 },
  { unique: true, partialFilterExpression: { active: true } },
);
for (const first of [{}, { status: 1 }, { kind: 1 }, { subject_ids: 1 }] as const) {
  exceptionSchema.index({ tenant_id: 1, ...first, created_at: -1, _id: -1 });
}
exceptionSchema.index({ 'known_gap.until': 1 }, { partialFilterExpression: { status: 'KNOWN_GAP' } });
exceptionSchema.index(...PENDING_INDEX);

/** `_id` is the exception_id; `active` stands until the exception is resolved. */
interface StoredException extends Omit<ExceptionRow, 'exception_id'> {
  readonly _id: string;
  readonly active?: true;
  readonly pending: readonly PendingEffect[];
}

const rowOf = ({ _id, active: _a, pending: _p, ...rest }: StoredException): ExceptionRow => ({
  ...rest,
  exception_id: _id,
});

/** Exceptions over the driver's collection. */
export function mongoExceptionStore(db: Db): ExceptionStore {
  const rows = db.collection<StoredException>(EXCEPTION_COLLECTION);
  return {
    forTenant: (tenantId) => new MongoTenantExceptions(rows, tenantId),
    gapsOver: async (nowMs, limit) => {
      const over = { status: 'KNOWN_GAP', 'known_gap.until': { $lte: new Date(nowMs) } } as Filter<StoredException>;
      const found = await rows.find(over).sort({ 'known_gap.until': 1 }).limit(limit).toArray();
      return found.map(rowOf);
    },
  };
}

/** Exceptions of one tenant; every filter begins with the tenant. */
class MongoTenantExceptions implements TenantExceptions {
  readonly #rows: Collection<StoredException>;
  readonly #tenantId: TenantId;

  constructor(rows: Collection<StoredException>, tenantId: TenantId) {
    this.#rows = rows;
    this.#tenantId = tenantId;
  }

  async open(writes: readonly (ExceptionWrite & { readonly once: boolean })[]): Promise<readonly Told[]> {
    const opened = new Set<string>();
    const upserts = writes.map((write) => this.#upsert(write));
    for (const id of await this.#write(upserts)) opened.add(id);
    const told = writes.filter(({ exception }) => !opened.has(exception.exception_id));
    await this.#amend(told.filter(({ once }) => once));
    const standing = told.length === 0 ? new Map() : await this.#standing(told);
    return writes.map((write) => {
      const { exception, step } = write;
      const fresh = { ...exception, history: [step] };
      if (opened.has(exception.exception_id)) return { exception: fresh, opened: true };
      return { exception: standing.get(keyOf(write)) ?? fresh, opened: false };
    });
  }

  /** @returns ids of what was inserted. */
  async #write(upserts: readonly AnyBulkWriteOperation<StoredException>[]): Promise<readonly string[]> {
    const options = { ordered: false, writeConcern: DURABLE } as const;
    try {
      const { upsertedIds } = await this.#rows.bulkWrite(upserts, options);
      return Object.values(upsertedIds) as unknown as string[];
    } catch (error) {
      // Somebody has just inserted the same: told once more, it is counted there.
      if (!(error instanceof MongoBulkWriteError) || !duplicateKeyOf(error)) throw error;
      const lost = [error.writeErrors].flat().flatMap(({ index }) => upserts[index] ?? []);
      const { upsertedIds } = await this.#rows.bulkWrite(lost, options);
      const inserted = Object.values(error.result.upsertedIds) as unknown as string[];
      return [...inserted, ...(Object.values(upsertedIds) as unknown as string[])];
    }
  }

  #upsert({ exception, step, pending, once }: ExceptionWrite & { readonly once: boolean }) {
    const { exception_id, tenant_id, kind, subject_key, occurrences, last_seen_at, ...rest } = exception;
    const inserted: Document = { ...rest, history: [step], pending };
    if (once) {
      const filter = { _id: exception_id, tenant_id };
      const $setOnInsert = { ...inserted, kind, subject_key, active: true, occurrences, last_seen_at };
      return { updateOne: { filter, update: { $setOnInsert }, upsert: true } } as never;
    }
    const filter = { tenant_id, kind, subject_key, active: true };
    const update = {
      $setOnInsert: { ...inserted, _id: exception_id },
      $inc: { occurrences },
      $max: { last_seen_at },
    };
    return { updateOne: { filter, update, upsert: true } } as never;
  }

  /** What is told otherwise than it stands is known better by now: its detail follows, until it is resolved. */
  async #amend(writes: readonly ExceptionWrite[]): Promise<void> {
    if (writes.length === 0) return;
    const updates = writes.map(({ exception: { exception_id, tenant_id, detail, last_seen_at, updated_at } }) => {
      const filter = { _id: exception_id, tenant_id, active: true, detail: { $ne: detail } };
      // A revision, so that whoever changes it at the same time does not put the old detail back.
      const update = { $set: { detail, updated_at }, $inc: { occurrences: 1, revision: 1 }, $max: { last_seen_at } };
      return { updateOne: { filter, update } } as never;
    });
    await this.#rows.bulkWrite(updates, { ordered: false, writeConcern: DURABLE });
  }

  async #standing(writes: readonly (ExceptionWrite & { readonly once: boolean })[]) {
    const ids = writes.filter(({ once }) => once).map(({ exception }) => exception.exception_id);
    const others = writes.filter(({ once }) => !once).map(({ exception }) => exception);
    const kinds = [...new Set(others.map(({ kind }) => kind))];
    const subjects = [...new Set(others.map(({ subject_key }) => subject_key))];
    const tenant_id = this.#tenantId;
    const byKey = { tenant_id, kind: { $in: kinds }, subject_key: { $in: subjects }, active: true as const };
    const found = [
      ...(others.length === 0 ? [] : await this.#rows.find(byKey).toArray()),
      ...(ids.length === 0 ? [] : await this.#rows.find({ _id: { $in: ids }, tenant_id }).toArray()),
    ].map(rowOf);
    return new Map(found.map((exception) => [keyOf({ exception }), exception]));
  }

  async get(exceptionId: string): Promise<ExceptionRow | null> {
    const found = await this.#rows.findOne({ _id: exceptionId, tenant_id: this.#tenantId });
    return found && rowOf(found);
  }

  async standing(kind: ExceptionRow['kind'], subjectKey: string): Promise<ExceptionRow | null> {
    const filter = { tenant_id: this.#tenantId, kind, subject_key: subjectKey, active: true as const };
    const found = await this.#rows.findOne(filter);
    return found && rowOf(found);
  }

  async list(query: ExceptionQuery): Promise<readonly ExceptionRow[]> {
    const page = keysetQuery('created_at', query);
    const filters = (['kind', 'status', 'severity', 'source', 'assigned_to'] as const).flatMap((name) =>
      query[name] === undefined ? [] : [{ [name]: query[name] }],
    );
    if (query.subject_id !== undefined) filters.push({ subject_ids: query.subject_id } as never);
    if (query.subject_kind !== undefined) filters.push({ 'subject.kind': query.subject_kind } as never);
    const filter = { $and: [{ tenant_id: this.#tenantId }, ...filters, page.filter] } as Filter<StoredException>;
    const found = await this.#rows.find(filter).sort(page.sort).limit(page.fetch).batchSize(page.fetch).toArray();
    return found.map(rowOf);
  }

  async replace({ exception, step, pending }: ExceptionWrite, revision: number): Promise<ExceptionRow | null> {
    const { exception_id, tenant_id, occurrences: _o, last_seen_at: _l, ...rest } = exception;
    const update = {
      $set: rest,
      $push: { history: step, pending: { $each: pending } },
      ...(rest.status === 'RESOLVED' ? { $unset: { active: '' } } : {}),
    } as never;
    const options = { returnDocument: 'after', writeConcern: DURABLE } as const;
    const changed = await this.#rows.findOneAndUpdate({ _id: exception_id, tenant_id, revision }, update, options);
    return changed && rowOf(changed);
  }
}

const keyOf = ({ exception }: { readonly exception: Pick<ExceptionRow, 'kind' | 'subject_key'> }): string =>
  `${exception.kind} ${exception.subject_key}`;

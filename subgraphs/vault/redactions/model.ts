import type { Collection, Db } from 'mongodb';
import type { Clock } from '../../../shared/clock/clock.js';
import { DURABLE } from '../../../shared/db/connection-options.js';
import { duplicateKeyOf } from '../../../shared/db/duplicate-key.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { PENDING_INDEX } from '../../../shared/outbox/outbox.js';
import type { Page } from '../../../shared/pagination/cursor.js';
import { STATES_INDEX } from '../../../shared/records/check-rows.js';
import { declareCollection } from '../../../shared/records/collections.js';
import { RecordStore, type RecordStoreDeps } from '../../../shared/records/record-store.js';
import type { ListQuery, RecordWrite } from '../../../shared/records/records.js';
import type { RowCheck } from '../../../shared/records/row-check.js';
import type { RowFacts } from '../../../shared/records/row-facts.js';
import { verifiesRows } from '../../../shared/records/verified-rows.js';
import type { VaultEffect } from '../documents/index.js';
import { type RedactionSubject, SUBJECT_KINDS, subjectRef } from './domain.js';
import type {
  RedactionStore,
  StoredRedaction,
  StoredRendition,
  StoredRenditions,
  SubjectFilter,
  TenantRedactions,
} from './ports.js';

export const REDACTIONS = declareCollection(
  'redactions',
  [{ tenant_id: 1, created_at: -1, _id: -1 }],
  [{ tenant_id: 1, status: 1, created_at: -1, _id: -1 }],
  [{ tenant_id: 1, 'subject.id': 1, created_at: -1, _id: -1 }],
  [{ tenant_id: 1, 'stored.sha256': 1 }],
  STATES_INDEX,
  PENDING_INDEX,
);

/** Applying is exclusive: the second of two makes its rendition again, including what the first one hid. */
export const TURNS = declareCollection('redaction_turns');

/** The n-th redaction of its subject: `_id` is TENANT/KIND/ID/n. */
interface TurnRow {
  readonly _id: string;
  readonly redaction_id: string;
  readonly at: Date;
}

/** A redaction that has its turn commits within milliseconds; after this time a crash has kept it from that. */
const TURN_MS = 30_000;

export interface RedactionRecordDeps extends RecordStoreDeps {
  readonly clock: Clock;
}

const STORED = { collection: REDACTIONS, id: 'redaction_id', hidden: ['stored'] } as const;

interface RedactionForm {
  readonly check: RowCheck;
  readonly facts: RowFacts<StoredRedaction>;
}

export function redactionStore(deps: RedactionRecordDeps, form: RedactionForm): RedactionStore {
  verifiesRows(deps, { ...STORED, ...form });
  return (tenantId) => new RedactionRecords(deps, form, tenantId);
}

class RedactionRecords extends RecordStore<StoredRedaction, VaultEffect> implements TenantRedactions {
  readonly #clock: Clock;
  readonly #turns: Collection<TurnRow>;

  constructor(deps: RedactionRecordDeps, form: RedactionForm, tenantId: TenantId) {
    super(deps, { ...STORED, ...form }, tenantId);
    this.#clock = deps.clock;
    this.#turns = deps.db.collection<TurnRow>(TURNS.name);
  }

  async pageAbout(query: ListQuery<StoredRedaction>, { kind, id }: SubjectFilter): Promise<Page<StoredRedaction>> {
    const kinds = kind === undefined ? SUBJECT_KINDS : [kind];
    const named = id === undefined ? null : await this.naming(kinds.map((one) => subjectRef({ kind: one, id })));
    const conditions = Object.entries({ kind, id }).flatMap(([name, value]) =>
      value === undefined ? [] : [{ [`subject.${name}`]: value }],
    );
    return this.pageWhere(query, conditions, { named });
  }

  async applied(subject: RedactionSubject): Promise<readonly StoredRedaction[]> {
    return (await this.#about([subject]))
      .filter(({ status }) => status === 'APPLIED')
      .sort((a, b) => (a.ordinal ?? 0) - (b.ordinal ?? 0));
  }

  /** All redactions of these subjects. A redaction with an edited or removed row still applies. */
  async #about(subjects: readonly RedactionSubject[]): Promise<readonly StoredRedaction[]> {
    const filters = subjects.map(({ kind, id }) => ({ 'subject.kind': kind, 'subject.id': id }));
    const filter = { tenant_id: this.tenantId, $or: filters };
    const stored = await this.documents.find(filter, { projection: { _id: 1 } }).toArray();
    const named = await this.naming(subjects.map(subjectRef));
    return this.among([...new Set([...stored.map(({ _id }) => _id), ...named])]);
  }

  /** A number that another redaction of the subject has taken counts as a change in between: the step runs again. */
  override async replace(write: RecordWrite<StoredRedaction, VaultEffect>, before: StoredRedaction) {
    const { ordinal } = write.members;
    if (ordinal !== undefined && before.ordinal === undefined && !(await this.#hasTurn(before, ordinal)))
      return 'moved';
    return super.replace(write, before);
  }

  /** Takes a number before the fact that applies the redaction; no two redactions of a subject have the same one. */
  async #hasTurn({ redaction_id, subject }: StoredRedaction, ordinal: number): Promise<boolean> {
    const _id = `${this.tenantId}/${subject.kind}/${subject.id}/${ordinal}`;
    const at = new Date(this.#clock.nowMs());
    try {
      await this.#turns.insertOne({ _id, redaction_id, at }, { writeConcern: DURABLE });
      return true;
    } catch (error) {
      if (!duplicateKeyOf(error)) throw error;
    }
    const holder = await this.#turns.findOne({ _id });
    if (holder === null || holder.redaction_id === redaction_id) return holder !== null;
    const isRecent = holder.at.getTime() > at.getTime() - TURN_MS;
    if (isRecent || (await this.get(holder.redaction_id))?.status === 'APPLIED') return false;
    const taken = await this.#turns.updateOne({ ...holder }, { $set: { redaction_id, at } }, { writeConcern: DURABLE });
    return taken.matchedCount > 0;
  }

  /** Notes are no evidence: they make disposals look for a content, and a disposal asks all its holders. */
  async noteStored(redactionId: string, sha256: string, at: Date): Promise<void> {
    const change = { $push: { stored: { sha256, noted_at: at } } };
    await this.documents.updateOne(this.one(redactionId), change, { writeConcern: DURABLE });
  }

  async isSettled(redactionId: string): Promise<boolean> {
    const found = await this.documents.findOne(this.one(redactionId), { projection: { pending: 1 } });
    return (found?.pending ?? []).length === 0;
  }
}

/** Whether the rows show an applied redaction of a document. Facts are not asked: an adoption asks before they exist. */
export const isRedactedIn =
  (db: Db) =>
  async (tenant_id: TenantId, documentId: string): Promise<boolean> => {
    const applied = { tenant_id, 'subject.id': documentId, 'subject.kind': 'DOCUMENT', status: 'APPLIED' };
    return (await db.collection(REDACTIONS.name).findOne(applied, { projection: { _id: 1 } })) !== null;
  };

const BATCH = 500;

/** The contents that were, or may have been, stored for a redaction; steps do not change them. */
interface NotedRow {
  readonly _id: string;
  readonly tenant_id: TenantId;
  readonly subject: RedactionSubject;
  readonly stored?: readonly { readonly sha256: string; readonly noted_at: Date }[];
}

const PROJECTION = { subject: 1, stored: 1 } as const;

const renditionsOf = ({ _id, subject, stored = [] }: NotedRow): readonly StoredRendition[] =>
  stored.map(({ sha256, noted_at }) => ({ redaction_id: _id, subject, sha256, noted_at }));

/** The contents stored for each redaction, in the row of the redaction. */
export function mongoStoredRenditions(db: Db): (tenantId: TenantId) => StoredRenditions {
  const rows: Collection<NotedRow> = db.collection<NotedRow>(REDACTIONS.name);
  return (tenant_id) => {
    const find = async (filter: object): Promise<readonly StoredRendition[]> => {
      const found = await rows.find({ tenant_id, ...filter }, { projection: PROJECTION }).toArray();
      return found.flatMap(renditionsOf);
    };
    return {
      of: async (subjectIds) => (subjectIds.length === 0 ? [] : find({ 'subject.id': { $in: [...subjectIds] } })),
      named: async (sha256s) => {
        const found = await find({ 'stored.sha256': { $in: [...sha256s] } });
        return found.filter(({ sha256 }) => sha256s.includes(sha256));
      },
      all: async function* () {
        for (let after = ''; ; ) {
          const filter = { tenant_id, 'stored.0': { $exists: true }, _id: { $gt: after } };
          const found: readonly NotedRow[] = await rows
            .find(filter, { projection: PROJECTION })
            .sort({ _id: 1 })
            .limit(BATCH)
            .toArray();
          yield found.flatMap(renditionsOf);
          const last = found.at(-1);
          if (last === undefined || found.length < BATCH) return;
          after = last._id;
        }
      },
      forget: async ({ redaction_id, sha256, noted_at }) => {
        // A note that was renewed meanwhile stays.
        const change = { $pull: { stored: { sha256, noted_at } } };
        await rows.updateOne({ _id: redaction_id, tenant_id }, change, { writeConcern: DURABLE });
      },
    };
  };
}

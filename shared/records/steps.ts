import type { RequestContext } from '../auth/context.js';
import { type Clock, isoTime } from '../clock/clock.js';
import type { CustodyActor } from '../contracts/custody.js';
import { problem } from '../errors/problem.js';
import { type IdKind, type Ids, isIdOf } from '../ids/ids.js';
import { forWork, type WorkDeps } from '../ids/work.js';
import type { JsonObject } from '../json/strict-json.js';
import {
  type Effect,
  type LedgerEntryEffect,
  ledgerEntryEffect,
  type PendingEffect,
} from '../outbox/pending-effect.js';
import { type StateMachine, type TransitionRow, transition } from '../state-machine/state-machine.js';
import { requireRevision, retryOnConflict } from './conflicts.js';
import type { Records, RecordWrite } from './records.js';
import type { ActionOf, LineOf, MembersOf, StepLine, SteppedRow } from './stored.js';

export interface StepDeps extends WorkDeps {
  readonly clock: Clock;
}

/** Who takes a step: a request, or the service by itself. */
export interface StepTaker {
  readonly by: string;
  readonly actor_id: string | null;
  readonly work_id: string | null;
  /** Identifiers for one purpose; a request that is run again gets the same ones. */
  readonly idsFor: (purpose: string) => Ids;
}

export const requestTaker = (deps: WorkDeps, context: RequestContext): StepTaker => ({
  by: context.principal.keyId,
  actor_id: context.principal.actorId,
  work_id: context.workId,
  idsFor: (purpose) => forWork(deps, context, purpose).ids,
});

export const serviceTaker = (ids: Ids, name: string): StepTaker => ({
  by: name,
  actor_id: null,
  work_id: null,
  idsFor: () => ids,
});

/** The part of an entry's payload that is the same for all records. */
type StepFacts = {
  readonly action: string;
  readonly from: string | null;
  readonly to: string;
  readonly revision: number;
  readonly by: string;
  readonly actor_id?: string;
};

/** A step that is about to be written. */
export interface StepTaken<Row extends SteppedRow> {
  /** Null for the step that creates the record. */
  readonly before: Row | null;
  readonly after: MembersOf<Row>;
  readonly action: ActionOf<Row>;
  readonly at: Date;
  readonly ids: Ids;
}

/** The pending effects of a step, given the ledger entries that the state table names. */
export type PendingOf<Row extends SteppedRow, E extends Effect> = (
  entries: readonly LedgerEntryEffect[],
  taken: StepTaken<Row>,
) => readonly E[];

/** The traits that set one kind of record apart from another. */
export interface RecordKind<Row extends SteppedRow, Id extends keyof Row & string, E extends Effect = PendingEffect> {
  readonly machine: StateMachine<Row['status'], ActionOf<Row>>;
  readonly idKind: IdKind;
  /** Name of the identifier: `lead_id`. */
  readonly id: Id;
  /** Name in messages: `lead`. */
  readonly noun: string;
  /** Family of its ledger entries. */
  readonly family: string;
  /** Payload of its ledger entries; entries stay for good, so nothing personal goes in. `line` is the stored line. */
  readonly payload: (after: MembersOf<Row>, step: StepFacts, line: LineOf<Row>) => JsonObject;
  /** Members that follow from the others. */
  readonly derived?: (members: MembersOf<Row>) => Partial<MembersOf<Row>>;
  /** The line as it is stored, where it differs. */
  readonly line?: (line: StepLine<Row['status'], ActionOf<Row>>) => LineOf<Row>;
  /** The entries alone by default. */
  readonly pending?: PendingOf<Row, E>;
  /** Each step is one fact in place of the ledger entries; the store of the kind names the evidential members. */
  readonly facts?: true;
  /** Why a step was taken, for its fact. */
  readonly reason?: (after: MembersOf<Row>, action: ActionOf<Row>) => string | undefined;
  /** The revision is compared before the state table is asked: CONFLICT comes before INVALID_TRANSITION. */
  readonly revisionFirst?: boolean;
  /** Actions that a request takes again when it runs again and the record allows them; by default it takes none again. */
  readonly takenAgain?: readonly ActionOf<Row>[];
}

/** The members that the kit gives every new record. */
type GivenNames = 'tenant_id' | 'status' | 'revision' | 'created_at' | 'created_by' | 'updated_at' | 'history';

type NewMembers<Row extends SteppedRow, Id extends keyof Row> = Omit<Row, Id | GivenNames>;

interface CreateOptions<Row extends SteppedRow, E extends Effect> {
  /** `create` by default. */
  readonly action?: ActionOf<Row>;
  /** Identifier that the caller has fixed; a new one by default. */
  readonly id?: string | undefined;
  readonly pending?: PendingOf<Row, E> | undefined;
  /** Problem to throw when another unique key is taken. */
  readonly taken?: () => Error;
  /** Completes the stored record before its effects are performed. */
  readonly settle?: ((stored: Row) => Promise<Row>) | undefined;
}

export interface StepOptions<Row extends SteppedRow, E extends Effect> {
  /** Revision that the caller has read; any by default. */
  readonly revision?: number | undefined;
  /** Members that change; null for a step that changes nothing and is not taken. */
  readonly change?: (
    before: Row,
    at: Date,
    action: ActionOf<Row>,
  ) => Partial<MembersOf<Row>> | null | Promise<Partial<MembersOf<Row>> | null>;
  /** Further members of the step's line of history. */
  readonly line?: object;
  readonly pending?: PendingOf<Row, E> | undefined;
  readonly taken?: () => Error;
  /** Completes the stored record before its effects are performed. */
  readonly settle?: ((stored: Row) => Promise<Row>) | undefined;
}

/** Takes the steps of one tenant's records of one kind, for one taker. */
export class RecordSteps<Row extends SteppedRow, Id extends keyof Row & string, E extends Effect = PendingEffect> {
  readonly rows: Records<Row, E>;
  readonly #kind: RecordKind<Row, Id, E>;
  readonly #clock: Clock;
  readonly #taker: StepTaker;
  /** Whether an earlier run of the same request may have created the record. */
  #mayHaveCreated: boolean;

  constructor(
    kind: RecordKind<Row, Id, E>,
    { clock, taker, rows }: { readonly clock: Clock; readonly taker: StepTaker; readonly rows: Records<Row, E> },
  ) {
    this.#kind = kind;
    this.#clock = clock;
    this.#taker = taker;
    this.#mayHaveCreated = taker.work_id !== null;
    this.rows = rows;
  }

  /**
   * Creates a record. The same request run again returns the record that it has created.
   *
   * @param members the members of the new record, given its identifier and time.
   * @throws what `taken` returns when a unique key is taken.
   */
  async create(
    members: (id: string, at: Date) => NewMembers<Row, Id> | Promise<NewMembers<Row, Id>>,
    { action = 'create', id = this.#newId(), pending, taken, settle }: CreateOptions<Row, E> = {},
  ): Promise<Row> {
    const { id: idName, noun } = this.#kind;
    // After a crash the fact of an earlier run is the record; another row would contradict it.
    const earlier = this.#kind.facts && this.#mayHaveCreated ? await this.rows.get(id) : null;
    if (earlier !== null) return earlier;
    const at = new Date(this.#clock.nowMs());
    const made = {
      [idName]: id,
      tenant_id: this.rows.tenantId,
      ...(await members(id, at)),
      revision: 1,
      created_at: at,
      created_by: this.#taker.by,
      updated_at: at,
    };
    // NewMembers and the members above are the row together; TypeScript cannot add up generic types.
    const write = this.creation(id, at, made as unknown as MembersOf<Row>, { action, pending });
    const stored = await this.rows.insert(write);
    if (stored !== null) return this.#finish(write, stored, settle);
    const known = await this.rows.get(id);
    if (known !== null) return known;
    throw taken?.() ?? new Error(`the identifier of a new ${noun} is taken`);
  }

  /** The record that an earlier run of this request has created; null without one. */
  async created(): Promise<Row | null> {
    const earlier = this.#taker.work_id === null ? null : await this.rows.get(this.#newId());
    this.#mayHaveCreated = false;
    return earlier;
  }

  /** The write that creates a record of these members, for a store that inserts many records at once. */
  creation(
    id: string,
    at: Date,
    members: MembersOf<Row>,
    { action = 'create', pending }: Pick<CreateOptions<Row, E>, 'action' | 'pending'> = {},
  ): RecordWrite<Row, E> {
    const row = transition(this.#kind.machine, null, action);
    return this.#write(null, { ...members, status: row.to }, row, { id, at, pending });
  }

  /** @throws NOT_FOUND */
  async read(id: string): Promise<Row> {
    const found = isIdOf(this.#kind.idKind, id) ? await this.rows.get(id) : null;
    if (found === null) throw problem('NOT_FOUND');
    return found;
  }

  /**
   * Takes a step: reads the record, asks the state table, and writes on the revision that was read.
   *
   * @param action a function chooses it by the record; null takes no step.
   * @returns the record after the step, or as it is when this request has taken the step before.
   * @throws NOT_FOUND, INVALID_TRANSITION, CONFLICT
   */
  take(
    id: string,
    action: ActionOf<Row> | ((before: Row) => ActionOf<Row> | null),
    { revision, change = () => ({}), ...options }: StepOptions<Row, E> = {},
  ): Promise<Row> {
    const { machine, noun, revisionFirst = false } = this.#kind;
    return retryOnConflict(noun, async () => {
      const before = await this.read(id);
      if (this.#hasTaken(before, action)) return before;
      const chosen = typeof action === 'function' ? action(before) : action;
      if (chosen === null) return before;
      if (revisionFirst) requireRevision(noun, before, revision);
      transition(machine, before.status, chosen);
      requireRevision(noun, before, revision);
      const at = new Date(this.#clock.nowMs());
      const changes = await change(before, at, chosen);
      if (changes === null) return before;
      return (await this.takeOn(before, chosen, changes, { ...options, at })) ?? undefined;
    });
  }

  /**
   * Takes a step on a record that was read.
   *
   * @returns null when it changed since.
   */
  async takeOn(
    before: Row,
    action: ActionOf<Row>,
    changes: Partial<MembersOf<Row>> = {},
    options: WriteOptions<Row, E> = {},
  ): Promise<Row | null> {
    const write = this.#writeOf(before, action, changes, options);
    const stored = await this.rows.replace(write, before);
    if (stored === 'moved') return null;
    if (stored === 'taken') throw options.taken?.() ?? problem('CONFLICT');
    return this.#finish(write, stored, options.settle);
  }

  #writeOf(
    before: Row,
    action: ActionOf<Row>,
    changes: Partial<MembersOf<Row>> = {},
    { at = new Date(this.#clock.nowMs()), ...options }: WriteOptions<Row, E> = {},
  ): RecordWrite<Row, E> {
    const { machine, derived, id: idName } = this.#kind;
    const row = transition(machine, before.status, action);
    const { history: _, ...rest } = { ...before, ...changes };
    const changed = { ...rest, status: row.to, revision: before.revision + 1, updated_at: at };
    const derivedOnes = { ...derived?.(changed) };
    const set = Object.keys({ ...changes, ...derivedOnes });
    const members = { ...changed, ...derivedOnes };
    return { ...this.#write(before, members, row, { ...options, id: String(before[idName]), at }), set };
  }

  async #finish(write: RecordWrite<Row, E>, stored: Row, settle: StepOptions<Row, E>['settle']): Promise<Row> {
    const settled = settle ? await settle(stored) : stored;
    await this.rows.relay(write);
    return settled;
  }

  #newId(): string {
    const { noun, idKind } = this.#kind;
    return this.#taker.idsFor(`create-${noun}`).next(idKind);
  }

  #hasTaken({ history }: Row, action: unknown): boolean {
    const { work_id } = this.#taker;
    if (work_id === null) return false;
    const again = new Set<string>(this.#kind.takenAgain);
    return history.some(
      (line) =>
        line.work_id === work_id && (typeof action !== 'string' || line.action === action) && !again.has(line.action),
    );
  }

  #write(
    before: Row | null,
    after: MembersOf<Row>,
    { action, from, to, emits }: TransitionRow<Row['status'], ActionOf<Row>>,
    {
      id,
      at,
      line: further,
      pending = this.#kind.pending,
    }: WriteOptions<Row, E> & { readonly id: string; readonly at: Date },
  ): RecordWrite<Row, E> {
    const { noun, family, payload, line: lineOf } = this.#kind;
    const { by, actor_id, work_id, idsFor } = this.#taker;
    const ids = idsFor(`${action}-${noun}-entries ${id}`);
    const revision = (before?.revision ?? 0) + 1;
    const facts = { action, from, to, revision, by, ...(actor_id === null ? {} : { actor_id }) };
    const whole = { revision, action, from, to, at, by, actor_id, work_id, ...further };
    // A kind with lines other than StepLine defines `line`.
    const line = (lineOf ? lineOf(whole) : whole) as LineOf<Row>;
    const event = {
      event_family: family,
      at: isoTime(at.getTime()),
      outcome: to,
      details: payload(after, facts, line),
    };
    const entries = this.#kind.facts ? [] : emits.map((eventType) => this.#entry(ids, eventType, event));
    const effects = pending
      ? pending(entries, { before, after, action, at, ids })
      : // A kind with effects other than ledger entries and platform events adds them by `pending`.
        (entries as readonly Effect[] as readonly E[]);
    if (!this.#kind.facts) return { members: after, line, pending: effects };
    const reason = this.#kind.reason?.(after, action);
    const fact = {
      ...event,
      // A request may take the same action twice, after others have changed the record.
      fact_id: idsFor(`${action}-${noun}-fact ${id} ${revision}`).next('effect'),
      event_type: emits[0] ?? `${family}.${action}`,
      action,
      actor: actorOf(this.#taker),
      ...(reason === undefined ? {} : { reason }),
    };
    return { members: after, line, pending: effects, fact };
  }

  #entry(
    ids: Ids,
    event_type: string,
    { at, details, ...rest }: { event_family: string; at: string; outcome: string; details: JsonObject },
  ): LedgerEntryEffect {
    return ledgerEntryEffect(ids, {
      tenant_id: this.rows.tenantId,
      source_system: '_records',
      entry: { ...rest, event_type, event_effective_timestamp: at, payload: details },
    });
  }
}

/** The taker as custody names actors, for a fact. */
export const actorOf = ({ by, actor_id }: StepTaker): CustodyActor => {
  if (by.startsWith('service:')) return { type: 'SERVICE', id: by };
  return actor_id === null ? { type: 'KEY', id: by } : { type: 'ACTOR', id: actor_id, key_id: by };
};

type WriteOptions<Row extends SteppedRow, E extends Effect> = Pick<
  StepOptions<Row, E>,
  'line' | 'pending' | 'taken' | 'settle'
> & {
  readonly at?: Date;
};

/** The steps of one kind of record as one request takes them. */
export const stepsOf = <Row extends SteppedRow, Id extends keyof Row & string, E extends Effect = PendingEffect>(
  kind: RecordKind<Row, Id, E>,
  deps: StepDeps,
  context: RequestContext,
  rows: Records<Row, E>,
): RecordSteps<Row, Id, E> => new RecordSteps(kind, { clock: deps.clock, taker: requestTaker(deps, context), rows });

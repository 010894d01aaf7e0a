import { type Clock, isoTime } from '../clock/clock.js';
import type { Custody, CustodySubject, CustodySubjectKind } from '../contracts/custody.js';
import type { ExceptionDesk } from '../contracts/exceptions.js';
import { problem } from '../errors/problem.js';
import type { TenantId } from '../ids/tenant.js';
import type { AdoptableRows } from './adoption.js';
import { type FactDraft, type FactKind, type FactSubject, subjectName } from './fact.js';
import type { FactAnswer, FactChanges, FactOutcome, FactQuestion, Facts } from './facts.js';
import type { RecordStatePage, StateRows, StatesAsked } from './record-states.js';

export interface FactGuardDeps {
  readonly facts: Facts;
  readonly exceptions: Pick<ExceptionDesk, 'open'>;
  readonly custody: Custody;
  readonly clock: Clock;
  /** Whether a sweep has written the rows of every fact of a time, in ms of the epoch; see FactSweeps. */
  readonly sweeps: { hasSwept(atMs: number): Promise<boolean>; settledMs(): Promise<number> };
  /** The kinds that the sweep writes. */
  readonly kinds: ProjectedKind[];
}

/** Writes a row of one kind that a crash left behind its facts. */
export interface ProjectedKind {
  readonly kind: FactKind;
  readonly project: (tenantId: TenantId, id: string) => Promise<void>;
}

/** Damage of the row of a subject. */
export type RowDamage = 'ROW_DIFFERS' | 'ROW_MISSING' | 'FACT_MISSING' | 'ROW_MALFORMED';

const CUSTODY_KINDS: Readonly<Partial<Record<FactKind, CustodySubjectKind>>> = {
  document: 'DOCUMENT',
  bundle: 'BUNDLE',
  hold: 'HOLD',
  member: 'MEMBER',
  consent: 'MEMBER',
  'event-redaction': 'EVENT',
  disposal: 'EVENT',
};

/** Custody has six kinds of subjects (api.md section 4). A record of another kind is an EVENT named `KIND/ID`. */
const custodySubjectOf = (subject: FactSubject, id: string): CustodySubject => {
  const kind = CUSTODY_KINDS[subject.kind];
  return kind === undefined ? { kind: 'EVENT', id: subjectName(subject) } : { kind, id };
};

const SERVICE = { type: 'SERVICE', id: 'service:facts' } as const;

/** The ledger's facts for one subgraph, and the report of rows that do not follow from them. */
export class FactGuard {
  readonly #deps: FactGuardDeps;
  readonly #states = new Map<FactKind, readonly StateRows[]>();
  readonly #adoptable = new Map<FactKind, AdoptableRows>();

  constructor(deps: FactGuardDeps) {
    this.#deps = deps;
  }

  /** Adds a kind to the sweep. */
  projects(kind: FactKind, project: ProjectedKind['project']): void {
    this.#deps.kinds.push({ kind, project });
  }

  /** Adds the rows of a kind to the verification of the ledger, one part for each collection. */
  states(kind: FactKind, ...parts: readonly StateRows[]): void {
    this.#states.set(kind, parts);
  }

  /** Adds the rows of a kind to the command that adopts rows of earlier versions. */
  adopts(kind: FactKind, rows: AdoptableRows): void {
    this.#adoptable.set(kind, rows);
  }

  /** The kinds with rows that can be adopted, in the order of their dependencies. */
  get adoptable(): ReadonlyMap<FactKind, AdoptableRows> {
    return this.#adoptable;
  }

  /** Writes the row of one subject from its facts, as the sweep does. @throws INTEGRITY_FAILURE */
  async project(tenantId: TenantId, { kind, id }: FactSubject): Promise<void> {
    for (const known of this.#deps.kinds) if (known.kind === kind) await known.project(tenantId, id);
  }

  /** One page of rows for the verification; null for a part that does not exist. */
  async statePage(tenantId: TenantId, { kind, part, after, limit }: StatesAsked): Promise<RecordStatePage | null> {
    const states = this.#states.get(kind)?.[part];
    if (states === undefined) return null;
    // Read before the rows: a row that a later sweep writes must not count as missing.
    const settled_ms = await this.#deps.sweeps.settledMs();
    const { collection, form = 'SUBJECT' } = states;
    return { collection, form, ...(await states.page(tenantId, after, limit)), settled_ms };
  }

  /** @throws UNAVAILABLE */
  async append(tenantId: TenantId, draft: FactDraft): Promise<FactOutcome> {
    const [outcome] = await this.appendAll(tenantId, [draft]);
    if (!outcome) throw problem('INTERNAL', { internal: 'an appended fact has no outcome' });
    return outcome;
  }

  /** Appends facts of different subjects by one call, and answers in their order. @throws UNAVAILABLE */
  appendAll(tenantId: TenantId, drafts: readonly FactDraft[]): Promise<readonly FactOutcome[]> {
    return this.#deps.facts.append(tenantId, drafts);
  }

  /** True when every row of a fact of this time, in ms of the epoch, must be written. */
  hasSwept(atMs: number): Promise<boolean> {
    return this.#deps.sweeps.hasSwept(atMs);
  }

  read(tenantId: TenantId, questions: readonly FactQuestion[]): Promise<readonly FactAnswer[]> {
    return this.#deps.facts.read(tenantId, questions);
  }

  /** The identifiers of the subjects of a kind with a fact, of any time, that names one of `refs`. */
  naming(tenantId: TenantId, kind: FactKind, refs: readonly string[]): Promise<readonly string[]> {
    return this.#deps.facts.naming(tenantId, kind, refs);
  }

  /** The names, between two texts, that facts of a kind give to records. */
  refs(tenantId: TenantId, kind: FactKind, after: string, before: string): Promise<readonly string[]> {
    return this.#deps.facts.refs(tenantId, kind, after, before);
  }

  /** The identifiers of all subjects of a kind that have a fact. */
  async subjects(tenantId: TenantId, kind: FactKind): Promise<readonly string[]> {
    const ids: string[] = [];
    for await (const page of this.subjectsBetween(tenantId, kind, { after: null, before: null })) ids.push(...page);
    return ids;
  }

  /** The identifiers, between two texts and in pages, of the subjects of a kind that have a fact. */
  async *subjectsBetween(
    tenantId: TenantId,
    kind: FactKind,
    { after, before }: { readonly after: string | null; readonly before: string | null },
  ): AsyncGenerator<readonly string[]> {
    for (let last: string | null | undefined = after; last !== undefined; ) {
      const page: readonly string[] = await this.#deps.facts.subjects(tenantId, kind, last, before);
      if (page.length > 0) yield page;
      last = page.at(-1);
    }
  }

  /** What changed after a place of the chain of a kind; beyond its end, the end alone. */
  changesAfter(tenantId: TenantId, kind: FactKind, seq: number): Promise<FactChanges> {
    return this.#deps.facts.changesAfter(tenantId, kind, seq);
  }

  /**
   * Opens an exception and records custody for a row that its fact does not prove.
   *
   * @param custodyId what custody calls the subject; the ledger calls members by a keyed hash.
   * @throws INTEGRITY_FAILURE always: no answer rests on such a row.
   */
  async reject(
    tenantId: TenantId,
    subject: FactSubject,
    damage: RowDamage,
    custodyId: string = subject.id,
  ): Promise<never> {
    const { exceptions, custody, clock } = this.#deps;
    await exceptions.open(tenantId, {
      kind: 'CHAIN_BREAK',
      subject: { kind: 'RECORD', id: subjectName(subject) },
      detail: { compared: 'the row of the record with its latest fact', found: damage },
    });
    await custody.record(tenantId, [
      {
        action: 'INTEGRITY_FAILURE',
        subject: custodySubjectOf(subject, custodyId),
        actor: SERVICE,
        at: isoTime(clock.nowMs()),
        detail: { found: damage },
      },
    ]);
    throw problem('INTEGRITY_FAILURE', { internal: `the row of ${subjectName(subject)} fails: ${damage}` });
  }
}

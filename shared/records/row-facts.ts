import type { CustodyActor } from '../contracts/custody.js';
import { isAdoption } from '../facts/adoption.js';
import { type Fact, type FactDraft, type FactKind, FactPlace, type FactSubject } from '../facts/fact.js';
import type { FactAnswer, FactQuestion } from '../facts/facts.js';
import type { FactGuard, RowDamage } from '../facts/guard.js';
import { countAndRoot, jsonOf } from '../facts/state-json.js';
import type { TenantId } from '../ids/tenant.js';
import { canonicalJson } from '../json/canonical.js';
import { shortText } from '../json/short-text.js';
import type { JsonObject, JsonValue } from '../json/strict-json.js';
import type { Effect, PendingEffect } from '../outbox/pending-effect.js';
import { idsOfSpan, type TimeSpan } from './id-span.js';
import { packed, unpacked } from './projected-row.js';
import type { Records } from './records.js';
import type { LineOf, MembersOf, SteppedRow } from './stored.js';

/** The evidential part of a kind of records: facts commit its steps, and its rows are projections of them. */
export interface RowFacts<Row extends SteppedRow> {
  readonly kind: FactKind;
  /** The members that a fact states and that reads compare (docs/evidence.md "Facts"). */
  readonly evidential: readonly (keyof MembersOf<Row> & string)[];
  /** Members that a fact states only for a row that has them. */
  readonly ifPresent?: readonly (keyof MembersOf<Row> & string)[];
  /** Lists of identifiers that a fact states by their count and root, in no order. */
  readonly lists?: readonly (keyof MembersOf<Row> & string)[];
  /** Names of the records that a row refers to; the ledger finds the row's facts by them. */
  readonly refs?: (members: MembersOf<Row>) => readonly string[];
}

/**
 * The evidential fields of a row: writer, reader and verification derive them here. The history is stated by its count and
 * the RFC 6962 root over its lines.
 */
export function stateOf<Row extends SteppedRow>(
  { evidential, ifPresent = [], lists = [] }: RowFacts<Row>,
  members: MembersOf<Row>,
  history: Row['history'],
): JsonObject {
  const state: Record<string, JsonValue> = {};
  for (const name of evidential) state[name] = jsonOf(members[name]);
  for (const name of ifPresent) if (members[name] !== undefined) state[name] = jsonOf(members[name]);
  for (const name of lists) state[name] = listState(members[name]);
  state['history'] = linesState(history);
  return state;
}

const linesState = (history: unknown): JsonValue =>
  Array.isArray(history) ? countAndRoot(history.map((line) => canonicalJson(jsonOf(line)))) : jsonOf(history);

/** The RFC 6962 root over the sorted list; the value itself where the row holds no list of texts. */
const listState = (list: unknown): JsonValue =>
  Array.isArray(list) && list.every((item) => typeof item === 'string') ? countAndRoot([...list].sort()) : jsonOf(list);

/** Another subject, such as the redactions of a document: a row is not shown before it has followed its facts. */
export interface Follows<Row extends SteppedRow, E extends Effect = PendingEffect> {
  /** The other subject, and the last of its facts that the row has followed; null for a row that follows nothing. */
  readonly question: (row: Row) => FactQuestion | null;
  /** Whether a row says what the last fact that it has followed says. */
  readonly agrees: (row: Row, fact: Fact) => boolean;
  /** Takes the step that follows the newest of these facts. */
  readonly follow: (rows: Records<Row, E>, row: Row, facts: readonly Fact[]) => Promise<unknown>;
  /** A row of an earlier version as its adoption states it: it names the facts that it follows. */
  readonly adopted: (tenantId: TenantId, row: Row) => Promise<Row>;
}

/** Rows that are not to be shown as they are, and the facts that they lack. */
interface Lacking {
  /** Facts of the record itself, which a crash kept from its row. */
  readonly behind: ReadonlyMap<string, readonly Fact[]>;
  /** Facts of the other subject. */
  readonly lagging: ReadonlyMap<string, readonly Fact[]>;
}

/** A step as its fact describes it. */
export type FactStep = Pick<
  FactDraft,
  'fact_id' | 'event_family' | 'event_type' | 'at' | 'outcome' | 'action' | 'reason' | 'purpose' | 'recipient'
> & {
  readonly actor: CustodyActor;
  /** Further members of the payload. */
  readonly details: JsonObject;
};

/** The part of a fact that writes the row again after a crash. */
export interface RowChangeOfFact<Row extends SteppedRow> {
  /** All members of a new row; of a later fact the changed ones. */
  readonly set: Partial<MembersOf<Row>>;
  /** Lines before `line`, of an adopted row. */
  readonly earlier?: readonly LineOf<Row>[];
  readonly line: LineOf<Row>;
  /** The evidential fields of an adopted row as it was found, where the fact states more. */
  readonly found?: JsonObject;
  readonly pending: readonly Effect[];
}

const UNANSWERED: FactAnswer = { known: null, newer: [] };

/** A step of one record, before its fact is appended. */
export interface CommittedStep<Row extends SteppedRow> {
  readonly id: string;
  readonly step: FactStep;
  readonly after: MembersOf<Row>;
  readonly before: Row | null;
  readonly row: RowChangeOfFact<Row>;
}

/** Facts of one kind of records of one tenant. */
export class FactsOfRows<Row extends SteppedRow> {
  readonly #guard: FactGuard;
  readonly #facts: RowFacts<Row>;
  readonly #follows: Pick<Follows<Row>, 'question' | 'agrees'> | null;
  readonly #tenantId: TenantId;

  constructor(
    guard: FactGuard,
    facts: RowFacts<Row>,
    tenantId: TenantId,
    follows: Pick<Follows<Row>, 'question' | 'agrees'> | null = null,
  ) {
    this.#guard = guard;
    this.#facts = facts;
    this.#follows = follows;
    this.#tenantId = tenantId;
  }

  get kind(): FactKind {
    return this.#facts.kind;
  }

  /**
   * Checks that facts prove all members that a list compares: a row that fails a condition is then an edited row, or a
   * record that does not belong to the list.
   *
   * @throws TypeError for a condition on a member that no fact states.
   */
  requireProvable(names: readonly string[], id: string): void {
    const { evidential, ifPresent = [], lists = [] } = this.#facts;
    const stated = new Set<string>([...evidential, ...ifPresent, ...lists, id]);
    const unproven = names.find((name) => !stated.has(name));
    if (unproven !== undefined)
      throw new TypeError(`no fact of a ${this.#facts.kind} states ${unproven}, so no list may compare it`);
  }

  /** Commits steps of different records by one append. @returns the place of each; null when another step was first. */
  async commitMany(changes: readonly CommittedStep<Row>[]): Promise<readonly (FactPlace | null)[]> {
    const outcomes = await this.#guard.appendAll(
      this.#tenantId,
      changes.map((change) => this.#draftOf(change)),
    );
    return outcomes.map(({ status, place }) => (status === 'APPENDED' ? place : null));
  }

  #draftOf({ id, step: { details, ...step }, after, before, row }: CommittedStep<Row>): FactDraft {
    return {
      ...step,
      subject: this.#subject(id),
      previous: before?.fact?.entry_hash ?? null,
      state: stateOf(this.#facts, after, [...(before?.history ?? []), row.line]),
      ...this.#newRefs(after, before),
      row: packed(row),
      details,
    };
  }

  /** The names that the fact before does not hold, and those that only it holds. */
  #newRefs(after: MembersOf<Row>, before: Row | null): { readonly refs?: string[]; readonly dropped_refs?: string[] } {
    const { refs } = this.#facts;
    if (refs === undefined) return {};
    const known = new Set(before === null ? [] : refs(before));
    const named = new Set(refs(after));
    const added = [...named].filter((ref) => !known.has(ref));
    const dropped = [...known].filter((ref) => !named.has(ref));
    return {
      ...(added.length === 0 ? {} : { refs: added }),
      ...(dropped.length === 0 ? {} : { dropped_refs: dropped }),
    };
  }

  /**
   * Returns the facts that rows lack, by identifier, and compares the other rows with theirs.
   *
   * @throws INTEGRITY_FAILURE
   */
  async newer(rows: ReadonlyMap<string, Row | null>): Promise<Lacking> {
    const ids = [...rows.keys()];
    for (const [id, row] of rows) await this.#requirePlace(id, row);
    const own = ids.map((id) => ({ subject: this.#subject(id), known: rows.get(id)?.fact ?? null }));
    const others = ids.flatMap((id) => {
      const row = rows.get(id) ?? null;
      const question = row === null ? null : (this.#follows?.question(row) ?? null);
      return row === null || question === null ? [] : [{ id, row, question }];
    });
    const questions = [...own, ...others.map(({ question }) => question)];
    const answers = await this.#guard.read(this.#tenantId, questions);
    const behind = new Map<string, readonly Fact[]>();
    for (const [i, id] of ids.entries()) {
      const { known, newer } = answers[i] ?? UNANSWERED;
      if (newer.length > 0) behind.set(id, newer);
      else await this.#compare(id, rows.get(id) ?? null, known);
    }
    const lagging = new Map<string, readonly Fact[]>();
    for (const [i, { id, row, question }] of others.entries()) {
      const { known, newer } = answers[ids.length + i] ?? UNANSWERED;
      if (behind.has(id)) continue;
      if (newer.length > 0) lagging.set(id, newer);
      else if (question.known !== null && (known === null || !this.#follows?.agrees(row, known))) {
        await this.#guard.reject(this.#tenantId, question.subject, known === null ? 'FACT_MISSING' : 'ROW_DIFFERS');
      }
    }
    return { behind, lagging };
  }

  /** @throws INTEGRITY_FAILURE for a row that its latest fact does not prove. */
  async #compare(id: string, row: Row | null, fact: Fact | null): Promise<void> {
    if (row === null) return;
    if (fact === null) await this.#guard.reject(this.#tenantId, this.#subject(id), 'FACT_MISSING');
    else if (canonicalJson(fact.state) !== canonicalJson(stateOf(this.#facts, row, row.history))) {
      await this.#guard.reject(this.#tenantId, this.#subject(id), 'ROW_DIFFERS');
    }
  }

  /** @throws INTEGRITY_FAILURE for a row with an identifier or a fact of a wrong type. */
  async #requirePlace(id: unknown, row: Row | null): Promise<void> {
    if (typeof id === 'string' && FactPlace.optional().safeParse(row?.fact).success) return;
    await this.#guard.reject(this.#tenantId, this.#subject(shortText(id)), 'ROW_MALFORMED');
  }

  /** The identifiers of the records with a fact, of any time, that names one of `refs`. */
  naming(refs: readonly string[]): Promise<readonly string[]> {
    return this.#guard.naming(this.#tenantId, this.#facts.kind, refs);
  }

  /** The identifiers, in pages, of the records with a fact that got their identifiers in a span of time. */
  idsWithin(span: TimeSpan): AsyncGenerator<readonly string[]> {
    return this.#guard.subjectsBetween(this.#tenantId, this.#facts.kind, idsOfSpan(this.#facts.kind, span));
  }

  /** The identifiers of all records that have a fact. */
  ids(): Promise<readonly string[]> {
    return this.#guard.subjects(this.#tenantId, this.#facts.kind);
  }

  /**
   * Checks that a fact may be applied to a row: the row is the one that the fact changed, and the sweep that writes rows
   * after a crash has not passed it yet.
   *
   * @throws INTEGRITY_FAILURE
   */
  async requireBehind(
    id: string,
    row: Row | null,
    fact: Fact,
    { change, bySweep }: { readonly change: RowChangeOfFact<Row>; readonly bySweep: boolean },
  ): Promise<void> {
    const reject = (damage: RowDamage) => this.#guard.reject(this.#tenantId, this.#subject(id), damage);
    if (row !== null && row.fact === undefined) {
      if (!this.#isAdopted(row, fact, change)) await reject('FACT_MISSING');
    } else if (row !== null && change.set.revision !== row.revision + 1) await reject('ROW_DIFFERS');
    if (!bySweep && (await this.#guard.hasSwept(Date.parse(fact.at)))) await reject('ROW_MISSING');
  }

  /** True for a row without a fact that its adoption states as it is. */
  #isAdopted(row: Row, fact: Fact, { found = fact.state }: RowChangeOfFact<Row>): boolean {
    return isAdoption(fact) && canonicalJson(found) === canonicalJson(stateOf(this.#facts, row, row.history));
  }

  /** The members of an adopted row that its fact states otherwise than the row. */
  membersBeside(row: Row, { set }: RowChangeOfFact<Row>): object {
    const names = this.#facts.evidential.filter(
      (name) => canonicalJson(jsonOf(set[name])) !== canonicalJson(jsonOf(row[name])),
    );
    return Object.fromEntries(names.map((name) => [name, set[name]]));
  }

  /** @throws INTEGRITY_FAILURE always. */
  rejectMissing(id: string): Promise<never> {
    return this.#guard.reject(this.#tenantId, this.#subject(id), 'ROW_MISSING');
  }

  #subject(id: string): FactSubject {
    return { kind: this.#facts.kind, id };
  }
}

/** @throws TypeError for a fact without a row. */
export function rowChangeOf<Row extends SteppedRow>({ row }: Fact): RowChangeOfFact<Row> {
  if (row === undefined) throw new TypeError('the fact does not hold its row');
  // The writer packed exactly this, and the ledger proves it.
  return unpacked(row) as RowChangeOfFact<Row>;
}

import { problem } from '../errors/problem.js';
import type { TenantId } from '../ids/tenant.js';
import { retryOnConflict } from '../records/conflicts.js';
import type { Fact, FactDraft, FactKind, FactPlace, FactSubject } from './fact.js';
import type { FactAnswer } from './facts.js';
import type { FactGuard, RowDamage } from './guard.js';

/**
 * A kind of subjects with rows written by hand, without the kit for records with steps (shared/records). `Stored` is
 * what the database holds of one subject: a row, several rows, or nothing.
 */
export interface ProjectedSubjects<Stored> {
  readonly kind: FactKind;
  /** Name in messages: `consents of the member`. */
  readonly noun: string;
  /** Reads the stored rows of each subject; every key has an entry. */
  readonly load: (tenantId: TenantId, keys: readonly string[]) => Promise<ReadonlyMap<string, Stored>>;
  /** The fact that the rows project; null without rows. */
  readonly placeOf: (stored: Stored) => FactPlace | null;
  /** Compares the rows with the fact that they project. @returns the damage, or null when the fact proves them */
  readonly damageOf: (stored: Stored, fact: Fact | null) => RowDamage | null;
  /** Writes the rows of a fact, and its place last. Changes no row of a later fact. */
  readonly write: (tenantId: TenantId, key: string, fact: Fact) => Promise<void>;
  /** For keys that are personal: the subject's identifier in the ledger is a keyed hash. */
  readonly reference?: {
    readonly of: (tenantId: TenantId, key: string) => string;
    readonly keyOf: (fact: Fact) => string;
  };
}

/** A subject as its latest fact proves it; `fact` is null for a subject without facts. */
interface ProvenSubject<Stored> {
  readonly stored: Stored;
  readonly fact: Fact | null;
}

/** A change that a caller asks for: a fact without what follows from its subject. */
export type FactChange = Omit<FactDraft, 'subject' | 'previous'>;

/**
 * Reads and changes subjects that are projections of facts. A fact commits a change; the rows follow it.
 *
 * Example: `const { stored } = await facts.readOne(tenantId, 'M-1')`, and
 * `await facts.change(tenantId, 'M-1', ({ fact }) => ({ ...step, state: setState([...recordsInForce(fact), added]) }))`.
 */
export class ProjectedFacts<Stored> {
  readonly #guard: FactGuard;
  readonly #subjects: ProjectedSubjects<Stored>;
  readonly #attempts: number | undefined;

  /** Adds the kind to the sweep of the guard. @param attempts how often concurrent changes decide again. */
  constructor(guard: FactGuard, subjects: ProjectedSubjects<Stored>, attempts?: number) {
    this.#guard = guard;
    this.#subjects = subjects;
    this.#attempts = attempts;
    guard.projects(subjects.kind, (tenantId, id) => this.#catchUp(tenantId, id));
  }

  /**
   * Returns each subject as its latest fact proves it. Writes rows that a crash left behind their facts.
   *
   * @throws INTEGRITY_FAILURE for rows that their fact does not prove.
   */
  async read(
    tenantId: TenantId,
    keys: readonly string[],
    { bySweep = false }: { readonly bySweep?: boolean } = {},
  ): Promise<ReadonlyMap<string, ProvenSubject<Stored>>> {
    const proven = new Map<string, ProvenSubject<Stored>>();
    const written = new Map<string, string | undefined>();
    for (let waiting = [...new Set(keys)]; waiting.length > 0; ) {
      // Rows are written after their fact: rows that are read first are never ahead of the facts.
      const stored = await this.#subjects.load(tenantId, waiting);
      const questions = waiting.map((key) => ({
        subject: this.#subject(tenantId, key),
        known: this.#placeOf(stored.get(key)),
      }));
      const answers = await this.#guard.read(tenantId, questions);
      const behind: string[] = [];
      for (const [i, key] of waiting.entries()) {
        const answer = answers[i] ?? { known: null, newer: [] };
        const rows = stored.get(key);
        if (rows === undefined) throw new TypeError(`a ${this.#subjects.kind} was not loaded`);
        if (await this.#isSettled(tenantId, key, { rows, answer, bySweep })) {
          proven.set(key, { stored: rows, fact: answer.known });
          continue;
        }
        const before = this.#placeOf(rows)?.entry_hash;
        // Other rows hold the identifiers of its rows.
        if (written.has(key) && written.get(key) === before) await this.reject(tenantId, key, 'ROW_MISSING');
        written.set(key, before);
        behind.push(key);
      }
      waiting = behind;
    }
    return proven;
  }

  /** @throws INTEGRITY_FAILURE */
  async readOne(tenantId: TenantId, key: string): Promise<ProvenSubject<Stored>> {
    const found = (await this.read(tenantId, [key])).get(key);
    if (!found) throw problem('INTERNAL', { internal: `a ${this.#subjects.kind} was not read` });
    return found;
  }

  /**
   * Commits a change of a subject by a fact, then writes its rows. Decides again when another change was first.
   *
   * @param decide the change on the subject as it is; null changes nothing.
   * @returns the subject after the change, or as it is.
   * @throws INTEGRITY_FAILURE; CONFLICT after many concurrent changes; what `decide` throws.
   */
  change(
    tenantId: TenantId,
    key: string,
    decide: (current: ProvenSubject<Stored>) => FactChange | null | Promise<FactChange | null>,
  ): Promise<ProvenSubject<Stored>> {
    return retryOnConflict(
      this.#subjects.noun,
      async () => {
        const current = await this.readOne(tenantId, key);
        const change = await decide(current);
        if (change === null) return current;
        const subject = this.#subject(tenantId, key);
        const previous = current.fact?.place.entry_hash ?? null;
        const { status } = await this.#guard.append(tenantId, { ...change, subject, previous });
        // The read writes the rows of the new fact.
        return status === 'APPENDED' ? this.readOne(tenantId, key) : undefined;
      },
      this.#attempts,
    );
  }

  /** The key of the subject with a fact, of any time, that names `ref`; null for none. */
  async keyNaming(tenantId: TenantId, ref: string): Promise<string | null> {
    const [id] = await this.#guard.naming(tenantId, this.#subjects.kind, [ref]);
    return id === undefined ? null : this.#keyOf(tenantId, id);
  }

  /** Reports rows of a subject that a caller has compared itself. @throws INTEGRITY_FAILURE always. */
  reject(tenantId: TenantId, key: string, damage: RowDamage): Promise<never> {
    return this.#guard.reject(tenantId, this.#subject(tenantId, key), damage, key);
  }

  /** @returns false after rows were written that were behind. */
  async #isSettled(
    tenantId: TenantId,
    key: string,
    {
      rows,
      answer: { known, newer },
      bySweep,
    }: { readonly rows: Stored; readonly answer: FactAnswer; readonly bySweep: boolean },
  ): Promise<boolean> {
    if (known === null && this.#placeOf(rows) !== null) return this.reject(tenantId, key, 'FACT_MISSING');
    if (newer.length === 0) {
      const damage = this.#subjects.damageOf(rows, known);
      return damage === null || this.reject(tenantId, key, damage);
    }
    for (const fact of newer) {
      // The sweep has written the rows of older facts, so someone has removed or replaced them since.
      if (!bySweep && (await this.#guard.hasSwept(Date.parse(fact.at))))
        await this.reject(tenantId, key, 'ROW_MISSING');
      await this.#subjects.write(tenantId, key, fact);
    }
    return false;
  }

  async #catchUp(tenantId: TenantId, id: string): Promise<void> {
    const key = await this.#keyOf(tenantId, id);
    if (key !== null) await this.read(tenantId, [key], { bySweep: true });
  }

  /** The key of a subject by its identifier in the ledger; null without facts. */
  async #keyOf(tenantId: TenantId, id: string): Promise<string | null> {
    const { reference, kind } = this.#subjects;
    if (!reference) return id;
    const [answer] = await this.#guard.read(tenantId, [{ subject: { kind, id }, known: null }]);
    const first = answer?.newer[0];
    return first === undefined ? null : reference.keyOf(first);
  }

  #subject(tenantId: TenantId, key: string): FactSubject {
    const { kind, reference } = this.#subjects;
    return { kind, id: reference ? reference.of(tenantId, key) : key };
  }

  #placeOf(stored: Stored | undefined): FactPlace | null {
    return stored === undefined ? null : this.#subjects.placeOf(stored);
  }
}

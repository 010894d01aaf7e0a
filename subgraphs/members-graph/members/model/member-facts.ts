import type { Fact, FactPlace, FactSubject } from '../../../../shared/facts/fact.js';
import type { FactQuestion } from '../../../../shared/facts/facts.js';
import type { FactGuard, RowDamage } from '../../../../shared/facts/guard.js';
import type { TenantId } from '../../../../shared/ids/tenant.js';
import { retryOnConflict } from '../../../../shared/records/conflicts.js';
import { packed, unpacked } from '../../../../shared/records/projected-row.js';
import type { FactStep } from '../../../../shared/records/row-facts.js';
import type { MemberReference } from '../../records/index.js';
import { linkStateAfter, type MergeEntry } from '../domain/merges.js';
import type { MemberEffect } from '../ports.js';

/** A merge as the facts of its members hold it: everything that its row needs. */
export interface NotedMerge {
  readonly entry: MergeEntry;
  readonly pending: readonly MemberEffect[];
  /** The fact of the tenant's order. */
  readonly order: FactPlace;
}

/**
 * The facts of members: who is merged into whom. A member that never took part in a merge has none. They are read from
 * the first, because members seldom have more than one.
 */
export class MemberFacts {
  readonly #guard: FactGuard;
  readonly #referenceOf: MemberReference;

  constructor(guard: FactGuard, referenceOf: MemberReference) {
    this.#guard = guard;
    this.#referenceOf = referenceOf;
  }

  /** The merges that the facts of each member note, in order. @throws INTEGRITY_FAILURE */
  async of(tenantId: TenantId, memberIds: readonly string[]): Promise<ReadonlyMap<string, readonly NotedMerge[]>> {
    const facts = await this.#factsOf(tenantId, memberIds);
    return new Map([...facts].map(([id, list]) => [id, list.map(notedIn)]));
  }

  /** Appends the fact of a member that takes part in a merge. Does nothing if it exists. */
  async note(tenantId: TenantId, memberId: string, noted: NotedMerge, step: FactStep): Promise<void> {
    await retryOnConflict('member', async () => {
      const facts = (await this.#factsOf(tenantId, [memberId])).get(memberId) ?? [];
      if (facts.some((fact) => notedIn(fact).entry.number === noted.entry.number)) return true;
      const entries = [...facts.map((fact) => notedIn(fact).entry), noted.entry];
      const { status } = await this.#guard.append(tenantId, {
        ...step,
        subject: this.#subject(tenantId, memberId),
        previous: facts.at(-1)?.place.entry_hash ?? null,
        state: linkStateAfter(memberId, entries),
        row: packed(noted),
      });
      return status === 'APPENDED' || undefined;
    });
  }

  /** @throws INTEGRITY_FAILURE always. */
  reject(tenantId: TenantId, memberId: string, damage: RowDamage): Promise<never> {
    return this.#guard.reject(tenantId, this.#subject(tenantId, memberId), damage, memberId);
  }

  async #factsOf(tenantId: TenantId, memberIds: readonly string[]): Promise<ReadonlyMap<string, readonly Fact[]>> {
    const facts = new Map<string, Fact[]>(memberIds.map((id) => [id, []]));
    let waiting = [...facts.keys()];
    while (waiting.length > 0) {
      const questions = waiting.map((id): FactQuestion => {
        const known = facts.get(id)?.at(-1)?.place ?? null;
        return { subject: this.#subject(tenantId, id), known };
      });
      const answers = await this.#guard.read(tenantId, questions);
      waiting = waiting.filter((id, i) => {
        const newer = answers[i]?.newer ?? [];
        facts.get(id)?.push(...newer);
        return newer.length >= MOST_IN_ANSWER;
      });
    }
    return facts;
  }

  #subject(tenantId: TenantId, memberId: string): FactSubject {
    return { kind: 'member', id: this.#referenceOf(tenantId, memberId) };
  }
}

/** A longer list of facts comes in several answers; see FactAnswer. */
const MOST_IN_ANSWER = 100;

/** @throws TypeError for a fact without its merge. */
function notedIn({ row }: Fact): NotedMerge {
  if (row === undefined) throw new TypeError('the fact does not hold its merge');
  // `note` packed exactly this, and the ledger proves it.
  return unpacked(row) as NotedMerge;
}

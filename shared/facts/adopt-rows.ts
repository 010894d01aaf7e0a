import { sha256 } from '../crypto/hash.js';
import { Problem } from '../errors/problem.js';
import { idTimeMs, ulidIds } from '../ids/ids.js';
import type { TenantId } from '../ids/tenant.js';
import { keyedRandomness } from '../ids/work.js';
import { ADOPT, type AdoptableRow, type AdoptableRows, type AdoptionRefusal, type AdoptionStep } from './adoption.js';
import { type AdoptionExtent, type AdoptionPlan, extentIn, inBatches, isBegun, statesRoot } from './adoption-plan.js';
import { type Fact, type FactKind, type FactSubject, subjectName } from './fact.js';
import type { FactGuard } from './guard.js';

/** Subjects that are adopted at once; their facts share the appends of the chain. */
const BATCH_SUBJECTS = 50;

/** Who adopts rows, and why. */
export interface AdoptionOrder {
  readonly reason: string;
  readonly by: string;
  /** RFC 3339. */
  readonly at: string;
}

const COMMAND = { type: 'SERVICE', id: 'service:facts-adopt' } as const;

interface Work {
  readonly guard: FactGuard;
  readonly tenantId: TenantId;
  readonly kind: FactKind;
  readonly rows: AdoptableRows;
  readonly order: AdoptionOrder;
  /** Null for rows that are adopted already. */
  readonly extent: AdoptionExtent | null;
}

/**
 * Appends the first facts of the rows of a plan, and writes their places into the rows. Doing it again after a crash
 * completes it: a fact follows from the adoption and the subject.
 *
 * @param report receives the number of rows that were adopted or refused since its last call
 * @returns the rows that could not be adopted after all, by key.
 * @throws UNAVAILABLE, INTEGRITY_FAILURE
 */
export async function adoptRows(
  work: Omit<Work, 'extent' | 'kind'>,
  { kind, findings, extent }: AdoptionPlan,
  report: (rows: number) => void = () => {},
): Promise<ReadonlyMap<string, AdoptionRefusal>> {
  const wanted = new Set(
    findings.flatMap(({ key, verdict }) => (verdict === 'ADOPT' || verdict === 'FINISH' ? [key] : [])),
  );
  const refused = new Map<string, AdoptionRefusal>();
  if (wanted.size === 0) return refused;
  for await (const batch of inBatches(work.rows.rows(work.tenantId), BATCH_SUBJECTS)) {
    const adopting = batch.filter(({ key, fact }) => wanted.has(key) && fact === undefined);
    await Promise.all(
      adopting.map(async (row) => {
        const refusal = await adoptSubject({ ...work, kind, extent }, row);
        if (refusal !== null) refused.set(row.key, refusal);
      }),
    );
    report(adopting.length);
  }
  return refused;
}

/** @returns why the row was not adopted; null when it was. */
async function adoptSubject(given: Work, row: AdoptableRow): Promise<AdoptionRefusal | null> {
  const { guard, tenantId, kind, rows } = given;
  if (row.id === null) return 'MALFORMED';
  const subject = { kind, id: row.id };
  const facts = [...(await factsOf(guard, tenantId, subject))];
  const [first] = facts;
  const work = first === undefined ? given : { ...given, extent: extentIn(first) };
  const states = await row.adopted({ facts, step: (part) => stepOf(work, subject, part) });
  // Another run of the command, or the service itself, was faster.
  if (facts.length > 0 && !isBegun(facts, states)) return 'HAS_FACTS';
  for (const [i, state] of states.entries()) {
    if (i < facts.length) continue;
    const refusal = await append(work, subject, { ...state, states: statesRoot(states), number: i, before: facts });
    if (refusal !== null) return refusal;
    facts.splice(0, facts.length, ...(await factsOf(guard, tenantId, subject)));
    if (!isBegun(facts, states)) return 'HAS_FACTS';
  }
  await (rows.place === undefined ? guard.project(tenantId, subject) : rows.place(tenantId, facts));
  return null;
}

interface Draft extends Pick<Fact, 'state'> {
  readonly row?: Fact['row'];
  readonly refs?: string[];
  readonly states: ReturnType<typeof statesRoot>;
  readonly number: number;
  readonly before: readonly Fact[];
}

async function append(
  work: Work,
  subject: FactSubject,
  { state, row, refs, states, number, before }: Draft,
): Promise<AdoptionRefusal | null> {
  const { guard, tenantId, extent } = work;
  try {
    await guard.append(tenantId, {
      ...stepOf(work, subject, String(number)),
      subject,
      previous: before.at(-1)?.place.entry_hash ?? null,
      state,
      ...(refs === undefined || refs.length === 0 ? {} : { refs }),
      row: { ...row, adoption: { ...extent, states } },
    });
    return null;
  } catch (error) {
    // The ledger rejects entries with too many values or bytes.
    if (error instanceof Problem && error.code === 'INTERNAL') return 'TOO_LARGE';
    throw error;
  }
}

/** What all facts of an adoption have. The same adoption, subject and part give the same identifier. */
function stepOf({ extent, order }: Work, subject: FactSubject, part: string): AdoptionStep {
  const { adoption_id } = extent ?? { adoption_id: '' };
  const { reason, by, at } = order;
  const source = keyedRandomness(sha256(`${adoption_id}\0${subjectName(subject)}\0${part}`));
  return {
    fact_id: ulidIds(() => idTimeMs(adoption_id), source).next('effect'),
    event_family: 'records',
    event_type: 'record.adopted',
    at,
    action: ADOPT,
    actor: COMMAND,
    reason,
    details: { adoption_id, by, before: 'NOT_PROVEN' },
  };
}

/** All facts of a subject, oldest first. */
async function factsOf(guard: FactGuard, tenantId: TenantId, subject: FactSubject): Promise<readonly Fact[]> {
  const facts: Fact[] = [];
  for (;;) {
    const [answer] = await guard.read(tenantId, [{ subject, known: facts.at(-1)?.place ?? null }]);
    if (!answer || answer.newer.length === 0) return facts;
    facts.push(...answer.newer);
  }
}

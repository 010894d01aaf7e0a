import type { TenantId } from '../ids/tenant.js';
import { canonicalJson } from '../json/canonical.js';
import { isJsonObject, type JsonObject } from '../json/strict-json.js';
import {
  type AdoptableRow,
  type AdoptableRows,
  type AdoptedState,
  type AdoptionRefusal,
  AdoptionRefused,
  isAdoption,
} from './adoption.js';
import { type Fact, type FactKind, FactPlace } from './fact.js';
import type { FactGuard } from './guard.js';
import { countAndRoot } from './state-json.js';

// The first half of an adoption: it reads and writes nothing.

/** Rows that are compared with their facts at once. */
const BATCH_ROWS = 200;

/** What the command does with the row of one subject. */
type AdoptionVerdict =
  | 'ADOPT'
  /** Its adoption exists; a crash kept its place from the row. */
  | 'FINISH'
  | AdoptionRefusal;

export interface AdoptionFinding {
  readonly id: string | null;
  readonly key: string;
  readonly createdAt: Date | null;
  readonly verdict: AdoptionVerdict;
}

/** All rows that one run adopts of one kind: their number, and the root over their sorted identifiers. */
export interface AdoptionExtent {
  readonly adoption_id: string;
  readonly count: number;
  readonly root: string;
}

export interface AdoptionPlan {
  readonly kind: FactKind;
  readonly collection: string;
  /** Rows that a fact proves are left out. */
  readonly findings: readonly AdoptionFinding[];
  /** That of the run that a crash has stopped, or a new one; null where nothing is to adopt. */
  readonly extent: AdoptionExtent | null;
}

/** The facts that a plan reads. */
type PlanReads = Pick<FactGuard, 'read' | 'subjects'>;

interface PlanOptions {
  /** Identifier of a new adoption. */
  readonly adoptionId: string;
  readonly includingNewer: boolean;
}

const NO_STEP = { fact_id: '', event_family: '', event_type: '', at: '', action: '', details: {} } as const;
const UNUSED = { ...NO_STEP, actor: { type: 'SERVICE', id: '' } } as const;

/** Compares every row of one kind of one tenant with its facts. @throws INTEGRITY_FAILURE for damaged facts. */
export async function planAdoption(
  guard: PlanReads,
  tenantId: TenantId,
  kind: FactKind,
  rows: AdoptableRows,
  options: PlanOptions,
): Promise<AdoptionPlan> {
  const findings: AdoptionFinding[] = [];
  for await (const batch of inBatches(rows.rows(tenantId), BATCH_ROWS)) {
    findings.push(...(await examined(guard, tenantId, kind, rows, batch)));
  }
  const { collection } = rows;
  const wanted = findings.filter(({ verdict }) => verdict === 'ADOPT');
  if (wanted.length === 0) return { kind, collection, findings, extent: null };
  const { extent, refusals } = limited(wanted, await firstFacts(guard, tenantId, kind), options);
  const verdictOf = (finding: AdoptionFinding): AdoptionVerdict => refusals.get(finding.key) ?? finding.verdict;
  return {
    kind,
    collection,
    findings: findings.map((finding) => ({ ...finding, verdict: verdictOf(finding) })),
    extent: refusals.size < wanted.length ? extent : null,
  };
}

async function examined(
  guard: PlanReads,
  tenantId: TenantId,
  kind: FactKind,
  { nameFacts }: AdoptableRows,
  batch: readonly AdoptableRow[],
): Promise<readonly AdoptionFinding[]> {
  const places = batch.map(placeNamed);
  const questions = batch.map(({ id }, i) => {
    const known = places[i] ?? null;
    // No subject has the identifier "-"; answers keep the order of the rows.
    return { subject: { kind, id: id ?? '-' }, known: known === 'MALFORMED' ? null : known };
  });
  const answers = await guard.read(tenantId, questions);
  const findings: AdoptionFinding[] = [];
  for (const [i, row] of batch.entries()) {
    const { id, key, createdAt } = row;
    const verdict = await verdictOn(row, {
      place: places[i] ?? null,
      isKnown: (answers[i]?.known ?? null) !== null,
      facts: answers[i]?.newer ?? [],
      namesFacts: nameFacts !== false,
    });
    if (verdict !== 'PROVEN') findings.push({ id, key, createdAt, verdict });
  }
  return findings;
}

/** The place that a row names; null for none. */
function placeNamed({ fact }: AdoptableRow): FactPlace | null | 'MALFORMED' {
  if (fact === undefined) return null;
  const { success, data } = FactPlace.safeParse(fact);
  return success ? data : 'MALFORMED';
}

interface Seen {
  readonly place: FactPlace | null | 'MALFORMED';
  readonly isKnown: boolean;
  /** The facts of the subject after the place. */
  readonly facts: readonly Fact[];
  readonly namesFacts: boolean;
}

async function verdictOn(
  row: AdoptableRow,
  { place, isKnown, facts, namesFacts }: Seen,
): Promise<AdoptionVerdict | 'PROVEN'> {
  if (row.id === null || place === 'MALFORMED') return 'MALFORMED';
  // Whether the row says what its fact says is the verification's question.
  if (place !== null) return isKnown ? 'PROVEN' : 'FACT_UNKNOWN';
  if (facts.length > 0 && !namesFacts) return 'PROVEN';
  try {
    const states = await row.adopted({ facts, step: () => UNUSED });
    if (facts.length === 0) return 'ADOPT';
    return isBegun(facts, states) ? 'FINISH' : 'HAS_FACTS';
  } catch (error) {
    if (facts.length > 0) return 'HAS_FACTS';
    return error instanceof AdoptionRefused ? error.refusal : 'MALFORMED';
  }
}

/** The root over the states of all facts that adopt one subject: a crash may have left some of them out. */
export const statesRoot = (states: readonly AdoptedState[]) =>
  countAndRoot(states.map(({ state }) => canonicalJson(state)));

/** True for the first facts of the adoption that states exactly these rows. */
export function isBegun(facts: readonly Fact[], states: readonly AdoptedState[]): boolean {
  const root = canonicalJson({ ...statesRoot(states) });
  return (
    facts.length <= states.length &&
    facts.every((fact, i) => {
      const adoption = adoptionIn(fact);
      const isSame = canonicalJson(fact.state) === canonicalJson(states[i]?.state ?? null);
      return adoption !== null && isSame && canonicalJson(adoption['states'] ?? null) === root;
    })
  );
}

function adoptionIn(fact: Fact): JsonObject | null {
  const adoption = fact.row?.['adoption'];
  return isAdoption(fact) && isJsonObject(adoption) ? adoption : null;
}

/** The adoption that a fact belongs to; null for any other fact. */
export function extentIn(fact: Fact): AdoptionExtent | null {
  const { adoption_id, count, root } = adoptionIn(fact) ?? {};
  if (typeof adoption_id !== 'string' || typeof count !== 'number' || typeof root !== 'string') return null;
  return { adoption_id, count, root };
}

export const extentOf = (adoption_id: string, ids: readonly string[]): AdoptionExtent => ({
  adoption_id,
  ...countAndRoot([...ids].sort()),
});

/** The first fact of every subject of a kind. */
async function firstFacts(guard: PlanReads, tenantId: TenantId, kind: FactKind): Promise<readonly Fact[]> {
  const ids = await guard.subjects(tenantId, kind);
  const first: Fact[] = [];
  for (let at = 0; at < ids.length; at += BATCH_ROWS) {
    const questions = ids.slice(at, at + BATCH_ROWS).map((id) => ({ subject: { kind, id }, known: null }));
    const answers = await guard.read(tenantId, questions);
    first.push(...answers.flatMap(({ newer }) => newer.slice(0, 1)));
  }
  return first;
}

/**
 * Refuses rows that someone may have added after the service had facts: a row that is newer than the first fact of the
 * kind, and every row after an adoption of the kind. Rows that complete an adoption exactly are those that a crash left.
 */
function limited(wanted: readonly AdoptionFinding[], first: readonly Fact[], options: PlanOptions) {
  const ids = wanted.flatMap(({ id }) => id ?? []);
  const begun = new Map<string, { readonly extent: AdoptionExtent; readonly ids: string[] }>();
  let oldestMs = Number.POSITIVE_INFINITY;
  for (const fact of first) {
    const extent = extentIn(fact);
    if (extent === null) oldestMs = Math.min(oldestMs, Date.parse(fact.at));
    else {
      const known = begun.get(extent.adoption_id) ?? { extent, ids: [] };
      known.ids.push(fact.subject.id);
      begun.set(extent.adoption_id, known);
    }
  }
  const refusals = new Map<string, AdoptionRefusal>();
  if (!options.includingNewer) {
    for (const { key, createdAt } of wanted) {
      const createdMs = createdAt?.getTime() ?? Number.POSITIVE_INFINITY;
      if (oldestMs < Number.POSITIVE_INFINITY && createdMs >= oldestMs) refusals.set(key, 'NEWER');
    }
  }
  const left = wanted.flatMap(({ id, key }) => (id === null || refusals.has(key) ? [] : [id]));
  const adopted = [...begun.values()].flatMap((one) => one.ids);
  for (const one of begun.values()) {
    // Two commands at once adopt the rows of one extent under two names. A row that the other one has adopted since it was
    // examined is among both.
    const wholes = [one.ids, adopted].map((among) =>
      extentOf(one.extent.adoption_id, [...new Set([...among, ...left])]),
    );
    if (wholes.some(({ root }) => root === one.extent.root)) return { extent: one.extent, refusals };
  }
  if (begun.size > 0 && !options.includingNewer) {
    for (const { key } of wanted) if (!refusals.has(key)) refusals.set(key, 'LATE');
  }
  return { extent: extentOf(options.adoptionId, options.includingNewer ? ids : left), refusals };
}

export async function* inBatches<Item>(items: AsyncIterable<Item>, size: number): AsyncGenerator<readonly Item[]> {
  let batch: Item[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

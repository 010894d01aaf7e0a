import { FACT_PARTITIONS, type FactKind, type FactSubject } from '../../../shared/facts/fact.js';
import type { FactAnswer, FactChanges, FactQuestion } from '../../../shared/facts/facts.js';
import { DamagedEntry, WITH_TREE } from '../integrity/index.js';
import type { ProvenEntries } from '../transparency/index.js';
import { examineFacts } from './examine-facts.js';
import type { FactRows } from './ports.js';

/** What a read of one tenant's facts needs. */
interface FactReads {
  readonly tenantId: string;
  readonly rows: FactRows;
  readonly provenEntries: Pick<ProvenEntries, 'unproven'>;
}

/**
 * Answers questions about subjects, in their order, with verified facts; see examineFacts.
 *
 * @throws INTEGRITY_FAILURE for a fact that does not match its hashes, or that the signed tree contradicts.
 */
export async function readFacts(
  { rows, tenantId, provenEntries }: FactReads,
  questions: readonly FactQuestion[],
): Promise<readonly FactAnswer[]> {
  const examined = await examineFacts(rows, questions);
  const damaged = examined.find((each) => each.damaged !== null)?.damaged;
  if (damaged) throw new DamagedEntry(damaged);
  const entries = examined.flatMap((each) => each.entries);
  const [contradicted] = await provenEntries.unproven(tenantId, entries);
  if (contradicted !== undefined) {
    const { source_system, seq, event_id } = contradicted;
    throw new DamagedEntry({ _id: { tenant_id: tenantId, source_system, seq }, event_id }, WITH_TREE);
  }
  return examined.map(({ known, newer }) => ({ known, newer }));
}

const MAX_SUBJECTS = 1_000;

/** Returns the identifiers of a kind's subjects after one of them, in order. */
export async function factSubjects(
  rows: FactRows,
  kind: FactKind,
  after: string | null,
  limit = MAX_SUBJECTS,
): Promise<readonly string[]> {
  // "0" is the character after "/".
  const names = await rows.subjectsBetween(FACT_PARTITIONS[kind], `${kind}/${after ?? ''}`, `${kind}0`, limit);
  return names.map((name) => name.slice(kind.length + 1));
}

/** Returns the identifiers of a kind's subjects with a fact that names one of `refs`, each once. */
export async function subjectsNaming(
  rows: FactRows,
  kind: FactKind,
  refs: readonly string[],
): Promise<readonly string[]> {
  const keys = await rows.keysNaming(FACT_PARTITIONS[kind], refs);
  const names = new Set(keys.map((key) => key.split('\u0000')[0] ?? ''));
  return [...names].filter((name) => name.startsWith(`${kind}/`)).map((name) => name.slice(kind.length + 1));
}

/** Returns the subjects of these kinds with a fact that was recorded since a time, each once. */
export async function changedSubjects(
  rows: FactRows,
  kinds: readonly FactKind[],
  sinceMs: number,
): Promise<readonly FactSubject[]> {
  const partitions = [...new Set(kinds.map((kind) => FACT_PARTITIONS[kind]))];
  const keys = await Promise.all(partitions.map((partition) => rows.keysSince(partition, sinceMs)));
  return subjectsIn(keys.flat(), kinds);
}

/** Returns what changed after a place of a kind's chain; beyond its end, the end alone. */
export async function factChanges(rows: FactRows, kind: FactKind, seq: number): Promise<FactChanges> {
  const partition = FACT_PARTITIONS[kind];
  const { last, keys } = await rows.keysAfter(partition, seq);
  if (last !== null) return { seq: last, ids: subjectsIn(keys, [kind]).map(({ id }) => id) };
  return { seq: Math.min(seq, await rows.lastSeq(partition)), ids: [] };
}

/** The subjects of these kinds among unique keys of entries, each once. */
function subjectsIn(keys: readonly string[], kinds: readonly FactKind[]): readonly FactSubject[] {
  const names = new Set(keys.filter((key) => STATE_FACT_KEY.test(key)).map((key) => key.split('\u0000')[0] ?? ''));
  return [...names].flatMap((name) => {
    const kind = kinds.find((each) => name.startsWith(`${each}/`));
    return kind === undefined ? [] : [{ kind, id: name.slice(kind.length + 1) }];
  });
}

/** The form of stateFactKey. */
const STATE_FACT_KEY = /^[a-z-]+\/[^\0]+\0(first|[0-9a-f]{64})$/;

import { FACT_PARTITIONS, type FactKind, type FactSubject } from '../../../shared/facts/fact.js';
import type { FactAnswer, FactChanges, FactQuestion } from '../../../shared/facts/facts.js';
import { DamagedEntry, type FactKeyPage, WITH_TREE } from '../integrity/index.js';
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

interface SubjectRange {
  readonly after: string | null;
  readonly before?: string | null | undefined;
  readonly limit?: number;
}

/** Returns the identifiers of a kind's subjects after one text and before another, in order. */
export async function factSubjects(
  rows: FactRows,
  kind: FactKind,
  { after, before = null, limit = MAX_SUBJECTS }: SubjectRange,
): Promise<readonly string[]> {
  // "0" is the character after "/".
  const end = before === null ? `${kind}0` : `${kind}/${before}`;
  const names = await rows.subjectsBetween(FACT_PARTITIONS[kind], `${kind}/${after ?? ''}`, end, limit);
  return names.map((name) => name.slice(kind.length + 1));
}

/** Keys of one page: a subject has a few facts. */
const KEYS_PER_SUBJECT = 8;

/** Returns the subjects of a kind after one of them, in order, with the unique keys of all their facts. */
export async function factKeys(
  rows: FactRows,
  kind: FactKind,
  after: string | null,
  limit: number,
): Promise<FactKeyPage> {
  const most = limit * KEYS_PER_SUBJECT;
  // "0" is the character after "/".
  const keys = await rows.keysBetween(FACT_PARTITIONS[kind], `${kind}/${after ?? ''}`, `${kind}0`, most);
  const nameOf = (key: string): string => key.slice(kind.length + 1).split('\u0000')[0] ?? '';
  if (keys.length < most) return { ids: [...new Set(keys.map(nameOf))], keys: new Set(keys), end: null };
  const last = nameOf(keys.at(-1) ?? '');
  const whole = keys.filter((key) => nameOf(key) !== last);
  // Too many facts for one page: their reader looks them up one after the other.
  if (whole.length === 0) return { ids: [last], keys: null, end: last };
  const ids = [...new Set(whole.map(nameOf))];
  return { ids, keys: new Set(whole), end: ids.at(-1) ?? null };
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

/** Returns the names between two texts that facts of a kind give, each once and in order. */
export async function factRefs(
  rows: FactRows,
  kind: FactKind,
  { after, before }: { readonly after: string; readonly before: string },
): Promise<readonly string[]> {
  const found = await rows.namesBetween(FACT_PARTITIONS[kind], after, before);
  const ofKind = found.filter(({ key }) => key.startsWith(`${kind}/`));
  const names = new Set(ofKind.flatMap(({ refs }) => refs.filter((ref) => ref > after && ref < before)));
  return [...names].sort();
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

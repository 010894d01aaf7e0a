import {
  FACT_PARTITIONS,
  type Fact,
  type FactPlace,
  type FactSubject,
  factPayloadOf,
  subjectName,
} from '../../../shared/facts/fact.js';
import type { FactQuestion } from '../../../shared/facts/facts.js';
import { contentOf, isAltered, type LedgerRow, stateFactKey, stateFactKeys } from '../append/domain/index.js';
import type { FactRows } from './ports.js';

/** Facts of one answer; a caller that has fallen further behind asks again from the last of them. */
const MAX_NEWER = 100;

/** The facts of one subject; see FactAnswer. */
interface ExaminedFacts {
  readonly known: Fact | null;
  readonly newer: readonly Fact[];
  /** A row of the subject that does not match its hashes, or is no fact. */
  readonly damaged: LedgerRow | null;
  /** The entries of these facts, for the comparison with the signed tree. */
  readonly entries: readonly FactEntry[];
}

/** The entry of a fact. */
interface FactEntry extends FactPlace {
  readonly event_id: string;
  readonly prev_hash: string;
}

interface Found {
  readonly fact: Fact;
  readonly entry: FactEntry;
}

/**
 * Answers questions about subjects, in their order: the fact at the place that the row names, and the facts after it.
 * Each fact is verified from its record to its entry hash. The unique key of a fact names the one before it, so that the
 * look-up follows the subject's own chain and needs no other index.
 *
 * @param keys of all facts of these subjects, where the caller has read them: spares the look-up of facts that are not there.
 */
export async function examineFacts(
  stored: FactRows,
  questions: readonly FactQuestion[],
  keys: ReadonlySet<string> | null = null,
): Promise<readonly ExaminedFacts[]> {
  const mayFollow = (subject: FactSubject, previous: string | null): boolean =>
    keys === null || keys.has(stateFactKey(subjectName(subject), previous));
  let waiting = questions.flatMap(({ subject, known, alone }, i) => {
    const previous = known?.entry_hash ?? null;
    return alone === true || !mayFollow(subject, previous) ? [] : [{ i, subject, previous }];
  });
  const places = questions.flatMap(({ known }) => (known === null ? [] : [known]));
  // The row names the hash that the next fact follows, so that one read finds the named facts and those after them.
  let rows = await rowsOf(stored, places, waiting);
  const answers = factsAt(stored, questions, rows);
  while (waiting.length > 0) {
    const found = factsAfter(stored, waiting, rows);
    waiting = waiting.flatMap(({ i, subject, previous }) => {
      const next = found.get(stateFactKey(subjectName(subject), previous));
      const answer = answers[i];
      if (!next || !answer) return [];
      if ('damaged' in next) {
        answer.damaged = next.damaged;
        return [];
      }
      answer.newer.push(next.fact);
      answer.entries.push(next.entry);
      return answer.newer.length < MAX_NEWER ? [{ i, subject, previous: next.entry.entry_hash }] : [];
    });
    rows = await rowsOf(stored, [], waiting);
  }
  return answers;
}

interface Answer extends ExaminedFacts {
  readonly newer: Fact[];
  readonly entries: FactEntry[];
  damaged: LedgerRow | null;
}

function factsAt(stored: FactRows, questions: readonly FactQuestion[], rows: readonly LedgerRow[]): Answer[] {
  const byPlace = new Map(rows.map((row) => [placeKey(row._id), row]));
  return questions.map(({ subject, known }) => {
    const row = known === null ? undefined : byPlace.get(placeKey(known));
    const none = { known: null, newer: [], damaged: null, entries: [] };
    if (row === undefined || row.entry_hash !== known?.entry_hash) return none;
    const found = verifiedFact(stored, row);
    if (found === null) return none;
    if ('damaged' in found) return { ...none, damaged: row };
    if (subjectName(found.fact.subject) !== subjectName(subject)) return none;
    return { ...none, known: found.fact, entries: [found.entry] };
  });
}

interface Waiting {
  readonly subject: FactSubject;
  readonly previous: string | null;
}

interface Damaged {
  readonly damaged: LedgerRow;
}

async function rowsOf(
  stored: FactRows,
  places: readonly FactPlace[],
  waiting: readonly Waiting[],
): Promise<readonly LedgerRow[]> {
  return places.length + waiting.length === 0 ? [] : stored.find({ places, keys: keysOf(waiting) });
}

/** The unique keys of the facts after these, by chain. */
function keysOf(waiting: readonly Waiting[]): ReadonlyMap<string, ReadonlySet<string>> {
  const keys = new Map<string, Set<string>>();
  for (const { subject, previous } of waiting) {
    const partition = FACT_PARTITIONS[subject.kind];
    const wanted = keys.get(partition) ?? new Set();
    keys.set(partition, wanted.add(stateFactKey(subjectName(subject), previous)));
  }
  return keys;
}

/** @param rows of one read: those of named places are among them. */
function factsAfter(
  stored: FactRows,
  waiting: readonly Waiting[],
  rows: readonly LedgerRow[],
): ReadonlyMap<string, Found | Damaged> {
  const keys = keysOf(waiting);
  const found = new Map<string, Found | Damaged>();
  for (const row of rows) {
    if (row.fact_key === undefined || keys.get(row.source_system)?.has(row.fact_key) !== true) continue;
    const next = verifiedFact(stored, row) ?? { damaged: row };
    // A damaged row was found by this key.
    const key = 'damaged' in next ? row.fact_key : stateFactKey(subjectName(next.fact.subject), next.fact.previous);
    found.set(key, next);
  }
  return found;
}

/**
 * Returns the fact in a row, or null for an entry that is no fact. Its keys must be those that the service makes: who
 * can only write rows can build the hashes of an entry, and not its keys.
 */
function verifiedFact({ duplicateKeys }: FactRows, row: LedgerRow): Found | Damaged | null {
  if (row.record === undefined || isAltered(row)) return { damaged: row };
  const members = contentOf(row);
  const payload = members === undefined ? null : factPayloadOf(members);
  if (members === undefined || payload === null) return null;
  const { fact_key, duplicate_key } = stateFactKeys(duplicateKeys, payload);
  if (row.fact_key !== fact_key || row.duplicate_key !== duplicate_key) return { damaged: row };
  const { fact: _, ...rest } = payload;
  const place = placeOf(row);
  const { event_id, prev_hash } = row;
  return {
    fact: { ...rest, event_id, at: String(members['event_effective_timestamp']), place },
    entry: { ...place, event_id, prev_hash },
  };
}

const placeOf = ({ _id, entry_hash }: LedgerRow): FactPlace => ({
  source_system: _id.source_system,
  seq: _id.seq,
  entry_hash,
});

const placeKey = ({ source_system, seq }: Pick<FactPlace, 'source_system' | 'seq'>): string =>
  `${seq} ${source_system}`;

import { stopIfLeft } from '../../../shared/errors/caller-left.js';
import { FactKind } from '../../../shared/facts/fact.js';
import type { FactQuestion } from '../../../shared/facts/facts.js';
import type { RecordState, RecordStatePage } from '../../../shared/facts/record-states.js';
import { SET_ROWS } from '../../../shared/facts/set-state.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import {
  compareAbsent,
  compareEach,
  compareLatest,
  compareRecord,
  compareSubject,
  type FactsOfSubject,
  listedBy,
  type RowFinding,
  type RowVerdict,
  unreadable,
} from './compare-row.js';
import type { Break } from './domain/verify-chain.js';
import type { FactKeyPage, StateFacts } from './ports.js';
import type { PartFindings, RecordsPlace, VerifiedTenant, VerifyDeps } from './verify-state.js';

/** Rows that one call between subgraphs carries. */
const BATCH_ROWS = 1_000;
/** A longer list of facts comes in several answers; see FactAnswer. */
const MOST_IN_ANSWER = 100;

export const RECORDS: RecordsPlace = {
  phase: 'RECORDS',
  kind: 'document',
  part: 0,
  after: null,
  behind: 0,
  unserved: [],
};

/**
 * Continues along the rows of records: compares each row with its latest fact, and each subject that has a fact with its
 * row. It reads rows and subjects once, both in order, and the next page while it compares the one before.
 *
 * @returns null at the end.
 */
export async function verifyRecordsPart(
  deps: VerifyDeps,
  tenant: VerifiedTenant,
  place: RecordsPlace,
  findings: PartFindings,
): Promise<RecordsPlace | null> {
  const unserved = [...place.unserved];
  let { behind } = place;
  const report = async (compared: Promise<ComparedPage>): Promise<void> => {
    const { breaks, behind: rows } = await compared;
    findings.report(breaks);
    behind += rows;
  };
  let located = await locate(deps, tenant, place, unserved);
  let before: Promise<ComparedPage> | null = null;
  for (let seen = BATCH_ROWS; located !== null; seen += BATCH_ROWS) {
    stopIfLeft(deps.signal);
    const next = placeAfter(located);
    // The database reads the facts of one page while this thread compares the page before.
    const comparing = handled(comparePage(tenant.facts, located));
    const following = seen < deps.partRows ? handled(locate(deps, tenant, next, unserved)) : null;
    if (before !== null) await report(before);
    before = comparing;
    if (following === null) {
      await report(comparing);
      return { phase: 'RECORDS', ...next, behind, unserved };
    }
    located = await following;
  }
  if (before !== null) await report(before);
  if (behind > 0) {
    const why = 'They are behind recent facts; the next sweep writes them within minutes.';
    findings.notChecked.push({ what: `rows behind recent facts: ${behind}`, why });
  }
  if (unserved.length > 0) {
    const why = 'No part of the service reads the rows of these kinds.';
    findings.notChecked.push({ what: `rows of ${unserved.join(', ')}`, why });
  }
  return null;
}

/** A promise that is awaited later: another one may fail before. */
function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}

type PagePlace = Pick<RecordsPlace, 'kind' | 'part' | 'after'>;

/** A page of rows, and the subjects of the same range where each has one row. */
interface LocatedPage {
  readonly at: PagePlace;
  readonly page: RecordStatePage;
  readonly subjects: FactKeyPage | null;
  /** What the next page continues after; null at the end. */
  readonly until: string | null;
}

/** Reads the page at a place, or the first one after it. @param unserved receives the kinds without a reader of their rows */
async function locate(
  deps: VerifyDeps,
  tenant: VerifiedTenant,
  place: PagePlace,
  unserved: FactKind[],
): Promise<LocatedPage | null> {
  const { context, facts } = tenant;
  const { kind, part, after } = place;
  // The caller has looked the tenant up.
  const asked = deps.recordStates.page(context.tenantId as TenantId, { kind, part, after, limit: BATCH_ROWS });
  const [page, subjects] = await Promise.all([asked, facts.keys(kind, after, BATCH_ROWS)]);
  if (page === null) {
    if (part === 0 && subjects.ids.length > 0) unserved.push(kind);
    const next = FactKind.options[FactKind.options.indexOf(kind) + 1];
    return next === undefined ? null : locate(deps, tenant, { kind: next, part: 0, after: null }, unserved);
  }
  const at = { kind, part, after };
  if (page.form !== 'SUBJECT' && page.form !== 'SET') return { at, page, subjects: null, until: page.next };
  return { at, page, subjects, until: earlier(page.next, subjects.end) };
}

const placeAfter = ({ at: { kind, part }, until }: LocatedPage): PagePlace =>
  until === null ? { kind, part: part + 1, after: null } : { kind, part, after: until };

/** The damage of a page, and the number of its rows that are behind recent facts. */
interface ComparedPage {
  readonly breaks: readonly Break[];
  readonly behind: number;
}

async function comparePage(facts: StateFacts, located: LocatedPage): Promise<ComparedPage> {
  const { kind } = located.at;
  const { collection } = located.page;
  const verdicts = await (located.subjects === null
    ? compareListed(facts, kind, located.page)
    : compareJoined(facts, located, located.subjects));
  const found = verdicts.filter((verdict) => verdict !== null && verdict !== 'BEHIND');
  const breaks = found.map((each) => breakOf(kind, collection, each));
  return { breaks, behind: verdicts.filter((verdict) => verdict === 'BEHIND').length };
}

/** Compares each row with its subject, and each subject with its row: both come in the order of identifiers. */
async function compareJoined(
  facts: StateFacts,
  { at: { kind }, page, until }: LocatedPage,
  subjects: FactKeyPage,
): Promise<readonly RowVerdict[]> {
  const isWithin = (id: string) => until === null || !isAfter(id, until);
  const unordered = page.rows.filter(
    ({ field, mark, subject = '' }) => field === '_id' || (mark === 'GONE' && isWithin(subject)),
  );
  const stored = page.rows.filter(({ id, field, mark }) => field !== '_id' && mark !== 'GONE' && isWithin(id));
  const named = new Set(stored.map(({ id }) => id));
  const absent = subjects.ids.filter((id) => !named.has(id) && isWithin(id));
  const questions = [
    ...stored.map(({ id, fact }): FactQuestion => ({ subject: { kind, id }, known: fact })),
    ...absent.map((id): FactQuestion => ({ subject: { kind, id }, known: null })),
  ];
  const answers = await facts.examine(questions, subjects.keys);
  const { settled_ms } = page;
  const compare = (row: RecordState, answer: FactsOfSubject): RowVerdict =>
    page.form === 'SET' && isSet(kind)
      ? compareSubject(row, answer, settled_ms, listedBy(kind))
      : compareSubject(row, answer, settled_ms);
  const ofRows = stored.map((row, i) => unreadable(row) ?? compare(row, answers[i] ?? UNANSWERED));
  const ofAbsent = absent.map((id, i) => compareAbsent(id, answers[stored.length + i] ?? UNANSWERED, settled_ms));
  return [...unordered.map(unreadable), ...ofRows, ...ofAbsent];
}

const UNANSWERED: FactsOfSubject = { known: null, newer: [], damaged: null };

const isSet = (kind: FactKind): kind is keyof typeof SET_ROWS => kind in SET_ROWS;

/** Compares each row of a page on its own: its owner knows which rows are missing. */
async function compareListed(facts: StateFacts, kind: FactKind, page: RecordStatePage): Promise<readonly RowVerdict[]> {
  const questions = new Map<string, FactQuestion>();
  const readable = page.rows.filter((row) => unreadable(row) === null);
  for (const question of readable.flatMap((row) => questionsOf(kind, page.form, row))) {
    questions.set(keyOf(question), question);
  }
  const examined = await examineAll(facts, [...questions.values()]);
  const answers = new Map([...questions.keys()].map((key, i) => [key, examined[i] ?? UNANSWERED]));
  return page.rows.map((row): RowVerdict => {
    const damage = unreadable(row);
    if (damage !== null) return damage;
    const [first = UNANSWERED, second = UNANSWERED] = questionsOf(kind, page.form, row).map(
      (question) => answers.get(keyOf(question)) ?? UNANSWERED,
    );
    const { form, settled_ms: settledMs } = page;
    if (form === 'EACH') return compareEach(row, first, settledMs);
    if (form === 'RECORD' && isSet(kind)) return compareRecord(row, kind, { own: first, set: second, settledMs });
    return compareLatest(row, first, settledMs);
  });
}

function questionsOf(kind: FactKind, form: RecordStatePage['form'], row: RecordState): readonly FactQuestion[] {
  const subject = { kind, id: row.subject ?? row.id };
  if (form === 'EACH') return [{ subject, known: row.fact, alone: row.mark !== 'LAST' }];
  if (form === 'LATEST') return [{ subject, known: null }];
  return [
    { subject, known: row.fact, alone: true },
    { subject, known: row.head ?? null },
  ];
}

const keyOf = ({ subject, known, alone = false }: FactQuestion): string =>
  JSON.stringify([subject.id, known?.seq ?? null, known?.entry_hash ?? null, alone]);

/** As `examine`, with all newer facts of each subject. */
async function examineAll(facts: StateFacts, questions: readonly FactQuestion[]): Promise<readonly FactsOfSubject[]> {
  const answers = await facts.examine(questions);
  return Promise.all(
    answers.map(async (answer, i): Promise<FactsOfSubject> => {
      const [last, question] = [answer.newer.at(-1), questions[i]];
      if (answer.newer.length < MOST_IN_ANSWER || last === undefined || question === undefined) return answer;
      const [rest = UNANSWERED] = await examineAll(facts, [{ subject: question.subject, known: last.place }]);
      return { ...answer, newer: [...answer.newer, ...rest.newer], damaged: answer.damaged ?? rest.damaged };
    }),
  );
}

/** The database orders texts by their UTF-8 bytes. */
const isAfter = (id: string, other: string): boolean => Buffer.compare(Buffer.from(id), Buffer.from(other)) > 0;

/** Null is the end. */
function earlier(a: string | null, b: string | null): string | null {
  if (a === null || b === null) return a ?? b;
  return isAfter(a, b) ? b : a;
}

const EXPLANATIONS: Readonly<Record<RowFinding['damage'], string>> = {
  ROW_MALFORMED: 'its row holds a value of a wrong type.',
  ROW_DIFFERS: 'its row differs from its latest fact.',
  ROW_MISSING: 'it has a fact and no row.',
  FACT_MISSING: 'the ledger has no sound fact that proves its row.',
};

function breakOf(kind: FactKind, ofPage: string, { id, damage, field, collection = ofPage }: RowFinding): Break {
  return {
    kind: damage,
    source_system: null,
    sequence: null,
    event_id: null,
    detail: `RECORD ${kind}/${id}: ${EXPLANATIONS[damage]}`,
    collection,
    key: `${kind}/${id}`,
    ...(field === null ? {} : { field }),
  };
}

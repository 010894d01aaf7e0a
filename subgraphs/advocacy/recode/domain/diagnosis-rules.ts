import type { RecodeNeed, RecodeSuggestion } from '../schema.js';
import { namesBodyPart, type Side } from './side.js';
import { type Findings, NOTHING, needing, type RecodeCase, suggesting, type TableCode } from './suggestion.js';

// ICD-10-CM Official Guidelines, section I.B.2: use a code with its highest number of characters; I.B.13: report the side if
// the code has one. Headings, deleted codes and unknown codes are checked against the imported table only.

const CANDIDATES_SHOWN = 10;

/** Confidence of a suggestion: the record has the code itself, has several such codes, or states the side. */
const BY_CODE = 0.9;
const BY_ONE_OF_SEVERAL = 0.5;
const BY_SIDE = 0.7;

/** Checks the diagnoses of a case; returns nothing without a table. */
export function diagnosisFindings(asked: RecodeCase): readonly Findings[] {
  const table = asked.tables.icd10cm;
  if (table === null) return [];
  return asked.diagnoses.map((code) => {
    const entry = table.entry(code);
    return entry?.is_valid ? unspecifiedSide(asked, entry) : notBillable(asked, code, entry);
  });
}

function notBillable(asked: RecodeCase, code: string, entry: TableCode | null): Findings {
  const table = asked.tables.icd10cm;
  const under = (table?.under(code) ?? []).filter((one) => one.code !== code);
  const ruleId = under.length > 0 ? 'icd10cm.more-characters' : 'icd10cm.not-valid';
  const problem = problemOf(code, entry, under.length > 0, table?.edition ?? '');
  const recorded = under.filter((one) => asked.onRecord.has(one.code));
  if (recorded.length > 0) {
    return suggesting(recorded.map((one) => byRecord(asked, code, one, { problem, ruleId, of: recorded.length })));
  }
  const { side } = asked;
  const bySide = side === null ? [] : under.filter((one) => isOfSide(one, side));
  const [only] = bySide;
  if (only !== undefined && bySide.length === 1 && asked.side !== null) {
    return suggesting([bySideOf(code, only, asked.side, { problem, ruleId })]);
  }
  const needed: RecodeNeed = {
    code,
    problem,
    needs: 'Notes of the treating practitioner that state the condition as exactly as a valid code does.',
    rule_id: ruleId,
    candidates: under.slice(0, CANDIDATES_SHOWN).map(({ code: one, description }) => ({ code: one, description })),
  };
  return needing([needed]);
}

function problemOf(code: string, entry: TableCode | null, isHeading: boolean, edition: string): string {
  if (isHeading) return `${code} is a heading: a claim needs one of the codes below it (ICD-10-CM ${edition}).`;
  if (entry === null) return `${code} is not in ICD-10-CM ${edition}.`;
  return `${code} is not in force on the day of service (ICD-10-CM ${edition}).`;
}

interface Why {
  readonly problem: string;
  readonly ruleId: string;
}

function byRecord(
  asked: RecodeCase,
  from: string,
  to: TableCode,
  { problem, ruleId, of }: Why & { readonly of: number },
): RecodeSuggestion {
  const found = asked.onRecord.get(to.code);
  const several = of > 1 ? ' The record has several of them: the notes decide.' : '';
  return {
    from,
    to: to.code,
    reason: `${problem} The record has ${to.code} (${to.description}).${several}`,
    rule_id: ruleId,
    confidence: of > 1 ? BY_ONE_OF_SEVERAL : BY_CODE,
    supported_by: found ? [found] : [],
  };
}

const bySideOf = (from: string, to: TableCode, side: Side, { problem, ruleId }: Why): RecodeSuggestion => ({
  from,
  to: to.code,
  reason: `${problem} The record says ${side.word}: ${to.code} (${to.description}).`,
  rule_id: ruleId,
  confidence: BY_SIDE,
  supported_by: side.evidence,
});

const isOfSide = ({ description }: TableCode, side: Side): boolean =>
  new RegExp(`\\b${side.word}\\b`, 'i').test(description) && namesBodyPart(side, description);

/** Suggests a code with a side for a valid code without one, if the record states the side. */
function unspecifiedSide(asked: RecodeCase, entry: TableCode): Findings {
  if (!/\bunspecified\b/i.test(entry.description)) return NOTHING;
  const siblings = (asked.tables.icd10cm?.under(entry.code.slice(0, -1)) ?? []).filter(
    (one) => one.code.length === entry.code.length,
  );
  const ofSide = (word: string): TableCode | undefined =>
    siblings.find(
      ({ description }) =>
        description === entry.description.replace(/\bunspecified\b/i, (it) => (it[0] === 'U' ? capital(word) : word)),
    );
  const [right, left] = [ofSide('right'), ofSide('left')];
  if (right === undefined || left === undefined) return NOTHING;
  const why = { problem: `${entry.code} leaves the side open.`, ruleId: 'icd10cm.laterality' };
  const recorded = [right, left].filter((one) => asked.onRecord.has(one.code));
  const [only] = recorded;
  if (only !== undefined && recorded.length === 1) {
    return suggesting([byRecord(asked, entry.code, only, { ...why, of: 1 })]);
  }
  const { side } = asked;
  const to = side === null ? undefined : ofSide(side.word);
  if (side !== null && to !== undefined && namesBodyPart(side, entry.description)) {
    return suggesting([bySideOf(entry.code, to, side, why)]);
  }
  const candidates = [right, left].map(({ code, description }) => ({ code, description }));
  const needs = 'A note that says which side it was.';
  return needing([{ code: entry.code, problem: why.problem, needs, rule_id: why.ruleId, candidates }]);
}

const capital = (word: string): string => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`;

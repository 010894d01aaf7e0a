import type { Comparable } from './comparable.js';
import type { Contribution, Score } from './score.js';

export const MATCH_GRADES = ['EXACT', 'PROBABLE', 'POSSIBLE'] as const;
export type MatchGrade = (typeof MATCH_GRADES)[number];

/** Minimum scores in bits; a deployment may set its own. */
export interface MatchThresholds {
  readonly probable: number;
  readonly possible: number;
}

export const DEFAULT_THRESHOLDS: MatchThresholds = { probable: 14, possible: 6 };

export interface Candidate<T> {
  readonly member: T;
  readonly person: Comparable;
  readonly score: Score;
}

export interface Graded<T> {
  readonly member: T;
  readonly score: Score;
  readonly match: MatchGrade;
  /** The reason for POSSIBLE where the weight alone would allow a better grade. */
  readonly caution: MatchCaution | null;
}

type MatchCaution = 'ANOTHER_OF_THE_FAMILY' | 'CONFLICTING_IDENTIFIER' | 'SEX_AND_GIVEN_NAME_DIFFER' | 'SUFFIX_DIFFERS';

/**
 * Ranks candidates for one record, the best first, and grades each. Omits candidates below `possible`. A twin shares surname,
 * birth date and address: if one candidate's given name agrees, candidates with another given name are POSSIBLE at most, and
 * so are candidates with contradicting data.
 */
export function gradeOf<T>(candidates: readonly Candidate<T>[], thresholds: MatchThresholds): readonly Graded<T>[] {
  const ranked = candidates
    .filter(({ score }) => score.weight >= thresholds.possible)
    .sort((a, b) => b.score.weight - a.score.weight || b.score.nameLikeness - a.score.nameLikeness);
  const isGivenMet = ranked.some(({ score }) => score.weight >= thresholds.probable && agreesIn(score, 'given'));
  const graded = ranked.map(({ member, person, score }) => {
    const caution = cautionOf(person, score, isGivenMet);
    return { member, score, caution, match: gradeAlone(score, thresholds, caution) };
  });
  return [...graded.filter(({ caution }) => caution === null), ...graded.filter(({ caution }) => caution !== null)];
}

function gradeAlone(score: Score, { probable }: MatchThresholds, caution: MatchCaution | null): MatchGrade {
  if (caution !== null || score.weight < probable) return 'POSSIBLE';
  return isExact(score.contributions) ? 'EXACT' : 'PROBABLE';
}

/** True when both names and one more identifying field are EXACT, and no identifying field differs. */
function isExact(contributions: readonly Contribution[]): boolean {
  const levelOf = (field: Contribution['field']): string | undefined =>
    contributions.find((each) => each.field === field)?.level;
  const namesAgree =
    levelOf('given') === 'EXACT' && levelOf('family') === 'EXACT' && levelOf('name_order') === undefined;
  const others = ['birth_date', 'ssn', 'identifier'] as const;
  const isDistinguished = others.some(
    (field) => field !== 'identifier' && ![undefined, 'EXACT'].includes(levelOf(field)),
  );
  return namesAgree && others.some((field) => levelOf(field) === 'EXACT') && !isDistinguished;
}

function cautionOf(person: Comparable, score: Score, isGivenMet: boolean): MatchCaution | null {
  const levelOf = (field: Contribution['field']): string | undefined =>
    score.contributions.find((each) => each.field === field)?.level;
  if (levelOf('suffix') === 'DIFFERENT') return 'SUFFIX_DIFFERS';
  if (levelOf('given') !== 'DIFFERENT') return null;
  const isIdentified = levelOf('ssn') === 'EXACT' || levelOf('identifier') === 'EXACT';
  if (isIdentified) return null;
  if (levelOf('ssn') === 'DIFFERENT') return 'CONFLICTING_IDENTIFIER';
  if (levelOf('sex') === 'DIFFERENT') return 'SEX_AND_GIVEN_NAME_DIFFER';
  return isGivenMet || person.isOfMultipleBirth ? 'ANOTHER_OF_THE_FAMILY' : null;
}

function agreesIn(score: Score, field: Contribution['field']): boolean {
  const level = score.contributions.find((each) => each.field === field)?.level;
  return level !== undefined && level !== 'DIFFERENT' && level !== 'LIKE';
}

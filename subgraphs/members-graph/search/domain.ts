import type { PersonRecord, Score } from '../matching/domain/index.js';
import {
  type Comparable,
  comparableOf,
  DEFAULT_ODDS,
  foldName,
  readTypedQuery,
  squeezed,
} from '../matching/domain/index.js';

/** A typed search: values of the person, and texts that may be an identifier of any system. */
export interface TypedPerson {
  readonly person: Comparable;
  readonly identifierTexts: readonly string[];
}

/** Combines typed text with explicit parts; an explicit part replaces the value read from the text. */
export function typedPerson(q: string, parts: PersonRecord, identifier: string): TypedPerson {
  const typed = readTypedQuery(q);
  const texts = [...typed.identifierTexts, ...(identifier === '' ? [] : [identifier])];
  return {
    person: comparableOf({ ...typed.record, ...parts }),
    identifierTexts: [...new Set(texts.map((text) => squeezed(foldName(text))))].filter((text) => text !== ''),
  };
}

/** Completes typed phone numbers: users omit the area code, so a suffix of the candidate's number counts as that number. */
export function withWholePhones(person: Comparable, candidate: Comparable): Comparable {
  if (person.phones.length === 0) return person;
  const phones = person.phones.map((typed) => candidate.phones.find((phone) => phone.endsWith(typed)) ?? typed);
  return { ...person, phones };
}

const { m, u } = DEFAULT_ODDS.identifier.EXACT;
/** The weight of an identifier of a known system. */
const IDENTIFIER_WEIGHT = Math.log2(m / u);

/** Adds the weight of a typed identifier to a score, unless the score already counts an identifier. */
export function withTypedIdentifier(score: Score, texts: readonly string[], theirs: readonly string[]): Score {
  const isTyped = theirs.some((value) => texts.includes(squeezed(foldName(value))));
  if (!isTyped || score.contributions.some(({ field }) => field === 'identifier' || field === 'ssn')) return score;
  const contribution = { field: 'identifier', level: 'EXACT', weight: IDENTIFIER_WEIGHT } as const;
  // The same digits must not also count as a different telephone number.
  const others = score.contributions.filter(({ field, level }) => field !== 'phone' || level === 'EXACT');
  const contributions = [...others, contribution];
  return { ...score, contributions, weight: contributions.reduce((sum, each) => sum + each.weight, 0) };
}

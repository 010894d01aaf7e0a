import { type Comparable, comparableOf } from '../matching/comparable.js';
import { foldName, squeezed } from '../matching/fold.js';
import { DEFAULT_ODDS } from '../matching/match-fields.js';
import type { PersonRecord } from '../matching/person-record.js';
import type { Score } from '../matching/score.js';
import { readTypedQuery } from '../matching/typed-query.js';

/** Somebody looked for as one types: what is said of the person, and texts that may be an identifier of any system. */
export interface TypedPerson {
  readonly person: Comparable;
  readonly identifierTexts: readonly string[];
}

/** What was typed, whole and in parts; a part that is given counts before what was read out of the whole. */
export function typedPerson(q: string, parts: PersonRecord, identifier: string): TypedPerson {
  const typed = readTypedQuery(q);
  const texts = [...typed.identifierTexts, ...(identifier === '' ? [] : [identifier])];
  return {
    person: comparableOf({ ...typed.record, ...parts }),
    identifierTexts: [...new Set(texts.map((text) => squeezed(foldName(text))))].filter((text) => text !== ''),
  };
}

/** Numbers are typed without their area code: one that a candidate's number ends with is that number. */
export function withWholePhones(person: Comparable, candidate: Comparable): Comparable {
  if (person.phones.length === 0) return person;
  const phones = person.phones.map((typed) => candidate.phones.find((phone) => phone.endsWith(typed)) ?? typed);
  return { ...person, phones };
}

const { m, u } = DEFAULT_ODDS.identifier.EXACT;
/** As an identifier of a known system would weigh. */
const IDENTIFIER_WEIGHT = Math.log2(m / u);

/** The score of a candidate one of whose identifiers was typed; as it is where an identifier of theirs counts already. */
export function withTypedIdentifier(score: Score, texts: readonly string[], theirs: readonly string[]): Score {
  const isTyped = theirs.some((value) => texts.includes(squeezed(foldName(value))));
  if (!isTyped || score.contributions.some(({ field }) => field === 'identifier' || field === 'ssn')) return score;
  const contribution = { field: 'identifier', level: 'EXACT', weight: IDENTIFIER_WEIGHT } as const;
  // What was typed as an identifier is none of a telephone number that it may look like.
  const others = score.contributions.filter(({ field, level }) => field !== 'phone' || level === 'EXACT');
  const contributions = [...others, contribution];
  return { ...score, contributions, weight: contributions.reduce((sum, each) => sum + each.weight, 0) };
}

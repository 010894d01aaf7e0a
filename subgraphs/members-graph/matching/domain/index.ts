export {
  type Comparable,
  comparableOf,
  type NameForm,
  type PersonAddress,
  type PersonIdentifier,
  type PersonRecord,
} from './comparable.js';
export { type Candidate, type Graded, gradeOf, MATCH_GRADES, type MatchGrade, type MatchThresholds } from './grade.js';
export { blockingKeys, lookupKeys, narrowNameKeys, wideNameKeys } from './keys.js';
export { learnOdds, type Pair } from './learn-odds.js';
export { DEFAULT_ODDS, MATCH_FIELDS, type MatchField, type MatchOdds } from './match-fields.js';
export { digitsOf, foldName, squeezed } from './names.js';
export { type MatchModel, type Score, scoreOf } from './score.js';
export { readTypedQuery } from './typed-query.js';

/** Compared fields and their levels of agreement; the first level that applies counts. */
export const MATCH_LEVELS = {
  given: ['EXACT', 'NICKNAME', 'PART', 'NEAR', 'INITIAL', 'LIKE', 'DIFFERENT'],
  family: ['EXACT', 'FORMER', 'PART', 'NEAR', 'INITIAL', 'LIKE', 'DIFFERENT'],
  /** Given and family name are exchanged. */
  name_order: ['SWAPPED'],
  suffix: ['EXACT', 'DIFFERENT'],
  birth_date: ['EXACT', 'ONE_DIGIT', 'DAY_MONTH_SWAPPED', 'MONTH', 'YEAR', 'TWO_DIGITS', 'DIFFERENT'],
  sex: ['EXACT', 'DIFFERENT'],
  postal_code: ['EXACT', 'NEAR', 'DIFFERENT'],
  street: ['EXACT', 'LIKE', 'DIFFERENT'],
  house_number: ['EXACT', 'DIFFERENT'],
  city: ['EXACT', 'NEAR', 'DIFFERENT'],
  phone: ['EXACT', 'ONE_DIGIT', 'DIFFERENT'],
  email: ['EXACT', 'DIFFERENT'],
  ssn: ['EXACT', 'ONE_DIGIT', 'DIFFERENT'],
  identifier: ['EXACT', 'DIFFERENT'],
} as const;

export type MatchField = keyof typeof MATCH_LEVELS;
const isMatchField = (name: string): name is MatchField => Object.hasOwn(MATCH_LEVELS, name);
export const MATCH_FIELDS: readonly MatchField[] = Object.keys(MATCH_LEVELS).filter(isMatchField);
export type MatchLevel = (typeof MATCH_LEVELS)[MatchField][number];

/** Frequency of a level among pairs that are one person (m) and among pairs that are two (u). */
export interface LevelOdds {
  readonly m: number;
  readonly u: number;
}

export type MatchOdds = { readonly [F in MatchField]: Readonly<Partial<Record<MatchLevel, LevelOdds>>> };
type CompleteOdds = { readonly [F in MatchField]: { readonly [L in (typeof MATCH_LEVELS)[F][number]]: LevelOdds } };

/**
 * Odds until a tenant's own data teaches better ones, from the levels of Splink and measurements on FEBRL's errors. `u` of an
 * exact name assumes a name of one person in 500; the name's own frequency replaces it.
 */
export const DEFAULT_ODDS = {
  given: {
    EXACT: { m: 0.75, u: 0.002 },
    NICKNAME: { m: 0.05, u: 0.002 },
    PART: { m: 0.04, u: 0.003 },
    NEAR: { m: 0.12, u: 0.002 },
    INITIAL: { m: 0.03, u: 0.02 },
    LIKE: { m: 0.06, u: 0.006 },
    DIFFERENT: { m: 0.07, u: 0.95 },
  },
  family: {
    EXACT: { m: 0.75, u: 0.002 },
    FORMER: { m: 0.03, u: 0.0005 },
    PART: { m: 0.04, u: 0.003 },
    NEAR: { m: 0.12, u: 0.002 },
    INITIAL: { m: 0.02, u: 0.02 },
    LIKE: { m: 0.06, u: 0.006 },
    DIFFERENT: { m: 0.07, u: 0.95 },
  },
  name_order: { SWAPPED: { m: 0.02, u: 0.04 } },
  suffix: { EXACT: { m: 0.9, u: 0.4 }, DIFFERENT: { m: 0.04, u: 0.6 } },
  birth_date: {
    EXACT: { m: 0.85, u: 0.0001 },
    ONE_DIGIT: { m: 0.06, u: 0.002 },
    DAY_MONTH_SWAPPED: { m: 0.03, u: 0.0005 },
    MONTH: { m: 0.85, u: 0.0015 },
    YEAR: { m: 0.88, u: 0.015 },
    TWO_DIGITS: { m: 0.03, u: 0.01 },
    DIFFERENT: { m: 0.06, u: 0.98 },
  },
  sex: { EXACT: { m: 0.98, u: 0.5 }, DIFFERENT: { m: 0.02, u: 0.5 } },
  postal_code: { EXACT: { m: 0.85, u: 0.0015 }, NEAR: { m: 0.08, u: 0.005 }, DIFFERENT: { m: 0.1, u: 0.99 } },
  street: { EXACT: { m: 0.85, u: 0.002 }, LIKE: { m: 0.05, u: 0.03 }, DIFFERENT: { m: 0.15, u: 0.99 } },
  house_number: { EXACT: { m: 0.8, u: 0.01 }, DIFFERENT: { m: 0.2, u: 0.99 } },
  city: { EXACT: { m: 0.7, u: 0.01 }, NEAR: { m: 0.15, u: 0.01 }, DIFFERENT: { m: 0.15, u: 0.97 } },
  phone: { EXACT: { m: 0.6, u: 0.0005 }, ONE_DIGIT: { m: 0.03, u: 0.002 }, DIFFERENT: { m: 0.5, u: 0.999 } },
  email: { EXACT: { m: 0.6, u: 0.0003 }, DIFFERENT: { m: 0.5, u: 0.999 } },
  ssn: { EXACT: { m: 0.9, u: 0.00001 }, ONE_DIGIT: { m: 0.07, u: 0.0001 }, DIFFERENT: { m: 0.03, u: 0.999 } },
  // A person may have several cards and record numbers of one system, so a different one says little.
  identifier: { EXACT: { m: 0.9, u: 0.000005 }, DIFFERENT: { m: 0.5, u: 0.999 } },
} as const satisfies CompleteOdds;

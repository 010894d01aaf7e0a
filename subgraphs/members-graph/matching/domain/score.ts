import type { Comparable } from './comparable.js';
import { type Comparison, compareAddress, compareRest, nameComparisons } from './compare.js';
import type { LevelOdds, MatchField, MatchLevel, MatchOdds } from './match-fields.js';
import { jaroWinkler, trigramShare } from './similarity.js';

/** The weight of one field in bits: log2 of how much likelier its level is for one person than for two. */
export interface Contribution {
  readonly field: MatchField;
  readonly level: MatchLevel;
  readonly weight: number;
}

export interface Score {
  /** Sum of the contributions, in bits. */
  readonly weight: number;
  readonly contributions: readonly Contribution[];
  /** 0 to 4: similarity of names, which orders persons of equal weight. */
  readonly nameLikeness: number;
}

/** Frequency of values in the directory; see shareOf. */
interface Rarity {
  /** Number of members with the given or family name. */
  readonly countOf: (field: 'given' | 'family', squeezedName: string) => number;
  readonly members: number;
  /** Number of members with an identifier. An identifier of many members belongs to a clinic or an employer. */
  readonly holdersOf: (identifierKey: string) => number;
}

export interface MatchModel {
  readonly odds: MatchOdds;
  readonly rarity: Rarity;
}

// An unknown name counts as one in 500; the directory's own frequency outweighs that from 500 members.
const PRIOR_SHARE = 0.002;
const PRIOR_MEMBERS = 500;
/** People move: a different address subtracts at most this, in bits. */
const MIN_ADDRESS_WEIGHT = -6;
/** An identifier of more members weighs nothing. */
const MAX_HOLDERS = 4;

/** Scores two persons under a model (Fellegi and Sunter 1969). */
export function scoreOf(a: Comparable, b: Comparable, model: MatchModel): Score {
  const names = best(nameComparisons(a, b).map((each) => weighed(each, model)));
  const addresses = a.addresses.flatMap((x) => b.addresses.map((y) => weighed(compareAddress(x, y), model)));
  const address = floored(addresses.length === 0 ? [] : best(addresses));
  const contributions = [...names, ...weighed(compareRest(a, b), model), ...address];
  let likeness: number | undefined;
  return {
    weight: sum(contributions),
    contributions,
    // Computed only for persons of equal weight.
    get nameLikeness() {
      likeness ??= nameLikeness(a, b);
      return likeness;
    },
  };
}

function weighed(comparisons: readonly Comparison[], model: MatchModel): readonly Contribution[] {
  return comparisons.map((comparison) => ({
    field: comparison.field,
    level: comparison.level,
    weight: weightOf(comparison, model),
  }));
}

function weightOf({ field, level, value }: Comparison, { odds, rarity }: MatchModel): number {
  const { m, u } = oddsOf(odds, field, level);
  if (level === 'EXACT' && value !== undefined) {
    if (field === 'given' || field === 'family') return Math.log2(m / shareOf(rarity, field, value));
    if (field === 'identifier' && rarity.holdersOf(value) > MAX_HOLDERS) return 0;
  }
  return Math.log2(m / u);
}

export function oddsOf(odds: MatchOdds, field: MatchField, level: MatchLevel): LevelOdds {
  const levels: Readonly<Partial<Record<MatchLevel, LevelOdds>>> = odds[field];
  return levels[level] ?? { m: 1, u: 1 };
}

/** Returns the share of members with the name, pulled towards one in 500 while the directory is small. */
function shareOf({ countOf, members }: Rarity, field: 'given' | 'family', name: string): number {
  return (countOf(field, name) + PRIOR_SHARE * PRIOR_MEMBERS) / (members + PRIOR_MEMBERS);
}

const sum = (contributions: readonly Contribution[]): number =>
  contributions.reduce((total, { weight }) => total + weight, 0);

const best = (ways: readonly (readonly Contribution[])[]): readonly Contribution[] =>
  ways.reduce((top, way) => (sum(way) > sum(top) ? way : top));

/** Limits the weight of an address; scales each contribution so that the sum stays right. */
function floored(address: readonly Contribution[]): readonly Contribution[] {
  const total = sum(address);
  if (total >= MIN_ADDRESS_WEIGHT) return address;
  return address.map((each) => ({ ...each, weight: (each.weight * MIN_ADDRESS_WEIGHT) / total }));
}

function nameLikeness(a: Comparable, b: Comparable): number {
  const like = (x: string, y: string): number => (x === '' || y === '' ? 0 : jaroWinkler(x, y) + trigramShare(x, y));
  const straight = like(a.given.whole, b.given.whole) + like(a.family.whole, b.family.whole);
  const swapped = like(a.given.whole, b.family.whole) + like(a.family.whole, b.given.whole);
  return Math.max(straight, swapped - 0.1);
}

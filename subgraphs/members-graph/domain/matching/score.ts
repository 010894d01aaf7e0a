import type { Comparable } from './comparable.js';
import { type Comparison, compareAddress, compareRest, nameComparisons } from './compare.js';
import type { LevelOdds, MatchField, MatchLevel, MatchOdds } from './match-fields.js';
import { jaroWinkler, trigramShare } from './similarity.js';

/** What one field adds to a score or takes from it, in bits: log2 of how much likelier it is for one person than for two. */
export interface Contribution {
  readonly field: MatchField;
  readonly level: MatchLevel;
  readonly weight: number;
}

export interface Score {
  /** Sum of the contributions, in bits. */
  readonly weight: number;
  readonly contributions: readonly Contribution[];
  /** 0 to 4: parts persons of one weight by how alike their names are. */
  readonly nameLikeness: number;
}

/** How common values are in the directory; see shareOf. */
export interface Rarity {
  /** Members who have the given or family name, and members at all. */
  readonly countOf: (field: 'given' | 'family', squeezedName: string) => number;
  readonly members: number;
  /** Members who have an identifier; beyond a few it belongs to a clinic or an employer, and tells nothing. */
  readonly holdersOf: (identifierKey: string) => number;
}

export interface MatchModel {
  readonly odds: MatchOdds;
  readonly rarity: Rarity;
}

// A name that the directory does not know yet is one in 500; what it knows outweighs that from 500 members on.
const PRIOR_SHARE = 0.002;
const PRIOR_MEMBERS = 500;
/** People move: an address that is wholly another one takes no more than this. */
const LEAST_OF_ADDRESS = -6;
/** Holders of an identifier beyond whom it weighs nothing. */
const MOST_HOLDERS = 4;

/** @returns the score of two persons under a model (Fellegi and Sunter 1969): every contribution, and their sum. */
export function scoreOf(a: Comparable, b: Comparable, model: MatchModel): Score {
  const names = best(nameComparisons(a, b).map((each) => weighed(each, model)));
  const addresses = a.addresses.flatMap((x) => b.addresses.map((y) => weighed(compareAddress(x, y), model)));
  const address = floored(addresses.length === 0 ? [] : best(addresses));
  const contributions = [...names, ...weighed(compareRest(a, b), model), ...address];
  let likeness: number | undefined;
  return {
    weight: sum(contributions),
    contributions,
    // Asked of those alone that weigh the same.
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
    if (field === 'identifier' && rarity.holdersOf(value) > MOST_HOLDERS) return 0;
  }
  return Math.log2(m / u);
}

export function oddsOf(odds: MatchOdds, field: MatchField, level: MatchLevel): LevelOdds {
  const levels: Readonly<Partial<Record<MatchLevel, LevelOdds>>> = odds[field];
  return levels[level] ?? { m: 1, u: 1 };
}

/** The share of members with the name, drawn towards one in 500 while the directory is small. */
function shareOf({ countOf, members }: Rarity, field: 'given' | 'family', name: string): number {
  return (countOf(field, name) + PRIOR_SHARE * PRIOR_MEMBERS) / (members + PRIOR_MEMBERS);
}

const sum = (contributions: readonly Contribution[]): number =>
  contributions.reduce((total, { weight }) => total + weight, 0);

const best = (ways: readonly (readonly Contribution[])[]): readonly Contribution[] =>
  ways.reduce((top, way) => (sum(way) > sum(top) ? way : top));

/** Each in proportion, so that what is told still adds up. */
function floored(address: readonly Contribution[]): readonly Contribution[] {
  const total = sum(address);
  if (total >= LEAST_OF_ADDRESS) return address;
  return address.map((each) => ({ ...each, weight: (each.weight * LEAST_OF_ADDRESS) / total }));
}

function nameLikeness(a: Comparable, b: Comparable): number {
  const like = (x: string, y: string): number => (x === '' || y === '' ? 0 : jaroWinkler(x, y) + trigramShare(x, y));
  const straight = like(a.given.whole, b.given.whole) + like(a.family.whole, b.family.whole);
  const swapped = like(a.given.whole, b.family.whole) + like(a.family.whole, b.given.whole);
  return Math.max(straight, swapped - 0.1);
}

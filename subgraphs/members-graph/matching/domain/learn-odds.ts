import type { Comparable } from './comparable.js';
import {
  type LevelOdds,
  MATCH_FIELDS,
  MATCH_LEVELS,
  type MatchField,
  type MatchLevel,
  type MatchOdds,
} from './match-fields.js';
import { type MatchModel, oddsOf, scoreOf } from './score.js';

export type Pair = readonly [Comparable, Comparable];

interface LearntOdds {
  readonly odds: MatchOdds;
  /** Share of candidate pairs that are one person, estimated in the last round. */
  readonly matchShare: number;
  readonly rounds: number;
  readonly pairs: number;
}

/** Weight of the defaults in pairs: a tenant's own data outweigh them from about this many matches. */
const PRIOR_PAIRS = 50;
const MAX_ROUNDS = 25;
const CONVERGED_BELOW = 0.0005;

type Tally = Map<MatchField, Map<MatchLevel, number>>;

/**
 * Learns odds from a tenant's own data without labels. Estimates `u` from random pairs, which are nearly all strangers, and
 * `m` by expectation maximisation (Dempster, Laird, Rubin 1977; Winkler 1988) over pairs that share a blocking key. Levels
 * that never occur keep the defaults, and the prior limits values with little evidence.
 */
export function learnOdds(candidates: readonly Pair[], strangers: readonly Pair[], start: MatchModel): LearntOdds {
  const u = smoothed(
    tallied(
      strangers.map((pair) => [pair, 1]),
      start,
    ),
    start.odds,
    'u',
  );
  let odds = merged(start.odds, start.odds, u);
  let matchShare = 0.3;
  let rounds = 0;
  for (; rounds < MAX_ROUNDS; rounds++) {
    const model: MatchModel = { ...start, odds };
    const likely = candidates.map((pair) => [pair, probability(pair, model, matchShare)] as const);
    const share = likely.reduce((sum, [, p]) => sum + p, 0) / Math.max(1, candidates.length);
    const m = smoothed(tallied(likely, model), start.odds, 'm');
    const next = merged(start.odds, m, u);
    const moved = distance(odds, next) + Math.abs(share - matchShare);
    odds = next;
    matchShare = Math.min(0.99, Math.max(0.0001, share));
    if (moved < CONVERGED_BELOW) break;
  }
  return { odds, matchShare, rounds, pairs: candidates.length };
}

/** Returns the probability that a pair is one person. */
function probability([a, b]: Pair, model: MatchModel, matchShare: number): number {
  const { weight } = scoreOf(a, b, model);
  const ratio = 2 ** Math.max(-60, Math.min(60, weight)) * (matchShare / (1 - matchShare));
  return ratio / (1 + ratio);
}

function tallied(pairs: readonly (readonly [Pair, number])[], model: MatchModel): Tally {
  const tally: Tally = new Map();
  for (const [[a, b], amount] of pairs) {
    for (const { field, level } of scoreOf(a, b, model).contributions) {
      const levels = tally.get(field) ?? new Map<MatchLevel, number>();
      levels.set(level, (levels.get(level) ?? 0) + amount);
      tally.set(field, levels);
    }
  }
  return tally;
}

type Shares = ReadonlyMap<MatchField, ReadonlyMap<MatchLevel, number>>;

/** Returns the share of each level in a field; the defaults count as PRIOR_PAIRS pairs. */
function smoothed(tally: Tally, defaults: MatchOdds, side: keyof LevelOdds): Shares {
  const shares = new Map<MatchField, ReadonlyMap<MatchLevel, number>>();
  for (const [field, levels] of tally) {
    const all = [...levels.values()].reduce((sum, count) => sum + count, 0);
    const of = (level: MatchLevel): number =>
      ((levels.get(level) ?? 0) + PRIOR_PAIRS * oddsOf(defaults, field, level)[side]) / (all + PRIOR_PAIRS);
    shares.set(field, new Map(MATCH_LEVELS[field].map((level) => [level, of(level)])));
  }
  return shares;
}

// These fields have too few observations to learn from.
const KEPT: ReadonlySet<MatchField> = new Set(['name_order', 'suffix', 'identifier']);

function merged(defaults: MatchOdds, m: MatchOdds | Shares, u: Shares): MatchOdds {
  const of = (from: MatchOdds | Shares, field: MatchField, level: MatchLevel, side: keyof LevelOdds): number =>
    (from instanceof Map ? from.get(field)?.get(level) : undefined) ?? oddsOf(defaults, field, level)[side];
  const odds: { [F in MatchField]: MatchOdds[F] } = { ...defaults };
  for (const field of MATCH_FIELDS) {
    if (KEPT.has(field)) continue;
    odds[field] = Object.fromEntries(
      MATCH_LEVELS[field].map((level) => [level, { m: of(m, field, level, 'm'), u: of(u, field, level, 'u') }]),
    );
  }
  return odds;
}

function distance(a: MatchOdds, b: MatchOdds): number {
  let most = 0;
  for (const field of MATCH_FIELDS) {
    for (const level of MATCH_LEVELS[field])
      most = Math.max(most, Math.abs(oddsOf(a, field, level).m - oddsOf(b, field, level).m));
  }
  return most;
}

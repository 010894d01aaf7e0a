import { groupCells } from '../../../../shared/records/group-cells.js';
import type { AiDecisionSummary, AiSummaryGroup } from '../schema/queries.js';

// Counts and override rates of decisions (api.md section 2), aggregated from cells of similar decisions.

/** Decisions that are equal in every counted member. */
export interface AiCell {
  readonly decision_type: string;
  readonly model_name: string;
  readonly model_version: string;
  readonly recommendation: string;
  /** Month of decided_at, UTC: `2026-03`. */
  readonly month: string;
  readonly count: number;
  readonly adverse: number;
  readonly unreviewed: number;
  readonly overridden: number;
}

type AiGroup = Readonly<AiSummaryGroup>;
type AiSummary = Readonly<Omit<AiDecisionSummary, 'from' | 'to'>>;

const MAX_NAMES = 200;
/** A hundredth of a percentage point per month is noise. */
const STEADY_WITHIN = 0.001;
const RATE_DIGITS = 1e6;

type Sums = Pick<AiCell, 'count' | 'adverse' | 'unreviewed' | 'overridden'>;

const NOTHING: Sums = { count: 0, adverse: 0, unreviewed: 0, overridden: 0 };

const added = (a: Sums, b: Sums): Sums => ({
  count: a.count + b.count,
  adverse: a.adverse + b.adverse,
  unreviewed: a.unreviewed + b.unreviewed,
  overridden: a.overridden + b.overridden,
});

const rounded = (value: number): number => Math.round(value * RATE_DIGITS) / RATE_DIGITS;
const rate = (part: number, whole: number): number => (whole === 0 ? 0 : rounded(part / whole));

const withRates = (sums: Sums): Omit<AiGroup, 'name'> => ({
  ...sums,
  adverse_rate: rate(sums.adverse, sums.count),
  override_rate: rate(sums.overridden, sums.count),
});

const DIMENSIONS = ['decision_type', 'model_name', 'model_version', 'recommendation', 'month'] as const;
export type AiDimension = (typeof DIMENSIONS)[number];

/** Groups decisions by some of their members, the largest group first. */
export const groupDecisions = (cells: readonly AiCell[], by: readonly AiDimension[]) =>
  groupCells<AiDimension, Sums>(cells, { names: DIMENSIONS, by, add: added }).map((group) => ({
    ...group,
    override_rate: rate(group.overridden, group.count),
  }));

export function summarise(cells: readonly AiCell[]): AiSummary {
  const groups = {
    by_type: grouped(cells, (cell) => cell.decision_type),
    by_model: grouped(cells, (cell) => cell.model_name),
    by_version: grouped(cells, (cell) => `${cell.model_name} ${cell.model_version}`),
    by_outcome: grouped(cells, (cell) => cell.recommendation),
  };
  const months = grouped(cells, (cell) => cell.month).sort((a, b) => (a.name < b.name ? -1 : 1));
  const cut = <T>(list: readonly T[]): readonly T[] => list.slice(0, MAX_NAMES);
  return {
    ...withRates(cells.reduce(added, NOTHING)),
    by_type: cut(groups.by_type),
    by_model: cut(groups.by_model),
    by_version: cut(groups.by_version),
    by_outcome: cut(groups.by_outcome),
    by_month: months.map((month, i) => ({ ...month, override_rate_change: changeFrom(months[i - 1], month) })),
    override_trend: trendOf(months),
    truncated: Object.values(groups).some((list) => list.length > MAX_NAMES),
  };
}

const changeFrom = (before: AiGroup | undefined, month: AiGroup): number | null =>
  before === undefined ? null : rounded(month.override_rate - before.override_rate);

/** The most frequent first, then by name. */
function grouped(cells: readonly AiCell[], nameOf: (cell: AiCell) => string): AiGroup[] {
  const sums = new Map<string, Sums>();
  for (const cell of cells) sums.set(nameOf(cell), added(sums.get(nameOf(cell)) ?? NOTHING, cell));
  return [...sums]
    .map(([name, group]) => ({ name, ...withRates(group) }))
    .sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1));
}

const monthNumber = (month: string): number => Number(month.slice(0, 4)) * 12 + Number(month.slice(5, 7));

/** Weighted least squares: a month with three decisions does not change a trend of thousands. */
function trendOf(months: readonly AiGroup[]): AiSummary['override_trend'] {
  if (months.length < 2) return { direction: 'UNKNOWN', change_per_month: null, months: months.length };
  let [weight, sumX, sumY] = [0, 0, 0];
  for (const { name, count, override_rate } of months) {
    weight += count;
    sumX += count * monthNumber(name);
    sumY += count * override_rate;
  }
  const [meanX, meanY] = [sumX / weight, sumY / weight];
  let [covariance, variance] = [0, 0];
  for (const { name, count, override_rate } of months) {
    const x = monthNumber(name) - meanX;
    covariance += count * x * (override_rate - meanY);
    variance += count * x * x;
  }
  const slope = rounded(covariance / variance);
  const moving = slope > 0 ? 'RISING' : 'FALLING';
  return {
    direction: Math.abs(slope) <= STEADY_WITHIN ? 'STEADY' : moving,
    change_per_month: slope,
    months: months.length,
  };
}

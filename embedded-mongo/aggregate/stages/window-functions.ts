import { Double, Int32 } from 'bson';
import { integerOf, isNumber, toNumber } from '../../bson/number.js';
import { BsonDate, BsonDoc, type BsonValue, isDoc } from '../../bson/value.js';
import { itemAt } from '../../checked-access.js';
import { fail } from '../../errors.js';
import type { ExpressionCompiler } from '../expr/compiler.js';
import { type DateUnit, isDateUnit } from '../expr/date-parts.js';
import { type Expression, isNullish } from '../expr/frame.js';
import { type Bounds, parseWindow, positionOf, type Row, type RowOrder, refuseWindow } from './window-rows.js';

/** Computes one output field for the rows of a partition, lazily and in order. */
export type WindowFunction = (rows: readonly Row[]) => Iterable<BsonValue | undefined>;

export function* eachRow(
  rows: readonly Row[],
  compute: (row: Row, at: number) => BsonValue | undefined,
): Generator<BsonValue | undefined, void, undefined> {
  for (const [at, row] of rows.entries()) yield compute(row, at);
}

interface WindowCall {
  readonly operator: string;
  readonly argument: BsonValue;
  /** The whole field, with its `window`. */
  readonly spec: BsonDoc;
  readonly order: RowOrder;
  readonly compiler: ExpressionCompiler;
}

type Compile = (call: WindowCall) => WindowFunction;

function requireSort({ operator, order }: WindowCall): void {
  if (order.fields.length === 0)
    fail(5_371_602, `${operator} must be specified with a top level sortBy expression with exactly one element`);
}

/** Ranks by the sort key; `$rank` leaves gaps after equal keys, `$denseRank` does not. */
function ranking(next: (state: { rank: number; at: number; tied: boolean }) => number): Compile {
  return (call) => {
    const { operator, argument, spec, order } = call;
    if (!isDoc(argument) || argument.size > 0) fail(5_371_603, `${operator} must be specified with '{}'`);
    refuseWindow(spec, operator);
    requireSort(call);
    return (rows) => {
      let rank = 0;
      return eachRow(rows, (row, at) => {
        const before = rows[at - 1];
        const tied = before !== undefined && order.order?.compare(before.key, row.key) === 0;
        rank = next({ rank, at, tied });
        return new Int32(rank);
      });
    };
  };
}

const shift: Compile = (call) => {
  const { argument, operator, spec, compiler } = call;
  requireSort(call);
  refuseWindow(spec, operator);
  const named = compiler.named(argument, operator, ['output', 'by'], ['default']);
  const [output, standard] = [named.get('output'), named.get('default', null)];
  const by = named.raw('by') ?? null;
  const distance = integerOf(by) ?? fail('FailedToParse', "'$shift:by' field must be an integer");
  return (rows) =>
    eachRow(rows, (row, at) => {
      const other = rows[at + Number(distance)];
      return other ? (output(other.frame) ?? null) : standard(row.frame);
    });
};

const UNIT_MS: Partial<Record<DateUnit, number>> = {
  week: 604_800_000,
  day: 86_400_000,
  hour: 3_600_000,
  minute: 60_000,
  second: 1_000,
  millisecond: 1,
};

interface Curve {
  readonly input: Expression;
  readonly bounds: Bounds;
  /** The position of a row on the axis of its sort field, in units for dates. */
  readonly x: (row: Row) => number;
}

function curve(call: WindowCall): Curve {
  const { argument, operator, spec, compiler, order } = call;
  requireSort(call);
  const named = compiler.named(argument, operator, ['input'], ['unit']);
  const unit = named.raw('unit');
  const scale = isDateUnit(unit) ? UNIT_MS[unit] : undefined;
  if (unit !== undefined && scale === undefined) fail(5_490_704, `unit of ${operator} must be 'week' or smaller`);
  return {
    input: named.get('input'),
    bounds: parseWindow(spec.get('window'), order.fields),
    x: (row) => positionOf(row, scale === undefined ? undefined : 'millisecond') / (scale ?? 1),
  };
}

function numeric(value: BsonValue | undefined, operator: string): number | undefined {
  if (isNullish(value)) return undefined;
  if (isNumber(value)) return toNumber(value);
  if (value instanceof BsonDate) return Number(value.ms);
  fail(5_624_900, `${operator} needs numbers`);
}

const derivative: Compile = (call) => {
  const { input, bounds, x } = curve(call);
  return (rows) =>
    eachRow(rows, (_, at) => {
      const [low, high] = bounds(rows, at);
      const [first, last] = [rows[low], rows[high - 1]];
      if (!first || !last || high - low < 2) return null;
      const [from, to] = [numeric(input(first.frame), '$derivative'), numeric(input(last.frame), '$derivative')];
      const run = x(last) - x(first);
      return from === undefined || to === undefined || run === 0 ? null : new Double((to - from) / run);
    });
};

/** The area under the curve, by trapezoids. */
const integral: Compile = (call) => {
  const { input, bounds, x } = curve(call);
  return (rows) =>
    eachRow(rows, (_, at) => {
      const [low, high] = bounds(rows, at);
      if (high <= low) return null;
      let area = 0;
      for (let i = low + 1; i < high; i++) {
        const [left, right] = [itemAt(rows, i - 1), itemAt(rows, i)];
        const [from, to] = [numeric(input(left.frame), '$integral'), numeric(input(right.frame), '$integral')];
        if (from !== undefined && to !== undefined) area += ((from + to) / 2) * (x(right) - x(left));
      }
      return new Double(area);
    });
};

const movingAverage: Compile = (call) => {
  const { argument, operator, spec, compiler } = call;
  requireSort(call);
  refuseWindow(spec, operator);
  const named = compiler.named(argument, operator, ['input'], ['N', 'alpha']);
  const input = named.get('input');
  const [count, given] = [named.raw('N'), named.raw('alpha')];
  if ((count === undefined) === (given === undefined)) fail('FailedToParse', `${operator} needs either 'N' or 'alpha'`);
  const alpha = isNumber(given) ? toNumber(given) : isNumber(count) ? 2 / (toNumber(count) + 1) : Number.NaN;
  if (!(alpha > 0 && alpha < 1) && !(isNumber(count) && toNumber(count) === 1))
    fail('FailedToParse', `'alpha' of ${operator} must be between 0 and 1 (exclusive)`);
  return (rows) => {
    let average: number | undefined;
    return eachRow(rows, (row) => {
      const value = input(row.frame);
      if (isNumber(value)) {
        const number = toNumber(value);
        average = average === undefined ? number : number * alpha + average * (1 - alpha);
      }
      return average === undefined ? null : new Double(average);
    });
  };
};

function covariance(sample: boolean): Compile {
  return ({ argument, operator, spec, compiler, order }) => {
    const operands = compiler.operands(argument, operator, 2);
    const [first, second] = [itemAt(operands, 0), itemAt(operands, 1)];
    const bounds = parseWindow(spec.get('window'), order.fields);
    return (rows) =>
      eachRow(rows, (_, at) => {
        const [low, high] = bounds(rows, at);
        const pairs = rows.slice(low, high).flatMap(({ frame }) => {
          const [a, b] = [first(frame), second(frame)];
          return isNumber(a) && isNumber(b) ? [[toNumber(a), toNumber(b)] as const] : [];
        });
        const divisor = sample ? pairs.length - 1 : pairs.length;
        if (divisor < 1) return null;
        const [sumA, sumB] = [sum(pairs.map(([a]) => a)), sum(pairs.map(([, b]) => b))];
        const [meanA, meanB] = [sumA / pairs.length, sumB / pairs.length];
        return new Double(sum(pairs.map(([a, b]) => (a - meanA) * (b - meanB))) / divisor);
      });
  };
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** Carries the last present value forward. */
const locf: Compile = ({ argument, spec, compiler, operator }) => {
  refuseWindow(spec, operator);
  const input = compiler.expression(argument);
  return (rows) => {
    let last: BsonValue = null;
    return eachRow(rows, ({ frame }) => {
      const value = input(frame);
      if (!isNullish(value)) last = value;
      return last;
    });
  };
};

/** Fills gaps on the line between two values; rows before the first and after the last value stay null. */
const linearFill: Compile = (call) => {
  const { argument, spec, compiler, operator, order } = call;
  refuseWindow(spec, operator);
  if (order.fields.length !== 1)
    fail(605_001, '$linearFill must be specified with a top level sortBy expression with exactly one element');
  const input = compiler.expression(argument);
  const x = (row: Row): number => positionOf(row, row.sortValue instanceof BsonDate ? 'millisecond' : undefined);
  return (rows) => {
    const values = rows.map(({ frame }) => input(frame));
    let before = -1;
    values.forEach((value, at) => {
      if (isNullish(value)) return;
      const to = numeric(value, operator) ?? 0;
      for (let i = before + 1; before >= 0 && i < at; i++) {
        const from = numeric(values[before], operator) ?? 0;
        const [start, end] = [x(itemAt(rows, before)), x(itemAt(rows, at))];
        if (start === end) fail(605_001, 'There can be no repeated values in the sort field of $linearFill');
        values[i] = new Double(from + ((to - from) * (x(itemAt(rows, i)) - start)) / (end - start));
      }
      before = at;
    });
    return values.map((value) => value ?? null);
  };
};

/** Functions of `$setWindowFields` alone; it also accepts the accumulators of `$group`. */
export const WINDOW_FUNCTIONS: Readonly<Record<string, Compile>> = {
  $rank: ranking(({ rank, at, tied }) => (tied ? rank : at + 1)),
  $denseRank: ranking(({ rank, tied }) => (tied ? rank : rank + 1)),
  $documentNumber: ranking(({ at }) => at + 1),
  $shift: shift,
  $derivative: derivative,
  $integral: integral,
  $expMovingAvg: movingAverage,
  $covariancePop: covariance(false),
  $covarianceSamp: covariance(true),
  $locf: locf,
  $linearFill: linearFill,
};

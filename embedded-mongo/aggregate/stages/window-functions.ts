import { Double, Int32 } from 'bson';
import { isNumber, toInteger, toNumber } from '../../bson/number.js';
import { BsonDate, BsonDoc, type BsonValue, isDoc } from '../../bson/value.js';
import { MongoError } from '../../errors.js';
import type { ExpressionCompiler } from '../expr/compiler.js';
import { type DateUnit, isDateUnit } from '../expr/date-parts.js';
import { type Expression, isNullish } from '../expr/frame.js';
import { type Bounds, isWindowless, parseWindow, positionOf } from './window-bounds.js';
import type { Row, RowOrder } from './window-rows.js';

/** The values of one output field for the rows of a partition, one after the other: each is reckoned when its row is due. */
export type WindowFunction = (rows: readonly Row[]) => Iterable<BsonValue | undefined>;

export function* eachRow(
  rows: readonly Row[],
  reckon: (row: Row, at: number) => BsonValue | undefined,
): Generator<BsonValue | undefined, void, undefined> {
  for (const [at, row] of rows.entries()) yield reckon(row, at);
}

export interface WindowCall {
  readonly operator: string;
  readonly argument: BsonValue;
  /** The whole field, with its `window`. */
  readonly spec: BsonDoc;
  readonly order: RowOrder;
  readonly compiler: ExpressionCompiler;
}

type Compile = (call: WindowCall) => WindowFunction;

function requireSort({ operator, order }: WindowCall): void {
  if (order.fields.length === 0) throw new MongoError(5_371_602, `${operator} requires a sortBy`);
}

/** Ranks by the sort key: `$rank` leaves gaps after equals, `$denseRank` does not. */
function ranking(next: (state: { rank: number; at: number; tied: boolean }) => number): Compile {
  return (call) => {
    const { operator, argument, spec, order } = call;
    if (!isDoc(argument) || argument.size > 0)
      throw new MongoError(5_371_603, `${operator} must be specified with '{}'`);
    isWindowless(spec, operator);
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
  isWindowless(spec, operator);
  const named = compiler.named(argument, operator, ['output', 'by'], ['default']);
  const [output, standard] = [named.get('output'), named.get('default', null)];
  const by = named.raw('by') ?? null;
  const distance = isNumber(by) ? toInteger(by) : undefined;
  if (distance === undefined) throw new MongoError('FailedToParse', "'$shift:by' field must be an integer");
  return (rows) =>
    eachRow(rows, (row, at) => {
      const other = rows[at + Number(distance)];
      return other ? (output(other.frame) ?? null) : standard(row.frame);
    });
};

const unitMs: Partial<Record<DateUnit, number>> = {
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
  /** A row's place on the axis of its sort field, in units where those are dates. */
  readonly x: (row: Row) => number;
}

function curve(call: WindowCall): Curve {
  const { argument, operator, spec, compiler, order } = call;
  requireSort(call);
  const named = compiler.named(argument, operator, ['input'], ['unit']);
  const unit = named.raw('unit');
  const scale = isDateUnit(unit) ? unitMs[unit] : undefined;
  if (unit !== undefined && scale === undefined) {
    throw new MongoError(5_490_704, `unit of ${operator} must be 'week' or smaller`);
  }
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
  throw new MongoError(5_624_900, `${operator} needs numbers`);
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
        const [left, right] = [rows[i - 1] as Row, rows[i] as Row];
        const [from, to] = [numeric(input(left.frame), '$integral'), numeric(input(right.frame), '$integral')];
        if (from !== undefined && to !== undefined) area += ((from + to) / 2) * (x(right) - x(left));
      }
      return new Double(area);
    });
};

const movingAverage: Compile = (call) => {
  const { argument, operator, spec, compiler } = call;
  requireSort(call);
  isWindowless(spec, operator);
  const named = compiler.named(argument, operator, ['input'], ['N', 'alpha']);
  const input = named.get('input');
  const [count, given] = [named.raw('N'), named.raw('alpha')];
  if ((count === undefined) === (given === undefined)) {
    throw new MongoError('FailedToParse', `${operator} needs either 'N' or 'alpha'`);
  }
  const alpha = isNumber(given) ? toNumber(given) : isNumber(count) ? 2 / (toNumber(count) + 1) : Number.NaN;
  if (!(alpha > 0 && alpha < 1) && !(isNumber(count) && toNumber(count) === 1)) {
    throw new MongoError('FailedToParse', `'alpha' of ${operator} must be between 0 and 1 (exclusive)`);
  }
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
    const [first, second] = compiler.operands(argument, operator, 2) as [Expression, Expression];
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

/** The last value that was there is carried forward. */
const locf: Compile = ({ argument, spec, compiler, operator }) => {
  isWindowless(spec, operator);
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

/** Gaps between two values are filled on the line between them; what is before the first or after the last stays null. */
const linearFill: Compile = (call) => {
  const { argument, spec, compiler, operator, order } = call;
  requireSort(call);
  isWindowless(spec, operator);
  if (order.fields.length !== 1)
    throw new MongoError(605_001, '$linearFill must be specified with a sort on a single field');
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
        const [start, end] = [x(rows[before] as Row), x(rows[at] as Row)];
        if (start === end)
          throw new MongoError(605_001, 'There can be no repeated values in the sort field of $linearFill');
        values[i] = new Double(from + ((to - from) * (x(rows[i] as Row) - start)) / (end - start));
      }
      before = at;
    });
    return values.map((value) => value ?? null);
  };
};

/** Functions that only `$setWindowFields` has; accumulators of `$group` come beside them. */
export const windowFunctions: Readonly<Record<string, Compile>> = {
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

import { Double, Int32 } from 'bson';
import { addNumbers, isNumber, toNumber } from '../../bson/number.js';
import type { BsonNumber, BsonValue } from '../../bson/value.js';
import { fail } from '../../errors.js';
import { divideNumbers } from './arithmetic.js';
import type { ExpressionCompiler, OperatorCompiler, ValueOrder } from './compiler.js';
import { type Expression, isNullish } from './frame.js';

/** A running accumulator; shared by `$group` and by the expressions of the same names. */
export interface Accumulator {
  add(value: BsonValue | undefined): void;
  result(): BsonValue | undefined;
}

/** Makes an accumulator of a state: each value replaces the state, and the result is read from the last one. */
export function folding<S>(
  start: S,
  add: (state: S, value: BsonValue | undefined) => S,
  result: (state: S) => BsonValue | undefined,
): Accumulator {
  let state = start;
  return {
    add: (value) => {
      state = add(state, value);
    },
    result: () => result(state),
  };
}

/** Sums numbers with MongoDB's result type and skips other values. */
function addTo(sum: BsonNumber, value: BsonValue | undefined): BsonNumber {
  return isNumber(value) ? addNumbers(sum, value, 'double') : sum;
}

function average(): Accumulator {
  let count = 0;
  const counted = (sum: BsonNumber, value: BsonValue | undefined): BsonNumber => {
    if (isNumber(value)) count++;
    return addTo(sum, value);
  };
  return folding(new Int32(0), counted, (sum) => (count === 0 ? null : divideNumbers(sum, new Int32(count))));
}

/** Skips null and missing values. */
function extreme(sign: 1 | -1, order: ValueOrder): Accumulator {
  const better = (best: BsonValue | undefined, value: BsonValue | undefined): BsonValue | undefined =>
    !isNullish(value) && (best === undefined || order(value, best) * sign > 0) ? value : best;
  return folding(undefined, better, (best) => best ?? null);
}

/** Welford's running variance, which does not cancel for large means. */
function deviation(sample: boolean): Accumulator {
  const state = { count: 0, mean: 0, squares: 0 };
  const add = (_: typeof state, value: BsonValue | undefined) => {
    if (!isNumber(value)) return state;
    const number = toNumber(value);
    const delta = number - state.mean;
    state.mean += delta / ++state.count;
    state.squares += delta * (number - state.mean);
    return state;
  };
  return folding(state, add, ({ count, squares }) => {
    const divisor = sample ? count - 1 : count;
    return divisor < 1 ? null : new Double(Math.sqrt(squares / divisor));
  });
}

export const numericAccumulators: Readonly<Record<string, (order: ValueOrder) => Accumulator>> = {
  $sum: () => folding<BsonNumber>(new Int32(0), addTo, (sum) => sum),
  $avg: average,
  $min: (order) => extreme(-1, order),
  $max: (order) => extreme(1, order),
  $stdDevPop: () => deviation(false),
  $stdDevSamp: () => deviation(true),
};

/** Exact percentiles of the added numbers: for each share the smallest number that reaches it. */
function percentiles(shares: readonly number[], single: boolean): Accumulator {
  const numbers: number[] = [];
  const add = (all: number[], value: BsonValue | undefined) => {
    if (isNumber(value)) all.push(toNumber(value));
    return all;
  };
  return folding(numbers, add, () => {
    const sorted = Float64Array.from(numbers).sort();
    const found = shares.map((share) => {
      const number = sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
      return number === undefined ? null : new Double(number);
    });
    return single ? (found[0] ?? null) : found;
  });
}

/** Parses `{ input, p, method }`; `$median` has no `p`. */
export function parsePercentile(
  argument: BsonValue,
  compiler: ExpressionCompiler,
  operator: string,
): { readonly input: Expression; readonly make: () => Accumulator } {
  const median = operator === '$median';
  const named = compiler.named(argument, operator, median ? ['input', 'method'] : ['input', 'p', 'method']);
  if (named.raw('method') !== 'approximate')
    fail('BadValue', "Currently only 'approximate' can be used as percentile 'method'.");
  const shares = median ? [0.5] : sharesOf(named.raw('p'));
  return { input: named.get('input'), make: () => percentiles(shares, median) };
}

function sharesOf(value: BsonValue | undefined): number[] {
  const shares = Array.isArray(value) ? value.map((share) => (isNumber(share) ? toNumber(share) : Number.NaN)) : [];
  const wanted = "The $percentile 'p' field must be an array of numbers from [0.0, 1.0]";
  if (shares.length === 0) fail(7_750_301, wanted);
  if (shares.some(Number.isNaN)) fail(7_750_302, wanted);
  if (shares.some((share) => share < 0 || share > 1)) fail(7_750_303, wanted);
  return shares;
}

/** The expressions take a number or an array of numbers. */
const percentile: OperatorCompiler = (argument, compiler, operator) => {
  const { input, make } = parsePercentile(argument, compiler, operator);
  return (frame) => {
    const value = input(frame);
    const accumulator = make();
    for (const one of Array.isArray(value) ? value : [value]) accumulator.add(one);
    return accumulator.result();
  };
};

export const PERCENTILE_OPERATORS: Readonly<Record<string, OperatorCompiler>> = {
  $percentile: percentile,
  $median: percentile,
};

import { Double } from 'bson';
import { isNumber, toNumber } from '../../bson/number.js';
import type { BsonValue } from '../../bson/value.js';
import { MongoError } from '../../errors.js';
import type { Accumulator } from './accumulate.js';
import type { ExpressionCompiler, OperatorCompiler } from './compiler.js';
import type { Expression } from './frame.js';

/** Percentiles of the numbers added, exactly: the smallest of them that the asked share does not exceed. */
class Percentiles implements Accumulator {
  private readonly numbers: number[] = [];

  constructor(
    private readonly shares: readonly number[],
    private readonly single: boolean,
  ) {}

  add(value: BsonValue | undefined): void {
    if (isNumber(value)) this.numbers.push(toNumber(value));
  }

  result(): BsonValue {
    const sorted = Float64Array.from(this.numbers).sort();
    const found = this.shares.map((share) => {
      const number = sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
      return number === undefined ? null : new Double(number);
    });
    return this.single ? (found[0] ?? null) : found;
  }
}

/** Reads `{ input, p, method }` (`$median` has no `p`); gives the input and how to begin. */
export function parsePercentile(
  argument: BsonValue,
  compiler: ExpressionCompiler,
  operator: string,
): { readonly input: Expression; readonly make: () => Accumulator } {
  const median = operator === '$median';
  const named = compiler.named(argument, operator, median ? ['input', 'method'] : ['input', 'p', 'method']);
  if (named.raw('method') !== 'approximate') {
    throw new MongoError('BadValue', `Currently only 'approximate' can be used as percentile 'method' of ${operator}`);
  }
  const shares = median ? [0.5] : sharesOf(named.raw('p'));
  return { input: named.get('input'), make: () => new Percentiles(shares, median) };
}

function sharesOf(value: BsonValue | undefined): number[] {
  const shares = Array.isArray(value) ? value.map((share) => (isNumber(share) ? toNumber(share) : Number.NaN)) : [];
  if (shares.length === 0 || shares.some((share) => !(share >= 0 && share <= 1))) {
    throw new MongoError(7_750_302, "The $percentile 'p' field must be an array of constants between 0 and 1");
  }
  return shares;
}

/** As expressions they take a number or an array of them. */
const percentile: OperatorCompiler = (argument, compiler, operator) => {
  const { input, make } = parsePercentile(argument, compiler, operator);
  return (frame) => {
    const value = input(frame);
    const accumulator = make();
    for (const one of Array.isArray(value) ? value : [value]) accumulator.add(one);
    return accumulator.result();
  };
};

export const percentileOperators: Readonly<Record<string, OperatorCompiler>> = {
  $percentile: percentile,
  $median: percentile,
};

import type { BsonValue } from '../../bson/value.js';
import { compareValues, equalValues } from '../../compare/compare.js';
import { MongoError } from '../../errors.js';
import { arrayOf } from './array.js';
import { type OperatorCompiler, simple } from './compiler.js';

function distinct(values: readonly BsonValue[]): BsonValue[] {
  const sorted = [...values].sort(compareValues);
  return sorted.filter((value, i) => i === 0 || !equalValues(value, sorted[i - 1] as BsonValue));
}

const holds = (list: readonly BsonValue[], value: BsonValue): boolean => list.some((one) => equalValues(one, value));

/** Two or more sets; null among them makes the result null. */
function setOperator(
  most: number,
  least: number,
  evaluate: (sets: readonly BsonValue[][]) => BsonValue,
  nullable = true,
): OperatorCompiler {
  return simple(least, most, (values, operator) => {
    const sets = values.map((value) => arrayOf(value, operator, 17_043));
    if (!sets.includes(undefined)) return evaluate(sets.map((set) => set ?? []));
    if (nullable) return null;
    throw new MongoError(17_044, `All operands of ${operator} must be arrays.`);
  });
}

export const setOperators: Readonly<Record<string, OperatorCompiler>> = {
  $setUnion: setOperator(Number.POSITIVE_INFINITY, 0, (sets) => distinct(sets.flat())),
  $setIntersection: setOperator(Number.POSITIVE_INFINITY, 0, ([first = [], ...others]) =>
    distinct(first).filter((value) => others.every((other) => holds(other, value))),
  ),
  $setDifference: setOperator(2, 2, ([first = [], second = []]) => {
    const seen: BsonValue[] = [];
    for (const value of first) if (!holds(second, value) && !holds(seen, value)) seen.push(value);
    return seen;
  }),
  $setEquals: setOperator(
    Number.POSITIVE_INFINITY,
    2,
    ([first = [], ...others]) => others.every((other) => equalValues(distinct(first), distinct(other))),
    false,
  ),
  $setIsSubset: setOperator(2, 2, ([first = [], second = []]) => first.every((value) => holds(second, value)), false),
};

import type { BsonValue } from '../../bson/value.js';
import { MongoError } from '../../errors.js';
import { arrayOf } from './array.js';
import { type OperatorCompiler, simple, type ValueOrder } from './compiler.js';

function distinct(values: readonly BsonValue[], order: ValueOrder): BsonValue[] {
  const sorted = [...values].sort(order);
  return sorted.filter((value, i) => i === 0 || order(value, sorted[i - 1]) !== 0);
}

const holds = (list: readonly BsonValue[], value: BsonValue, order: ValueOrder): boolean =>
  list.some((one) => order(one, value) === 0);

/** Two or more sets; null among them makes the result null. */
function setOperator(
  most: number,
  least: number,
  evaluate: (sets: readonly BsonValue[][], order: ValueOrder) => BsonValue,
  nullable = true,
): OperatorCompiler {
  return simple(least, most, (values, operator, order) => {
    const sets = values.map((value) => arrayOf(value, operator, 17_043));
    if (!sets.includes(undefined))
      return evaluate(
        sets.map((set) => set ?? []),
        order,
      );
    if (nullable) return null;
    throw new MongoError(17_044, `All operands of ${operator} must be arrays.`);
  });
}

export const setOperators: Readonly<Record<string, OperatorCompiler>> = {
  $setUnion: setOperator(Number.POSITIVE_INFINITY, 0, (sets, order) => distinct(sets.flat(), order)),
  $setIntersection: setOperator(Number.POSITIVE_INFINITY, 0, ([first = [], ...others], order) =>
    distinct(first, order).filter((value) => others.every((other) => holds(other, value, order))),
  ),
  $setDifference: setOperator(2, 2, ([first = [], second = []], order) => {
    const seen: BsonValue[] = [];
    for (const value of first) if (!holds(second, value, order) && !holds(seen, value, order)) seen.push(value);
    return seen;
  }),
  $setEquals: setOperator(
    Number.POSITIVE_INFINITY,
    2,
    ([first = [], ...others], order) =>
      others.every((other) => order(distinct(first, order), distinct(other, order)) === 0),
    false,
  ),
  $setIsSubset: setOperator(
    2,
    2,
    ([first = [], second = []], order) => first.every((value) => holds(second, value, order)),
    false,
  ),
};

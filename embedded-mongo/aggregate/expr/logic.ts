import { Int32 } from 'bson';
import { BsonDoc, type BsonValue, isDoc } from '../../bson/value.js';
import { MongoError } from '../../errors.js';
import { type OperatorCompiler, simple } from './compiler.js';
import { type Frame, isNullish, isTrue } from './frame.js';

function comparison(holds: (order: number) => BsonValue): OperatorCompiler {
  return simple(2, 2, ([left, right], _operator, order) => holds(order(left, right)));
}

const conditional: OperatorCompiler = (argument, compiler, operator) => {
  const named = Array.isArray(argument) ? undefined : compiler.named(argument, operator, ['if', 'then', 'else']);
  const [condition, then, otherwise] = named
    ? [named.get('if'), named.get('then'), named.get('else')]
    : compiler.operands(argument, operator, 3);
  return (frame) => (isTrue(condition?.(frame)) ? then : otherwise)?.(frame);
};

const choose: OperatorCompiler = (argument, compiler, operator) => {
  const named = compiler.named(argument, operator, ['branches'], ['default']);
  const listed = named.raw('branches');
  if (!Array.isArray(listed) || listed.length === 0)
    throw new MongoError(40_068, '$switch requires at least one branch');
  const branches = listed.map((branch) => {
    const parts = compiler.named(branch, operator, ['case', 'then']);
    return { condition: parts.get('case'), result: parts.get('then') };
  });
  const fallback = named.has('default') ? named.get('default') : undefined;
  return (frame) => {
    for (const { condition, result } of branches) if (isTrue(condition(frame))) return result(frame);
    if (fallback) return fallback(frame);
    throw new MongoError(
      40_066,
      '$switch could not find a matching branch for an input, and no default was specified.',
    );
  };
};

const ifNull: OperatorCompiler = (argument, compiler, operator) => {
  const operands = compiler.operands(argument, operator, 2, Number.POSITIVE_INFINITY);
  return (frame) => {
    for (const operand of operands.slice(0, -1)) {
      const value = operand(frame);
      if (!isNullish(value)) return value;
    }
    return operands.at(-1)?.(frame);
  };
};

const letVariables: OperatorCompiler = (argument, compiler, operator) => {
  const named = compiler.named(argument, operator, ['vars', 'in']);
  const vars = named.raw('vars');
  if (!isDoc(vars)) throw new MongoError('FailedToParse', "'vars' of $let must be an object");
  const bound = [...vars].map(([name, value]) => ({ name, value: compiler.expression(value) }));
  const body = compiler.with(...vars.keys).expression(named.raw('in') ?? null);
  return (frame) => {
    // All values see the outer variables only.
    const values = bound.map(({ name, value }) => ({ name, value: value(frame) }));
    return body(values.reduce<Frame>((inner, { name, value }) => inner.with(name, value), frame));
  };
};

export const logicOperators: Readonly<Record<string, OperatorCompiler>> = {
  $eq: comparison((order) => order === 0),
  $ne: comparison((order) => order !== 0),
  $gt: comparison((order) => order > 0),
  $gte: comparison((order) => order >= 0),
  $lt: comparison((order) => order < 0),
  $lte: comparison((order) => order <= 0),
  $cmp: comparison((order) => new Int32(order)),
  $and: (argument, compiler, operator) => {
    const operands = compiler.operands(argument, operator, 0, Number.POSITIVE_INFINITY);
    return (frame) => operands.every((operand) => isTrue(operand(frame)));
  },
  $or: (argument, compiler, operator) => {
    const operands = compiler.operands(argument, operator, 0, Number.POSITIVE_INFINITY);
    return (frame) => operands.some((operand) => isTrue(operand(frame)));
  },
  $not: simple(1, 1, ([value]) => !isTrue(value)),
  $cond: conditional,
  $switch: choose,
  $ifNull: ifNull,
  $let: letVariables,
  $literal: (argument) => () => argument,
  $mergeObjects: simple(0, Number.POSITIVE_INFINITY, (values, operator) => {
    const merged = new BsonDoc();
    const parts = values.length === 1 && Array.isArray(values[0]) ? values[0] : values;
    for (const part of parts) {
      if (isNullish(part)) continue;
      if (!isDoc(part)) throw new MongoError(40_400, `${operator} requires object inputs`);
      for (const [key, value] of part) merged.set(key, value);
    }
    return merged;
  }),
};

import { Double, Int32, Long, type Timestamp } from 'bson';
import { encodeDocument } from '../../bson/encode.js';
import { isNumber } from '../../bson/number.js';
import { BsonDoc, type BsonNumber, type BsonValue, hasTag, isDoc } from '../../bson/value.js';
import { fail } from '../../errors.js';
import { type OperatorCompiler, simple, strict, typeNameOf } from './compiler.js';
import { type Expression, type Frame, isNullish, isTrue } from './frame.js';

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
  if (!Array.isArray(listed)) fail(40_061, `$switch expected an array for 'branches', found: ${typeNameOf(listed)}`);
  if (listed.length === 0) fail(40_068, '$switch requires at least one branch.');
  const branches = listed.map((branch) => {
    const parts = compiler.named(branch, 'a branch of $switch', ['case', 'then']);
    return { condition: parts.get('case'), result: parts.get('then') };
  });
  const fallback = named.has('default') ? named.get('default') : undefined;
  return (frame) => {
    for (const { condition, result } of branches) if (isTrue(condition(frame))) return result(frame);
    if (fallback) return fallback(frame);
    fail(40_066, '$switch could not find a matching branch for an input, and no default was specified.');
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
  if (!isDoc(vars)) fail('FailedToParse', "'vars' of $let must be an object");
  const bound = [...vars].map(([name, value]) => ({ name, value: compiler.expression(value) }));
  const body = compiler.with(...vars.keys).expression(named.raw('in') ?? null);
  return (frame) => {
    // All values see the outer variables only.
    const values = bound.map(({ name, value }) => ({ name, value: value(frame) }));
    return body(values.reduce<Frame>((inner, { name, value }) => inner.with(name, value), frame));
  };
};

export const LOGIC_OPERATORS: Readonly<Record<string, OperatorCompiler>> = {
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
      if (!isDoc(part)) fail(40_400, `${operator} requires object inputs, but input is of type ${typeNameOf(part)}`);
      for (const [key, value] of part) merged.set(key, value);
    }
    return merged;
  }),
};

/** These operators take field names literally: names may contain dots and dollars. */
function literalName(
  value: BsonValue | undefined,
  operator: string,
  [computed, notText]: readonly [number, number],
): string {
  const name = isDoc(value) && value.keys[0] === '$literal' ? value.values[0] : value;
  if (typeof name !== 'string')
    fail(notText, `${operator} requires 'field' to evaluate to type String, but got ${typeNameOf(name)}`);
  if (isDoc(value) || !name.startsWith('$')) return name;
  fail(
    computed,
    `'${name}' is a field path reference which is not allowed in this context. Did you mean {$literal: '${name}'}?`,
  );
}

function fieldOf(value: BsonValue | undefined, name: string, operator: string): BsonValue | undefined {
  if (isNullish(value)) return null;
  if (isDoc(value)) return value.get(name);
  if (operator === '$getField') return undefined;
  fail(4_161_105, `${operator} requires 'input' to be an object`);
}

/** A field path or an operator: the name is evaluated for each document. */
function isComputed(field: BsonValue | undefined): field is BsonValue {
  if (isDoc(field)) return field.keys[0] !== '$literal';
  return typeof field === 'string' && field.startsWith('$');
}

const getField: OperatorCompiler = (argument, compiler, operator) => {
  const full = isDoc(argument) && !argument.keys[0]?.startsWith('$');
  if (full) compiler.named(argument, operator, ['field', 'input']);
  const field = full ? argument.get('field') : argument;
  const nameOf = isComputed(field) ? compiler.expression(field) : undefined;
  const fixed = nameOf ? '' : literalName(field, operator, [5_654_601, 5_654_602]);
  const input: Expression =
    full && argument.has('input')
      ? compiler.named(argument, operator, ['field', 'input']).get('input')
      : (frame) => frame.document();
  return (frame) => {
    const name = nameOf ? nameOf(frame) : fixed;
    if (typeof name === 'string') return fieldOf(input(frame), name, operator);
    fail(3_041_704, `${operator} requires 'field' to evaluate to type String`);
  };
};

const setField: OperatorCompiler = (argument, compiler, operator) => {
  const required = operator === '$unsetField' ? ['field', 'input'] : ['field', 'input', 'value'];
  const named = compiler.named(argument, operator, required);
  const name = literalName(named.raw('field'), operator, [4_161_108, 4_161_107]);
  const [input, value] = [named.get('input'), named.get('value')];
  return (frame) => {
    const source = input(frame);
    if (isNullish(source)) return null;
    if (!isDoc(source)) fail(4_161_105, `${operator} requires 'input' to be an object`);
    const copy = new BsonDoc([...source.keys], [...source.values]);
    const content = value(frame);
    if (content === undefined) copy.delete(name);
    else copy.set(name, content);
    return copy;
  };
};

function wholeOf(value: BsonValue | undefined, operator: string): { whole: bigint; long: boolean } {
  if (isNumber(value) && value._bsontype === 'Int32') return { whole: BigInt(value.value), long: false };
  if (isNumber(value) && value._bsontype === 'Long') return { whole: value.toBigInt(), long: true };
  fail('TypeMismatch', `${operator} only supports int and long operands, not ${typeNameOf(value)}`);
}

function bits(start: bigint, combine: (a: bigint, b: bigint) => bigint): OperatorCompiler {
  return simple(0, Number.POSITIVE_INFINITY, (values, operator): BsonNumber | null => {
    if (values.some(isNullish)) return null;
    const operands = values.map((value) => wholeOf(value, operator));
    const result = operands.reduce((sum, { whole }) => combine(sum, whole), start);
    return operands.some(({ long }) => long) ? Long.fromBigInt(result) : new Int32(Number(result));
  });
}

function timestampPart(pickFrom: (timestamp: Timestamp) => number): OperatorCompiler {
  return strict(1, ([value], operator) => {
    if (hasTag(value, 'Timestamp')) return Long.fromNumber(pickFrom(value));
    fail(
      operator === '$tsSecond' ? 5_687_301 : 5_687_302,
      `Argument to ${operator} must be a timestamp, but is ${typeNameOf(value)}`,
    );
  });
}

export const OBJECT_OPERATORS: Readonly<Record<string, OperatorCompiler>> = {
  $getField: getField,
  $setField: setField,
  $unsetField: setField,
  $bsonSize: strict(1, ([value]) => {
    if (isDoc(value)) return new Int32(encodeDocument(value).length);
    fail(31_393, `$bsonSize requires a document input, found: ${typeNameOf(value)}`);
  }),
  $binarySize: strict(1, ([value]) => {
    if (typeof value === 'string') return new Int32(Buffer.byteLength(value));
    if (hasTag(value, 'Binary')) return new Int32(value.position);
    fail(51_276, `$binarySize requires a string or BinData argument, found: ${typeNameOf(value)}`);
  }),
  $tsSecond: timestampPart((timestamp) => timestamp.t),
  $tsIncrement: timestampPart((timestamp) => timestamp.i),
  $bitAnd: bits(-1n, (a, b) => a & b),
  $bitOr: bits(0n, (a, b) => a | b),
  $bitXor: bits(0n, (a, b) => a ^ b),
  $bitNot: strict(1, ([value], operator) => {
    if (!isNumber(value)) fail(28_765, `${operator} only supports numeric types, not ${typeNameOf(value)}`);
    const { whole, long } = wholeOf(value, operator);
    return long ? Long.fromBigInt(~whole) : new Int32(Number(~whole));
  }),
  $rand: (argument, compiler, operator) => {
    if (!isDoc(argument) && !Array.isArray(argument))
      fail('BadValue', `invalid parameter: expected an object (${operator})`);
    if ((isDoc(argument) ? argument.size : argument.length) > 0)
      fail(3_040_501, '$rand does not currently accept arguments');
    const { random } = compiler.env;
    if (!random) fail('BadValue', `${operator} is not available here`);
    return () => new Double(random());
  },
};

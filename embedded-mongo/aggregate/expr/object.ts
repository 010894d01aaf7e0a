import { type Binary, Double, Int32, Long, type Timestamp } from 'bson';
import { encodeDocument } from '../../bson/encode.js';
import { isNumber } from '../../bson/number.js';
import { T } from '../../bson/types.js';
import { BsonDoc, type BsonNumber, type BsonValue, isDoc, typeOf } from '../../bson/value.js';
import { MongoError } from '../../errors.js';
import { type OperatorCompiler, simple, typeNameOf } from './compiler.js';
import { type Expression, isNullish } from './frame.js';

/** Field names of these operators are taken literally: they may hold dots and dollars. */
function literalName(value: BsonValue | undefined, operator: string): string {
  const name = isDoc(value) && value.keys[0] === '$literal' ? value.values[0] : value;
  if (typeof name === 'string' && (isDoc(value) || !name.startsWith('$'))) return name;
  throw new MongoError(5_654_602, `${operator} requires 'field' to be a constant string`);
}

function fieldOf(value: BsonValue | undefined, name: string, operator: string): BsonValue | undefined {
  if (isNullish(value)) return null;
  if (isDoc(value)) return value.get(name);
  if (operator === '$getField') return undefined;
  throw new MongoError(4_161_105, `${operator} requires 'input' to be an object`);
}

/** A field path or an operator: the name is found out per document. */
function isComputed(field: BsonValue | undefined): field is BsonValue {
  if (isDoc(field)) return field.keys[0] !== '$literal';
  return typeof field === 'string' && field.startsWith('$');
}

const getField: OperatorCompiler = (argument, compiler, operator) => {
  const full = isDoc(argument) && argument.keys[0] === 'field';
  const field = full ? argument.get('field') : argument;
  const nameOf = isComputed(field) ? compiler.expression(field) : undefined;
  const fixed = nameOf ? '' : literalName(field, operator);
  const input: Expression =
    full && argument.has('input')
      ? compiler.named(argument, operator, ['field', 'input']).get('input')
      : (frame) => frame.document();
  return (frame) => {
    const name = nameOf ? nameOf(frame) : fixed;
    if (typeof name === 'string') return fieldOf(input(frame), name, operator);
    throw new MongoError(3_041_704, `${operator} requires 'field' to evaluate to type String`);
  };
};

const setField: OperatorCompiler = (argument, compiler, operator) => {
  const required = operator === '$unsetField' ? ['field', 'input'] : ['field', 'input', 'value'];
  const named = compiler.named(argument, operator, required);
  const name = literalName(named.raw('field'), operator);
  const [input, value] = [named.get('input'), named.get('value')];
  return (frame) => {
    const source = input(frame);
    if (isNullish(source)) return null;
    if (!isDoc(source)) throw new MongoError(4_161_105, `${operator} requires 'input' to be an object`);
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
  throw new MongoError('TypeMismatch', `${operator} only supports int and long operands, not ${typeNameOf(value)}`);
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
  return simple(1, 1, ([value], operator) => {
    if (isNullish(value)) return null;
    if (typeOf(value) === T.timestamp) return Long.fromNumber(pickFrom(value as Timestamp));
    throw new MongoError(5_687_301, `Argument to ${operator} must be a timestamp, but is ${typeNameOf(value)}`);
  });
}

export const objectOperators: Readonly<Record<string, OperatorCompiler>> = {
  $getField: getField,
  $setField: setField,
  $unsetField: setField,
  $bsonSize: simple(1, 1, ([value]) => {
    if (isNullish(value)) return null;
    if (isDoc(value)) return new Int32(encodeDocument(value).length);
    throw new MongoError(31_393, `$bsonSize requires a document input, found: ${typeNameOf(value)}`);
  }),
  $binarySize: simple(1, 1, ([value]) => {
    if (isNullish(value)) return null;
    if (typeof value === 'string') return new Int32(Buffer.byteLength(value));
    if (typeOf(value) === T.binary) return new Int32((value as Binary).position);
    throw new MongoError(51_276, `$binarySize requires a string or BinData argument, found: ${typeNameOf(value)}`);
  }),
  $tsSecond: timestampPart((timestamp) => timestamp.t),
  $tsIncrement: timestampPart((timestamp) => timestamp.i),
  $bitAnd: bits(-1n, (a, b) => a & b),
  $bitOr: bits(0n, (a, b) => a | b),
  $bitXor: bits(0n, (a, b) => a ^ b),
  $bitNot: simple(1, 1, ([value], operator) => {
    if (isNullish(value)) return null;
    const { whole, long } = wholeOf(value, operator);
    return long ? Long.fromBigInt(~whole) : new Int32(Number(~whole));
  }),
  $rand: (_argument, compiler, operator) => {
    const { random } = compiler.env;
    if (!random) throw new MongoError('BadValue', `${operator} is not available here`);
    return () => new Double(random());
  },
};

import { Int32, Long, Timestamp } from 'bson';
import { addNumbers, isNumber, multiplyNumbers } from '../bson/number.js';
import { BsonDate, type BsonNumber, type BsonValue, isDoc } from '../bson/value.js';
import type { TextOrder } from '../compare/collation.js';
import { compareValues } from '../compare/compare.js';
import { MongoError } from '../errors.js';
import { keep, type MakeModifier, type Modifier, remove, slotTypeName } from './modifier.js';
import { slotValue } from './tree.js';

/** Modifiers of single values, by operator. Types are kept or widened as MongoDB does (int → long → decimal). */
export const fieldModifiers: Readonly<Record<string, MakeModifier>> = {
  $set: (argument) => ({ creates: true, apply: () => argument }),
  $setOnInsert: (argument) => ({
    creates: true,
    apply: (_old, _path, context) => (context.isUpsertInsert ? argument : keep),
  }),
  $unset: () => ({ creates: false, apply: (old) => (old === undefined ? keep : remove) }),
  $inc: (argument, path) => arithmetic('$inc', argument, path),
  $mul: (argument, path) => arithmetic('$mul', argument, path),
  $min: (argument, _path, { env }) => extreme(argument, -1, env.collation?.compare),
  $max: (argument, _path, { env }) => extreme(argument, 1, env.collation?.compare),
  $currentDate: currentDate,
  $bit: bitwise,
};

function arithmetic(operator: '$inc' | '$mul', argument: BsonValue, path: string): Modifier {
  const verb = operator === '$inc' ? 'increment' : 'multiply';
  if (!isNumber(argument)) {
    throw new MongoError('TypeMismatch', `Cannot ${verb} with non-numeric argument for the field '${path}'`);
  }
  const operate = operator === '$inc' ? addNumbers : multiplyNumbers;
  // A missing field counts as zero, and the result takes the argument's type.
  const ofMissing = operator === '$inc' ? argument : multiplyNumbers(argument, new Int32(0), 'double');
  return {
    creates: true,
    apply: (old) => {
      if (old === undefined) return ofMissing;
      const current = slotValue(old);
      if (!isNumber(current)) {
        throw new MongoError(
          'TypeMismatch',
          `Cannot apply ${operator} to a value of non-numeric type. The document has the field '${path}' of non-numeric type ${slotTypeName(old)}`,
        );
      }
      const result: BsonNumber | undefined = operate(current, argument, 'refuse');
      if (result) return result;
      throw new MongoError('BadValue', `Failed to apply ${operator} operations to current value: it would overflow`);
    },
  };
}

function extreme(argument: BsonValue, sign: 1 | -1, text: TextOrder | undefined): Modifier {
  return {
    creates: true,
    apply: (old) => (old === undefined || compareValues(argument, slotValue(old), text) * sign > 0 ? argument : keep),
  };
}

function currentDate(argument: BsonValue): Modifier {
  const type = dateType(argument);
  return {
    creates: true,
    apply: (_old, _path, { nowMs }) =>
      type === 'date' ? BsonDate.fromMs(nowMs) : new Timestamp({ t: Math.floor(nowMs / 1_000), i: 1 }),
  };
}

function dateType(argument: BsonValue): 'date' | 'timestamp' {
  if (typeof argument === 'boolean') return 'date';
  const type = isDoc(argument) && argument.size === 1 ? argument.get('$type') : undefined;
  if (type === 'date' || type === 'timestamp') return type;
  throw new MongoError(
    'BadValue',
    "$currentDate takes a boolean or {$type: 'date'} or {$type: 'timestamp'} and nothing else",
  );
}

type BitOperation = (current: bigint, mask: bigint) => bigint;
const bitOperations: Readonly<Record<string, BitOperation>> = {
  and: (current, mask) => current & mask,
  or: (current, mask) => current | mask,
  xor: (current, mask) => current ^ mask,
};

function wholeOf(value: BsonValue): bigint | undefined {
  if (!isNumber(value)) return undefined;
  if (value._bsontype === 'Int32') return BigInt(value.value);
  return value._bsontype === 'Long' ? value.toBigInt() : undefined;
}

function bitwise(argument: BsonValue, path: string): Modifier {
  if (!isDoc(argument) || argument.size === 0) {
    throw new MongoError('BadValue', `The $bit modifier for '${path}' needs {and|or|xor: <whole number>}`);
  }
  const steps = [...argument].map(([name, mask]) => {
    const operation = bitOperations[name];
    const whole = wholeOf(mask);
    if (!operation)
      throw new MongoError('BadValue', `The $bit modifier only supports 'and', 'or', and 'xor', not '${name}'`);
    if (whole === undefined) throw new MongoError('BadValue', 'The $bit modifier field must be an Integer(32/64 bit)');
    return { operation, whole, long: isNumber(mask) && mask._bsontype === 'Long' };
  });
  return {
    creates: true,
    apply: (old) => {
      const current = old === undefined ? new Int32(0) : slotValue(old);
      const start = wholeOf(current);
      if (start === undefined) {
        throw new MongoError('BadValue', `Cannot apply $bit to a value of non-integral type of the field '${path}'`);
      }
      const long = (isNumber(current) && current._bsontype === 'Long') || steps.some((step) => step.long);
      const result = steps.reduce((value, step) => step.operation(value, step.whole), start);
      return long ? Long.fromBigInt(result) : new Int32(Number(result));
    },
  };
}

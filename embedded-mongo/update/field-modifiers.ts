import { Int32, Long, Timestamp } from 'bson';
import { addNumbers, isNumber, multiplyNumbers } from '../bson/number.js';
import { arrayIndex } from '../bson/raw.js';
import { BsonDate, type BsonNumber, type BsonValue, isDoc } from '../bson/value.js';
import type { TextOrder } from '../compare/collation.js';
import { compareValues } from '../compare/compare.js';
import { fail } from '../errors.js';
import type { PathWalker } from './apply.js';
import {
  keep,
  type MakeModifier,
  type Modifier,
  parseUpdatePath,
  remove,
  slotTypeName,
  type UpdatePath,
} from './path.js';
import { detached, type LazyNode, slotValue } from './tree.js';

/** Modifiers of single values, by operator. Types are kept or widened as MongoDB does (int → long → decimal). */
export const FIELD_MODIFIERS: Readonly<Record<string, MakeModifier>> = {
  $set: (argument) => ({ creates: true, apply: () => argument }),
  $setOnInsert: (argument) => ({
    creates: true,
    onInsertOnly: true,
    apply: () => argument,
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
  if (!isNumber(argument)) fail('TypeMismatch', `Cannot ${verb} with non-numeric argument: {${path}}`);
  const operate = operator === '$inc' ? addNumbers : multiplyNumbers;
  // A missing field counts as zero, and the result takes the argument's type.
  const ofMissing = operator === '$inc' ? argument : multiplyNumbers(argument, new Int32(0), 'double');
  return {
    creates: true,
    apply: (old) => {
      if (old === undefined) return ofMissing;
      const current = slotValue(old);
      if (!isNumber(current))
        fail(
          'TypeMismatch',
          `Cannot apply ${operator} to a value of non-numeric type. The document has the field '${path}' of non-numeric type ${slotTypeName(old)}`,
        );
      const result: BsonNumber | undefined = operate(current, argument, 'refuse');
      if (result) return result;
      fail('BadValue', `Failed to apply ${operator} operations to current value`);
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
  if (!isDoc(argument))
    fail(
      'BadValue',
      `${slotTypeName(argument)} is not valid type for $currentDate. Please use a boolean ('true') or a $type expression ({$type: 'timestamp/date'}).`,
    );
  const unknown = argument.keys.find((key) => key !== '$type');
  if (unknown !== undefined) fail('BadValue', `Unrecognized $currentDate option: ${unknown}`);
  const type = argument.get('$type');
  if (type === 'date' || type === 'timestamp') return type;
  fail(
    'BadValue',
    "The '$type' string field is required to be 'date' or 'timestamp': {$currentDate: {field : {$type: 'date'}}}",
  );
}

const BIT_FORM = '{$bit: {field: {and/or/xor: #}}';

type BitOperation = (current: bigint, mask: bigint) => bigint;
const BIT_OPERATIONS: Readonly<Record<string, BitOperation>> = {
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
  if (!isDoc(argument))
    fail(
      'BadValue',
      `The $bit modifier is not compatible with a ${slotTypeName(argument)}. You must pass in an embedded document: ${BIT_FORM}`,
    );
  if (argument.size === 0)
    fail('BadValue', `You must pass in at least one bitwise operation. The format is: ${BIT_FORM}`);
  const steps = [...argument].map(([name, mask]) => {
    const operation = BIT_OPERATIONS[name];
    const whole = wholeOf(mask);
    if (!operation)
      fail(
        'BadValue',
        `The $bit modifier only supports 'and', 'or', and 'xor', not '${name}' which is an unknown operator`,
      );
    if (whole === undefined)
      fail(
        'BadValue',
        `The $bit modifier field must be an Integer(32/64 bit); a '${slotTypeName(mask)}' is not supported here: {${name}}`,
      );
    return { operation, whole, long: isNumber(mask) && mask._bsontype === 'Long' };
  });
  return {
    creates: true,
    apply: (old) => {
      const current = old === undefined ? new Int32(0) : slotValue(old);
      const start =
        wholeOf(current) ??
        fail(
          'BadValue',
          `Cannot apply $bit to a value of non-integral type. The document has the field ${path} of non-integer type ${slotTypeName(current)}`,
        );
      const long = (isNumber(current) && current._bsontype === 'Long') || steps.some((step) => step.long);
      const result = steps.reduce((value, step) => step.operation(value, step.whole), start);
      return long ? Long.fromBigInt(result) : new Int32(Number(result));
    },
  };
}

export interface Rename {
  readonly from: UpdatePath;
  readonly to: UpdatePath;
}

export function parseRename(from: string, to: BsonValue): Rename {
  if (typeof to !== 'string') fail('BadValue', `The 'to' field for $rename must be a string: ${from}`);
  const rename = { from: parseUpdatePath(from), to: parseUpdatePath(to) };
  if (from === to) fail('BadValue', `The source and target field for $rename must differ: ${from}: "${to}"`);
  if (from.startsWith(`${to}.`) || to.startsWith(`${from}.`))
    fail('BadValue', `The source and target field for $rename must not be on the same path: ${from}: "${to}"`);
  for (const [role, path] of [['source', rename.from] as const, ['destination', rename.to] as const]) {
    if (path.steps.some((step) => step.kind !== 'field'))
      fail('BadValue', `The ${role} field for $rename may not be dynamic: ${path.text}`);
  }
  return rename;
}

/** Moves a field. Rejects arrays on either path, because an element has no name. */
export function applyRename(root: LazyNode, { from, to }: Rename, walker: PathWalker): void {
  const names = from.text.split('.');
  let node: LazyNode | undefined = root;
  for (const [at, name] of names.slice(0, -1).entries()) {
    const position: number = node.indexOf(name);
    if (position < 0) return;
    node = node.openAt(position);
    const next = names[at + 1] ?? '';
    if (!node || (node.isArray && arrayIndex(next) < 0))
      fail('PathNotViable', `cannot use the part (${name} of ${from.text}) to traverse the element ({${name}})`);
    refuseArray(node, name, 'source', from);
  }
  const last = names.at(-1) ?? '';
  const value = node.get(last);
  if (value === undefined) return;
  refuseArrayTarget(root, to);
  node.remove(last);
  walker.apply(root, { path: to, modifier: { creates: true, apply: () => detached(value) } });
}

function refuseArrayTarget(root: LazyNode, to: UpdatePath): void {
  let node: LazyNode | undefined = root;
  for (const name of to.text.split('.').slice(0, -1)) {
    node = node.openAt(node.indexOf(name));
    if (!node) return;
    refuseArray(node, name, 'destination', to);
  }
}

function refuseArray(node: LazyNode, name: string, role: string, path: UpdatePath): void {
  if (!node.isArray) return;
  fail('BadValue', `The ${role} field cannot be an array element, '${path.text}' has an array field called '${name}'`);
}

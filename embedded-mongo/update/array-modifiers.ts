import { encodeElement } from '../bson/encode.js';
import { integerOf, isNumber } from '../bson/number.js';
import { compilePath, findPath, type RawRef } from '../bson/raw.js';
import { BsonDoc, type BsonValue, hasTag, isDoc, T } from '../bson/value.js';
import type { Collation } from '../compare/collation.js';
import { compareRaw, equalRaw } from '../compare/compare.js';
import { fail, MongoError } from '../errors.js';
import { compileTupleOrder } from '../keystring/collated.js';
import { type Direction, refOf } from '../keystring/encode.js';
import { type MatchExpressions, matcherOf } from '../match/matcher.js';
import { isOperatorDoc, parseFilter, parseOperators } from '../match/parse.js';
import { isArraySlot, keep, type MakeModifier, type Modifier, slotTypeName } from './path.js';
import { arrayOf, type Slot, slotElements, slotRef, slotType } from './tree.js';

/** Modifiers of arrays, by operator. */
export const ARRAY_MODIFIERS: Readonly<Record<string, MakeModifier>> = {
  $push: push,
  $addToSet: addToSet,
  $pull: (argument, _path, expressions) => removal(pullCondition(argument, expressions)),
  $pullAll: pullAll,
  $pop: pop,
};

function bad(message: string): MongoError {
  return new MongoError('BadValue', message);
}

interface PushClauses {
  readonly values: readonly BsonValue[];
  readonly position: number | undefined;
  readonly slice: number | undefined;
  readonly sort: ((slots: Slot[]) => Slot[]) | undefined;
}

function push(argument: BsonValue, _path: string, { env }: MatchExpressions): Modifier {
  const { values, position, slice, sort } = pushClauses(argument, env.collation);
  return {
    creates: true,
    apply: (old, path) => {
      if (old !== undefined && !isArraySlot(old)) throw notAnArray(old, path);
      let slots = old === undefined ? [] : [...slotElements(old)];
      slots.splice(position ?? slots.length, 0, ...values);
      if (sort) slots = sort(slots);
      if (slice !== undefined) slots = slice >= 0 ? slots.slice(0, slice) : slots.slice(slice);
      return arrayOf(slots);
    },
  };
}

function notAnArray(slot: Slot, path: string): MongoError {
  return bad(`The field '${path}' must be an array but is of type ${slotTypeName(slot)}`);
}

function pushClauses(argument: BsonValue, collation: Collation | undefined): PushClauses {
  if (!isDoc(argument) || !argument.has('$each'))
    return { values: [argument], position: undefined, slice: undefined, sort: undefined };
  const unknown = argument.keys.find((key) => !['$each', '$position', '$slice', '$sort'].includes(key));
  if (unknown) throw bad(`Unrecognized clause in $push: ${unknown}`);
  const sort = argument.get('$sort');
  return {
    values: eachOf('$push', argument),
    position: clauseNumber(argument, '$position'),
    slice: clauseNumber(argument, '$slice'),
    sort: sort === undefined ? undefined : compileElementSort(sort, collation),
  };
}

function eachOf(operator: string, argument: BsonDoc): readonly BsonValue[] {
  const each = argument.get('$each');
  if (Array.isArray(each)) return each;
  const found = slotTypeName(each ?? null);
  if (operator === '$push')
    fail('BadValue', `The argument to $each in $push must be an array but it was of type: ${found}`);
  fail('TypeMismatch', `The argument to $each in $addToSet must be an array but it was of type ${found}`);
}

function clauseNumber(argument: BsonDoc, name: '$position' | '$slice'): number | undefined {
  const value = argument.get(name);
  if (value === undefined) return undefined;
  const whole = integerOf(value);
  if (whole === undefined)
    throw bad(
      `The value for ${name} must be an integer value${name === '$slice' ? ' but was given type:' : ', not of type:'} ${slotTypeName(value)}`,
    );
  return Number(whole);
}

/** `1` and `-1` sort the elements, a document sorts by fields inside them (missing as null); the sort is stable. */
function compileElementSort(argument: BsonValue, collation: Collation | undefined): (slots: Slot[]) => Slot[] {
  if (!isDoc(argument)) {
    if (!isNumber(argument))
      throw bad('The $sort is invalid: use 1/-1 to sort the whole element, or {field:1/-1} to sort embedded fields');
    const direction = sortDirection(argument);
    return (slots) =>
      sortBy(
        slots,
        (slot) => slotRef(slot),
        (a, b) => compareRaw(a, b, collation?.compare) * direction,
      );
  }
  if (argument.size === 0) throw bad('The $sort pattern is empty when it should be a set of fields.');
  const directions = argument.values.map(sortDirection);
  const paths = argument.keys.map(compilePath);
  const order = compileTupleOrder(directions, collation);
  const keyOf = (slot: Slot): Buffer => {
    const ref = slotRef(slot);
    const fields = paths.map((path) => (ref.type === T.object ? findPath(ref.buffer, path, ref.start) : undefined));
    return order.encode(fields);
  };
  return (slots) => sortBy(slots, keyOf, order.compare);
}

function sortBy<K>(slots: Slot[], keyOf: (slot: Slot) => K, compare: (a: K, b: K) => number): Slot[] {
  return slots
    .map((slot) => ({ slot, key: keyOf(slot) }))
    .sort((a, b) => compare(a.key, b.key))
    .map(({ slot }) => slot);
}

function sortDirection(value: BsonValue): Direction {
  const whole = integerOf(value);
  if (whole !== 1n && whole !== -1n) throw bad('The $sort element value must be either 1 or -1');
  return whole === 1n ? 1 : -1;
}

function addToSet(argument: BsonValue, _path: string, { env }: MatchExpressions): Modifier {
  const text = env.collation?.compare;
  const each = isDoc(argument) && argument.keys[0] === '$each';
  if (each && argument.size > 1) throw bad(`Found unexpected fields after $each in $addToSet: ${argument.keys[1]}`);
  const added = each ? eachOf('$addToSet', argument) : [argument];
  return {
    creates: true,
    apply: (old, path) => {
      if (old !== undefined && !isArraySlot(old))
        throw bad(
          `Cannot apply $addToSet to non-array field. Field named '${path}' has non-array type ${slotTypeName(old)}`,
        );
      const slots = old === undefined ? [] : [...slotElements(old)];
      const before = slots.length;
      const known = slots.map(slotRef);
      for (const value of added) {
        const ref = slotRef(value);
        if (known.some((one) => equalRaw(one, ref, text))) continue;
        known.push(ref);
        slots.push(value);
      }
      return old !== undefined && slots.length === before ? keep : arrayOf(slots);
    },
  };
}

/** Operators test the element itself; other documents filter elements that are documents. */
function pullCondition(argument: BsonValue, expressions: MatchExpressions): (element: RawRef) => boolean {
  if (hasTag(argument, 'BSONRegExp')) {
    const { pattern, options } = argument;
    return valueTest(BsonDoc.of({ $regex: pattern, $options: options }), expressions);
  }
  if (!isDoc(argument)) {
    const expected = refOf(argument);
    return (element) => expected !== undefined && equalRaw(element, expected, expressions.env.collation?.compare);
  }
  if (isOperatorDoc(argument) && !['$and', '$or', '$nor', '$expr'].includes(argument.keys[0] ?? ''))
    return valueTest(argument, expressions);
  const matcher = matcherOf(parseFilter(argument), 'document', expressions);
  return (element) => element.type === T.object && matcher.matchesRef(element);
}

/** Operators treat an element like a field in a filter: for an array they also test its elements. */
function valueTest(operators: BsonDoc, expressions: MatchExpressions): (element: RawRef) => boolean {
  const ofElement = matcherOf(parseOperators('', operators), 'element', expressions);
  const ofField = matcherOf(parseOperators('value', operators), 'document', expressions);
  return (element) =>
    element.type === T.array ? ofField.matches(encodeElement('value', element)) : ofElement.matchesRef(element);
}

function removal(condition: (element: RawRef) => boolean): Modifier {
  return {
    creates: false,
    apply: (old) => {
      if (old === undefined) return keep;
      if (!isArraySlot(old)) throw bad('Cannot apply $pull to a non-array value');
      const slots = slotElements(old);
      const kept = slots.filter((slot) => !condition(slotRef(slot)));
      return kept.length === slots.length ? keep : arrayOf(kept);
    },
  };
}

function pullAll(argument: BsonValue, _path: string, { env }: MatchExpressions): Modifier {
  if (!Array.isArray(argument))
    throw bad(`$pullAll requires an array argument but was given a ${slotTypeName(argument)}`);
  const unwanted = argument.map((value) => slotRef(value));
  return removal((element) => unwanted.some((one) => equalRaw(element, one, env.collation?.compare)));
}

function pop(argument: BsonValue, path: string): Modifier {
  if (!isNumber(argument)) fail('FailedToParse', `Expected a number in: ${path}`);
  const side = integerOf(argument) ?? fail('FailedToParse', `Expected an integer: ${path}`);
  if (side !== 1n && side !== -1n) fail('FailedToParse', `$pop expects 1 or -1, found: ${side}`);
  return {
    creates: false,
    apply: (old) => {
      if (old === undefined) return keep;
      if (slotType(old) !== T.array)
        fail('TypeMismatch', `Path '${path}' contains an element of non-array type '${slotTypeName(old)}'`);
      const slots = slotElements(old);
      if (slots.length === 0) return keep;
      return arrayOf(side === 1n ? slots.slice(0, -1) : slots.slice(1));
    },
  };
}

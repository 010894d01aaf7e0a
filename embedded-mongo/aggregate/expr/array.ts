import { Int32 } from 'bson';
import { isNumber, toInteger } from '../../bson/number.js';
import { compilePath } from '../../bson/raw.js';
import { BsonDoc, type BsonValue, isDoc } from '../../bson/value.js';
import { MongoError } from '../../errors.js';
import { numericAccumulators } from './accumulate.js';
import { type OperatorCompiler, simple, typeNameOf, type ValueOrder } from './compiler.js';
import { isNullish, isTrue, readValuePath } from './frame.js';

type Values = readonly (BsonValue | undefined)[];

/** The array of an operand; null and missing give undefined, and the operator then gives null. */
export function arrayOf(value: BsonValue | undefined, operator: string, code = 28_689): BsonValue[] | undefined {
  if (isNullish(value)) return undefined;
  if (Array.isArray(value)) return value;
  throw new MongoError(code, `the argument to ${operator} must be an array, but was of type: ${typeNameOf(value)}`);
}

function whole(value: BsonValue | undefined, operator: string): number {
  const integer = isNumber(value) ? toInteger(value) : undefined;
  if (integer === undefined || BigInt.asIntN(32, integer) !== integer) {
    throw new MongoError(28_690, `${operator} needs a 32-bit whole number, not a ${typeNameOf(value)}`);
  }
  return Number(integer);
}

function elementAt([list, index]: Values, operator: string): BsonValue | undefined {
  const array = arrayOf(list, operator);
  if (!array || isNullish(index)) return null;
  return array.at(whole(index, operator));
}

function slice([list, first, count]: Values, operator: string): BsonValue {
  const array = arrayOf(list, operator, 28_724);
  if (!array || isNullish(first)) return null;
  const from = whole(first, operator);
  if (count === undefined) return from >= 0 ? array.slice(0, from) : array.slice(from);
  const size = whole(count, operator);
  if (size <= 0) throw new MongoError(28_729, 'Third argument to $slice must be positive');
  const start = from >= 0 ? from : Math.max(0, array.length + from);
  return array.slice(start, start + size);
}

const filter: OperatorCompiler = (argument, compiler, operator) => {
  const named = compiler.named(argument, operator, ['input', 'cond'], ['as', 'limit']);
  const input = named.get('input');
  const limit = named.get('limit');
  const name = named.name('as', 'this');
  const condition = compiler.with(name).expression(named.raw('cond') ?? null);
  return (frame) => {
    const array = arrayOf(input(frame), operator, 28_651);
    if (!array) return null;
    const most = limit(frame);
    const bound = isNullish(most) ? Number.POSITIVE_INFINITY : whole(most, operator);
    const kept: BsonValue[] = [];
    for (const element of array) {
      if (kept.length >= bound) break;
      if (isTrue(condition(frame.with(name, element)))) kept.push(element);
    }
    return kept;
  };
};

const map: OperatorCompiler = (argument, compiler, operator) => {
  const named = compiler.named(argument, operator, ['input', 'in'], ['as']);
  const input = named.get('input');
  const name = named.name('as', 'this');
  const body = compiler.with(name).expression(named.raw('in') ?? null);
  return (frame) => {
    const array = arrayOf(input(frame), operator, 16_883);
    return array ? array.map((element) => body(frame.with(name, element)) ?? null) : null;
  };
};

const reduce: OperatorCompiler = (argument, compiler, operator) => {
  const named = compiler.named(argument, operator, ['input', 'initialValue', 'in']);
  const input = named.get('input');
  const initial = named.get('initialValue');
  const body = compiler.with('this', 'value').expression(named.raw('in') ?? null);
  return (frame) => {
    const array = arrayOf(input(frame), operator, 40_080);
    if (!array) return null;
    return array.reduce<BsonValue | undefined>(
      (value, element) => body(frame.with('this', element).with('value', value)),
      initial(frame),
    );
  };
};

function indexOfArray([list, wanted, from, to]: Values, operator: string, order: ValueOrder): BsonValue {
  const array = arrayOf(list, operator, 40_090);
  if (!array) return null;
  const start = from === undefined ? 0 : whole(from, operator);
  const end = to === undefined ? array.length : Math.min(array.length, whole(to, operator));
  for (let i = start; i < end; i++) if (order(array[i], wanted) === 0) return new Int32(i);
  return new Int32(-1);
}

const maxRange = 5_000_000;

function range([from, to, step]: Values, operator: string): BsonValue {
  const [first, last, by] = [
    whole(from, operator),
    whole(to, operator),
    step === undefined ? 1 : whole(step, operator),
  ];
  if (by === 0) throw new MongoError(34_449, '$range requires a non-zero step value');
  const count = Math.max(0, Math.ceil((last - first) / by));
  if (count > maxRange) throw new MongoError('ExceededMemoryLimit', `$range would make more than ${maxRange} numbers`);
  return Array.from({ length: count }, (_, i) => new Int32(first + i * by));
}

const zip: OperatorCompiler = (argument, compiler, operator) => {
  const named = compiler.named(argument, operator, ['inputs'], ['useLongestLength', 'defaults']);
  const inputs = named.get('inputs');
  const defaults = named.get('defaults');
  const longest = named.raw('useLongestLength') === true;
  return (frame) => {
    const lists: BsonValue[][] = [];
    for (const input of arrayOf(inputs(frame), operator) ?? []) {
      const list = arrayOf(input, operator);
      if (!list) return null;
      lists.push(list);
    }
    const fill = arrayOf(defaults(frame), operator) ?? [];
    const lengths = lists.map((list) => list.length);
    const length = lists.length === 0 ? 0 : longest ? Math.max(...lengths) : Math.min(...lengths);
    return Array.from({ length }, (_, i) => lists.map((list, at) => list[i] ?? fill[at] ?? null));
  };
};

function arrayToObject([value]: Values, operator: string): BsonValue {
  const array = arrayOf(value, operator, 40_386);
  if (!array) return null;
  const doc = new BsonDoc();
  for (const entry of array) {
    const key = isDoc(entry) ? entry.get('k') : Array.isArray(entry) ? entry[0] : undefined;
    const content = isDoc(entry) ? entry.get('v') : Array.isArray(entry) ? entry[1] : undefined;
    if (typeof key !== 'string' || content === undefined) {
      throw new MongoError(
        40_392,
        '$arrayToObject requires an array of {k, v} objects or of pairs with a string first',
      );
    }
    doc.set(key, content);
  }
  return doc;
}

function objectToArray([value]: Values): BsonValue {
  if (isNullish(value)) return null;
  if (!isDoc(value))
    throw new MongoError(40_390, `$objectToArray requires a document input, found: ${typeNameOf(value)}`);
  return [...value].map(([key, content]) => new BsonDoc(['k', 'v'], [key, content]));
}

const sortArray: OperatorCompiler = (argument, compiler, operator) => {
  const named = compiler.named(argument, operator, ['input', 'sortBy']);
  const input = named.get('input');
  const order = elementOrder(named.raw('sortBy') ?? null, compiler.order);
  return (frame) => {
    const array = arrayOf(input(frame), operator, 2_942_504);
    return array ? [...array].sort(order) : null;
  };
};

/** An order by the elements themselves (1, -1) or by fields inside them. */
export function elementOrder(sortBy: BsonValue, valueOrder: ValueOrder): (a: BsonValue, b: BsonValue) => number {
  if (!isDoc(sortBy)) {
    const direction = directionOf(sortBy);
    return (a, b) => valueOrder(a, b) * direction;
  }
  const fields = [...sortBy].map(([path, direction]) => ({
    path: compilePath(path),
    direction: directionOf(direction),
  }));
  return (a, b) => {
    for (const { path, direction } of fields) {
      const order = valueOrder(readValuePath(a, path), readValuePath(b, path)) * direction;
      if (order !== 0) return order;
    }
    return 0;
  };
}

export function directionOf(value: BsonValue): 1 | -1 {
  const direction = isNumber(value) ? toInteger(value) : undefined;
  if (direction === 1n) return 1;
  if (direction === -1n) return -1;
  throw new MongoError(15_975, '$sort key ordering must be 1 (for ascending) or -1 (for descending)');
}

/** `$firstN` and its kin as expressions over one array. */
function takeN(pickFrom: (array: BsonValue[], n: number, order: ValueOrder) => BsonValue[]): OperatorCompiler {
  return (argument, compiler, operator) => {
    const named = compiler.named(argument, operator, ['input', 'n']);
    const [input, count] = [named.get('input'), named.get('n')];
    return (frame) => {
      const array = arrayOf(input(frame), operator, 5_788_200);
      const n = whole(count(frame), operator);
      if (n < 1) throw new MongoError(5_787_908, `'n' of ${operator} must be greater than 0`);
      return array ? pickFrom(array, n, compiler.order) : null;
    };
  };
}

const comparable = (array: BsonValue[]): BsonValue[] => array.filter((value) => !isNullish(value));

/** As expressions they take one array or several values. */
function overValues(name: string): OperatorCompiler {
  const make = numericAccumulators[name];
  return simple(0, Number.POSITIVE_INFINITY, (values, _operator, order) => {
    const accumulator = make?.(order);
    for (const value of values.length === 1 && Array.isArray(values[0]) ? values[0] : values) accumulator?.add(value);
    return accumulator?.result();
  });
}

const aggregates = Object.fromEntries(Object.keys(numericAccumulators).map((name) => [name, overValues(name)]));

export const arrayOperators: Readonly<Record<string, OperatorCompiler>> = {
  ...aggregates,
  $arrayElemAt: simple(2, 2, elementAt),
  $first: simple(1, 1, ([value], operator) => (isNullish(value) ? null : arrayOf(value, operator)?.[0])),
  $last: simple(1, 1, ([value], operator) => (isNullish(value) ? null : arrayOf(value, operator)?.at(-1))),
  $slice: simple(2, 3, slice),
  $concatArrays: simple(0, Number.POSITIVE_INFINITY, (values, operator) => {
    const lists = values.map((value) => arrayOf(value, operator, 28_664));
    return lists.includes(undefined) ? null : lists.flatMap((list) => list ?? []);
  }),
  $filter: filter,
  $map: map,
  $reduce: reduce,
  $in: simple(2, 2, ([value, list], _operator, order) => {
    if (!Array.isArray(list)) {
      throw new MongoError(40_081, `$in requires an array as a second argument, found: ${typeNameOf(list)}`);
    }
    return list.some((element) => order(element, value) === 0);
  }),
  $indexOfArray: simple(2, 4, indexOfArray),
  $isArray: simple(1, 1, ([value]) => Array.isArray(value)),
  $size: simple(1, 1, ([value]) => {
    if (Array.isArray(value)) return new Int32(value.length);
    throw new MongoError(17_124, `The argument to $size must be an array, but was of type: ${typeNameOf(value)}`);
  }),
  $range: simple(2, 3, range),
  $reverseArray: simple(1, 1, ([value], operator) => arrayOf(value, operator, 34_435)?.toReversed() ?? null),
  $zip: zip,
  $arrayToObject: simple(1, 1, arrayToObject),
  $objectToArray: simple(1, 1, objectToArray),
  $sortArray: sortArray,
  $firstN: takeN((array, n) => array.slice(0, n)),
  $lastN: takeN((array, n) => array.slice(-n)),
  $minN: takeN((array, n, order) => comparable(array).sort(order).slice(0, n)),
  $maxN: takeN((array, n, order) =>
    comparable(array)
      .sort((a, b) => order(b, a))
      .slice(0, n),
  ),
  $anyElementTrue: simple(1, 1, ([value], operator) => (arrayOf(value, operator, 17_041) ?? []).some(isTrue)),
  $allElementsTrue: simple(1, 1, ([value], operator) => (arrayOf(value, operator, 17_040) ?? []).every(isTrue)),
};

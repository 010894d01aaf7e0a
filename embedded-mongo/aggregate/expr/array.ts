import { Int32 } from 'bson';
import { integerOf } from '../../bson/number.js';
import { compilePath } from '../../bson/raw.js';
import { BsonDoc, type BsonValue, isDoc } from '../../bson/value.js';
import { fail } from '../../errors.js';
import { numericAccumulators } from './accumulate.js';
import { type Named, type OperatorCompiler, simple, strict, typeNameOf, type ValueOrder } from './compiler.js';
import { type Expression, isNullish, isTrue, readValuePath } from './frame.js';
import {
  arrayOf,
  COUNT_FAULTS,
  INDEX_FAULTS,
  LIMIT_FAULTS,
  NO_ARRAY,
  NO_FIRST_ARRAY,
  NO_INPUT_ARRAY,
  rangeFaults,
  SET_FAULTS,
  sliceFaults,
  whole,
} from './operands.js';

type Values = readonly (BsonValue | undefined)[];

function elementAt([list, index]: Values, operator: string): BsonValue | undefined {
  const array = arrayOf(
    list,
    operator,
    28_689,
    (name, type) => `${name}'s first argument must be an array, but is ${type}`,
  );
  if (!array || isNullish(index)) return null;
  return array.at(whole(index, INDEX_FAULTS));
}

function slice([list, first, count]: Values, operator: string): BsonValue {
  const array = arrayOf(
    list,
    operator,
    28_724,
    (name, type) => `First argument to ${name} must be an array, but is of type: ${type}`,
  );
  if (!array || isNullish(first)) return null;
  const from = whole(first, sliceFaults('Second', 'a numeric value', [28_725, 28_726]));
  if (count === undefined) return from >= 0 ? array.slice(0, from) : array.slice(from);
  const size = whole(count, sliceFaults('Third', 'numeric', [28_727, 28_728]));
  if (size <= 0) fail(28_729, `Third argument to $slice must be positive: ${size}`);
  const start = from >= 0 ? from : Math.max(0, array.length + from);
  return array.slice(start, start + size);
}

function limitOf(value: BsonValue | undefined, operator: string): number {
  const most = whole(value, LIMIT_FAULTS);
  if (most < 1) fail(327_392, `${operator}: limit must be greater than 0: ${most}`);
  return most;
}

const filter: OperatorCompiler = (argument, compiler, operator) => {
  const named = compiler.named(argument, operator, ['input', 'cond'], ['as', 'limit']);
  const input = named.get('input');
  const limit = named.get('limit');
  const name = named.name('as', 'this');
  const condition = compiler.with(name).expression(named.raw('cond') ?? null);
  return (frame) => {
    const array = arrayOf(input(frame), operator, 28_651, NO_INPUT_ARRAY);
    if (!array) return null;
    const most = limit(frame);
    const bound = isNullish(most) ? Number.POSITIVE_INFINITY : limitOf(most, operator);
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
    const array = arrayOf(input(frame), operator, 16_883, NO_INPUT_ARRAY);
    return array ? array.map((element) => body(frame.with(name, element)) ?? null) : null;
  };
};

const reduce: OperatorCompiler = (argument, compiler, operator) => {
  const named = compiler.named(argument, operator, ['input', 'initialValue', 'in']);
  const input = named.get('input');
  const initial = named.get('initialValue');
  const body = compiler.with('this', 'value').expression(named.raw('in') ?? null);
  return (frame) => {
    const array = arrayOf(
      input(frame),
      operator,
      40_080,
      (name, type) => `${name} requires that 'input' be an array, found: ${type}`,
    );
    if (!array) return null;
    return array.reduce<BsonValue | undefined>(
      (value, element) => body(frame.with('this', element).with('value', value)),
      initial(frame),
    );
  };
};

function positionOf(value: BsonValue, operator: string, which: string): number {
  const position = integerOf(value);
  if (position === undefined || BigInt.asIntN(32, position) !== position)
    fail(40_096, `${operator} requires an integral ${which} index, found a value of type: ${typeNameOf(value)}`);
  if (position < 0n) fail(40_097, `${operator} requires a nonnegative ${which} index, found: ${position}`);
  return Number(position);
}

function indexOfArray([list, wanted, from, to]: Values, operator: string, order: ValueOrder): BsonValue {
  const array = arrayOf(list, operator, 40_090, NO_FIRST_ARRAY);
  if (!array) return null;
  const start = from === undefined ? 0 : positionOf(from, operator, 'starting');
  const end = to === undefined ? array.length : Math.min(array.length, positionOf(to, operator, 'ending'));
  for (let i = start; i < end; i++) if (order(array[i], wanted) === 0) return new Int32(i);
  return new Int32(-1);
}

const MAX_RANGE = 5_000_000;

function range([from, to, step]: Values): BsonValue {
  const [first, last, by] = [
    whole(from, rangeFaults('starting', 'a', [34_443, 34_444])),
    whole(to, rangeFaults('ending', 'an', [34_445, 34_446])),
    step === undefined ? 1 : whole(step, rangeFaults('step', 'a', [34_447, 34_448])),
  ];
  if (by === 0) fail(34_449, '$range requires a non-zero step value');
  const count = Math.max(0, Math.ceil((last - first) / by));
  if (count > MAX_RANGE) fail('ExceededMemoryLimit', `$range would make more than ${MAX_RANGE} numbers`);
  return Array.from({ length: count }, (_, i) => new Int32(first + i * by));
}

const zip: OperatorCompiler = (argument, compiler, operator) => {
  const named = compiler.named(argument, operator, ['inputs'], ['useLongestLength', 'defaults']);
  const { inputs, defaults, longest } = zipArguments(named);
  return (frame) => {
    const lists: BsonValue[][] = [];
    for (const input of inputs) {
      const list = arrayOf(
        input(frame),
        operator,
        34_468,
        (name, type) => `${name} found a non-array expression in input: ${type}`,
      );
      if (!list) return null;
      lists.push(list);
    }
    const fill = defaults.map((value) => value(frame));
    const lengths = lists.map((list) => list.length);
    const length = lists.length === 0 ? 0 : longest ? Math.max(...lengths) : Math.min(...lengths);
    return Array.from({ length }, (_, i) => lists.map((list, at) => list[i] ?? fill[at] ?? null));
  };
};

/** Reads `inputs` and `defaults` as lists of expressions, as MongoDB parses them. */
function zipArguments(named: Named): { inputs: Expression[]; defaults: Expression[]; longest: boolean } {
  const longest = named.raw('useLongestLength') ?? false;
  if (typeof longest !== 'boolean') fail(34_463, `useLongestLength must be a bool, found ${typeNameOf(longest)}`);
  const inputs = named.list('inputs', 34_461);
  const defaults = named.has('defaults') ? named.list('defaults', 34_462) : [];
  if (inputs.length === 0) fail(34_465, '$zip requires at least one input array');
  if (named.has('defaults') && !longest) fail(34_466, 'cannot specify defaults unless useLongestLength is true');
  if (named.has('defaults') && defaults.length !== inputs.length)
    fail(34_467, 'defaults and inputs must have the same length');
  return { inputs, defaults, longest };
}

function arrayToObject([value]: Values, operator: string): BsonValue {
  const array = arrayOf(value, operator, 40_386, (name, type) => `${name} requires an array input, found: ${type}`);
  if (!array) return null;
  const doc = new BsonDoc();
  const pairs = Array.isArray(array[0]);
  for (const entry of array) {
    const [key, content] = pairs ? pairOf(entry) : fieldOf(entry);
    doc.set(key, content);
  }
  return doc;
}

/** The first element decides the form of all. */
function pairOf(entry: BsonValue): [string, BsonValue] {
  if (!Array.isArray(entry))
    fail(
      40_396,
      `$arrayToObject requires a consistent input format. Elements must all be arrays or all be objects. Array was detected, now found: ${typeNameOf(entry)}`,
    );
  if (entry.length !== 2)
    fail(40_397, `$arrayToObject requires an array of size 2 arrays,found array of size: ${entry.length}`);
  const [key, content = null] = entry;
  if (typeof key === 'string') return [key, content];
  fail(
    40_395,
    `$arrayToObject requires an array of key-value pairs, where the key must be of type string. Found key type: ${typeNameOf(key)}`,
  );
}

function fieldOf(entry: BsonValue): [string, BsonValue] {
  if (Array.isArray(entry))
    fail(
      40_391,
      '$arrayToObject requires a consistent input format. Elements must all be arrays or all be objects. Object was detected, now found: array',
    );
  if (!isDoc(entry)) fail(40_398, `Unrecognised input type format for $arrayToObject: ${typeNameOf(entry)}`);
  if (entry.size !== 2)
    fail(40_392, `$arrayToObject requires an object keys of 'k' and 'v'. Found incorrect number of keys:${entry.size}`);
  const [key, content] = [entry.get('k'), entry.get('v')];
  if (key === undefined || content === undefined)
    fail(
      40_393,
      "$arrayToObject requires an object with keys 'k' and 'v'. Missing either or both keys from: the element",
    );
  if (typeof key === 'string') return [key, content];
  fail(
    40_394,
    `$arrayToObject requires an object with keys 'k' and 'v', where the value of 'k' must be of type string. Found type: ${typeNameOf(key)}`,
  );
}

function objectToArray([value]: Values): BsonValue {
  if (!isDoc(value)) fail(40_390, `$objectToArray requires a document input, found: ${typeNameOf(value)}`);
  return [...value].map(([key, content]) => new BsonDoc(['k', 'v'], [key, content]));
}

const sortArray: OperatorCompiler = (argument, compiler, operator) => {
  const named = compiler.named(argument, operator, ['input', 'sortBy']);
  const input = named.get('input');
  const order = elementOrder(named.raw('sortBy') ?? null, compiler.order);
  return (frame) => {
    const array = arrayOf(
      input(frame),
      operator,
      2_942_504,
      (name, type) => `The input argument to ${name} must be an array, but was of type: ${type}`,
    );
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
  const direction = integerOf(value);
  if (direction === 1n) return 1;
  if (direction === -1n) return -1;
  fail(15_975, '$sort key ordering must be 1 (for ascending) or -1 (for descending)');
}

/** `$firstN`, `$lastN`, `$minN` and `$maxN` as expressions over one array. */
function takeN(pickFrom: (array: BsonValue[], n: number, order: ValueOrder) => BsonValue[]): OperatorCompiler {
  return (argument, compiler, operator) => {
    const named = compiler.named(argument, operator, ['input', 'n']);
    const [input, count] = [named.get('input'), named.get('n')];
    return (frame) => {
      const array = arrayOf(input(frame), operator, 5_788_200, () => 'Input must be an array');
      const n = whole(count(frame), COUNT_FAULTS);
      if (n < 1) fail(5_787_908, `'n' must be greater than 0, found ${n}`);
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

export const ARRAY_OPERATORS: Readonly<Record<string, OperatorCompiler>> = {
  ...aggregates,
  $arrayElemAt: simple(2, 2, elementAt),
  $first: simple(1, 1, ([value], operator) => (isNullish(value) ? null : arrayOf(value, operator)?.[0])),
  $last: simple(1, 1, ([value], operator) => (isNullish(value) ? null : arrayOf(value, operator)?.at(-1))),
  $slice: simple(2, 3, slice),
  $concatArrays: simple(0, Number.POSITIVE_INFINITY, (values, operator) => {
    const lists = values.map((value) =>
      arrayOf(value, operator, 28_664, (name, type) => `${name} only supports arrays, not ${type}`),
    );
    return lists.includes(undefined) ? null : lists.flatMap((list) => list ?? []);
  }),
  $filter: filter,
  $map: map,
  $reduce: reduce,
  $in: simple(2, 2, ([value, list], _operator, order) => {
    if (!Array.isArray(list)) fail(40_081, `$in requires an array as a second argument, found: ${typeNameOf(list)}`);
    return list.some((element) => order(element, value) === 0);
  }),
  $indexOfArray: simple(2, 4, indexOfArray),
  $isArray: simple(1, 1, ([value]) => Array.isArray(value)),
  $size: simple(1, 1, ([value]) => {
    if (Array.isArray(value)) return new Int32(value.length);
    fail(17_124, `The argument to $size must be an array, but was of type: ${typeNameOf(value)}`);
  }),
  $range: simple(2, 3, range),
  $reverseArray: simple(1, 1, ([value], operator) => arrayOf(value, operator, 34_435, NO_ARRAY)?.toReversed() ?? null),
  $zip: zip,
  $arrayToObject: simple(1, 1, arrayToObject),
  $objectToArray: strict(1, objectToArray),
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
    const faults = SET_FAULTS[operator] ?? [];
    const sets = values.map((value, at) => {
      const [code, words] = faults[Math.min(at, faults.length - 1)] ?? [];
      return arrayOf(value, operator, code, words);
    });
    if (!sets.includes(undefined))
      return evaluate(
        sets.map((set) => set ?? []),
        order,
      );
    if (nullable) return null;
    fail(17_044, `All operands of ${operator} must be arrays. One argument is of type: null`);
  });
}

export const SET_OPERATORS: Readonly<Record<string, OperatorCompiler>> = {
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

import { Int32 } from 'bson';
import { encodeDocument } from '../../bson/encode.js';
import { integerOf, isNumber } from '../../bson/number.js';
import { BsonDoc, type BsonValue, isDoc } from '../../bson/value.js';
import { words } from '../../checked-access.js';
import type { Collation } from '../../compare/collation.js';
import { compareValues } from '../../compare/compare.js';
import { fail } from '../../errors.js';
import { ValueMap } from '../../keystring/value-map.js';
import { type Accumulator, folding, numericAccumulators, parsePercentile } from '../expr/accumulate.js';
import { elementOrder } from '../expr/array.js';
import { type ExpressionCompiler, typeNameOf } from '../expr/compiler.js';
import { type Expression, type Frame, isNullish } from '../expr/frame.js';
import { approximateBytes, localStage, MemoryBudget, type PipelineScope, type Stage } from '../stage.js';
import { documentOf } from './shape.js';

/** One accumulated field. */
interface GroupField extends Accumulation {
  readonly name: string;
  /** Whether the accumulator holds every value, so that its memory grows with the documents. */
  readonly keeps?: boolean;
}

interface Group {
  readonly id: BsonValue;
  readonly accumulators: readonly Accumulator[];
}

/** Approximate memory of a group and of one accumulator, and the groups emitted between two pauses. */
const GROUP_BYTES = 160;
const ACCUMULATOR_BYTES = 48;
const GROUPS_PER_PAUSE = 128;

const KEEPING_OPERATORS: ReadonlySet<string> = new Set(
  words('$push $addToSet $concatArrays $setUnion $mergeObjects $firstN $lastN $percentile $median'),
);

/** Groups by key bytes, so that 1, 1L and decimal 1 are one group. Groups keep the order of first occurrence. */
export function groupStage(value: BsonValue, scope: PipelineScope): Stage {
  const spec = documentOf(value, '$group');
  const { compiler } = scope;
  const idSpec = spec.get('_id');
  if (idSpec === undefined) fail(15_955, 'a group specification must include an _id');
  const idOf = compiler.expression(idSpec);
  const fields = [...spec]
    .filter(([name]) => name !== '_id')
    .map(([name, field]) => parseAccumulation(name, field, compiler));
  return localStage(() => {
    const groups = new ValueMap<Group>(scope.env.collation);
    const memory = new MemoryBudget('$group');
    const open = (id: BsonValue): Group => {
      memory.charge(GROUP_BYTES + fields.length * ACCUMULATOR_BYTES + approximateBytes(id));
      return { id, accumulators: fields.map((field) => field.make()) };
    };
    return {
      push: (raw) => {
        const frame = scope.frame(raw);
        const group = groups.entry(idOf(frame) ?? null, open);
        for (let i = 0; i < fields.length; i++) {
          const input = fields[i]?.input(frame);
          if (fields[i]?.keeps) memory.charge(approximateBytes(input));
          group.accumulators[i]?.add(input);
        }
      },
      *finish(emit) {
        let given = 0;
        for (const group of groups.items) {
          emit(groupDocument(group, fields));
          if (++given % GROUPS_PER_PAUSE === 0) yield;
        }
      },
    };
  });
}

function groupDocument({ id, accumulators }: Group, fields: readonly GroupField[]): Buffer {
  const doc = new BsonDoc(['_id'], [id]);
  for (const [i, { name }] of fields.entries()) doc.append(name, accumulators[i]?.result() ?? null);
  return encodeDocument(doc);
}

/** One accumulated field: `{ $operator: argument }`. */
export function parseAccumulation(name: string, field: BsonValue, compiler: ExpressionCompiler): GroupField {
  if (name.includes('.')) fail(40_235, `The field name '${name}' cannot contain '.'`);
  if (name.startsWith('$')) fail(40_236, `The field name '${name}' cannot be an operator name`);
  if (!isDoc(field) || field.size === 0) fail(40_234, `The field '${name}' must be an accumulator object`);
  if (field.size > 1) fail(40_238, `The field '${name}' must specify one accumulator`);
  const operator = field.keys[0] ?? '';
  const argument = field.values[0] ?? null;
  const numeric = numericAccumulators[operator];
  if (numeric) return { name, input: compiler.expression(argument), make: () => numeric(compiler.order) };
  const plain = plainAccumulators[operator];
  if (plain) {
    const keeps = KEEPING_OPERATORS.has(operator);
    return { name, keeps, input: compiler.expression(argument), make: () => plain(compiler.env.collation) };
  }
  const compile = RANK_ACCUMULATORS[operator] ?? fail(15_952, `unknown group operator '${operator}'`);
  return { name, keeps: KEEPING_OPERATORS.has(operator), ...compile(argument, compiler, operator) };
}

/** `$bucket` is a `$group` by the lower boundary of each document's bucket, in order of the boundaries. */
export function bucketStages(value: BsonValue): BsonDoc[] {
  const spec = documentOf(value, '$bucket');
  const unknown = spec.keys.find((key) => !['groupBy', 'boundaries', 'default', 'output'].includes(key));
  if (unknown) fail(40_197, `Unrecognized option to $bucket: ${unknown}.`);
  const boundaries = spec.get('boundaries');
  const groupBy = spec.get('groupBy');
  if (boundaries === undefined || groupBy === undefined)
    fail(40_198, "$bucket requires 'groupBy' and 'boundaries' to be specified.");
  if (!Array.isArray(boundaries))
    fail(40_200, `The $bucket 'boundaries' field must be an array, but found type: ${typeNameOf(boundaries)}.`);
  if (boundaries.length < 2)
    fail(
      40_192,
      `The $bucket 'boundaries' field must have at least 2 values, but found ${boundaries.length} value(s).`,
    );
  requireGroupBy(groupBy, 40_202, '$bucket');
  requireBoundaries(boundaries, spec.get('default'));
  for (let i = 1; i < boundaries.length; i++) {
    if (compareValues(boundaries[i - 1] ?? null, boundaries[i] ?? null) < 0) continue;
    fail(
      40_194,
      `The 'boundaries' option to $bucket must be sorted, but elements ${i - 1} and ${i} are not in ascending order.`,
    );
  }
  const literal = (constant: BsonValue): BsonDoc => new BsonDoc(['$literal'], [constant]);
  const branches = boundaries.slice(0, -1).map((low, i) => {
    const within = [{ $gte: [groupBy, literal(low)] }, { $lt: [groupBy, literal(boundaries[i + 1] ?? null)] }];
    return new BsonDoc(['case', 'then'], [BsonDoc.of({ $and: within }), literal(low)]);
  });
  const choose = new BsonDoc(['branches'], [branches]);
  const fallback = spec.get('default');
  if (fallback !== undefined) choose.append('default', literal(fallback));
  const group = new BsonDoc(['_id'], [new BsonDoc(['$switch'], [choose])]);
  const output = spec.get('output') ?? BsonDoc.of({ count: { $sum: 1 } });
  for (const [name, field] of documentOf(output, "$bucket 'output'")) group.append(name, field);
  return [new BsonDoc(['$group'], [group]), BsonDoc.of({ $sort: { _id: 1 } })];
}

/** A plain text or number as `groupBy` is a mistake, not a constant. */
export function requireGroupBy(groupBy: BsonValue, code: number, stage: string): void {
  if (isDoc(groupBy) || (typeof groupBy === 'string' && groupBy.startsWith('$'))) return;
  fail(code, `The ${stage} 'groupBy' field must be defined as a $-prefixed path or an expression`);
}

function requireBoundaries(boundaries: readonly BsonValue[], fallback: BsonValue | undefined): void {
  const kind = (value: BsonValue): string => (isNumber(value) ? 'number' : typeNameOf(value));
  const [first = null] = boundaries;
  for (const value of boundaries) {
    if (typeof value === 'string' && value.startsWith('$'))
      fail(40_191, "The $bucket 'boundaries' field must be an array of constant values");
    if (kind(value) !== kind(first))
      fail(
        40_193,
        // MongoDB's text repeats "the".
        `All values in the the 'boundaries' option to $bucket must have the same type. Found conflicting types ${typeNameOf(first)} and ${typeNameOf(value)}.`,
      );
  }
  if (fallback === undefined) return;
  if (compareValues(fallback, first) >= 0 && compareValues(fallback, boundaries.at(-1) ?? null) < 0)
    fail(
      40_199,
      "The $bucket 'default' field must be less than the lowest boundary or greater than or equal to the highest boundary.",
    );
}

/** Creates the accumulator of a new group, and reads its input from each document. */
export interface Accumulation {
  readonly input: Expression;
  readonly make: () => Accumulator;
}

/** Keeps every present value in arrival order. */
function collect(): Accumulator {
  const add = (values: BsonValue[], value: BsonValue | undefined) => {
    if (value !== undefined) values.push(value);
    return values;
  };
  return folding([], add, (values) => values);
}

function collectSet(collation: Collation | undefined): Accumulator {
  const add = (values: ValueMap<BsonValue>, value: BsonValue | undefined) => {
    if (value !== undefined) values.entry(value, (one) => one);
    return values;
  };
  return folding(new ValueMap<BsonValue>(collation), add, ({ items }) => [...items]);
}

function first(): Accumulator {
  let seen = false;
  const add = (kept: BsonValue | undefined, value: BsonValue | undefined): BsonValue | undefined => {
    const result = seen ? kept : value;
    seen = true;
    return result;
  };
  return folding(undefined, add, (kept) => kept ?? null);
}

function merge(merged: BsonDoc, value: BsonValue | undefined): BsonDoc {
  if (isNullish(value)) return merged;
  if (!isDoc(value)) fail(40_400, `$mergeObjects requires object inputs, but input is of type ${typeNameOf(value)}`);
  for (const [key, item] of value) merged.set(key, item);
  return merged;
}

export const plainAccumulators: Readonly<Record<string, (collation: Collation | undefined) => Accumulator>> = {
  $push: collect,
  $addToSet: collectSet,
  $first: first,
  $last: () =>
    folding<BsonValue | undefined>(
      undefined,
      (_, value) => value,
      (last) => last ?? null,
    ),
  $mergeObjects: () => folding(new BsonDoc(), merge, (merged) => merged),
  $count: () =>
    folding(
      0,
      (count) => count + 1,
      (count) => new Int32(count),
    ),
};

type Order = (a: BsonValue, b: BsonValue) => number;

/** Keeps the best `n` pairs of order value and output; equal ones in order of arrival. */
function best(n: number, order: Order, finish: (outputs: BsonValue[]) => BsonValue): Accumulator {
  const settle = (kept: BsonValue[][]) => {
    kept.sort((a, b) => order(a[0] ?? null, b[0] ?? null)).splice(n);
    return kept;
  };
  const add = (kept: BsonValue[][], pair: BsonValue | undefined) => {
    if (Array.isArray(pair) && kept.push(pair) > 2 * n + 64) settle(kept);
    return kept;
  };
  return folding<BsonValue[][]>([], add, (kept) => finish(settle(kept).map((pair) => pair[1] ?? null)));
}

function lastN(n: number): Accumulator {
  const add = (values: BsonValue[], value: BsonValue | undefined) => {
    values.push(value ?? null);
    return values.length > 2 * n + 64 ? values.slice(-n) : values;
  };
  return folding<BsonValue[]>([], add, (values) => values.slice(-n));
}

type RankCompiler = (argument: BsonValue, compiler: ExpressionCompiler, operator: string) => Accumulation;

/** `$top`, `$bottom`, `$topN` and `$bottomN` order documents by `sortBy`; the pair is [document, output]. */
function ranked(sign: 1 | -1, many: boolean): RankCompiler {
  return (argument, compiler, operator) => {
    const named = compiler.named(argument, operator, many ? ['sortBy', 'output', 'n'] : ['sortBy', 'output']);
    const output = named.get('output');
    const order = elementOrder(named.raw('sortBy') ?? null, compiler.order);
    const n = many ? constantCount(named.raw('n'), operator) : 1;
    return {
      input: (frame: Frame) => [frame.document(), output(frame) ?? null],
      make: () =>
        best(
          n,
          (a, b) => order(a, b) * sign,
          (outputs) => (many ? outputs : (outputs[0] ?? null)),
        ),
    };
  };
}

/** `$minN`, `$maxN` order the values themselves, `$firstN`, `$lastN` keep the order of arrival. */
function takeN(sign: 1 | -1 | 0, nullable: boolean): RankCompiler {
  return (argument, compiler, operator) => {
    const order = (a: BsonValue, b: BsonValue): number => (sign === 0 ? 0 : compiler.order(a, b) * sign);
    const named = compiler.named(argument, operator, ['input', 'n']);
    const input = named.get('input');
    const n = constantCount(named.raw('n'), operator);
    return {
      input: (frame) => {
        const value = input(frame);
        return isNullish(value) && !nullable ? undefined : [value ?? null, value ?? null];
      },
      make: () => best(n, order, (outputs) => outputs),
    };
  };
}

function constantCount(value: BsonValue | undefined, operator: string): number {
  const whole = integerOf(value);
  if (whole === undefined || whole < 1n) fail(5_787_908, `'n' of ${operator} must be a constant above 0`);
  return Number(whole);
}

export const RANK_ACCUMULATORS: Readonly<Record<string, RankCompiler>> = {
  $top: ranked(1, false),
  $bottom: ranked(-1, false),
  $topN: ranked(1, true),
  $bottomN: ranked(-1, true),
  $minN: takeN(1, false),
  $maxN: takeN(-1, false),
  $firstN: takeN(0, true),
  $lastN: (argument, compiler, operator) => {
    const named = compiler.named(argument, operator, ['input', 'n']);
    const n = constantCount(named.raw('n'), operator);
    return { input: named.get('input'), make: () => lastN(n) };
  },
  $percentile: parsePercentile,
  $median: parsePercentile,
};

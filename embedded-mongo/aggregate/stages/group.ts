import { Int32 } from 'bson';
import { encodeDocument } from '../../bson/encode.js';
import { isNumber, toInteger } from '../../bson/number.js';
import { BsonDoc, type BsonValue, isDoc } from '../../bson/value.js';
import { compareValues } from '../../compare/compare.js';
import { MongoError } from '../../errors.js';
import { encodeKey } from '../../keystring/encode.js';
import { type Accumulator, numericAccumulators } from '../expr/accumulate.js';
import { elementOrder } from '../expr/array.js';
import type { ExpressionCompiler } from '../expr/compiler.js';
import { type Expression, type Frame, isNullish } from '../expr/frame.js';
import type { PipelineScope, Stage } from '../stage.js';
import { documentOf } from './shape.js';

/** One accumulated field: how a new group's accumulator is made, and what each document adds to it. */
interface GroupField {
  readonly name: string;
  readonly input: Expression;
  readonly make: () => Accumulator;
}

interface Group {
  readonly id: BsonValue;
  readonly accumulators: readonly Accumulator[];
}

/** Groups by key bytes, so that 1, 1L and decimal 1 are one group; groups come out in order of first sight. */
export function groupStage(value: BsonValue, scope: PipelineScope): Stage {
  const spec = documentOf(value, '$group');
  const { compiler } = scope;
  const idSpec = spec.get('_id');
  if (idSpec === undefined) throw new MongoError(15_955, 'a group specification must include an _id');
  const idOf = compiler.expression(idSpec);
  const fields = [...spec].filter(([name]) => name !== '_id').map(([name, field]) => parseField(name, field, compiler));
  return {
    kind: 'local',
    start: () => {
      const groups = new Map<string, Group>();
      return {
        push: (raw) => {
          const frame = scope.frame(raw);
          const id = idOf(frame) ?? null;
          const key = encodeKey([id], [1]).toString('latin1');
          let group = groups.get(key);
          if (!group) {
            group = { id, accumulators: fields.map((field) => field.make()) };
            groups.set(key, group);
          }
          for (let i = 0; i < fields.length; i++) group.accumulators[i]?.add(fields[i]?.input(frame));
        },
        finish: (emit) => {
          for (const group of groups.values()) emit(groupDocument(group, fields));
        },
      };
    },
  };
}

function groupDocument({ id, accumulators }: Group, fields: readonly GroupField[]): Buffer {
  const doc = new BsonDoc(['_id'], [id]);
  for (const [i, { name }] of fields.entries()) doc.append(name, accumulators[i]?.result() ?? null);
  return encodeDocument(doc);
}

function parseField(name: string, field: BsonValue, compiler: ExpressionCompiler): GroupField {
  if (name.includes('.')) throw new MongoError(40_235, `The field name '${name}' cannot contain '.'`);
  if (name.startsWith('$')) throw new MongoError(40_236, `The field name '${name}' cannot be an operator name`);
  if (!isDoc(field) || field.size === 0)
    throw new MongoError(40_234, `The field '${name}' must be an accumulator object`);
  if (field.size > 1) throw new MongoError(40_238, `The field '${name}' must specify one accumulator`);
  const operator = field.keys[0] ?? '';
  const argument = field.values[0] as BsonValue;
  const numeric = numericAccumulators[operator];
  if (numeric) return { name, input: compiler.expression(argument), make: numeric };
  const plain = plainAccumulators[operator];
  if (plain) return { name, input: compiler.expression(argument), make: plain };
  const compile = rankAccumulators[operator];
  if (!compile) throw new MongoError(15_952, `unknown group operator '${operator}'`);
  return { name, ...compile(argument, compiler, operator) };
}

class Collect implements Accumulator {
  private readonly values: BsonValue[] = [];
  add(value: BsonValue | undefined): void {
    if (value !== undefined) this.values.push(value);
  }
  result(): BsonValue {
    return this.values;
  }
}

class CollectSet implements Accumulator {
  private readonly values = new Map<string, BsonValue>();
  add(value: BsonValue | undefined): void {
    if (value === undefined) return;
    const key = encodeKey([value], [1]).toString('latin1');
    if (!this.values.has(key)) this.values.set(key, value);
  }
  result(): BsonValue {
    return [...this.values.values()];
  }
}

class Edge implements Accumulator {
  private value: BsonValue | undefined;
  private seen = false;
  constructor(private readonly first: boolean) {}
  add(value: BsonValue | undefined): void {
    if (this.first && this.seen) return;
    this.seen = true;
    this.value = value;
  }
  result(): BsonValue {
    return this.value ?? null;
  }
}

class Merge implements Accumulator {
  private readonly merged = new BsonDoc();
  add(value: BsonValue | undefined): void {
    if (isNullish(value)) return;
    if (!isDoc(value)) throw new MongoError(40_400, '$mergeObjects requires object inputs');
    for (const [key, item] of value) this.merged.set(key, item);
  }
  result(): BsonValue {
    return this.merged;
  }
}

class Count implements Accumulator {
  private count = 0;
  add(): void {
    this.count++;
  }
  result(): BsonValue {
    return new Int32(this.count);
  }
}

const plainAccumulators: Readonly<Record<string, () => Accumulator>> = {
  $push: () => new Collect(),
  $addToSet: () => new CollectSet(),
  $first: () => new Edge(true),
  $last: () => new Edge(false),
  $mergeObjects: () => new Merge(),
  $count: () => new Count(),
};

/** Keeps the best `n` pairs of order value and output; equal ones in order of arrival. */
class Ranked implements Accumulator {
  private readonly kept: BsonValue[][] = [];
  constructor(
    private readonly n: number,
    private readonly order: (a: BsonValue, b: BsonValue) => number,
    private readonly finish: (outputs: BsonValue[]) => BsonValue,
  ) {}
  add(pair: BsonValue | undefined): void {
    if (!Array.isArray(pair)) return;
    this.kept.push(pair);
    if (this.kept.length > 2 * this.n + 64) this.settle();
  }
  private settle(): void {
    this.kept.sort((a, b) => this.order(a[0] as BsonValue, b[0] as BsonValue));
    this.kept.splice(this.n);
  }
  result(): BsonValue {
    this.settle();
    return this.finish(this.kept.map((pair) => pair[1] ?? null));
  }
}

type RankCompiler = (argument: BsonValue, compiler: ExpressionCompiler, operator: string) => Omit<GroupField, 'name'>;

/** `$top` and its kin order whole documents by `sortBy`; the pair is [document, output]. */
function ranked(sign: 1 | -1, many: boolean): RankCompiler {
  return (argument, compiler, operator) => {
    const named = compiler.named(argument, operator, many ? ['sortBy', 'output', 'n'] : ['sortBy', 'output']);
    const output = named.get('output');
    const order = elementOrder(named.raw('sortBy') ?? null);
    const n = many ? constantCount(named.raw('n'), operator) : 1;
    return {
      input: (frame: Frame) => [frame.document(), output(frame) ?? null],
      make: () =>
        new Ranked(
          n,
          (a, b) => order(a, b) * sign,
          (outputs) => (many ? outputs : (outputs[0] ?? null)),
        ),
    };
  };
}

/** `$minN`, `$maxN` order the values themselves, `$firstN`, `$lastN` keep the order of arrival. */
function takeN(order: (a: BsonValue, b: BsonValue) => number, nullable: boolean): RankCompiler {
  return (argument, compiler, operator) => {
    const named = compiler.named(argument, operator, ['input', 'n']);
    const input = named.get('input');
    const n = constantCount(named.raw('n'), operator);
    return {
      input: (frame) => {
        const value = input(frame);
        return isNullish(value) && !nullable ? undefined : [value ?? null, value ?? null];
      },
      make: () => new Ranked(n, order, (outputs) => outputs),
    };
  };
}

class LastN implements Accumulator {
  private values: BsonValue[] = [];
  constructor(private readonly n: number) {}
  add(value: BsonValue | undefined): void {
    this.values.push(value ?? null);
    if (this.values.length > 2 * this.n + 64) this.values = this.values.slice(-this.n);
  }
  result(): BsonValue {
    return this.values.slice(-this.n);
  }
}

function constantCount(value: BsonValue | undefined, operator: string): number {
  const whole = isNumber(value) ? toInteger(value) : undefined;
  if (whole === undefined || whole < 1n)
    throw new MongoError(5_787_908, `'n' of ${operator} must be a constant above 0`);
  return Number(whole);
}

const rankAccumulators: Readonly<Record<string, RankCompiler>> = {
  $top: ranked(1, false),
  $bottom: ranked(-1, false),
  $topN: ranked(1, true),
  $bottomN: ranked(-1, true),
  $minN: takeN(compareValues, false),
  $maxN: takeN((a, b) => compareValues(b, a), false),
  $firstN: takeN(() => 0, true),
  $lastN: (argument, compiler, operator) => {
    const named = compiler.named(argument, operator, ['input', 'n']);
    const n = constantCount(named.raw('n'), operator);
    return { input: named.get('input'), make: () => new LastN(n) };
  },
};

/** `$bucket` is a `$group` by the lower boundary of each document's bucket, in order of the boundaries. */
export function bucketStages(value: BsonValue): BsonDoc[] {
  const spec = documentOf(value, '$bucket');
  const unknown = spec.keys.find((key) => !['groupBy', 'boundaries', 'default', 'output'].includes(key));
  if (unknown) throw new MongoError(40_197, `Unrecognized option to $bucket: ${unknown}.`);
  const boundaries = spec.get('boundaries');
  const groupBy = spec.get('groupBy');
  if (!Array.isArray(boundaries) || boundaries.length < 2 || groupBy === undefined) {
    throw new MongoError(40_198, "$bucket requires 'groupBy' and 'boundaries' with at least two values");
  }
  for (let i = 1; i < boundaries.length; i++) {
    if (compareValues(boundaries[i - 1] as BsonValue, boundaries[i] as BsonValue) < 0) continue;
    throw new MongoError(40_194, "The 'boundaries' option to $bucket must be sorted");
  }
  const literal = (constant: BsonValue): BsonDoc => new BsonDoc(['$literal'], [constant]);
  const branches = boundaries.slice(0, -1).map((low, i) => {
    const within = [{ $gte: [groupBy, literal(low)] }, { $lt: [groupBy, literal(boundaries[i + 1] as BsonValue)] }];
    return new BsonDoc(['case', 'then'], [BsonDoc.of({ $and: within }), literal(low)]);
  });
  const choose = new BsonDoc(['branches'], [branches]);
  const fallback = spec.get('default');
  if (fallback !== undefined) choose.append('default', literal(fallback));
  const group = new BsonDoc(['_id'], [new BsonDoc(['$switch'], [choose])]);
  const output = spec.get('output') ?? BsonDoc.of({ count: { $sum: 1 } });
  for (const [name, field] of documentOf(output, '$bucket')) group.append(name, field);
  return [new BsonDoc(['$group'], [group]), BsonDoc.of({ $sort: { _id: 1 } })];
}

import { encodeDocument } from '../../bson/encode.js';
import { BsonDoc, type BsonValue, isDoc } from '../../bson/value.js';
import { compareValues } from '../../compare/compare.js';
import { MongoError } from '../../errors.js';
import { ValueMap } from '../../keystring/value-map.js';
import { type Accumulator, numericAccumulators } from '../expr/accumulate.js';
import type { ExpressionCompiler } from '../expr/compiler.js';
import { approximateBytes, MemoryBudget } from '../memory-budget.js';
import type { PipelineScope, Stage } from '../stage.js';
import { type Accumulation, plainAccumulators, rankAccumulators } from './group-accumulators.js';
import { documentOf } from './shape.js';

/** One accumulated field. */
export interface GroupField extends Accumulation {
  readonly name: string;
  /** Whether it holds on to every value, so that its memory grows with the documents. */
  readonly keeps?: boolean;
}

interface Group {
  readonly id: BsonValue;
  readonly accumulators: readonly Accumulator[];
}

/** About what a group and one of its accumulators take, and how many are given out between two looks at the clock. */
const groupBytes = 160;
const accumulatorBytes = 48;
const groupsPerPause = 128;

const keepingOperators: ReadonlySet<string> = new Set([
  '$push',
  '$addToSet',
  '$concatArrays',
  '$setUnion',
  '$mergeObjects',
  '$percentile',
  '$median',
  '$firstN',
  '$lastN',
]);

/** Groups by key bytes, so that 1, 1L and decimal 1 are one group; groups come out in order of first sight. */
export function groupStage(value: BsonValue, scope: PipelineScope): Stage {
  const spec = documentOf(value, '$group');
  const { compiler } = scope;
  const idSpec = spec.get('_id');
  if (idSpec === undefined) throw new MongoError(15_955, 'a group specification must include an _id');
  const idOf = compiler.expression(idSpec);
  const fields = [...spec]
    .filter(([name]) => name !== '_id')
    .map(([name, field]) => parseAccumulation(name, field, compiler));
  return {
    kind: 'local',
    start: () => {
      const groups = new ValueMap<Group>(scope.env.collation);
      const memory = new MemoryBudget('$group');
      const open = (id: BsonValue): Group => {
        memory.charge(groupBytes + fields.length * accumulatorBytes + approximateBytes(id));
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
            if (++given % groupsPerPause === 0) yield;
          }
          return undefined;
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

/** One accumulated field: `{ $operator: argument }`. */
export function parseAccumulation(name: string, field: BsonValue, compiler: ExpressionCompiler): GroupField {
  if (name.includes('.')) throw new MongoError(40_235, `The field name '${name}' cannot contain '.'`);
  if (name.startsWith('$')) throw new MongoError(40_236, `The field name '${name}' cannot be an operator name`);
  if (!isDoc(field) || field.size === 0)
    throw new MongoError(40_234, `The field '${name}' must be an accumulator object`);
  if (field.size > 1) throw new MongoError(40_238, `The field '${name}' must specify one accumulator`);
  const operator = field.keys[0] ?? '';
  const argument = field.values[0] as BsonValue;
  const numeric = numericAccumulators[operator];
  if (numeric) return { name, input: compiler.expression(argument), make: () => numeric(compiler.order) };
  const plain = plainAccumulators[operator];
  if (plain) {
    const keeps = keepingOperators.has(operator);
    return { name, keeps, input: compiler.expression(argument), make: () => plain(compiler.env.collation) };
  }
  const compile = rankAccumulators[operator];
  if (!compile) throw new MongoError(15_952, `unknown group operator '${operator}'`);
  return { name, keeps: keepingOperators.has(operator), ...compile(argument, compiler, operator) };
}

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

import { type BsonDoc, type BsonValue, BsonDoc as Doc, isDoc } from '../../bson/value.js';
import { MongoError } from '../../errors.js';
import { LazyNode } from '../../update/tree.js';
import type { ExpressionCompiler } from '../expr/compiler.js';
import { MemoryBudget } from '../memory-budget.js';
import { itemsPerPause } from '../sort-in-pauses.js';
import type { PipelineScope, Stage } from '../stage.js';
import { parseAccumulation } from './group.js';
import type { Accumulation } from './group-accumulators.js';
import { documentOf, setSlot } from './shape.js';
import { type Bounds, parseWindow } from './window-bounds.js';
import { eachRow, type WindowFunction, windowFunctions } from './window-functions.js';
import { Partitions, type Row, type RowOrder, rowOrder } from './window-rows.js';

interface Output {
  readonly path: string;
  readonly compute: WindowFunction;
}

/** `$setWindowFields`: values over windows of each partition's documents, in their order. */
export function windowStage(value: BsonValue, scope: PipelineScope): Stage {
  const spec = documentOf(value, '$setWindowFields');
  const unknown = spec.keys.find((key) => !['partitionBy', 'sortBy', 'output'].includes(key));
  if (unknown) throw new MongoError(40_415, `BSON field '$setWindowFields.${unknown}' is an unknown field.`);
  const sortBy = spec.get('sortBy');
  if (sortBy !== undefined && !isDoc(sortBy)) throw new MongoError('TypeMismatch', "'sortBy' must be an object");
  const order = rowOrder(sortBy, scope);
  const partition = spec.get('partitionBy');
  const partitionBy = partition === undefined ? undefined : scope.compiler.expression(partition);
  const outputs = [...documentOf(spec.get('output') ?? null, '$setWindowFields output')].map(([path, field]) => ({
    path,
    compute: parseOutput(path, field, order, scope.compiler),
  }));
  return {
    kind: 'local',
    start: () => {
      const partitions = new Partitions(partitionBy, order, scope);
      const memory = new MemoryBudget('$setWindowFields');
      return {
        push: (raw) => {
          memory.charge(raw.length + 240);
          partitions.add(raw);
        },
        *finish(emit) {
          let given = 0;
          for (const unsorted of partitions.all()) {
            const rows = yield* partitions.sorted(unsorted);
            const columns = outputs.map(({ compute }) => compute(rows)[Symbol.iterator]());
            for (const row of rows) {
              emit(withOutputs(row, outputs, columns));
              if (++given % itemsPerPause === 0) yield;
            }
          }
          return undefined;
        },
      };
    },
  };
}

function withOutputs(
  row: Row,
  outputs: readonly Output[],
  columns: readonly Iterator<BsonValue | undefined>[],
): Buffer {
  const out = LazyNode.root(row.raw);
  for (const [i, { path }] of outputs.entries()) setSlot(out, path, columns[i]?.next().value ?? null);
  return out.toBuffer(row.raw.length + 64);
}

function parseOutput(path: string, field: BsonValue, order: RowOrder, compiler: ExpressionCompiler): WindowFunction {
  const spec = documentOf(field, `$setWindowFields output '${path}'`);
  const operators = spec.keys.filter((key) => key !== 'window');
  const [operator] = operators;
  if (operator === undefined || operators.length > 1) {
    throw new MongoError('FailedToParse', `the output field '${path}' must have exactly one window function`);
  }
  const argument = spec.get(operator) as BsonValue;
  const own = windowFunctions[operator];
  if (own) return own({ operator, argument, spec, order, compiler });
  const bounds = parseWindow(spec.get('window'), order.fields);
  return accumulated(parseAccumulator(operator, argument, compiler), bounds);
}

function parseAccumulator(operator: string, argument: BsonValue, compiler: ExpressionCompiler): Accumulation {
  if (operator === '$mergeObjects') throw new MongoError('FailedToParse', `Unrecognized window function, ${operator}`);
  try {
    const field: BsonDoc = new Doc([operator], [argument]);
    return parseAccumulation('value', field, compiler);
  } catch (error) {
    if (!(error instanceof MongoError) || error.code !== 15_952) throw error;
    throw new MongoError('FailedToParse', `Unrecognized window function, ${operator}`);
  }
}

/** Windows that only grow are accumulated on; any other begins anew. */
function accumulated({ input, make }: Accumulation, bounds: Bounds): WindowFunction {
  return (rows) => {
    let running = make();
    let [from, to] = [0, 0];
    return eachRow(rows, (_, at) => {
      const [low, high] = bounds(rows, at);
      if (low !== from || high < to) {
        running = make();
        [from, to] = [low, low];
      }
      for (; to < high; to++) running.add(input((rows[to] as Row).frame));
      const result = running.result();
      // Lists go on growing with the window: each row keeps its own.
      return Array.isArray(result) ? [...result] : result;
    });
  };
}

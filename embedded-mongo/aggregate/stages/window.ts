import { BsonDoc, type BsonValue, isDoc } from '../../bson/value.js';
import { itemAt } from '../../checked-access.js';
import { ITEMS_PER_PAUSE } from '../../compare/sorted-runs.js';
import { fail, MongoError } from '../../errors.js';
import { LazyNode } from '../../update/tree.js';
import { type ExpressionCompiler, typeNameOf } from '../expr/compiler.js';
import { localStage, MemoryBudget, type PipelineScope, type Stage } from '../stage.js';
import { type Accumulation, parseAccumulation } from './group.js';
import { documentOf, setSlot } from './shape.js';
import { eachRow, WINDOW_FUNCTIONS, type WindowFunction } from './window-functions.js';
import { type Bounds, Partitions, parseWindow, type Row, type RowOrder, rowOrder } from './window-rows.js';

const KNOWN_OPTIONS: ReadonlySet<string> = new Set(['partitionBy', 'partitionByFields', 'sortBy', 'output']);
const METHODS: Readonly<Record<string, string>> = { linear: '$linearFill', locf: '$locf' };

/** `$fill` expands to `$setWindowFields` for methods and `$addFields` for values. */
export function fillStages(value: BsonValue): BsonDoc[] {
  const spec = documentOf(value, '$fill');
  const unknown = spec.keys.find((key) => !KNOWN_OPTIONS.has(key));
  if (unknown) fail(40_415, `BSON field '$fill.${unknown}' is an unknown field.`);
  const output = spec.get('output');
  if (!isDoc(output)) fail(40_414, "BSON field '$fill.output' is missing but a required field");
  const windows = new BsonDoc();
  const constants = new BsonDoc();
  for (const [path, field] of output) {
    const rule = documentOf(field, `$fill output '${path}'`);
    const method = rule.get('method');
    if (rule.size !== 1) fail('FailedToParse', `$fill output '${path}' needs either 'value' or 'method'`);
    const constant = rule.get('value');
    if (constant !== undefined) {
      const filled = new BsonDoc(['$ifNull'], [[`$${path}`, constant]]);
      constants.append(path, filled);
      continue;
    }
    const operator =
      (typeof method === 'string' ? METHODS[method] : undefined) ??
      fail(6_050_202, 'Method must be either locf or linear');
    windows.append(path, new BsonDoc([operator], [`$${path}`]));
  }
  const stages: BsonDoc[] = [];
  if (windows.size > 0) stages.push(new BsonDoc(['$setWindowFields'], [windowSpec(spec, windows)]));
  if (constants.size > 0) stages.push(new BsonDoc(['$addFields'], [constants]));
  if (stages.length === 0) fail('FailedToParse', "'output' of $fill must not be empty");
  return stages;
}

function windowSpec(spec: BsonDoc, output: BsonDoc): BsonDoc {
  const window = new BsonDoc();
  const partition = partitionOf(spec);
  if (partition !== undefined) window.append('partitionBy', partition);
  const sortBy = spec.get('sortBy');
  if (sortBy !== undefined) window.append('sortBy', sortBy);
  return window.append('output', output);
}

function partitionOf(spec: BsonDoc): BsonValue | undefined {
  const fields = spec.get('partitionByFields');
  if (fields === undefined) return spec.get('partitionBy');
  if (spec.has('partitionBy'))
    fail(6_050_204, "Maximum one of 'partitionBy' and 'partitionByFields can be specified in '$fill'");
  if (!Array.isArray(fields)) fail('TypeMismatch', "'partitionByFields' must be an array of strings");
  const key = new BsonDoc();
  for (const [at, field] of fields.entries()) key.append(`f${at}`, `$${String(field)}`);
  return key;
}

interface Output {
  readonly path: string;
  readonly compute: WindowFunction;
}

/** `$setWindowFields`: adds values computed over windows of sorted partitions. */
export function windowStage(value: BsonValue, scope: PipelineScope): Stage {
  const spec = documentOf(value, '$setWindowFields');
  const unknown = spec.keys.find((key) => !['partitionBy', 'sortBy', 'output'].includes(key));
  if (unknown) fail(40_415, `BSON field '$setWindowFields.${unknown}' is an unknown field.`);
  const sortBy = spec.get('sortBy');
  if (sortBy !== undefined && !isDoc(sortBy)) fail('TypeMismatch', "'sortBy' must be an object");
  const order = rowOrder(sortBy, scope);
  const partition = spec.get('partitionBy');
  const partitionBy = partition === undefined ? undefined : scope.compiler.expression(partition);
  const outputs = [...outputOf(spec)].map(([path, field]) => ({
    path,
    compute: parseOutput(path, field, order, scope.compiler),
  }));
  return localStage(() => {
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
            if (++given % ITEMS_PER_PAUSE === 0) yield;
          }
        }
      },
    };
  });
}

function outputOf(spec: BsonDoc): BsonDoc {
  const output = spec.get('output');
  if (output === undefined) fail(40_414, "BSON field '$setWindowFields.output' is missing but a required field");
  if (isDoc(output)) return output;
  const found = typeNameOf(output);
  fail('TypeMismatch', `BSON field '$setWindowFields.output' is the wrong type '${found}', expected type 'object'`);
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
  if (operator === undefined || operators.length > 1)
    fail('FailedToParse', `the output field '${path}' must have exactly one window function`);
  const argument = spec.get(operator) ?? null;
  const own = WINDOW_FUNCTIONS[operator];
  if (own) return own({ operator, argument, spec, order, compiler });
  const bounds = parseWindow(spec.get('window'), order.fields);
  return accumulated(parseAccumulator(operator, argument, compiler), bounds);
}

function parseAccumulator(operator: string, argument: BsonValue, compiler: ExpressionCompiler): Accumulation {
  if (operator === '$mergeObjects') fail('FailedToParse', `Unrecognized window function, ${operator}`);
  try {
    return parseAccumulation('value', new BsonDoc([operator], [argument]), compiler);
  } catch (error) {
    if (!(error instanceof MongoError) || error.code !== 15_952) throw error;
    fail('FailedToParse', `Unrecognized window function, ${operator}`);
  }
}

/** A window that only grows continues its accumulator; any other window starts a new one. */
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
      for (; to < high; to++) running.add(input(itemAt(rows, to).frame));
      const result = running.result();
      // The accumulator keeps growing its list, so each row needs a copy.
      return Array.isArray(result) ? [...result] : result;
    });
  };
}

import { addNumbers, isNumber, multiplyNumbers, toInteger, toNumber } from '../../bson/number.js';
import { compilePath } from '../../bson/raw.js';
import { BsonDate, BsonDoc, type BsonNumber, type BsonValue, isDoc, numberToBson } from '../../bson/value.js';
import { itemAt } from '../../checked-access.js';
import { compareValues } from '../../compare/compare.js';
import { ITEMS_PER_PAUSE, sortInPauses } from '../../compare/sorted-runs.js';
import { fail } from '../../errors.js';
import { ValueMap } from '../../keystring/value-map.js';
import { LazyNode } from '../../update/tree.js';
import { addUnits, type DateUnit, isDateUnit } from '../expr/date-parts.js';
import { isNullish, readPath } from '../expr/frame.js';
import { localStage, MemoryBudget, type PipelineScope, type Stage } from '../stage.js';
import { documentOf, setSlot } from './shape.js';

interface Densify {
  readonly field: string;
  readonly partitionBy: readonly string[];
  readonly step: BsonNumber;
  readonly unit: DateUnit | undefined;
  /** Explicit bounds exclude the second value. */
  readonly bounds: 'full' | 'partition' | readonly [BsonValue, BsonValue];
}

interface Point {
  readonly value: BsonValue;
  readonly raw: Buffer;
}

interface Partition {
  readonly key: readonly BsonValue[];
  readonly arrived: Point[];
  /** The points in order, set after the last document. */
  points: readonly Point[];
}

/** MongoDB's limit on generated documents (internalQueryMaxAllowedDensifyDocs). */
const MAX_GENERATED = 500_000;

/** `$densify`: adds documents for the missing steps of a field. Documents without the field pass unchanged, first. */
export function densifyStage(value: BsonValue, scope: PipelineScope): Stage {
  const rules = parseDensify(documentOf(value, '$densify'));
  const path = compilePath(rules.field);
  const keyPaths = rules.partitionBy.map(compilePath);
  return localStage(() => {
    const partitions = new ValueMap<Partition>(scope.env.collation);
    const memory = new MemoryBudget('$densify');
    return {
      push: (raw, emit) => {
        const { root } = scope.frame(raw);
        const found = readPath(root, path);
        if (isNullish(found)) {
          emit(raw);
          return;
        }
        checkType(found, rules);
        memory.charge(raw.length + 96);
        const key = keyPaths.map((keyPath) => readPath(root, keyPath) ?? null);
        const partition = partitions.entry(key, () => ({ key, arrived: [], points: [] }));
        partition.arrived.push({ value: found, raw });
      },
      *finish(emit) {
        let given = 0;
        for (const partition of partitions.items)
          partition.points = yield* sortInPauses(partition.arrived, (a, b) => compareValues(a.value, b.value));
        for (const raw of densified(partitions.items, rules)) {
          emit(raw);
          if (++given % ITEMS_PER_PAUSE === 0) yield;
        }
      },
    };
  });
}

function parseDensify(spec: BsonDoc): Densify {
  const unknown = spec.keys.find((key) => !['field', 'partitionByFields', 'range'].includes(key));
  if (unknown) fail(40_415, `BSON field '$densify.${unknown}' is an unknown field.`);
  const [field, range, fields = []] = [spec.get('field'), spec.get('range'), spec.get('partitionByFields')];
  if (typeof field !== 'string' || field === '')
    fail(40_414, "BSON field '$densify.field' is missing but a required field");
  if (!isDoc(range)) fail(40_414, "BSON field '$densify.range' is missing but a required field");
  if (!Array.isArray(fields)) fail('TypeMismatch', "'partitionByFields' must be an array of strings");
  const [step, unit, bounds] = [range.get('step'), range.get('unit'), range.get('bounds')];
  if (!isNumber(step) || !(toNumber(step) > 0))
    fail(5_733_401, 'The step parameter in a range statement must be a strictly positive numeric value');
  if (unit !== undefined && !isDateUnit(unit)) fail(5_439_013, `unknown time unit value: ${String(unit)}`);
  if (unit !== undefined && toInteger(step) === undefined)
    fail(6_586_400, 'the step parameter in a range statement must be a whole number when densifying a date range');
  return { field, partitionBy: fields.map(String), step, unit, bounds: parseBounds(bounds, unit) };
}

const UNLIKE_BOUNDS = 'A bounding array must be an ascending array of either two dates or two numbers';

function parseBounds(bounds: BsonValue | undefined, unit: DateUnit | undefined): Densify['bounds'] {
  if (bounds === 'full' || bounds === 'partition') return bounds;
  if (typeof bounds === 'string') fail(5_946_802, "Bounds string must either be 'full' or 'partition'");
  if (!Array.isArray(bounds) || bounds.length !== 2)
    fail(5_733_403, 'A bounding array in a range statement must have exactly two elements');
  const [low, high] = [itemAt(bounds, 0), itemAt(bounds, 1)];
  for (const bound of [low, high]) {
    const fits = unit === undefined ? isNumber(bound) : bound instanceof BsonDate;
    if (!fits) fail(5_733_402, UNLIKE_BOUNDS);
  }
  if (compareValues(low, high) > 0) fail(5_733_402, UNLIKE_BOUNDS);
  return [low, high];
}

function checkType(value: BsonValue, { unit }: Densify): void {
  if (unit === undefined && isNumber(value)) return;
  if (unit !== undefined && value instanceof BsonDate) return;
  if (unit !== undefined && isNumber(value))
    fail(6_053_600, 'Encountered numeric densify value in collection when step has a date unit.');
  fail(5_733_201, 'Densify field type must be numeric or a date');
}

/** Fills sorted partitions. */
function* densified(partitions: readonly Omit<Partition, 'arrived'>[], rules: Densify): Generator<Buffer> {
  const all = partitions.flatMap(({ points }) => [itemAt(points, 0), itemAt(points, points.length - 1)]);
  all.sort((a, b) => compareValues(a.value, b.value));
  const budget = { left: MAX_GENERATED };
  // Explicit bounds apply even without any document.
  const filled = partitions.length === 0 && Array.isArray(rules.bounds) && rules.partitionBy.length === 0;
  for (const { key, points } of filled ? [{ key: [], points: [] }] : partitions) {
    const range = rangeOf(rules, points, all);
    yield* fill(points, key, range, rules, budget);
  }
}

interface Range {
  readonly from: BsonValue;
  readonly to: BsonValue;
  readonly inclusive: boolean;
}

function rangeOf({ bounds }: Densify, own: readonly Point[], all: readonly Point[]): Range {
  if (typeof bounds !== 'string') return { from: bounds[0], to: bounds[1], inclusive: false };
  const points = bounds === 'full' ? all : own;
  return { from: points[0]?.value ?? null, to: points.at(-1)?.value ?? null, inclusive: true };
}

/** Merges the documents with the steps of the range that no document has. */
function* fill(
  points: readonly Point[],
  key: readonly BsonValue[],
  range: Range,
  rules: Densify,
  budget: { left: number },
): Generator<Buffer> {
  let at = 0;
  for (let n = 0; ; n++) {
    const step = stepped(range.from, n, rules);
    const past = compareValues(step, range.to);
    if (past > 0 || (past === 0 && !range.inclusive)) break;
    for (let point = points[at]; point && compareValues(point.value, step) < 0; point = points[++at]) yield point.raw;
    const there = points[at];
    if (there && compareValues(there.value, step) === 0) continue;
    if (--budget.left < 0) fail(5_897_900, `Generated more than ${MAX_GENERATED} documents in $densify`);
    yield made(step, key, rules);
  }
  for (; at < points.length; at++) yield itemAt(points, at).raw;
}

function stepped(from: BsonValue, n: number, { step, unit }: Densify): BsonValue {
  if (from instanceof BsonDate && unit !== undefined)
    return BsonDate.fromMs(addUnits(Number(from.ms), unit, n * toNumber(step), 'UTC'));
  return isNumber(from) ? addNumbers(from, multiplyNumbers(step, numberToBson(n), 'double'), 'double') : from;
}

function made(step: BsonValue, key: readonly BsonValue[], { field, partitionBy }: Densify): Buffer {
  const out = new LazyNode(false);
  for (const [i, name] of partitionBy.entries()) {
    const value = key[i] ?? null;
    if (value !== null) setSlot(out, name, value);
  }
  setSlot(out, field, step);
  return out.toBuffer(64);
}

import { integerOf, isNumber, toNumber } from '../../bson/number.js';
import { BsonDoc, type BsonValue, isDoc } from '../../bson/value.js';
import { SortedRuns } from '../../compare/sorted-runs.js';
import { fail } from '../../errors.js';
import { compileSortOrder } from '../../keystring/collated.js';
import type { KeyField } from '../../keystring/extract.js';
import { requireFieldPath } from '../../project/field-path.js';
import { directionOf } from '../expr/array.js';
import { localStage, MemoryBudget, type PipelineScope, type Stage } from '../stage.js';
import { documentOf } from './shape.js';

/** Stages that choose or order documents without changing them. */

export function parseSort(spec: BsonDoc): KeyField[] {
  if (spec.size === 0) fail(15_976, '$sort stage must have at least one sort key');
  return [...spec].map(([path, value]) => {
    requireFieldPath(path);
    if (isDoc(value)) {
      if (value.keys[0] !== '$meta') fail(17_312, '$meta is the only expression supported by $sort right now');
      fail('BadValue', '$sort by $meta is not supported by this server');
    }
    if (!isNumber(value)) fail(15_974, `Illegal key in $sort specification: ${path}`);
    return { path, direction: directionOf(value) };
  });
}

interface SortRow {
  readonly key: Buffer;
  readonly raw: Buffer;
  /** Keeps the input order of equal keys. */
  readonly arrival: number;
}

const ROWS_PER_PAUSE = 128;

function rowBytes({ key, raw }: SortRow): number {
  return key.length + raw.length + 96;
}

/** Sorts by key bytes. With `keep` (a `$limit` follows) the stage holds only that many documents. */
export function sortStage(value: BsonValue, scope: PipelineScope, keep = Number.POSITIVE_INFINITY): Stage {
  const { keyOf, compare } = compileSortOrder(parseSort(documentOf(value, '$sort')), scope.env.collation);
  return localStage(() => {
    const byKey = (a: SortRow, b: SortRow) => compare(a.key, b.key) || a.arrival - b.arrival;
    const rows = new SortedRuns<SortRow>(byKey, Number.isFinite(keep) ? keep : undefined);
    const memory = new MemoryBudget('$sort');
    let arrivals = 0;
    return {
      push: (raw) => {
        const row = { key: keyOf(raw), raw, arrival: arrivals++ };
        const pushedOut = rows.add(row);
        if (pushedOut) memory.release(rowBytes(pushedOut));
        memory.charge(rowBytes(row));
      },
      *finish(emit) {
        while (!rows.settle()) yield;
        let given = 0;
        for (let row = rows.next(); row; row = rows.next()) {
          emit(row.raw);
          if (++given % ROWS_PER_PAUSE === 0) yield;
        }
      },
    };
  });
}

export function wholeArgument(value: BsonValue, stage: string, least: bigint): number {
  const whole = integerOf(value);
  const code = stage === '$skip' ? 5_107_200 : 5_107_201;
  if (!isNumber(value)) fail(code, `invalid argument to ${stage} stage: Expected a number in: ${stage}`);
  if (whole === undefined) fail(code, `invalid argument to ${stage} stage: Expected an integer: ${stage}`);
  if (whole < 0n)
    fail(code, `invalid argument to ${stage} stage: Expected a non-negative number in: ${stage}: ${whole}`);
  if (whole < least) fail(15_958, 'the limit must be positive');
  return Number(whole);
}

export function limitStage(value: BsonValue): Stage {
  const limit = wholeArgument(value, '$limit', 1n);
  return localStage(() => {
    let seen = 0;
    return {
      push: (raw, emit) => {
        if (seen++ < limit) emit(raw);
      },
      get full() {
        return seen >= limit;
      },
    };
  });
}

export function skipStage(value: BsonValue): Stage {
  const skip = wholeArgument(value, '$skip', 0n);
  return localStage(() => {
    let seen = 0;
    return {
      push: (raw, emit) => {
        if (seen++ >= skip) emit(raw);
      },
    };
  });
}

function sampleSize(spec: BsonDoc): number {
  const unknown = spec.keys.find((key) => key !== 'size');
  if (unknown) fail(28_748, `unrecognized option to $sample: ${unknown}`);
  const size = spec.get('size');
  if (size === undefined) fail(28_749, '$sample stage must specify a size');
  if (!isNumber(size)) fail(28_746, 'size argument to $sample must be a number');
  const whole = integerOf(size) ?? BigInt(Math.trunc(toNumber(size)));
  if (whole <= 0n) fail(28_747, 'size argument to $sample must be a positive integer');
  return Number(whole);
}

/** A uniform sample without repeats, by reservoir. */
export function sampleStage(value: BsonValue, scope: PipelineScope): Stage {
  const size = sampleSize(documentOf(value, '$sample'));
  const { random } = scope.env;
  if (!random) fail('BadValue', '$sample is not available here');
  return localStage(() => {
    const chosen: Buffer[] = [];
    let seen = 0;
    return {
      push: (raw) => {
        const at = seen < size ? seen : Math.floor(random() * (seen + 1));
        seen++;
        if (at < size) chosen[at] = raw;
      },
      finish: (emit) => {
        for (const raw of chosen) emit(raw);
      },
    };
  });
}

/** `$sortByCount` is this `$group` and `$sort`. */
export function sortByCountStages(value: BsonValue): BsonDoc[] {
  const wanted = 'the sortByCount field must be defined as a $-prefixed path or an expression inside an object';
  if (typeof value !== 'string' && !isDoc(value))
    fail(40_149, 'the sortByCount field must be specified as a string or as an object');
  if (isDoc(value) && !value.keys[0]?.startsWith('$')) fail(40_147, wanted);
  if (typeof value === 'string' && !value.startsWith('$')) fail(40_148, wanted);
  return [BsonDoc.of({ $group: { _id: value, count: { $sum: 1 } } }), BsonDoc.of({ $sort: { count: -1 } })];
}

import { isNumber, toInteger } from '../../bson/number.js';
import { BsonDoc, type BsonValue, isDoc } from '../../bson/value.js';
import { SortedRuns } from '../../compare/sorted-runs.js';
import { MongoError } from '../../errors.js';
import type { KeyField } from '../../keystring/extract.js';
import { compileSortOrder } from '../../keystring/sort-order.js';
import { directionOf } from '../expr/array.js';
import { MemoryBudget } from '../memory-budget.js';
import type { PipelineScope, Stage } from '../stage.js';
import { documentOf } from './shape.js';

/** Stages that choose or order documents without changing them. */

export function parseSort(spec: BsonDoc): KeyField[] {
  if (spec.size === 0) throw new MongoError(15_976, '$sort stage must have at least one sort key');
  return [...spec].map(([path, value]) => {
    if (isDoc(value)) throw new MongoError('BadValue', '$sort by $meta is not supported by this server');
    return { path, direction: directionOf(value) };
  });
}

interface SortRow {
  readonly key: Buffer;
  readonly raw: Buffer;
  /** Equal keys keep the order they came in. */
  readonly arrival: number;
}

const rowsPerPause = 128;

function rowBytes({ key, raw }: SortRow): number {
  return key.length + raw.length + 96;
}

/** Orders by key bytes. With `keep` (a `$limit` behind it) only that many documents are held. */
export function sortStage(value: BsonValue, scope: PipelineScope, keep = Number.POSITIVE_INFINITY): Stage {
  const { keyOf, compare } = compileSortOrder(parseSort(documentOf(value, '$sort')), scope.env.collation);
  return {
    kind: 'local',
    start: () => {
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
            if (++given % rowsPerPause === 0) yield;
          }
          return undefined;
        },
      };
    },
  };
}

export function wholeArgument(value: BsonValue, stage: string, least: bigint): number {
  const whole = isNumber(value) ? toInteger(value) : undefined;
  if (whole === undefined || whole < least) {
    throw new MongoError(
      stage === '$skip' ? 15_956 : 15_958,
      `the ${stage} must be a whole number of at least ${least}`,
    );
  }
  return Number(whole);
}

export function limitStage(value: BsonValue): Stage {
  const limit = wholeArgument(value, '$limit', 1n);
  return {
    kind: 'local',
    start: () => {
      let seen = 0;
      return {
        push: (raw, emit) => {
          if (seen++ < limit) emit(raw);
        },
        get full() {
          return seen >= limit;
        },
      };
    },
  };
}

export function skipStage(value: BsonValue): Stage {
  const skip = wholeArgument(value, '$skip', 0n);
  return {
    kind: 'local',
    start: () => {
      let seen = 0;
      return {
        push: (raw, emit) => {
          if (seen++ >= skip) emit(raw);
        },
      };
    },
  };
}

/** A uniform sample without repeats, by reservoir. */
export function sampleStage(value: BsonValue, scope: PipelineScope): Stage {
  const size = wholeArgument(documentOf(value, '$sample').get('size') ?? null, '$sample', 1n);
  const { random } = scope.env;
  if (!random) throw new MongoError('BadValue', '$sample is not available here');
  return {
    kind: 'local',
    start: () => {
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
          return undefined;
        },
      };
    },
  };
}

/** `$sortByCount` is this `$group` and `$sort`. */
export function sortByCountStages(value: BsonValue): BsonDoc[] {
  return [BsonDoc.of({ $group: { _id: value, count: { $sum: 1 } } }), BsonDoc.of({ $sort: { count: -1 } })];
}

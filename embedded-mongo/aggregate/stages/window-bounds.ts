import { isNumber, toInteger, toNumber } from '../../bson/number.js';
import { BsonDate, BsonDoc, type BsonValue, isDoc } from '../../bson/value.js';
import { MongoError } from '../../errors.js';
import { addUnits, type DateUnit, isDateUnit } from '../expr/date-parts.js';
import type { Row } from './window-rows.js';

/** The rows `[low, high)` that the window of row `at` holds. */
export type Bounds = (rows: readonly Row[], at: number) => readonly [low: number, high: number];

const whole: Bounds = (rows) => [0, rows.length];

/** Parses `window`; without one it is the whole partition. */
export function parseWindow(value: BsonValue | undefined, sortFields: readonly { direction: number }[]): Bounds {
  if (value === undefined) return whole;
  if (!isDoc(value)) throw new MongoError('FailedToParse', "'window' field must be an object");
  const unknown = value.keys.find((key) => !['documents', 'range', 'unit'].includes(key));
  if (unknown) throw new MongoError('FailedToParse', `'window' field has an unknown option: ${unknown}`);
  const [documents, range, unit] = [value.get('documents'), value.get('range'), value.get('unit')];
  if ((documents === undefined) === (range === undefined)) {
    throw new MongoError('FailedToParse', "'window' field needs either 'documents' or 'range'");
  }
  if (documents !== undefined) {
    if (unit !== undefined) throw new MongoError('FailedToParse', "'unit' is only allowed with 'range'");
    return documentBounds(pair(documents, 'documents'), sortFields.length > 0);
  }
  if (sortFields.length !== 1 || sortFields[0]?.direction !== 1) {
    throw new MongoError(5_339_902, 'Range-based bounds require a sortBy a single field in ascending order');
  }
  if (unit !== undefined && !isDateUnit(unit))
    throw new MongoError(5_439_013, `unknown time unit value: ${String(unit)}`);
  return rangeBounds(pair(range, 'range'), unit);
}

function pair(value: BsonValue | undefined, name: string): readonly [BsonValue, BsonValue] {
  if (!Array.isArray(value) || value.length !== 2) {
    throw new MongoError('FailedToParse', `Window bounds of '${name}' must be an array of two`);
  }
  return [value[0] as BsonValue, value[1] as BsonValue];
}

function documentBounds([lower, upper]: readonly [BsonValue, BsonValue], sorted: boolean): Bounds {
  if (lower === 'unbounded' && upper === 'unbounded') return whole;
  if (!sorted) throw new MongoError(5_339_901, 'Document-based bounds require a sortBy');
  const [from, to] = [offset(lower), offset(upper)];
  if (from !== undefined && to !== undefined && from > to) {
    throw new MongoError(5_339_900, `Lower bound must not exceed upper bound: [${from}, ${to}]`);
  }
  return (rows, at) => [
    from === undefined ? 0 : Math.min(rows.length, Math.max(0, at + from)),
    to === undefined ? rows.length : Math.max(0, Math.min(rows.length, at + to + 1)),
  ];
}

/** Undefined where there is no bound. */
function offset(value: BsonValue): number | undefined {
  if (value === 'unbounded') return undefined;
  if (value === 'current') return 0;
  const integer = isNumber(value) ? toInteger(value) : undefined;
  if (integer === undefined)
    throw new MongoError('FailedToParse', "bounds must be 'unbounded', 'current' or whole numbers");
  return Number(integer);
}

function rangeBounds([lower, upper]: readonly [BsonValue, BsonValue], unit: DateUnit | undefined): Bounds {
  const [from, to] = [distance(lower), distance(upper)];
  return (rows, at) => {
    const position = positionOf(rows[at], unit);
    const low =
      from === undefined ? 0 : firstAt(rows, unit, moved(position, from, unit), (value, bound) => value >= bound);
    const high =
      to === undefined ? rows.length : firstAt(rows, unit, moved(position, to, unit), (value, bound) => value > bound);
    return [low, Math.max(low, high)];
  };
}

function distance(value: BsonValue): number | undefined {
  if (value === 'unbounded') return undefined;
  if (value === 'current') return 0;
  if (isNumber(value)) return toNumber(value);
  throw new MongoError('FailedToParse', "range bounds must be 'unbounded', 'current' or numbers");
}

function moved(position: number, by: number, unit: DateUnit | undefined): number {
  return unit === undefined ? position + by : addUnits(position, unit, by, 'UTC');
}

/** Where a row stands on the axis of its one sort field: a number, or milliseconds where a unit is given. */
export function positionOf(row: Row | undefined, unit: DateUnit | undefined): number {
  const value = row?.sortValue;
  if (unit !== undefined && value instanceof BsonDate) return Number(value.ms);
  if (unit === undefined && isNumber(value)) return toNumber(value);
  throw new MongoError(
    unit === undefined ? 5_429_414 : 5_429_513,
    `Invalid range: Expected the sortBy field to be a ${unit === undefined ? 'number' : 'date'}`,
  );
}

/** Rows are sorted: the first whose position passes, by bisection. */
function firstAt(
  rows: readonly Row[],
  unit: DateUnit | undefined,
  bound: number,
  passes: (value: number, bound: number) => boolean,
): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (passes(positionOf(rows[middle], unit), bound)) high = middle;
    else low = middle + 1;
  }
  return low;
}

export function isWindowless(spec: BsonDoc, operator: string): void {
  if (!spec.has('window')) return;
  throw new MongoError(5_371_601, `${operator} does not accept a 'window' field`);
}

import { integerOf, isNumber, toNumber } from '../../bson/number.js';
import { compilePath, type Path } from '../../bson/raw.js';
import { BsonDate, type BsonDoc, type BsonValue, isDoc } from '../../bson/value.js';
import { itemAt } from '../../checked-access.js';
import { sortInPauses } from '../../compare/sorted-runs.js';
import { fail } from '../../errors.js';
import { compileSortOrder, type SortOrder } from '../../keystring/collated.js';
import { ValueMap } from '../../keystring/value-map.js';
import { addUnits, type DateUnit, isDateUnit } from '../expr/date-parts.js';
import { type Expression, type Frame, readPath } from '../expr/frame.js';
import type { PipelineScope } from '../stage.js';
import { parseSort } from './order.js';

/** One document of a partition. */
export interface Row {
  readonly raw: Buffer;
  readonly frame: Frame;
  readonly key: Buffer;
  /** The value of the first sort field. */
  readonly sortValue: BsonValue | undefined;
}

export interface RowOrder {
  readonly fields: readonly { readonly path: string; readonly direction: 1 | -1 }[];
  readonly order: SortOrder | undefined;
}

export function rowOrder(sortBy: BsonDoc | undefined, scope: PipelineScope): RowOrder {
  const fields = sortBy ? parseSort(sortBy) : [];
  return { fields, order: fields.length > 0 ? compileSortOrder(fields, scope.env.collation) : undefined };
}

const NO_KEY = Buffer.alloc(0);

/** Collects documents by partition value. */
export class Partitions {
  readonly #found: ValueMap<{ readonly value: BsonValue; readonly rows: Row[] }>;
  readonly #sortPath: Path | undefined;
  readonly #partitionBy: Expression | undefined;
  readonly #order: RowOrder;
  readonly #scope: PipelineScope;

  constructor(partitionBy: Expression | undefined, order: RowOrder, scope: PipelineScope) {
    this.#partitionBy = partitionBy;
    this.#order = order;
    this.#scope = scope;
    this.#found = new ValueMap(scope.env.collation);
    const [first] = order.fields;
    this.#sortPath = first && compilePath(first.path);
  }

  add(raw: Buffer): void {
    const frame = this.#scope.frame(raw);
    const value = this.#partitionBy?.(frame) ?? null;
    if (Array.isArray(value))
      fail('TypeMismatch', 'An expression used to partition cannot evaluate to value of type array');
    const sortValue = this.#sortPath && readPath(frame.root, this.#sortPath);
    const row = { raw, frame, key: this.#order.order?.keyOf(raw) ?? NO_KEY, sortValue };
    this.#found.entry(value, (own) => ({ value: own, rows: [] })).rows.push(row);
  }

  /** The partitions in order of their value, rows in order of arrival. */
  all(): Row[][] {
    const partitions = [...this.#found.items];
    if (this.#partitionBy) partitions.sort((a, b) => this.#scope.compiler.order(a.value, b.value));
    return partitions.map(({ rows }) => rows);
  }

  /** Sorts one partition. */
  *sorted(rows: Row[]): Generator<undefined, Row[], undefined> {
    const { order } = this.#order;
    return order ? yield* sortInPauses(rows, (a, b) => order.compare(a.key, b.key)) : rows;
  }
}

/** Returns the rows `[low, high)` of the window of row `at`. */
export type Bounds = (rows: readonly Row[], at: number) => readonly [low: number, high: number];

const WHOLE_PARTITION: Bounds = (rows) => [0, rows.length];

/** Parses `window`; the default is the whole partition. */
export function parseWindow(value: BsonValue | undefined, sortFields: readonly { direction: number }[]): Bounds {
  if (value === undefined) return WHOLE_PARTITION;
  if (!isDoc(value)) fail('FailedToParse', "'window' field must be an object");
  const unknown = value.keys.find((key) => !['documents', 'range', 'unit'].includes(key));
  if (unknown) fail('FailedToParse', `'window' field has an unknown option: ${unknown}`);
  const [documents, range, unit] = [value.get('documents'), value.get('range'), value.get('unit')];
  if ((documents === undefined) === (range === undefined))
    fail('FailedToParse', "'window' field needs either 'documents' or 'range'");
  if (documents !== undefined) {
    if (unit !== undefined) fail('FailedToParse', "'unit' is only allowed with 'range'");
    return documentBounds(pair(documents, 'documents'), sortFields.length > 0);
  }
  if (sortFields.length !== 1 || sortFields[0]?.direction !== 1)
    fail(5_339_902, 'Range-based bounds require a sortBy a single field in ascending order');
  if (unit !== undefined && !isDateUnit(unit)) fail(5_439_013, `unknown time unit value: ${String(unit)}`);
  return rangeBounds(pair(range, 'range'), unit);
}

function pair(value: BsonValue | undefined, name: string): readonly [BsonValue, BsonValue] {
  if (!Array.isArray(value) || value.length !== 2)
    fail('FailedToParse', `Window bounds must be a 2-element array: ${name}`);
  return [itemAt(value, 0), itemAt(value, 1)];
}

function documentBounds([lower, upper]: readonly [BsonValue, BsonValue], sorted: boolean): Bounds {
  if (lower === 'unbounded' && upper === 'unbounded') return WHOLE_PARTITION;
  if (!sorted) fail(5_339_901, 'Document-based bounds require a sortBy');
  const [from, to] = [offset(lower), offset(upper)];
  if (from !== undefined && to !== undefined && from > to)
    fail(5_339_900, `Lower bound must not exceed upper bound: [${from}, ${to}]`);
  return (rows, at) => [
    from === undefined ? 0 : Math.min(rows.length, Math.max(0, at + from)),
    to === undefined ? rows.length : Math.max(0, Math.min(rows.length, at + to + 1)),
  ];
}

/** @returns undefined without a bound. */
function offset(value: BsonValue): number | undefined {
  if (value === 'unbounded') return undefined;
  if (value === 'current') return 0;
  return Number(integerOf(value) ?? fail('FailedToParse', "bounds must be 'unbounded', 'current' or whole numbers"));
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
  fail('FailedToParse', "range bounds must be 'unbounded', 'current' or numbers");
}

function moved(position: number, by: number, unit: DateUnit | undefined): number {
  return unit === undefined ? position + by : addUnits(position, unit, by, 'UTC');
}

/** The position of a row on the axis of its sort field: a number, or milliseconds with a unit. */
export function positionOf(row: Row | undefined, unit: DateUnit | undefined): number {
  const value = row?.sortValue;
  if (unit !== undefined && value instanceof BsonDate) return Number(value.ms);
  if (unit === undefined && isNumber(value)) return toNumber(value);
  fail(
    unit === undefined ? 5_429_414 : 5_429_513,
    `Invalid range: Expected the sortBy field to be a ${unit === undefined ? 'number' : 'date'}`,
  );
}

/** Finds the first row with a position that passes; bisects because rows are sorted. */
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

const RANKS: ReadonlySet<string> = new Set(['$rank', '$denseRank', '$documentNumber']);

/** Rejects a `window` for functions that have none. */
export function refuseWindow(spec: BsonDoc, operator: string): void {
  if (!spec.has('window')) return;
  if (RANKS.has(operator)) fail(5_371_601, 'Rank style window functions take no other arguments');
  fail('FailedToParse', `${operator} does not accept a 'window' field`);
}

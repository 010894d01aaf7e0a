import { compilePath } from '../../bson/raw.js';
import type { BsonDoc, BsonValue } from '../../bson/value.js';
import { MongoError } from '../../errors.js';
import { compileSortOrder, type SortOrder } from '../../keystring/sort-order.js';
import { ValueMap } from '../../keystring/value-map.js';
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

const noKey = Buffer.alloc(0);

/** Partitions in order of their value, each with its rows in order. */
export function partitionRows(
  raws: readonly Buffer[],
  partitionBy: Expression | undefined,
  { fields, order }: RowOrder,
  scope: PipelineScope,
): Row[][] {
  const partitions = new ValueMap<{ value: BsonValue; rows: Row[] }>(scope.env.collation);
  const path = fields[0] ? compilePath(fields[0].path) : undefined;
  for (const raw of raws) {
    const frame = scope.frame(raw);
    const value = partitionBy?.(frame) ?? null;
    if (Array.isArray(value)) {
      throw new MongoError('TypeMismatch', 'An expression used to partition cannot evaluate to value of type array');
    }
    const sortValue = path ? readPath(frame.root, path) : undefined;
    const row = { raw, frame, key: order?.keyOf(raw) ?? noKey, sortValue };
    partitions.entry(value, (own) => ({ value: own, rows: [] })).rows.push(row);
  }
  const sorted = [...partitions.items];
  if (partitionBy) sorted.sort((a, b) => scope.compiler.order(a.value, b.value));
  if (order) for (const { rows } of sorted) rows.sort((a, b) => order.compare(a.key, b.key));
  return sorted.map(({ rows }) => rows);
}

import { compilePath, type Path } from '../../bson/raw.js';
import type { BsonDoc, BsonValue } from '../../bson/value.js';
import { MongoError } from '../../errors.js';
import { compileSortOrder, type SortOrder } from '../../keystring/sort-order.js';
import { ValueMap } from '../../keystring/value-map.js';
import { type Expression, type Frame, readPath } from '../expr/frame.js';
import { sortInPauses } from '../sort-in-pauses.js';
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

/** Documents gathered by the value that partitions them. */
export class Partitions {
  private readonly found: ValueMap<{ readonly value: BsonValue; readonly rows: Row[] }>;
  private readonly sortPath: Path | undefined;

  constructor(
    private readonly partitionBy: Expression | undefined,
    private readonly order: RowOrder,
    private readonly scope: PipelineScope,
  ) {
    this.found = new ValueMap(scope.env.collation);
    const [first] = order.fields;
    this.sortPath = first && compilePath(first.path);
  }

  add(raw: Buffer): void {
    const frame = this.scope.frame(raw);
    const value = this.partitionBy?.(frame) ?? null;
    if (Array.isArray(value)) {
      throw new MongoError('TypeMismatch', 'An expression used to partition cannot evaluate to value of type array');
    }
    const sortValue = this.sortPath && readPath(frame.root, this.sortPath);
    const row = { raw, frame, key: this.order.order?.keyOf(raw) ?? noKey, sortValue };
    this.found.entry(value, (own) => ({ value: own, rows: [] })).rows.push(row);
  }

  /** The rows of each partition as they came, partitions in order of their value. */
  all(): Row[][] {
    const partitions = [...this.found.items];
    if (this.partitionBy) partitions.sort((a, b) => this.scope.compiler.order(a.value, b.value));
    return partitions.map(({ rows }) => rows);
  }

  /** One partition in order. */
  *sorted(rows: Row[]): Generator<undefined, Row[], undefined> {
    const { order } = this.order;
    return order ? yield* sortInPauses(rows, (a, b) => order.compare(a.key, b.key)) : rows;
  }
}

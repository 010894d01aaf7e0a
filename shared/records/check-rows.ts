import type { Condition, Db, Document } from 'mongodb';
import { FactPlace } from '../facts/fact.js';
import type { RecordState, StateForm, StateRows } from '../facts/record-states.js';
import { jsonOf } from '../facts/state-json.js';
import type { TenantId } from '../ids/tenant.js';
import { canonicalJson } from '../json/canonical.js';
import { shortText } from '../json/short-text.js';
import type { JsonObject } from '../json/strict-json.js';
import type { DeclaredIndex } from './collections.js';

// The owner's side of the verification of rows: it never throws for what a row holds.

/** Serves `rowStates`: the rows of one tenant in the order of identifiers. */
export const STATES_INDEX: DeclaredIndex = [{ tenant_id: 1, _id: 1 }];

/** How the state of one row is read. */
interface RowReading<Row> {
  /** Derives the evidential fields, by the function that writer and reader use. May throw for a malformed row. */
  readonly stateOf: (row: Row) => JsonObject;
  /** The fact that a row names; its member `fact` by default. */
  readonly factOf?: (row: Row) => unknown;
  /** Columns that follow from the evidential fields, for queries. */
  readonly columnsOf?: (row: Row) => object;
}

interface StatesOptions<Row> extends RowReading<Row> {
  readonly db: Db;
  /** A collection with an index over the tenant and `by`. */
  readonly collection: string;
  readonly form?: StateForm;
  /** The member that identifies the subject; `_id` by default. */
  readonly by?: string;
  /** The rows of the kind, where the collection holds others; all by default. */
  readonly where?: object;
}

/** The rows of a collection with one row a subject. */
export function rowStates<Row extends object>(options: StatesOptions<Row>): StateRows {
  const { db, collection, form = 'SUBJECT', by = '_id', where = {} } = options;
  const rows = db.collection(collection, { promoteBuffers: true });
  const find = async (tenant_id: TenantId, condition: Condition<string>, limit: number) => {
    const found = { projection: { pending: 0 }, sort: { [by]: 1 }, limit, batchSize: limit + 1 } as const;
    return rows.find({ ...where, tenant_id, [by]: condition }, found).toArray();
  };
  return {
    collection,
    form,
    page: async (tenantId, after, limit) => {
      const strays = after === null ? await find(tenantId, { $not: { $type: 'string' } }, limit) : [];
      const found = await find(tenantId, { $gt: after ?? '' }, limit);
      // The rows may be malformed; `stateOf` is the check.
      const states = found.map((row) => stateOfRow(String(row[by]), row as unknown as Row, options));
      const next = found.length < limit ? null : (states.at(-1)?.id ?? null);
      return { rows: [...strays.map((row) => strayRow(row[by] ?? row._id)), ...states], next };
    },
  };
}

interface SingleOptions<Row> extends RowReading<Row> {
  readonly db: Db;
  /** A collection with one row a tenant; its `_id` is the tenant. */
  readonly collection: string;
  /** Identifier of the one subject that a tenant has. */
  readonly id: string;
}

/** The row of a collection with one row a tenant. */
export function singleRowStates<Row extends object>({ db, collection, id, ...reading }: SingleOptions<Row>): StateRows {
  const rows = db.collection<Document & { readonly _id: unknown }>(collection, { promoteBuffers: true });
  const stateIn = (tenantId: TenantId, row: Document): RecordState => {
    if (row['_id'] !== tenantId) return strayRow(row['_id']);
    if (row['tenant_id'] !== tenantId) return malformed(id, 'tenant_id');
    // The row may be malformed; `stateOf` is the check.
    return stateOfRow(id, row as Row, reading);
  };
  return {
    collection,
    page: async (tenantId) => {
      const named = [{ _id: tenantId }, { tenant_id: tenantId }];
      const found = await rows.find({ $or: named }, { limit: MAX_SINGLE_ROWS }).toArray();
      return { rows: found.map((row) => stateIn(tenantId, row)), next: null };
    },
  };
}

/** One is sound; the others are strays. */
const MAX_SINGLE_ROWS = 100;

/** The state of one row; a row that `stateOf` rejects is malformed. */
export function stateOfRow<Row extends object>(
  id: string,
  row: Row,
  { stateOf, factOf = namedFact, columnsOf }: RowReading<Row>,
): RecordState {
  const { success, data } = FactPlace.nullable().safeParse(factOf(row) ?? null);
  if (!success) return malformed(id, 'fact');
  const fact: FactPlace | null = data;
  try {
    const state = stateOf(row);
    const differing = columnsOf === undefined ? [] : differingColumns(row, columnsOf(row));
    return { id, fact, state, field: null, ...(differing.length === 0 ? {} : { differing }) };
  } catch {
    // The owner's functions expect the types that they write.
    return { id, fact, state: null, field: 'state' };
  }
}

const namedFact = (row: object): unknown => ('fact' in row ? row.fact : null);

function differingColumns(row: object, expected: object): string[] {
  const stored = new Map<string, unknown>(Object.entries(row));
  const text = (value: unknown) => canonicalJson(jsonOf(value));
  return Object.entries(expected).flatMap(([name, value]) => (text(stored.get(name)) === text(value) ? [] : [name]));
}

/** A row with a value of a wrong type. */
export const malformed = (id: string, field: string): RecordState => ({ id, fact: null, state: null, field });

/** A row with an identifier of a wrong type. */
export const strayRow = (id: unknown): RecordState => malformed(shortText(id), '_id');

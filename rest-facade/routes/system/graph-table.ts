import { csvCell } from '../../../shared/evidence/edx/load-file.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../shared/json/strict-json.js';

// An answer of the graph as a table: the rows of its one list. Pure.

export interface GraphTable {
  readonly rows: readonly JsonObject[];
  /** Where the next page begins; null on the last one, and for a list without pages. */
  readonly next: string | null;
}

/** Returns the list that an answer holds: a list, a page, or a connection. Null unless its root fields hold exactly one. */
export function tableOf(data: JsonObject): GraphTable | null {
  const found = Object.values(data).flatMap((value) => tableIn(value) ?? []);
  const [only] = found;
  return found.length === 1 && only !== undefined ? only : null;
}

function tableIn(value: JsonValue): GraphTable | null {
  if (Array.isArray(value)) return rowsOf(value, null);
  if (!isJsonObject(value)) return null;
  const { items, nodes, edges, next_cursor, pageInfo } = value;
  if (Array.isArray(items)) return rowsOf(items, textOf(next_cursor));
  const next = isJsonObject(pageInfo) && pageInfo['hasNextPage'] !== false ? textOf(pageInfo['endCursor']) : null;
  if (Array.isArray(nodes)) return rowsOf(nodes, next);
  if (!Array.isArray(edges)) return null;
  return rowsOf(
    edges.map((edge) => (isJsonObject(edge) ? (edge['node'] ?? null) : null)),
    next,
  );
}

const textOf = (value: JsonValue | undefined): string | null => (typeof value === 'string' ? value : null);

function rowsOf(list: readonly JsonValue[], next: string | null): GraphTable | null {
  const rows = list.filter(isJsonObject);
  return rows.length === list.length ? { rows, next } : null;
}

/** Writes one object a line. */
export const ndjsonOf = ({ rows }: GraphTable): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('');

/**
 * Writes CSV (RFC 4180) with a header row. A member of an object is the column `object.member`; a list is JSON in its cell.
 */
export function csvOf({ rows }: GraphTable): string {
  const flat = rows.map((row) => new Map(cellsOf(row, '')));
  const columns = columnsOf(flat);
  const line = (cells: readonly (string | number | null)[]): string => `${cells.map(csvCell).join(',')}\r\n`;
  return line(columns) + flat.map((row) => line(columns.map((name) => row.get(name) ?? null))).join('');
}

function cellsOf(row: JsonObject, path: string): [string, string | number | null][] {
  return Object.entries(row).flatMap(([name, value]): [string, string | number | null][] => {
    if (isJsonObject(value)) return cellsOf(value, `${path}${name}.`);
    return [[`${path}${name}`, cellOf(value)]];
  });
}

function cellOf(value: JsonValue): string | number | null {
  if (value === null || typeof value === 'string' || typeof value === 'number') return value;
  return JSON.stringify(value);
}

/** The columns of all rows in their first order. An object that is null in one row has the columns of the others. */
function columnsOf(rows: readonly ReadonlyMap<string, unknown>[]): readonly string[] {
  const names = new Set<string>();
  const objects = new Set<string>();
  for (const row of rows) {
    for (const name of row.keys()) {
      names.add(name);
      for (let dot = name.lastIndexOf('.'); dot > 0; dot = name.lastIndexOf('.', dot - 1))
        objects.add(name.slice(0, dot));
    }
  }
  return [...names].filter((name) => !objects.has(name));
}

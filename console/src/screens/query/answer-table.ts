// An answer of the graph as a table: pure functions of data.

type Fields = Readonly<Record<string, unknown>>;

export interface AnswerTable {
  readonly columns: readonly string[];
  /** The cells of each row, in the order of the columns. */
  readonly rows: readonly (readonly string[])[];
}

/** Columns that a screen can show. */
const MAX_COLUMNS = 12;
const MAX_DEPTH = 8;

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the longest list of objects in an answer as a table; null for an answer without one. */
export function tableIn(data: unknown): AnswerTable | null {
  const rows = longestList(data, 0).map((item) => flat(item));
  const columns = [...new Set(rows.flatMap((row) => [...row.keys()]))].slice(0, MAX_COLUMNS);
  if (columns.length === 0) return null;
  return { columns, rows: rows.map((row) => columns.map((name) => row.get(name) ?? '')) };
}

function longestList(value: unknown, depth: number): readonly Fields[] {
  if (depth > MAX_DEPTH || typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) {
    const own = value.filter(isObject);
    if (own.length > 0) return own;
  }
  const found = Object.values(value).map((part) => longestList(part, depth + 1));
  return found.reduce((best, list) => (list.length > best.length ? list : best), []);
}

/** The values of an object by dotted names, `denial.event_id` for example. */
function flat(item: Fields, prefix = '', depth = 0): Map<string, string> {
  const cells = new Map<string, string>();
  for (const [name, value] of Object.entries(item)) {
    const key = `${prefix}${name}`;
    if (isObject(value) && depth < MAX_DEPTH)
      for (const [inner, text] of flat(value, `${key}.`, depth + 1)) cells.set(inner, text);
    else cells.set(key, textOf(value));
  }
  return cells;
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every((part) => typeof part === 'string')) return value.join(', ');
  return JSON.stringify(value);
}

interface Bar {
  readonly name: string;
  readonly count: number;
}

/** Bars that a chart can show. */
const MAX_BARS = 30;

/** Returns a table as bars: the last column of numbers, named by the columns of text; empty for a table without numbers. */
export function barsOf({ columns, rows }: AnswerTable): readonly Bar[] {
  const isNumber = (n: number): boolean => rows.every((row) => /^\d+(\.\d+)?$/.test(row[n] ?? ''));
  const numbers = columns.map((_, n) => n).filter(isNumber);
  const measured = numbers.at(-1);
  if (measured === undefined) return [];
  return rows.slice(0, MAX_BARS).map((row, i) => {
    const name = row.filter((text, n) => !numbers.includes(n) && text !== '').join(' · ');
    return { name: name === '' ? String(i + 1) : name, count: Number(row[measured]) };
  });
}

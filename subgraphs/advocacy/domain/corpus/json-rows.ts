import { isJsonObject, type JsonObject, type JsonValue } from '../../../../shared/json/strict-json.js';

// Reading tables that come with the service: what is not as it should be ends the start, and is never passed over.

/** The rows of a table. @throws where it has none */
export function rowsOf(table: JsonValue, member: string): readonly JsonObject[] {
  const rows = isJsonObject(table) ? table[member] : undefined;
  if (!Array.isArray(rows) || !rows.every(isJsonObject)) throw new RangeError(`a table has no rows ${member}`);
  return rows;
}

/** A text of a row. @throws where it has none */
export function textOf(row: JsonObject, member: string): string {
  const value = row[member];
  if (typeof value !== 'string' || value === '') throw new RangeError(`a row has no ${member}`);
  return value;
}

/** The texts of a row's list; none where it has no such list. */
export function textsOf(row: JsonObject, member: string): readonly string[] {
  const value = row[member] ?? [];
  if (!Array.isArray(value)) throw new RangeError(`${member} of a row is no list`);
  return value.map((one) => {
    if (typeof one !== 'string') throw new RangeError(`${member} of a row holds what is no text`);
    return one;
  });
}

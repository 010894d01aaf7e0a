import { isJsonObject, type JsonObject } from '../../../shared/json/strict-json.js';
import type { LedgerRow } from './ledger-row.js';

const parsed = new WeakMap<Buffer, JsonObject>();

/**
 * What a row's record says; undefined for one without. The same object for whoever asks again: those who follow the ledger
 * in one process share the row, and must not change what it says.
 *
 * @param row not altered.
 */
export function contentOf({ record }: Pick<LedgerRow, 'record'>): JsonObject | undefined {
  if (record === undefined) return undefined;
  const known = parsed.get(record);
  if (known !== undefined) return known;
  const content: unknown = JSON.parse(record.toString('utf8'));
  if (!isJsonObject(content)) return undefined;
  parsed.set(record, content);
  return content;
}

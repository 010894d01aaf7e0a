import { isJsonObject, type JsonObject } from './strict-json.js';

/** The object that a JSON text holds; undefined for anything else. For texts of the service's own records. */
export function objectIn(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

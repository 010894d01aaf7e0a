import { isJsonObject, type JsonObject, type JsonValue } from '../../../../shared/json/strict-json.js';

// Reads values of a payload, which is free JSON: a value of another shape is ignored, and nothing here throws.

/** Values read from one list; limits the cost of a hostile payload. */
export const MAX_VALUES = 500;

export function textOf(value: JsonValue | undefined): string | null {
  const text = typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : '';
  return text === '' ? null : text;
}

/** Reads a text or a list of texts with their positions. A redaction leaves null in a position. */
export function placedTexts(value: JsonValue | undefined): [at: number, text: string][] {
  const list = Array.isArray(value) ? value : [value];
  return list.slice(0, MAX_VALUES).flatMap((one, at): [number, string][] => {
    const text = textOf(one);
    return text === null ? [] : [[at, text]];
  });
}

export const textsOf = (value: JsonValue | undefined): string[] => placedTexts(value).map(([, text]) => text);

/** Reads a list of objects. Another value becomes an empty object, so that positions stay. */
export const objectsOf = (value: JsonValue | undefined): JsonObject[] =>
  Array.isArray(value) ? value.map((one) => (isJsonObject(one) ? one : {})) : [];

export const numbersOf = (value: JsonValue | undefined): number[] =>
  Array.isArray(value) ? value.filter((one): one is number => typeof one === 'number') : [];

import { isJsonObject, type JsonObject, type JsonValue } from '../../../shared/json/strict-json.js';

// Values of a payload, which is free: what has another shape is nothing, and nothing here throws.

/** Of one kind; what holds more was made to be costly, and the record keeps all. */
export const MOST_VALUES = 500;

const AMOUNT = /^(-?)(\d{1,12})(?:\.(\d{1,2})0*)?$/;

/** Decimal strings, as adapters write them; a number that callers of their own wrote is taken too. */
export function centsOf(value: JsonValue | undefined): number | null {
  const [, sign, whole, fraction = ''] = AMOUNT.exec(String(value ?? '').trim()) ?? [];
  if (whole === undefined) return null;
  const cents = Number(whole) * 100 + Number(fraction.padEnd(2, '0'));
  return sign === '-' && cents !== 0 ? -cents : cents;
}

export function textOf(value: JsonValue | undefined): string | null {
  const text = typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : '';
  return text === '' ? null : text;
}

/** A text, or a list of texts, each with its place: a redaction leaves null where it hides one. */
export function placedTexts(value: JsonValue | undefined): [at: number, text: string][] {
  const list = Array.isArray(value) ? value : [value];
  return list.slice(0, MOST_VALUES).flatMap((one, at): [number, string][] => {
    const text = textOf(one);
    return text === null ? [] : [[at, text]];
  });
}

export const textsOf = (value: JsonValue | undefined): string[] => placedTexts(value).map(([, text]) => text);

/** What is no object stands for an empty one, so that the others keep their places. */
export const objectsOf = (value: JsonValue | undefined): JsonObject[] =>
  Array.isArray(value) ? value.map((one) => (isJsonObject(one) ? one : {})) : [];

export const numbersOf = (value: JsonValue | undefined): number[] =>
  Array.isArray(value) ? value.filter((one): one is number => typeof one === 'number') : [];

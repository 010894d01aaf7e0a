/**
 * Readers of parsed JSON that hold nothing to be of the type it should be: what is not is absent. Names are FHIR's own, none of
 * which every object inherits; a path is at most three names long, so that reading it makes nothing.
 */
export type Fields = Readonly<Record<string, unknown>>;

const none: Fields = {};
const empty: readonly Fields[] = [];

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The object at a path of names; empty when there is none. */
export function fieldsAt(value: unknown, a: string, b?: string, c?: string): Fields {
  const found = valueAt(value, a, b, c);
  return isFields(found) ? found : none;
}

/** The objects of the list at a path; a single object counts as a list of one. */
export function listAt(value: unknown, a: string, b?: string, c?: string): readonly Fields[] {
  const found = valueAt(value, a, b, c);
  if (found === undefined) return empty;
  if (!Array.isArray(found)) return isFields(found) ? [found] : empty;
  for (const item of found) if (!isFields(item)) return found.filter(isFields);
  return found as Fields[];
}

/** The text at a path, trimmed; '' when it is none. */
export function textAt(value: unknown, a: string, b?: string, c?: string): string {
  const found = valueAt(value, a, b, c);
  return typeof found === 'string' ? found.trim() : '';
}

/** The texts of the list at a path. */
export function textsAt(value: unknown, a: string, b?: string): string[] {
  const found = valueAt(value, a, b);
  if (!Array.isArray(found)) return [];
  return found.filter((text): text is string => typeof text === 'string' && text.trim() !== '');
}

export function numberAt(value: unknown, a: string, b?: string, c?: string): number | undefined {
  const found = valueAt(value, a, b, c);
  return typeof found === 'number' && Number.isFinite(found) ? found : undefined;
}

export function booleanAt(value: unknown, a: string, b?: string): boolean | undefined {
  const found = valueAt(value, a, b);
  return typeof found === 'boolean' ? found : undefined;
}

function valueAt(value: unknown, a: string, b?: string, c?: string): unknown {
  if (!isFields(value)) return undefined;
  const first = value[a];
  if (b === undefined || first === undefined) return first;
  if (!isFields(first)) return undefined;
  const second = first[b];
  if (c === undefined || second === undefined) return second;
  return isFields(second) ? second[c] : undefined;
}

/** Unicode's Cc: C0, DEL and C1. */
export function holdsControl(text: string): boolean {
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    if (unit < 0x20 || (unit >= 0x7f && unit <= 0x9f)) return true;
  }
  return false;
}

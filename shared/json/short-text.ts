const MAX_LENGTH = 200;

/** A stored value of any type as a short text, for names in reports. Never throws. */
export function shortText(value: unknown): string {
  if (typeof value === 'string') return value.slice(0, MAX_LENGTH);
  if (typeof value !== 'object' || value === null) return String(value).slice(0, MAX_LENGTH);
  try {
    return JSON.stringify(value).slice(0, MAX_LENGTH);
  } catch {
    return 'a value without a text';
  }
}

/** @returns the item at an index that the caller knows to be within the list. */
export function itemAt<T>(list: readonly T[], index: number): T {
  const item = list[index];
  if (item === undefined) throw new RangeError(`a list of ${list.length} items has no item ${index}`);
  return item;
}

/** Narrows parsed JSON or a message to an object with unknown fields. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** Splits a list of names that is written as one text. */
export const words = (text: string): readonly string[] => text.trim().split(/\s+/);

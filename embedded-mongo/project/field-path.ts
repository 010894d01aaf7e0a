import { fail } from '../errors.js';

/** Rejects a path that names no field, with MongoDB's code for each mistake. */
export function requireFieldPath(path: string): void {
  if (path === '') fail(40_352, 'FieldPath cannot be constructed with empty string');
  if (path.endsWith('.')) fail(40_353, "FieldPath must not end with a '.'.");
  const names = path.split('.');
  if (names.includes('')) fail(15_998, 'FieldPath field names may not be empty strings.');
  if (names.some((name) => name.startsWith('$')))
    fail(16_410, "FieldPath field names may not start with '$'. Consider using $getField or $setField.");
}

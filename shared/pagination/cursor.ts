import { problem } from '../errors/problem.js';

/** Pages hold 1–500 items, 50 by default (api.md section 1). */
export const DEFAULT_PAGE_LIMIT = 50;
export const MAX_PAGE_LIMIT = 500;

/** A page of a keyset-ordered list. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly next_cursor: string | null;
}

/** The same page with its items mapped. */
export const mapPage = <From, To>({ items, next_cursor }: Page<From>, map: (item: From) => To): Page<To> => ({
  items: items.map(map),
  next_cursor,
});

/** The place after the last item shown: its sort time in ms and its id. */
export interface Keyset {
  readonly atMs: number;
  readonly id: string;
}

/**
 * An opaque cursor over (time, id). It names a place, not a right: the list it continues is bound to the caller's
 * tenant anyway, so a foreign cursor shows nothing foreign.
 */
export const encodeCursor = (place: Keyset): string =>
  Buffer.from(JSON.stringify([1, place.atMs, place.id])).toString('base64url');

/** Beyond it ECMAScript has no date. */
const MAX_DATE_MS = 8.64e15;

/** @throws VALIDATION_ERROR when the text is no cursor of ours. */
export function decodeCursor(text: string): Keyset {
  const refuse = () =>
    problem('VALIDATION_ERROR', {
      errors: [{ path: '/cursor', code: 'cursor', message: 'Must be the next_cursor of a page of this list.' }],
    });
  let parsed: unknown;
  try {
    parsed = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  } catch {
    throw refuse();
  }
  if (!Array.isArray(parsed) || parsed.length !== 3) throw refuse();
  const [version, atMs, id]: readonly unknown[] = parsed;
  if (version !== 1 || typeof atMs !== 'number' || !Number.isSafeInteger(atMs) || typeof id !== 'string')
    throw refuse();
  if (Math.abs(atMs) > MAX_DATE_MS) throw refuse();
  return { atMs, id };
}

/** Cuts `limit + 1` fetched rows to a page; the extra row shows that there are more. */
export function pageOf<T>(rows: readonly T[], limit: number, place: (row: T) => Keyset): Page<T> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, next_cursor: rows.length > limit && last !== undefined ? encodeCursor(place(last)) : null };
}

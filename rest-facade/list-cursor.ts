import { equalInConstantTime, hmacSha256 } from '../shared/crypto/hash.js';
import type { MasterKey } from '../shared/crypto/master-key.js';
import { fault, problem } from '../shared/errors/problem.js';
import type { Route } from './route.js';

const MARK_BYTES = 9;
const SEPARATOR = '.';

/** Returns whether the list has cursors. */
export const isPaged = (route: Pick<Route, 'query'>): boolean => Object.hasOwn(route.query ?? {}, 'cursor');

/**
 * Cursors for clients: the graph's cursor with a mark for one list of one tenant. The facade rejects other cursors, and the
 * graph limits every list to the caller's tenant.
 */
export class ListCursors {
  readonly #key: Buffer;

  constructor(masterKey: Pick<MasterKey, 'derive'>) {
    this.#key = masterKey.derive('cursor');
  }

  /** @param list names tenant, path, filters and order. */
  seal(cursor: string, list: string): string {
    return `${cursor}${SEPARATOR}${this.#mark(cursor, list).toString('base64url')}`;
  }

  /** @throws VALIDATION_ERROR */
  open(sealed: string, list: string): string {
    const at = sealed.lastIndexOf(SEPARATOR);
    const cursor = sealed.slice(0, Math.max(0, at));
    const mark = Buffer.from(sealed.slice(at + 1), 'base64url');
    if (at > 0 && equalInConstantTime(mark, this.#mark(cursor, list))) return cursor;
    const errors = [fault('/cursor', 'cursor', 'Must be a next_cursor of this list with the same filters.')];
    throw problem('VALIDATION_ERROR', { errors });
  }

  #mark(cursor: string, list: string): Buffer {
    return hmacSha256(this.#key, `${list}\0${cursor}`).subarray(0, MARK_BYTES);
  }
}

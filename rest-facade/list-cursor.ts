import { equalInConstantTime, hmacSha256 } from '../shared/crypto/hash.js';
import type { MasterKey } from '../shared/crypto/master-key.js';
import { fault, problem } from '../shared/errors/problem.js';
import type { Route } from './route.js';

const MARK_BYTES = 9;
const SEPARATOR = '.';

/** Lists that go on by a cursor. */
export const isPaged = (route: Pick<Route, 'query'>): boolean => Object.hasOwn(route.query ?? {}, 'cursor');

/**
 * Cursors as clients hold them: the graph's own, marked for one list of one tenant. What is no cursor of that list is
 * refused at the edge; the graph binds every list to the caller's tenant besides.
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
    const errors = [fault('/cursor', 'cursor', 'Not a cursor that this list gave out with these filters.')];
    throw problem('VALIDATION_ERROR', { errors });
  }

  #mark(cursor: string, list: string): Buffer {
    return hmacSha256(this.#key, `${list}\0${cursor}`).subarray(0, MARK_BYTES);
  }
}

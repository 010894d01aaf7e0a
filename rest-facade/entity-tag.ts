import { hash } from 'node:crypto';
import type { Route } from './route.js';

/**
 * A strong entity tag: a hash of the bytes of the answer (RFC 9110 section 8.8.3). Half of SHA-256 is enough to distinguish
 * versions of one record.
 */
export const entityTagOf = (body: string): string => `"${hash('sha256', body, 'base64url').slice(0, 22)}"`;

/** Returns whether If-None-Match has the tag or `*`, compared weakly (RFC 9110 section 13.1.2). */
export function matchesEntityTag(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  return ifNoneMatch.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === tag);
}

/** Single records have a tag: their path ends with the identifier. */
export const isTagged = (route: Route): boolean =>
  route.method === 'GET' && (route.entityTag === true || route.path.endsWith('}'));

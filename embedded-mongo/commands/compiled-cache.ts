import { encodeDocument } from '../bson/encode.js';
import type { BsonDoc } from '../bson/value.js';
import { compileMatcher, type Matcher } from '../match/matcher.js';

/** Filters of the same bytes come again and again (pollers, agenda): their matchers are kept. */
const maxCached = 512;
const maxCachedBytes = 2_048;
/** Below this size compiling is no dearer than looking up, and such filters (one key, one value) hardly repeat. */
const minCachedBytes = 96;
const cache = new Map<string, Matcher>();

export function matcherFor(filter: BsonDoc): Matcher {
  const bytes = encodeDocument(filter);
  if (bytes.length < minCachedBytes || bytes.length > maxCachedBytes) return compileMatcher(filter);
  const key = bytes.toString('latin1');
  const known = cache.get(key);
  if (known) return known;
  const matcher = compileMatcher(filter);
  const oldest = cache.size >= maxCached ? cache.keys().next().value : undefined;
  if (oldest !== undefined) cache.delete(oldest);
  cache.set(key, matcher);
  return matcher;
}

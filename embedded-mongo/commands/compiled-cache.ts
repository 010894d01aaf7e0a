import { encodeDocument } from '../bson/encode.js';
import { BsonDoc } from '../bson/value.js';
import type { Collation } from '../compare/collation.js';
import { collatedExpressions, compileMatcher, type Matcher } from '../match/matcher.js';
import { expressionsOf, type QueryScope } from './query-scope.js';

/** Filters of the same bytes come again and again (pollers, agenda): their matchers are kept. */
const maxCached = 512;
const maxCachedBytes = 2_048;
/** Below this size compiling is no dearer than looking up, and such filters (one key, one value) hardly repeat. */
const minCachedBytes = 96;
/** Lists of more points than this are keys of one moment: the same list hardly comes again. */
const maxKeptPoints = 16;
const leastElementBytes = 16;
const cache = new Map<string, Matcher>();

/** A point by key, or a long list of points: known without encoding it. `$`-operators at the top may hold expressions. */
function isWorthKeeping({ keys, values }: BsonDoc): boolean {
  if (keys.some((key) => key.startsWith('$'))) return true;
  let sizeBytes = 0;
  for (const value of values) {
    if (typeof value === 'string') sizeBytes += value.length;
    if (!(value instanceof BsonDoc)) continue;
    const [first] = value.values;
    if (value.keys[0] === '$in' && Array.isArray(first) && first.length > maxKeptPoints) return false;
    sizeBytes += minCachedBytes;
  }
  return sizeBytes + keys.length * leastElementBytes > minCachedBytes;
}

/** Only these look beyond the document: at variables, at the clock, at chance. */
const expressionMarks = ['$expr\0', '$sampleRate\0'].map((mark) => Buffer.from(mark));

/** They stand at the top, or below `$and`, `$or` and `$nor`: a filter of plain fields need not be searched. */
function looksBeyond(filter: BsonDoc, bytes: Buffer): boolean {
  return filter.keys.some((key) => key.startsWith('$')) && expressionMarks.some((mark) => bytes.includes(mark));
}

export function matcherFor(filter: BsonDoc, scope?: QueryScope, collation?: Collation): Matcher {
  if (!isWorthKeeping(filter)) return compileMatcher(filter, collatedExpressions(collation));
  const bytes = encodeDocument(filter);
  if (scope && looksBeyond(filter, bytes)) return compileMatcher(filter, expressionsOf(scope, collation));
  const expressions = collatedExpressions(collation);
  if (bytes.length < minCachedBytes || bytes.length > maxCachedBytes) return compileMatcher(filter, expressions);
  const key = `${bytes.toString('latin1')}${collation?.id ?? ''}`;
  const known = cache.get(key);
  if (known) return known;
  const matcher = compileMatcher(filter, expressions);
  const oldest = cache.size >= maxCached ? cache.keys().next().value : undefined;
  if (oldest !== undefined) cache.delete(oldest);
  cache.set(key, matcher);
  return matcher;
}

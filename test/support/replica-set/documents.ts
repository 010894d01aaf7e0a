import { isDeepStrictEqual } from 'node:util';
import { BSON, type Document } from 'mongodb';

// The part of MongoDB's query language that the service's appends and leases use. Anything else is an error of the test.

/** The documents of one node, or of its majority, by collection and `_id`. */
export type Documents = Map<string, Map<string, Document>>;

/** One write: the document after it, or null for a deleted one. */
export interface Entry {
  readonly collection: string;
  readonly key: string;
  readonly document: Document | null;
}

export const keyOf = (id: unknown): string => Buffer.from(BSON.serialize({ id })).toString('base64');

export function apply(documents: Documents, { collection, key, document }: Entry): void {
  const found = documents.get(collection) ?? new Map<string, Document>();
  documents.set(collection, found);
  if (document === null) found.delete(key);
  else found.set(key, document);
}

/** Runs a find command; the whole answer is one batch. */
export function find(documents: Documents, { find: collection, filter = {}, sort, limit }: Document): Document[] {
  const all = [...(documents.get(collection)?.values() ?? [])].filter((document) => matches(document, filter));
  const order = Object.entries<number>(sort ?? {});
  all.sort((a, b) => {
    for (const [path, direction] of order) {
      const compared = compare(valueAt(a, path), valueAt(b, path));
      if (compared !== 0) return compared * direction;
    }
    return 0;
  });
  return limit > 0 ? all.slice(0, limit) : all;
}

export function matches(document: Document, filter: Document): boolean {
  return Object.entries<unknown>(filter).every(([path, wanted]) => {
    if (path === '$and') return (wanted as Document[]).every((part) => matches(document, part));
    const value = valueAt(document, path);
    const isOperators = isPlain(wanted) && Object.keys(wanted)[0]?.startsWith('$') === true;
    if (!isOperators) return isDeepStrictEqual(value, wanted);
    return Object.entries<unknown>(wanted).every(([operator, argument]) => holds(operator, value, argument));
  });
}

function holds(operator: string, value: unknown, argument: unknown): boolean {
  if (operator === '$exists') return (value !== undefined) === argument;
  if (operator === '$in') return (argument as unknown[]).some((each) => isDeepStrictEqual(value, each));
  if (value === undefined) return false;
  const compared = compare(value, argument);
  if (operator === '$gte') return compared >= 0;
  if (operator === '$gt') return compared > 0;
  if (operator === '$lte') return compared <= 0;
  if (operator === '$lt') return compared < 0;
  throw new Error(`the fake replica set does not know ${operator}`);
}

const isPlain = (value: unknown): value is Document =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

const valueAt = (document: Document, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => (isPlain(value) ? value[name] : undefined), document);

/** MongoDB's order for the types in use: numbers, text and times; documents member by member. */
function compare(a: unknown, b: unknown): number {
  if (isPlain(a) && isPlain(b)) {
    const [left, right] = [Object.values<unknown>(a), Object.values<unknown>(b)];
    for (let i = 0; i < Math.min(left.length, right.length); i++) {
      const compared = compare(left[i], right[i]);
      if (compared !== 0) return compared;
    }
    return left.length - right.length;
  }
  if (a instanceof Date && b instanceof Date) return a.getTime() - b.getTime();
  if (typeof a === typeof b && (typeof a === 'number' || typeof a === 'string')) {
    return Number((a as string) > (b as string)) - Number((a as string) < (b as string));
  }
  throw new Error(`the fake replica set cannot compare ${typeof a} with ${typeof b}`);
}

import { createHash } from 'node:crypto';

// RFC 6962 section 2.1, word for word and slowly: what the fast code is compared with.

const h = (...parts: readonly Uint8Array[]): Buffer => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};

const split = (n: number): number => 2 ** (Math.ceil(Math.log2(n)) - 1);

export function root(entries: readonly Uint8Array[]): Buffer {
  const [only] = entries;
  if (only === undefined) return h();
  if (entries.length === 1) return h(Buffer.of(0), only);
  const k = split(entries.length);
  return h(Buffer.of(1), root(entries.slice(0, k)), root(entries.slice(k)));
}

export function path(m: number, entries: readonly Uint8Array[]): Buffer[] {
  if (entries.length === 1) return [];
  const k = split(entries.length);
  const [left, right] = [entries.slice(0, k), entries.slice(k)];
  return m < k ? [...path(m, left), root(right)] : [...path(m - k, right), root(left)];
}

export function subproof(m: number, entries: readonly Uint8Array[], known: boolean): Buffer[] {
  if (m === entries.length) return known ? [] : [root(entries)];
  const k = split(entries.length);
  const [left, right] = [entries.slice(0, k), entries.slice(k)];
  return m <= k ? [...subproof(m, left, known), root(right)] : [...subproof(m - k, right, false), root(left)];
}

/** Entry n of the tests' trees. */
export const entry = (n: number): Buffer => createHash('sha256').update(`entry ${n}`).digest();
export const entries = (count: number): Buffer[] => Array.from({ length: count }, (_, n) => entry(n));

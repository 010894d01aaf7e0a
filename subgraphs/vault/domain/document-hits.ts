import { sha256Hex } from '../../../shared/crypto/hash.js';
import { fault, problem } from '../../../shared/errors/problem.js';
import { canonicalJson } from '../../../shared/json/canonical.js';
import type { JsonValue } from '../../../shared/json/strict-json.js';

/** The place of a hit in the order of hits: score, then time, both falling, then id. */
export interface FoundPlace {
  readonly score: number;
  readonly atMs: number;
  readonly id: string;
}

/** Negative where `a` comes first. */
export const compareFound = (a: FoundPlace, b: FoundPlace): number =>
  b.score - a.score || b.atMs - a.atMs || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);

const VERSION = 1;
const MARK_LENGTH = 12;

/** Names the search: a cursor is good for no other. */
export const searchMark = (search: unknown): string =>
  sha256Hex(canonicalJson(search as JsonValue)).slice(0, MARK_LENGTH);

export const encodeFoundCursor = (mark: string, { score, atMs, id }: FoundPlace): string =>
  Buffer.from(JSON.stringify([VERSION, mark, score, atMs, id])).toString('base64url');

/** @throws VALIDATION_ERROR when the text is no cursor of this search. */
export function decodeFoundCursor(text: string, mark: string): FoundPlace {
  let parsed: unknown;
  try {
    parsed = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  } catch {
    throw noCursor();
  }
  const [version, known, score, atMs, id] = Array.isArray(parsed) ? (parsed as unknown[]) : [];
  if (version !== VERSION || known !== mark || typeof id !== 'string') throw noCursor();
  if (typeof score !== 'number' || typeof atMs !== 'number') throw noCursor();
  return { score, atMs, id };
}

const noCursor = () =>
  problem('VALIDATION_ERROR', { errors: [fault('/cursor', 'cursor', 'Not a cursor that this search gave out.')] });

export interface DocumentFacetCount {
  readonly value: string;
  readonly count: number;
}

interface Faceted {
  readonly document_type: string | null;
  readonly media_type: string;
  readonly source_system: string | null;
  readonly atMs: number;
}

const MAX_FACET_VALUES = 20;

/** Hits by value, the most frequent first; a hit without a value is in no count. */
export const facetsOfDocuments = (hits: readonly Faceted[]) => ({
  document_type: countBy(hits, (hit) => hit.document_type),
  media_type: countBy(hits, (hit) => hit.media_type),
  source_system: countBy(hits, (hit) => hit.source_system),
  month: countBy(hits, (hit) => new Date(hit.atMs).toISOString().slice(0, 7)),
});

function countBy(hits: readonly Faceted[], namedBy: (hit: Faceted) => string | null): DocumentFacetCount[] {
  const counts = new Map<string, number>();
  for (const hit of hits) {
    const value = namedBy(hit);
    if (value !== null) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return [...counts]
    .map(([value, count]) => ({ value, count }))
    .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
    .slice(0, MAX_FACET_VALUES);
}

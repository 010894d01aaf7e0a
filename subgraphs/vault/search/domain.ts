import { sha256Hex } from '../../../shared/crypto/hash.js';
import { fault, problem } from '../../../shared/errors/problem.js';
import { canonicalJson } from '../../../shared/json/canonical.js';
import type { JsonValue } from '../../../shared/json/strict-json.js';
import type { WeightedText } from '../../../shared/text/searched-text.js';

/** Position of a hit: by falling score, then falling time, then id. */
export interface HitPlace {
  readonly score: number;
  readonly atMs: number;
  readonly id: string;
}

/** Negative if `a` comes first. */
export const compareHits = (a: HitPlace, b: HitPlace): number =>
  b.score - a.score || b.atMs - a.atMs || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);

const VERSION = 1;
const MARK_LENGTH = 12;

/** Identifies the search: a cursor is valid for no other. */
export const searchMark = (search: JsonValue): string => sha256Hex(canonicalJson(search)).slice(0, MARK_LENGTH);

export const encodeHitCursor = (mark: string, { score, atMs, id }: HitPlace): string =>
  Buffer.from(JSON.stringify([VERSION, mark, score, atMs, id])).toString('base64url');

/** @throws VALIDATION_ERROR if the text is not a cursor of this search */
export function decodeHitCursor(text: string, mark: string): HitPlace {
  let parsed: unknown;
  try {
    parsed = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  } catch {
    throw noCursor();
  }
  const [version, known, score, atMs, id]: unknown[] = Array.isArray(parsed) ? parsed : [];
  if (version !== VERSION || known !== mark || typeof id !== 'string') throw noCursor();
  if (typeof score !== 'number' || typeof atMs !== 'number') throw noCursor();
  return { score, atMs, id };
}

const noCursor = () =>
  problem('VALIDATION_ERROR', { errors: [fault('/cursor', 'cursor', 'Must be a cursor of this search.')] });

interface DocumentFacetCount {
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

/** Counts hits by value, the most frequent first; hits without a value are not counted. */
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

/** The descriptive members of a document, which never change after the upload. */
interface DescribedDocument {
  readonly document_id: string;
  readonly title: string | null;
  readonly document_type: string | null;
  readonly source_system: string | null;
  readonly filename: string;
  readonly tags: readonly string[];
  readonly member_ids: readonly string[];
}

interface DescribingText extends WeightedText {
  /** Place in the record, as a JSON Pointer (RFC 6901). */
  readonly pointer: string;
}

// Weights as for identifiers, codes and reasons of events (docs/search.md "Answer").
const IDENTIFIER = 4;
const CODE = 3;
const NOTE = 2;

/**
 * Returns the searchable texts of a record. Not its hash: readers of a rendition must not learn that of the original.
 */
export const describingTexts = (document: DescribedDocument): readonly DescribingText[] => [
  ...some('/title', document.title, CODE),
  ...some('/document_type', document.document_type, CODE),
  { pointer: '/filename', text: document.filename, weight: NOTE },
  ...document.tags.map((text, i) => ({ pointer: `/tags/${i}`, text, weight: CODE })),
  ...some('/source_system', document.source_system, NOTE),
  ...document.member_ids.map((text, i) => ({ pointer: `/member_ids/${i}`, text, weight: IDENTIFIER })),
  { pointer: '/document_id', text: document.document_id, weight: IDENTIFIER },
];

const some = (pointer: string, text: string | null, weight: number): readonly DescribingText[] =>
  text === null ? [] : [{ pointer, text, weight }];

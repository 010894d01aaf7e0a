import { sha256Hex } from '../../../../shared/crypto/hash.js';
import { problem } from '../../../../shared/errors/problem.js';
import type { JsonValue } from '../../../../shared/json/strict-json.js';

/** The place after the last hit shown, in the order of hits: score and time descending, then id. */
interface HitPlace {
  readonly score: number;
  readonly atMs: number;
  readonly id: string;
}

/** State with which the next page continues after the last one, whatever was indexed in between. */
export interface SearchCursor {
  readonly after: HitPlace;
  /** See Looked.floorMs: later pages look back as far as the first one. */
  readonly floorMs: number | null;
  /** Events in all, and events found for each weighed term: all pages compute scores from the same counts. */
  readonly total: number;
  readonly counts: readonly number[];
}

const VERSION = 1;
const MARK_LENGTH = 12;

/** Identifies the search: a cursor is valid for no other. */
export const markOf = (search: JsonValue): string => sha256Hex(JSON.stringify(search)).slice(0, MARK_LENGTH);

export function encodeSearchCursor(mark: string, { after, floorMs, total, counts }: SearchCursor): string {
  const parts = [VERSION, mark, after.score, after.atMs, after.id, floorMs, total, ...counts];
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

/** @throws VALIDATION_ERROR if the text is no cursor of this search. */
export function decodeSearchCursor(text: string, mark: string, counted: number): SearchCursor {
  const refuse = () =>
    problem('VALIDATION_ERROR', {
      errors: [{ path: '/cursor', code: 'cursor', message: 'Must be a cursor that this search returned.' }],
    });
  let parsed: unknown;
  try {
    parsed = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  } catch {
    throw refuse();
  }
  if (!Array.isArray(parsed)) throw refuse();
  const parts: unknown[] = parsed;
  const [version, known, score, atMs, id, floorMs, total, ...counts] = parts;
  if (version !== VERSION || known !== mark || typeof id !== 'string') throw refuse();
  if (!isScore(score) || !isDate(atMs) || !isCount(total)) throw refuse();
  if (floorMs !== null && !isDate(floorMs)) throw refuse();
  if (counts.length !== counted || !counts.every(isCount)) throw refuse();
  return { after: { score, atMs, id }, floorMs, total, counts };
}

/** ECMAScript has no dates beyond it. */
const MAX_DATE_MS = 8.64e15;
const isScore = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);
const isDate = (value: unknown): value is number =>
  Number.isSafeInteger(value) && Math.abs(Number(value)) <= MAX_DATE_MS;
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

/** Negative if `a` comes first. */
export const compareHits = (a: HitPlace, b: HitPlace): number =>
  b.score - a.score || b.atMs - a.atMs || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);

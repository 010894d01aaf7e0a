import { sha256Hex } from '../../../shared/crypto/hash.js';
import { problem } from '../../../shared/errors/problem.js';
import type { JsonValue } from '../../../shared/json/strict-json.js';

/** The place after the last hit shown, in the order of hits: score, then time, both falling, then id. */
export interface HitPlace {
  readonly score: number;
  readonly atMs: number;
  readonly id: string;
}

/** What makes the next page go on where the last one ended, whatever came in between. */
export interface SearchCursor {
  readonly after: HitPlace;
  /** See Looked.floorMs: later pages look as far back as the first one did. */
  readonly floorMs: number | null;
  /** Events in all, and events found for each weighed term: scores are reckoned with the same on every page. */
  readonly total: number;
  readonly counts: readonly number[];
}

const VERSION = 1;
const MARK_LENGTH = 12;

/** Names the search: a cursor is good for no other. */
export const markOf = (search: JsonValue): string => sha256Hex(JSON.stringify(search)).slice(0, MARK_LENGTH);

export function encodeSearchCursor(mark: string, { after, floorMs, total, counts }: SearchCursor): string {
  const parts = [VERSION, mark, after.score, after.atMs, after.id, floorMs, total, ...counts];
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

/** @throws VALIDATION_ERROR when the text is no cursor of this search. */
export function decodeSearchCursor(text: string, mark: string, counted: number): SearchCursor {
  const refuse = () =>
    problem('VALIDATION_ERROR', {
      errors: [{ path: '/cursor', code: 'cursor', message: 'Not a cursor that this search gave out.' }],
    });
  let parsed: unknown;
  try {
    parsed = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  } catch {
    throw refuse();
  }
  if (!Array.isArray(parsed)) throw refuse();
  const [version, known, score, atMs, id, floorMs, total, ...counts] = parsed as unknown[];
  if (version !== VERSION || known !== mark || typeof id !== 'string') throw refuse();
  if (!isScore(score) || !isDate(atMs) || !isCount(total)) throw refuse();
  if (floorMs !== null && !isDate(floorMs)) throw refuse();
  if (counts.length !== counted || !counts.every(isCount)) throw refuse();
  return { after: { score, atMs, id }, floorMs, total, counts: counts as number[] };
}

/** Beyond it ECMAScript has no date. */
const MAX_DATE_MS = 8.64e15;
const isScore = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);
const isDate = (value: unknown): value is number =>
  Number.isSafeInteger(value) && Math.abs(Number(value)) <= MAX_DATE_MS;
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

/** Negative where `a` comes first. */
export const compareHits = (a: HitPlace, b: HitPlace): number =>
  b.score - a.score || b.atMs - a.atMs || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);

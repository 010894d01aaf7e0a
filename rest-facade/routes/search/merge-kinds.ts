import { fault, problem } from '../../../shared/errors/problem.js';
import { isJsonObject, type JsonObject } from '../../../shared/json/strict-json.js';

/** What one kind of record found: its hits by falling score, and the cursor after each. */
export interface KindPage {
  readonly items: readonly (JsonObject & { readonly score: number })[];
  readonly cursors: readonly string[];
  readonly next_cursor: string | null;
}

/** Where each kind goes on; a kind without an entry begins, one with null is at its end. */
export type KindCursors = Readonly<Record<string, string | null>>;

export interface MergedPage {
  readonly items: readonly JsonObject[];
  /** Null when every kind is at its end. */
  readonly next: KindCursors | null;
}

/**
 * One page out of pages of several kinds, by falling score; among equals the kind named first comes first. Scores of kinds
 * are comparable (shared/text/score.ts). What is not shown is asked for again by the next page.
 *
 * @param before where the kinds stood before these pages.
 */
export function mergeKinds(pages: Readonly<Record<string, KindPage>>, limit: number, before: KindCursors): MergedPage {
  const places = new Map(Object.keys(pages).map((kind) => [kind, 0]));
  const items: JsonObject[] = [];
  while (items.length < limit) {
    const best = bestOf(pages, places);
    if (best === undefined) break;
    const place = places.get(best) ?? 0;
    items.push({ kind: best, ...pages[best]?.items[place] });
    places.set(best, place + 1);
  }
  const next: Record<string, string | null> = { ...before };
  for (const [kind, shown] of places) {
    const page = pages[kind];
    if (!page) continue;
    if (shown === page.items.length) next[kind] = page.next_cursor;
    else if (shown > 0) next[kind] = page.cursors[shown - 1] ?? null;
  }
  const goesOn = Object.keys(pages).some((kind) => next[kind] !== null);
  return { items, next: goesOn ? next : null };
}

function bestOf(pages: Readonly<Record<string, KindPage>>, places: ReadonlyMap<string, number>): string | undefined {
  let best: string | undefined;
  let bestScore = Number.NEGATIVE_INFINITY;
  for (const [kind, place] of places) {
    const score = pages[kind]?.items[place]?.score;
    if (score !== undefined && score > bestScore) [best, bestScore] = [kind, score];
  }
  return best;
}

const VERSION = 1;

export const encodeKindCursors = (cursors: KindCursors): string =>
  Buffer.from(JSON.stringify({ v: VERSION, ...cursors })).toString('base64url');

/** @throws VALIDATION_ERROR when the text is no cursor over these kinds. */
export function decodeKindCursors(text: string, kinds: readonly string[]): KindCursors {
  let parsed: unknown;
  try {
    parsed = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  } catch {
    throw notACursor();
  }
  if (!isJsonObject(parsed) || parsed['v'] !== VERSION) throw notACursor();
  const { v: _, ...cursors } = parsed;
  for (const [kind, cursor] of Object.entries(cursors)) {
    if (!kinds.includes(kind) || (cursor !== null && typeof cursor !== 'string')) throw notACursor();
  }
  return cursors as KindCursors;
}

const notACursor = () =>
  problem('VALIDATION_ERROR', { errors: [fault('/cursor', 'cursor', 'Not a cursor that this search gave out.')] });

import { fault, problem } from '../../../shared/errors/problem.js';
import { isJsonObject } from '../../../shared/json/strict-json.js';

/** The hits of one kind by falling score, and the cursor after each. */
interface Hit {
  readonly score: number;
  readonly [member: string]: unknown;
}

export interface KindPage {
  readonly items: readonly Hit[];
  readonly cursors: readonly string[];
  readonly next_cursor: string | null;
}

/** The next cursor of each kind; a kind without an entry begins, null marks its end. */
export type KindCursors = Readonly<Record<string, string | null>>;

interface MergedPage {
  readonly items: readonly Readonly<Record<string, unknown>>[];
  /** Null when every kind is at its end. */
  readonly next: KindCursors | null;
}

/**
 * Merges pages of several kinds into one by falling score; equal scores keep the order of the kinds. Scores of kinds are
 * comparable (shared/text/score.ts). The next page reads the hits again that this one leaves out.
 *
 * @param before the cursors that these pages were read with.
 */
export function mergeKinds(pages: Readonly<Record<string, KindPage>>, limit: number, before: KindCursors): MergedPage {
  const places = new Map(Object.keys(pages).map((kind) => [kind, 0]));
  const items: Record<string, unknown>[] = [];
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

/** @throws VALIDATION_ERROR for a text that is not a cursor over these kinds. */
export function decodeKindCursors(text: string, kinds: readonly string[]): KindCursors {
  let parsed: unknown;
  try {
    parsed = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  } catch {
    throw notACursor();
  }
  if (!isJsonObject(parsed) || parsed['v'] !== VERSION) throw notACursor();
  const cursors: Record<string, string | null> = {};
  for (const [kind, cursor] of Object.entries(parsed)) {
    if (kind === 'v') continue;
    if (!kinds.includes(kind) || (cursor !== null && typeof cursor !== 'string')) throw notACursor();
    cursors[kind] = cursor;
  }
  return cursors;
}

const notACursor = () =>
  problem('VALIDATION_ERROR', { errors: [fault('/cursor', 'cursor', 'Must be a cursor that this search returned.')] });

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  decodeKindCursors,
  encodeKindCursors,
  type KindCursors,
  type KindPage,
  mergeKinds,
} from '../../rest-facade/routes/search/merge-kinds.js';
import {
  compareHits,
  decodeSearchCursor,
  encodeSearchCursor,
  markOf,
} from '../../subgraphs/ledger/search/domain/cursor.js';

describe('a search cursor', () => {
  const cursor = {
    after: { score: 0.25, atMs: 1_772_460_669_123, id: 'evt_1' },
    floorMs: null,
    total: 9,
    counts: [3, 4],
  };
  const mark = markOf(['knee', null]);

  it('carries the statistics that scores need', () => {
    expect(decodeSearchCursor(encodeSearchCursor(mark, cursor), mark, 2)).toEqual(cursor);
    const floored = { ...cursor, floorMs: -5 };
    expect(decodeSearchCursor(encodeSearchCursor(mark, floored), mark, 2)).toEqual(floored);
  });

  it.each([
    ['of another search', encodeSearchCursor(markOf(['hip', null]), cursor)],
    ['with another number of terms', encodeSearchCursor(mark, { ...cursor, counts: [1] })],
    ['with a negative count', encodeSearchCursor(mark, { ...cursor, counts: [1, -1] })],
    [
      'with a score that is none',
      encodeSearchCursor(mark, { ...cursor, after: { ...cursor.after, score: Number.NaN } }),
    ],
    ['that is no JSON', 'AAAA'],
    ['that is no list', Buffer.from('{}').toString('base64url')],
    ['that is cut', encodeSearchCursor(mark, cursor).slice(0, -3)],
  ])('%s is rejected', (_what, text) => {
    expect(() => decodeSearchCursor(text, mark, 2)).toThrow(expect.objectContaining({ code: 'VALIDATION_ERROR' }));
  });

  it('orders hits by score, then newest, then id', () => {
    const hits = [
      { score: 0.5, atMs: 2, id: 'a' },
      { score: 0.5, atMs: 1, id: 'a' },
      { score: 0.5, atMs: 1, id: 'b' },
      { score: 0.1, atMs: 9, id: 'a' },
    ];
    expect([...hits].reverse().sort(compareHits)).toEqual(hits);
  });
});

describe('merging kinds', () => {
  interface Known {
    readonly id: string;
    readonly score: number;
  }

  /** A kind's root field, as it would page over what it knows. */
  const pageOf = (known: readonly Known[], cursor: string | null | undefined, limit: number): KindPage => {
    const from = cursor == null ? 0 : Number(cursor);
    const items = known.slice(from, from + limit).map(({ id, score }) => ({ id, score }));
    const end = from + items.length;
    return {
      items,
      cursors: items.map((_, i) => String(from + i + 1)),
      next_cursor: end < known.length ? String(end) : null,
    };
  };
  const ended: KindPage = { items: [], cursors: [], next_cursor: null };

  it('shows every hit of every kind once, by descending score, for every page length', () => {
    const scores = fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 12 });
    fc.assert(
      fc.property(scores, scores, fc.integer({ min: 1, max: 5 }), (a, b, limit) => {
        const kinds = Object.entries({ event: a, document: b }).map(([kind, list]) => {
          const known = [...list].sort((x, y) => y - x).map((score, n) => ({ id: `${kind}-${n}`, score }));
          return [kind, known] as const;
        });
        const shown: Known[] = [];
        let cursors: KindCursors = {};
        for (let page = 0; page < 40; page++) {
          const pages = Object.fromEntries(
            kinds.map(([kind, known]) => [kind, cursors[kind] === null ? ended : pageOf(known, cursors[kind], limit)]),
          );
          const merged = mergeKinds(pages, limit, cursors);
          shown.push(...(merged.items as unknown as Known[]));
          if (merged.next === null) break;
          cursors = decodeKindCursors(encodeKindCursors(merged.next), ['event', 'document']);
        }
        expect(shown.map(({ id }) => id).sort()).toEqual(
          kinds.flatMap(([, known]) => known.map(({ id }) => id)).sort(),
        );
        expect(shown.map(({ score }) => score)).toEqual([...a, ...b].sort((x, y) => y - x));
      }),
      { seed: 3, numRuns: 300 },
    );
  });

  it('rejects a cursor over another kind or without one', () => {
    const refused = expect.objectContaining({ code: 'VALIDATION_ERROR' });
    expect(() => decodeKindCursors(encodeKindCursors({ document: 'x' }), ['event'])).toThrow(refused);
    expect(() => decodeKindCursors('e30', ['event'])).toThrow(refused);
    expect(() => decodeKindCursors('!', ['event'])).toThrow(refused);
  });
});

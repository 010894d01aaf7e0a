import { describe, expect, it } from '@jest/globals';
import { mergeTimeline } from '../../rest-facade/routes/members/merge-timeline.js';
import { decodeCursor, type Keyset } from '../../shared/pagination/cursor.js';
import { comparePlaces, partOf, placeOf, type TimelineEntry } from '../../shared/timeline/entry.js';
import { kindsAsked, TIMELINE_KINDS } from '../../shared/timeline/kinds.js';
import { timelineWindow } from '../../shared/timeline/window.js';
import { seeded } from '../support/random.js';

type Order = 'asc' | 'desc';

const entry = (id: string, atMs: number, over: Partial<TimelineEntry> = {}): TimelineEntry => ({
  kind: 'EVENT',
  id,
  at: new Date(atMs).toISOString(),
  member_id: 'M-1',
  type: null,
  status: null,
  source_system: null,
  record: {},
  withheld: null,
  ...over,
});

/** A source that answers like a subgraph: the rows after the place, cut to the limit. */
function pageOf(source: readonly TimelineEntry[], after: Keyset | null, limit: number, order: Order) {
  const sign = order === 'asc' ? 1 : -1;
  const sorted = [...source].sort((a, b) => sign * comparePlaces(placeOf(a), placeOf(b)));
  return partOf(
    sorted.filter((one) => after === null || sign * comparePlaces(placeOf(one), after) > 0),
    limit,
  );
}

function walk(sources: readonly (readonly TimelineEntry[])[], limit: number, order: Order) {
  const ids: string[] = [];
  let withheld = 0;
  for (let after: Keyset | null = null; ; ) {
    const place: Keyset | null = after;
    const page = mergeTimeline(
      sources.map((source) => pageOf(source, place, limit, order)),
      limit,
      order,
    );
    ids.push(...page.items.map(({ id }) => id));
    withheld += page.withheld?.count ?? 0;
    if (page.next_cursor === null) return { ids, withheld };
    after = decodeCursor(page.next_cursor);
  }
}

describe('a merged timeline', () => {
  it.each<[Order, number]>([
    ['asc', 1],
    ['asc', 3],
    ['desc', 2],
    ['desc', 50],
  ])('in order %s by %d shows every record once in order, and counts each withheld record once', (order, limit) => {
    const random = seeded(11);
    const sources = [0, 1, 2, 3].map((source) =>
      Array.from({ length: 17 }, (_, n) =>
        entry(`${source}-${String(n).padStart(2, '0')}`, Math.floor(random() * 6) * 1_000, {
          withheld: random() < 0.3 ? '42CFR2' : null,
        }),
      ),
    );
    const sign = order === 'asc' ? 1 : -1;
    const all = sources.flat().sort((a, b) => sign * comparePlaces(placeOf(a), placeOf(b)));
    const shown = all.filter((one) => one.withheld === null).map(({ id }) => id);
    expect(walk(sources, limit, order)).toEqual({ ids: shown, withheld: all.length - shown.length });
  });

  it('shows nothing beyond the end of a page that has more', () => {
    const [first, second, late] = [entry('a', 1), entry('b', 2), entry('c', 9)] as const;
    const page = mergeTimeline([{ ...partOf([first, second], 1) }, partOf([late], 5)], 5);
    expect(page.items.map(({ id }) => id)).toEqual(['a']);
    expect(page.next_cursor).not.toBeNull();
  });

  it('shows a record under two identifiers of one person once', () => {
    const page = mergeTimeline([partOf([entry('a', 1)], 5), partOf([entry('a', 1, { member_id: 'M-2' })], 5)], 5);
    expect(page.items).toHaveLength(1);
  });
});

describe('the parameters of a timeline', () => {
  it('accept kinds in any case, separated by commas', () => {
    expect(kindsAsked('event, Document')).toEqual(new Set(['EVENT', 'DOCUMENT']));
    expect(kindsAsked(null)).toEqual(new Set(TIMELINE_KINDS));
    expect(kindsAsked('event,toString')).toBeNull();
  });

  it.each([{ kinds: 'none' }, { limit: 0 }, { limit: 501 }, { from: 'yesterday' }, { to: '2026-02-30T00:00:00Z' }])(
    'are rejected for %j',
    (asked) => {
      expect(() => timelineWindow(asked)).toThrow(expect.objectContaining({ code: 'VALIDATION_ERROR' }));
    },
  );
});

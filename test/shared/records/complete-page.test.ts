import { describe, expect, it } from '@jest/globals';
import type { ListWindow } from '../../../shared/db/keyset.js';
import { encodeTime, idTimeMs } from '../../../shared/ids/ids.js';
import { decodeCursor, type Page, pageOf } from '../../../shared/pagination/cursor.js';
import { completePage, type ListedRecords } from '../../../shared/records/complete-page.js';
import type { TimeSpan } from '../../../shared/records/id-span.js';
import { seeded } from '../../support/random.js';

interface Item {
  readonly _id: string;
  readonly atMs: number;
  readonly isListed: boolean;
}

const START_MS = Date.UTC(2026, 0, 1);
const MAX_COMPARED = 5;

/** Records of which several are made in one millisecond; a few rows are created after their identifier. */
function recordsOf(random: () => number, count: number): readonly Item[] {
  return Array.from({ length: count }, (_, n) => {
    const madeMs = START_MS + Math.floor(random() * count * 0.6);
    const _id = `doc_${encodeTime(madeMs)}${String(n).padStart(16, '0')}`;
    return { _id, atMs: madeMs + (random() < 0.2 ? Math.floor(random() * 5) : 0), isListed: random() < 0.2 };
  });
}

const isWithin = (atMs: number, { fromMs, toMs }: TimeSpan): boolean =>
  (fromMs === null || atMs >= fromMs) && (toMs === null || atMs <= toMs);

/** A list over records in memory, with everything that its pages compare. */
class MemoryList {
  readonly compared = new Set<string>();
  mostCompared = 0;
  readonly #records: readonly Item[];
  /** Rows that only a comparison writes. */
  readonly #unwritten: Set<string>;

  constructor(records: readonly Item[], unwritten: readonly string[] = []) {
    this.#records = records;
    this.#unwritten = new Set(unwritten);
  }

  async page(window: ListWindow): Promise<Page<Item>> {
    let compared = 0;
    const read = async () => this.#read(window);
    const list: ListedRecords<Item> = {
      read,
      timeOf: ({ atMs }) => atMs,
      rowIds: async (span, order, limit) => {
        const ids = this.#within(span).filter((id) => !this.#unwritten.has(id));
        return (order === 'asc' ? ids : ids.toReversed()).slice(0, limit);
      },
      recordIds: (span) => inPages(this.#within(span)),
      compare: async (ids) => {
        compared += ids.length;
        for (const id of ids) this.compared.add(id);
        return ids.filter((id) => this.#unwritten.delete(id)).length > 0;
      },
    };
    const page = await completePage(window, await read(), list, MAX_COMPARED);
    this.mostCompared = Math.max(this.mostCompared, compared);
    return page;
  }

  #within(span: TimeSpan): readonly string[] {
    return this.#records.flatMap(({ _id }) => (isWithin(idTimeMs(_id), span) ? [_id] : [])).sort();
  }

  #read({ limit, order, cursor }: ListWindow): Page<Item> {
    const sign = order === 'asc' ? 1 : -1;
    const compare = (a: { atMs: number; _id: string }, b: { atMs: number; _id: string }) =>
      sign * (a.atMs - b.atMs || (a._id < b._id ? -1 : a._id > b._id ? 1 : 0));
    const place = cursor === undefined ? null : decodeCursor(cursor);
    const rows = this.#records
      .filter((item) => item.isListed && !this.#unwritten.has(item._id))
      .filter((item) => place === null || compare(item, { atMs: place.atMs, _id: place.id }) > 0)
      .toSorted(compare);
    return pageOf(rows.slice(0, limit + 1), limit, ({ atMs, _id }) => ({ atMs, id: _id }));
  }
}

async function* inPages(ids: readonly string[]): AsyncGenerator<readonly string[]> {
  for (let at = 0; at < ids.length; at += 3) yield ids.slice(at, at + 3);
}

async function walk(list: MemoryList, window: ListWindow): Promise<readonly string[]> {
  const shown: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const page: Page<Item> = await list.page({ ...window, cursor });
    shown.push(...page.items.map(({ _id }) => _id));
    if (page.next_cursor === null) return shown;
    if (page.next_cursor === cursor) throw new Error('the list makes no progress');
    cursor = page.next_cursor;
  }
}

const SEEDS = Array.from({ length: 40 }, (_, i) => i + 1);

describe.each(['asc', 'desc'] as const)('the pages of a list in the order %s', (order) => {
  it.each(SEEDS)('show every record of the list once and compare all others (seed %i)', async (seed) => {
    const random = seeded(seed);
    const records = recordsOf(random, 10 + Math.floor(random() * 60));
    const list = new MemoryList(records);
    const shown = await walk(list, { limit: 1 + Math.floor(random() * 4), order });
    const sign = order === 'asc' ? 1 : -1;
    const listed = records
      .filter(({ isListed }) => isListed)
      .toSorted((a, b) => sign * (a.atMs - b.atMs || (a._id < b._id ? -1 : 1)));
    expect(shown).toEqual(listed.map(({ _id }) => _id));
    const seen = new Set([...shown, ...list.compared]);
    expect(records.filter(({ _id }) => !seen.has(_id))).toEqual([]);
  });

  it('end early where too many rows lie between two items', async () => {
    const records = Array.from({ length: 40 }, (_, n): Item => {
      const atMs = START_MS + n;
      return { _id: `doc_${encodeTime(atMs)}${'0'.repeat(16)}`, atMs, isListed: n === 20 };
    });
    const list = new MemoryList(records);
    expect(await walk(list, { limit: 10, order })).toEqual([records[20]?._id]);
    expect(list.mostCompared).toBeLessThanOrEqual(MAX_COMPARED + 1);
  });

  it('hide nothing behind a row with an identifier of no time', async () => {
    const records = recordsOf(seeded(9), 60).map((item) => ({ ...item, isListed: true }));
    const stray = records.toSorted((a, b) => (a._id < b._id ? -1 : 1))[20]?._id ?? '';
    const strays = Array.from({ length: 12 }, (_, n): Item => {
      return { _id: `${stray.slice(0, 13)}u${n}`, atMs: START_MS, isListed: false };
    });
    const shown = await walk(new MemoryList([...records, ...strays]), { limit: 3, order });
    expect(shown.toSorted()).toEqual(records.map(({ _id }) => _id).toSorted());
  });

  it('show a row that the comparison of its page has written', async () => {
    const records = recordsOf(seeded(7), 30).map((item) => ({ ...item, isListed: true }));
    const list = new MemoryList(records, [records[4]?._id ?? '', records[9]?._id ?? '']);
    expect((await walk(list, { limit: 50, order })).toSorted()).toEqual(records.map(({ _id }) => _id).toSorted());
  });
});

import { describe, expect, it } from '@jest/globals';
import { ChainCounter } from '../../../subgraphs/ledger/counts/count-chain.js';
import { splitWindow } from '../../../subgraphs/ledger/counts/count-events.js';
import { BLOCK_ENTRIES, coverOf, endOf, gapsOf, mergesOf } from '../../../subgraphs/ledger/counts/domain/blocks.js';
import { type CountedRow, dayOf, EventTally } from '../../../subgraphs/ledger/counts/domain/event-tally.js';
import type { CountBlock, TenantCounts } from '../../../subgraphs/ledger/counts/ports.js';
import { seeded } from '../../support/random.js';

const AT = new Date('2026-03-02T14:11:10.004Z');

/** Entry number `seq` of a chain: kinds and days follow from the number. */
const row = (seq: number): CountedRow => ({
  recorded_at: AT,
  query: {
    effective_at: new Date(AT.getTime() + (seq % 40) * 86_400_000),
    event_family: seq % 3 === 0 ? 'claim' : 'remittance',
    event_type: `type-${seq % 7}`,
    ...(seq % 5 === 0 ? {} : { outcome: seq % 2 === 0 ? 'paid' : 'denied' }),
  },
});

const told = (tally: EventTally): string =>
  [...tally.series()]
    .flatMap(({ by, name, days }) => [...days].map(([day, count]) => `${day} ${by} ${name} ${count}`))
    .sort()
    .join('\n');

const ofText = (text: string): EventTally => {
  const tally = new EventTally();
  tally.addText(text);
  return tally;
};

/** A chain of `length` entries in memory; `reads` counts the entries handed out. */
class MemoryCounts implements TenantCounts {
  length: number;
  reads = 0;
  blocksKept: CountBlock[] = [];

  constructor(length: number) {
    this.length = length;
  }

  blocks = async () => [...this.blocksKept];
  keep = async (_source: string, block: CountBlock) => {
    const known = this.blocksKept.some(({ from_seq, size }) => from_seq === block.from_seq && size === block.size);
    if (!known) this.blocksKept.push(block);
  };
  drop = async (_source: string, gone: readonly { from_seq: number; size: number }[]) => {
    this.blocksKept = this.blocksKept.filter(
      (block) => !gone.some(({ from_seq, size }) => from_seq === block.from_seq && size === block.size),
    );
  };
  rows = async (_source: string, from: number, to: number, limit: number) => {
    const last = Math.min(to, this.length, from + limit - 1);
    const found = Array.from({ length: Math.max(0, last - from + 1) }, (_, i) => row(from + i));
    this.reads += found.length;
    return found;
  };
  recount = async () => [];
  exceptions = async () => [];
  ingests = async () => [];
}

const plainCount = (length: number): string => told(EventTally.of(Array.from({ length }, (_, i) => row(i + 1))));

describe('the tally of a chain', () => {
  it.each([0, 1, 999, 1_000, 1_001, 9_999, 10_000, 25_431])('of %i entries equals a plain count', async (length) => {
    const counts = new MemoryCounts(length);
    expect(told(await new ChainCounter().tally('t', counts, 's'))).toBe(plainCount(length));
    // The same counts from the stored rows, in a process without memory of them.
    expect(told(await new ChainCounter().tally('t', counts, 's'))).toBe(plainCount(length));
  });

  it('reads an entry again only while its block is unfinished, and in the same process never', async () => {
    const counts = new MemoryCounts(12_345);
    const counter = new ChainCounter();
    await counter.tally('t', counts, 's');
    counts.reads = 0;
    await counter.tally('t', counts, 's');
    expect(counts.reads).toBe(0);
    counts.length += 10;
    await counter.tally('t', counts, 's');
    expect(counts.reads).toBe(10);
    counts.reads = 0;
    await new ChainCounter().tally('t', counts, 's');
    expect(counts.reads).toBe(355);
  });

  it('merges blocks by ten, so that a chain of 120,000 entries has three', async () => {
    const counts = new MemoryCounts(120_000);
    await new ChainCounter().tally('t', counts, 's');
    expect(counts.blocksKept.map(({ size }) => size).sort((a, b) => b - a)).toEqual([100_000, 10_000, 10_000]);
  });

  it('survives every crash between storing and dropping, and a lost block', async () => {
    const random = seeded(7);
    const counts = new MemoryCounts(31_700);
    await new ChainCounter().tally('t', counts, 's');
    const small = new MemoryCounts(31_700);
    small.drop = async () => {};
    await new ChainCounter().tally('t', small, 's');
    for (let round = 0; round < 8; round++) {
      const left = [...small.blocksKept, ...counts.blocksKept].filter(() => random() < 0.6);
      const torn = new MemoryCounts(31_700);
      for (const block of left) await torn.keep('s', block);
      expect(told(await new ChainCounter().tally('t', torn, 's'))).toBe(plainCount(31_700));
      expect(gapsOf(coverOf(torn.blocksKept).cover)).toEqual([]);
    }
  });

  it('counts one of the lengths in between when entries are appended during the read', async () => {
    const counts = new MemoryCounts(2_500);
    const counter = new ChainCounter();
    const both = Promise.all([counter.tally('t', counts, 's'), counter.tally('t', counts, 's')]);
    counts.length = 3_100;
    await both;
    expect(told(await counter.tally('t', counts, 's'))).toBe(plainCount(3_100));
  });
});

describe('a tally as text', () => {
  it('is equal for any order of entries, and parses back completely', () => {
    const rows = Array.from({ length: 500 }, (_, i) => row(i));
    const text = EventTally.of(rows).toText();
    expect(EventTally.of([...rows].reverse()).toText()).toBe(text);
    expect(told(ofText(text))).toBe(told(EventTally.of(rows)));
  });

  it('counts a disposed entry on the day of its recording, without its other members', () => {
    const day = dayOf(AT.getTime());
    expect(told(EventTally.of([{ recorded_at: AT }]))).toBe(
      ['family', 'outcome', 'type'].map((by) => `${day} ${by} null 1`).join('\n'),
    );
  });
});

describe('blocks of tallies', () => {
  const block = (from_seq: number, size: number) => ({ from_seq, size });

  it('make the cover of the largest block at each place', () => {
    const blocks = [block(1, 1_000), block(1, 10_000), block(10_001, 1_000), block(2_001, 1_000)];
    const { cover, covered } = coverOf(blocks);
    expect(cover).toEqual([block(1, 10_000), block(10_001, 1_000)]);
    expect(covered).toEqual([block(1, 1_000), block(2_001, 1_000)]);
    expect(endOf(cover)).toBe(11_000);
  });

  it('merge by ten only at the start of a larger block', () => {
    const run = (from: number) => Array.from({ length: 10 }, (_, i) => block(from + i * BLOCK_ENTRIES, BLOCK_ENTRIES));
    expect(mergesOf(run(1))).toMatchObject([{ from_seq: 1, size: 10_000 }]);
    expect(mergesOf(run(5_001))).toEqual([]);
    expect(mergesOf(run(1).filter((_, i) => i !== 4))).toEqual([]);
  });
});

describe('a window split into whole days and parts of days', () => {
  const ms = (text: string): number => Date.parse(text);
  const DAY = dayOf(ms('2026-03-02T00:00:00Z'));
  const at = (from?: string, to?: string) =>
    splitWindow({ fromMs: from === undefined ? undefined : ms(from), toMs: to === undefined ? undefined : ms(to) });

  it.each([
    ['everything', undefined, undefined, [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY], 0],
    ['whole days', '2026-03-02T00:00:00Z', '2026-03-05T00:00:00Z', [DAY, DAY + 3], 0],
    ['cut on both sides', '2026-03-01T18:00:00Z', '2026-03-05T06:00:00Z', [DAY, DAY + 3], 2],
    ['open at the end', '2026-03-01T18:00:00Z', undefined, [DAY, Number.POSITIVE_INFINITY], 1],
    ['within a day', '2026-03-02T06:00:00Z', '2026-03-02T07:00:00Z', null, 1],
    ['over midnight', '2026-03-01T23:00:00Z', '2026-03-02T01:00:00Z', null, 2],
    ['nothing', '2026-03-02T07:00:00Z', '2026-03-02T06:00:00Z', null, 0],
  ] as const)('%s', (_what, from, to, days, edges) => {
    const split = at(from, to);
    expect(split.days).toEqual(days === null ? null : { first: days[0], end: days[1] });
    expect(split.edges).toHaveLength(edges);
    const edgeMs = split.edges.reduce((sum, edge) => sum + edge.toMs - edge.fromMs, 0);
    if (from !== undefined && to !== undefined) {
      const wholeMs = days === null ? 0 : (Number(days[1]) - Number(days[0])) * 86_400_000;
      expect(edgeMs + wholeMs).toBe(Math.max(0, ms(to) - ms(from)));
    }
  });
});

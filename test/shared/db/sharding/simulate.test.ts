import { describe, expect, it } from '@jest/globals';
import { RANGE_BYTES, simulate, zipf } from '../../../../bench/sharding/simulate.js';

const SMALL = { events: 1_000_000, tenants: 1_000, shards: 4, chains: 4, exponent: 1, rowBytes: 2_000, leafBytes: 200 };
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

describe('the sharding simulator', () => {
  it('gives ranks the shares of Zipf’s law', () => {
    const shares = zipf(3, 1);
    expect(sum(shares)).toBeCloseTo(1, 10);
    expect(shares.map((share) => share * 11)).toEqual([6, 3, 2].map((share) => expect.closeTo(share, 8)));
    expect(zipf(4, 0)).toEqual([0.25, 0.25, 0.25, 0.25]);
  });

  it('places every event once, in each way', () => {
    const { byZone, bySize, byChain } = simulate(SMALL);
    for (const { events } of [byZone, bySize, byChain]) {
      expect(events).toHaveLength(4);
      expect(sum(events)).toBeCloseTo(SMALL.events, 3);
    }
  });

  it('balances no worse by size than by zone, and is even for even tenants', () => {
    const { byZone, bySize, byChain } = simulate(SMALL);
    expect(bySize.skew).toBeLessThanOrEqual(byZone.skew);
    expect(byChain.skew).toBeLessThanOrEqual(bySize.skew + 1e-9);
    expect(simulate({ ...SMALL, exponent: 0 }).bySize.skew).toBeCloseTo(1, 6);
  });

  it('never spreads a chain: one tenant with one chain fills one shard', () => {
    const { byChain, ledger, hotChains } = simulate({ ...SMALL, tenants: 1, chains: 1 });
    expect(byChain.events).toEqual([SMALL.events, 0, 0, 0]);
    expect(ledger).toEqual({ count: 1, jumbo: 1, largestBytes: SMALL.events * SMALL.rowBytes });
    expect(hotChains).toEqual([{ tenant: 'tenant-1', number: 1, events: SMALL.events }]);
  });

  it('counts a range for each tenant, and more where chains do not fit together', () => {
    const even = { ...SMALL, exponent: 0, tenants: 10, chains: 4 };
    const rowBytes = (RANGE_BYTES * 10 * 4) / SMALL.events;
    expect(simulate({ ...even, rowBytes: rowBytes / 4.01 }).ledger).toMatchObject({ count: 10, jumbo: 0 });
    expect(simulate({ ...even, rowBytes: rowBytes * 0.99 }).ledger).toMatchObject({ count: 40, jumbo: 0 });
    expect(simulate({ ...even, rowBytes: rowBytes * 1.01 }).ledger).toMatchObject({ count: 40, jumbo: 40 });
  });
});

import { describe, expect, it } from '@jest/globals';
import { readAhead, WritesInFlight } from '../../../../shared/worm/blobs/in-flight.js';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('WritesInFlight', () => {
  it('limits the pending writes, and is done when all are acknowledged', async () => {
    const writes = new WritesInFlight(3);
    let running = 0;
    let most = 0;
    let acknowledged = 0;
    const write = async (): Promise<void> => {
      running++;
      most = Math.max(most, running);
      await turn();
      running--;
      acknowledged++;
    };
    for (let n = 0; n < 10; n++) await writes.add(write);
    await writes.done();
    expect({ most, acknowledged }).toEqual({ most: 3, acknowledged: 10 });
  });

  it('reports a failure at the next write or at the end, and leaves no write pending', async () => {
    const writes = new WritesInFlight(2);
    await writes.add(() => Promise.reject(new Error('the disk is full')));
    await turn();
    await expect(writes.add(turn)).rejects.toThrow('the disk is full');
    await expect(writes.done()).rejects.toThrow('the disk is full');
    await writes.settled();
  });
});

describe('readAhead', () => {
  it('yields the same items in order, and prefetches a bounded number of them', async () => {
    let fetched = 0;
    async function* source(): AsyncGenerator<number> {
      for (let n = 0; n < 8; n++) {
        await turn();
        fetched++;
        yield n;
      }
    }
    const seen: number[] = [];
    let most = 0;
    for await (const n of readAhead(source(), 3)) {
      for (let turns = 0; turns < 20; turns++) await turn();
      seen.push(n);
      most = Math.max(most, fetched - seen.length);
    }
    expect({ seen, most }).toEqual({ seen: [0, 1, 2, 3, 4, 5, 6, 7], most: 3 });
  });

  it('ends its source when the reader stops, and passes on the source’s error', async () => {
    let isEnded = false;
    async function* endless(): AsyncGenerator<number> {
      try {
        for (let n = 0; ; n++) yield n;
      } finally {
        isEnded = true;
      }
    }
    for await (const n of readAhead(endless(), 2)) if (n === 3) break;
    expect(isEnded).toBe(true);
    async function* failing(): AsyncGenerator<number> {
      yield 1;
      throw new Error('a block is missing');
    }
    const seen: number[] = [];
    const reading = (async () => {
      for await (const n of readAhead(failing(), 4)) seen.push(n);
    })();
    await expect(reading).rejects.toThrow('a block is missing');
    expect(seen).toEqual([1]);
  });
});

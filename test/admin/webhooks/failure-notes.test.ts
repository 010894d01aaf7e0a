import { describe, expect, it } from '@jest/globals';
import { FailureNotes, type Failures } from '../../../subgraphs/admin/webhooks/model/health.js';

const at = (second: number): Date => new Date(Date.UTC(2026, 2, 2, 14, 11, second));

/** Notes that delay their writes until the test releases them. */
function held() {
  const written: [string, Failures][] = [];
  const going: ((error?: Error) => void)[] = [];
  const notes = new FailureNotes((webhookId: string, failures: Failures) => {
    written.push([webhookId, failures]);
    return new Promise<number>((resolve, reject) =>
      going.push((error) => (error ? reject(error) : resolve(written.length))),
    );
  });
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
  const letGo = async (error?: Error): Promise<void> => {
    going.shift()?.(error);
    await settle();
  };
  return { notes, written, letGo };
}

describe('FailureNotes', () => {
  it('counts all failures, those during a write by the next one, with first and last time', async () => {
    const { notes, written, letGo } = held();
    const first = notes.add('a', at(5));
    const others = [9, 4, 7].map((second) => notes.add('a', at(second)));
    const another = notes.add('b', at(1));
    expect(written).toEqual([
      ['a', { count: 1, first: at(5), last: at(5) }],
      ['b', { count: 1, first: at(1), last: at(1) }],
    ]);
    await letGo();
    await letGo();
    expect(written.slice(2)).toEqual([['a', { count: 3, first: at(4), last: at(9) }]]);
    await letGo();
    expect(await Promise.all([first, another, ...others])).toEqual([2, 3, 3, 3, 3]);
    void notes.add('a', at(11));
    expect(written.at(-1)).toEqual(['a', { count: 1, first: at(11), last: at(11) }]);
  });

  it('rejects only the failures of a failed write and writes the next ones', async () => {
    const { notes, written, letGo } = held();
    const first = notes.add('a', at(1));
    const second = notes.add('a', at(2));
    first.catch(() => {});
    await letGo(new Error('the database is away'));
    await expect(first).rejects.toThrow('the database is away');
    expect(written).toHaveLength(2);
    await letGo();
    expect(await second).toBe(2);
  });
});

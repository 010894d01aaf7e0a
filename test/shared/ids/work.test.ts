import { describe, expect, it } from '@jest/globals';
import { MasterKey } from '../../../shared/crypto/master-key.js';
import { encodeTime, idTimeMs, isIdOf, systemRandomness, ulidIds } from '../../../shared/ids/ids.js';
import { forWork } from '../../../shared/ids/work.js';

const CLAIMED_AT_MS = Date.UTC(2026, 2, 2, 14, 11, 9);
const workId = `wrk_${encodeTime(CLAIMED_AT_MS)}0123456789ABCDEF`;
const otherWorkId = `wrk_${encodeTime(CLAIMED_AT_MS)}0123456789ABCDEG`;

const randomness = systemRandomness();
const deps = { ids: ulidIds(() => 0, randomness), randomness, masterKey: new MasterKey(Buffer.alloc(32, 7)) };

const sample = ({ ids, randomness: source }: ReturnType<typeof forWork>): readonly string[] => [
  ids.next('key'),
  ids.next('key'),
  ids.next('event'),
  Buffer.from(source.fill(new Uint8Array(5))).toString('hex'),
  Buffer.from(source.fill(new Uint8Array(100))).toString('hex'),
];

describe('the ids and secrets of work with an Idempotency-Key', () => {
  it('are the same when the work runs again, in another process with the same master key', () => {
    const again = { ...deps, masterKey: new MasterKey(Buffer.alloc(32, 7)) };
    expect(sample(forWork(deps, { workId }, 'create'))).toEqual(sample(forWork(again, { workId }, 'create')));
  });

  it('differ by work, by purpose and by master key', () => {
    const foreign = { ...deps, masterKey: new MasterKey(Buffer.alloc(32, 8)) };
    const all = [
      ...sample(forWork(deps, { workId }, 'create')),
      ...sample(forWork(deps, { workId: otherWorkId }, 'create')),
      ...sample(forWork(deps, { workId }, 'rotate')),
      ...sample(forWork(foreign, { workId }, 'create')),
    ];
    expect(new Set(all).size).toBe(all.length);
  });

  it('are well-formed, carry the time of the claim, and ascend within a kind', () => {
    const { ids } = forWork(deps, { workId }, 'create');
    const made = Array.from({ length: 200 }, () => ids.next('event'));
    expect(made.every((id) => isIdOf('event', id))).toBe(true);
    expect(new Set(made.map(idTimeMs))).toEqual(new Set([CLAIMED_AT_MS]));
    expect([...made].sort()).toEqual(made);
  });

  it('do not depend on requests for other kinds in between', () => {
    const one = forWork(deps, { workId }, 'create').ids;
    const two = forWork(deps, { workId }, 'create').ids;
    two.next('log');
    expect(two.next('key')).toBe(one.next('key'));
  });

  it('are ordinary ones without a key', () => {
    const sources = forWork(deps, { workId: null }, 'create');
    expect(sources.ids).toBe(deps.ids);
    expect(sources.randomness).toBe(deps.randomness);
  });
});

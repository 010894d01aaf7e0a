import { describe, expect, it } from '@jest/globals';
import { MongoError } from '../../errors.js';
import { Operation } from '../../exec/operation.js';
import { ABORT } from '../../txn/group-commit.js';
import { WriteQueue } from '../../txn/write-queue.js';
import { failureOf } from '../test-server.js';

/** A queue over a store that is one list; a group that aborts leaves the list as it was. */
function queueOverList() {
  let stored: string[] = [];
  const log: string[] = [];
  let clock = 0;
  const commit = async (work: () => unknown) => {
    const before = [...stored];
    const result = work();
    if (result === ABORT) stored = before;
    log.push(result === ABORT ? 'abort' : 'commit');
    return result;
  };
  const hooks = { beforeCommit: () => undefined, afterAbort: () => undefined, afterFlush: () => undefined };
  const queue = new WriteQueue(commit, hooks, () => clock, { require: () => undefined, isTight: () => false });
  return {
    queue,
    log,
    put: (value: string) => stored.push(value),
    stored: () => stored,
    pass: (ms: number) => (clock += ms),
  };
}

describe('group commit', () => {
  it('commits the writes of one event turn together and answers them in order', async () => {
    const { queue, log, put, stored } = queueOverList();
    const results = await Promise.all(['a', 'b', 'c'].map((value) => queue.run(() => put(value))));
    expect(results).toEqual([1, 2, 3]);
    expect(stored()).toEqual(['a', 'b', 'c']);
    expect(log).toEqual(['commit']);
  });

  it('fails only the command with an expected failure', async () => {
    const { queue, log, put, stored } = queueOverList();
    const refused = queue.run(() => {
      throw new MongoError('BadValue', 'no');
    });
    const outcomes = await Promise.allSettled([queue.run(() => put('a')), refused, queue.run(() => put('b'))]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(stored()).toEqual(['a', 'b']);
    expect(log).toEqual(['commit']);
  });

  it('rolls back a group after an unexpected failure and runs the other commands again', async () => {
    const { queue, log, put, stored } = queueOverList();
    const broken = queue.run(() => {
      put('half');
      throw new Error('broken');
    });
    const outcomes = await Promise.allSettled([queue.run(() => put('a')), broken, queue.run(() => put('b'))]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(stored()).toEqual(['a', 'b']);
    expect(log).toEqual(['abort', 'abort', 'commit', 'commit']);
  });

  it('splits long work into groups with other work in between', async () => {
    const { queue, log, put, stored, pass } = queueOverList();
    const long = queue.runSteps(function* () {
      for (let i = 0; i < 3; i++) {
        put(`long ${i}`);
        pass(100);
        yield;
      }
      return 'done';
    });
    const others = ['a', 'b'].map((value) => queue.run(() => put(value)));
    expect(await long).toBe('done');
    await Promise.all(others);
    expect(stored().slice(0, 2)).toEqual(['long 0', 'long 1']);
    expect(stored().toSorted()).toEqual(['a', 'b', 'long 0', 'long 1', 'long 2']);
    expect(log.length).toBeGreaterThan(2);
  });

  it('stops work at its next pause after a time limit', async () => {
    const { queue, put, stored, pass } = queueOverList();
    const gone = new AbortController().signal;
    const operation = new Operation(1, 'update', 'db.c', 1, 0, gone);
    operation.limit(50);
    const work = queue.runSteps(
      function* () {
        for (;;) {
          put('x');
          pass(30);
          yield;
        }
      },
      { operation },
    );
    expect(await failureOf(work)).toMatchObject({ code: 50 });
    expect(stored()).toHaveLength(2);
  });

  it('finishes accepted work and rejects new work when it closes', async () => {
    const { queue, put, stored } = queueOverList();
    const accepted = queue.run(() => put('a'));
    const closed = queue.close(new MongoError('ShutdownInProgress', 'closing'));
    expect(await failureOf(queue.run(() => put('b')))).toMatchObject({ code: 91 });
    await closed;
    expect(await accepted).toBe(1);
    expect(stored()).toEqual(['a']);
  });
});

import { afterEach, describe, expect, it } from '@jest/globals';
import { type Collection, MongoClient, MongoNetworkError, MongoServerError } from 'mongodb';
import { CONNECTION_OPTIONS } from '../../../shared/db/connection-options.js';
import { insertInOrder, isOutcomeUnknown } from '../../../shared/db/write-outcome.js';
import { FakeReplicaSet, type ReplicaSetSettings } from '../../support/replica-set/replica-set.js';

interface Row {
  readonly _id: number;
}

const closing: (() => Promise<void>)[] = [];

async function open(settings: ReplicaSetSettings): Promise<{ set: FakeReplicaSet; rows: Collection<Row> }> {
  const set = new FakeReplicaSet(settings);
  const quick = { minHeartbeatFrequencyMS: 5, socketTimeoutMS: 200, serverSelectionTimeoutMS: 300 };
  const client = new MongoClient(await set.start(), { ...CONNECTION_OPTIONS, ...quick });
  closing.push(async () => {
    await client.close();
    await set.stop();
  });
  return { set, rows: client.db().collection<Row>('rows') };
}

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const rowsOf = (...ids: number[]): Row[] => ids.map((_id) => ({ _id }));

describe('insertInOrder', () => {
  it('counts the documents before a duplicate as written', async () => {
    const { rows } = await open({ seed: 1, rate: 0 });
    expect(await insertInOrder(rows, rowsOf(1, 2))).toEqual({ written: 2, duplicate: null, unknown: null });
    const { written, duplicate, unknown } = await insertInOrder(rows, rowsOf(3, 4, 2, 5));
    expect({ written, fields: duplicate?.fields, unknown }).toEqual({ written: 2, fields: ['_id'], unknown: null });
  });

  it.each([1, 2, 3, 4, 5, 6])(
    'reports an unknown outcome when the primary steps down before a majority has the documents, seed %i',
    async (seed) => {
      const { set, rows } = await open({ seed, rate: 0 });
      await insertInOrder(rows, rowsOf(1));
      set.hold();
      const outcome = insertInOrder(rows, rowsOf(2, 3, 1));
      while (set.counts.writes < 2) await new Promise((resolve) => setImmediate(resolve));
      set.stepDown();
      const { written, duplicate, unknown } = await outcome;
      expect({ written, duplicate, isUnknown: unknown !== null }).toEqual({
        written: 0,
        duplicate: null,
        isUnknown: true,
      });
      expect(set.durable('rows')).toEqual(rowsOf(1));
    },
  );

  it('reports an unknown outcome when the server stores the documents and never answers', async () => {
    const { set, rows } = await open({ seed: 1, rate: 1, weights: { refused: 0, held: 0, lost: 0, late: 0, slow: 0 } });
    const { written, unknown } = await insertInOrder(rows, rowsOf(1, 2));
    expect({ written, isUnknown: unknown !== null }).toEqual({ written: 0, isUnknown: true });
    expect(set.durable('rows')).toEqual(rowsOf(1, 2));
  });

  it('throws when no server can be selected, because nothing was sent', async () => {
    const { set, rows } = await open({ seed: 1, rate: 0 });
    await insertInOrder(rows, rowsOf(1));
    set.leaveWithoutPrimary();
    // The driver learns that the primary is gone.
    await insertInOrder(rows, rowsOf(2));
    await expect(insertInOrder(rows, rowsOf(3))).rejects.toThrow();
  });
});

describe('isOutcomeUnknown', () => {
  it.each([
    ['a broken connection', new MongoNetworkError('connection 1 closed'), true],
    ['a step-down', new MongoServerError({ message: 'stepped down', code: 189 }), true],
    ['a write concern that timed out', new MongoServerError({ message: 'waiting', code: 64 }), true],
    ['a rejected document', new MongoServerError({ message: 'validation', code: 121 }), false],
    ['a missing right', new MongoServerError({ message: 'unauthorized', code: 13 }), false],
    ['a duplicate key', new MongoServerError({ message: 'E11000', code: 11000 }), false],
    ['an error of the program', new TypeError('no such function'), false],
  ])('knows the outcome after %s, or says that it does not', (_, error, expected) => {
    expect(isOutcomeUnknown(error)).toBe(expected);
  });
});

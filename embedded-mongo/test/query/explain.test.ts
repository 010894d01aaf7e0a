import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { failureOf, startTestServer, type TestServer } from '../test-server.js';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

describe('the choice of a plan', () => {
  it('prefers the index with fewer keys between equal plans', async () => {
    const c = server.db().collection('c');
    await c.insertMany(Array.from({ length: 400 }, (_, i) => ({ kind: i % 2, owner: i % 100, at: i })));
    await c.createIndex({ kind: 1 });
    await c.createIndex({ owner: 1 });
    const explained = await c.find({ kind: 1, owner: 7 }).explain('executionStats');
    expect(explained['queryPlanner'].winningPlan.inputStage.indexName).toBe('owner_1');
    expect(explained['queryPlanner'].rejectedPlans).toMatchObject([{ inputStage: { indexName: 'kind_1' } }]);
    expect(explained['executionStats']).toMatchObject({ nReturned: 4, totalKeysExamined: 4, totalDocsExamined: 4 });
  });

  it('uses the order behind one value of an array until that field holds an array too', async () => {
    const c = server.db().collection('tagged');
    await c.createIndex({ tags: 1, at: -1 });
    await c.insertMany(Array.from({ length: 90 }, (_, i) => ({ tags: ['x', `y${i % 3}`, 'z'], at: (i * 7) % 90, i })));
    const newest = (filter: object) => c.find(filter).sort({ at: -1 }).limit(5);
    const examined = async (filter: object) =>
      (await newest(filter).explain('executionStats'))['executionStats'].totalDocsExamined;
    const times = async (filter: object) => (await newest(filter).toArray()).map(({ at }) => at);
    expect([await examined({ tags: 'x' }), await times({ tags: 'x' })]).toEqual([5, [89, 88, 87, 86, 85]]);
    // Both ends of the range bound the walk.
    const between = { tags: 'x', at: { $gte: 10, $lt: 14 } };
    expect([await examined(between), await times(between)]).toEqual([4, [13, 12, 11, 10]]);
    // Several values stand one behind the other; and the order of the tags themselves is that of the least of each.
    expect(await examined({ tags: { $in: ['x', 'z'] } })).toBe(90);
    const plan = (await c.find({ tags: 'x' }).sort({ tags: 1 }).explain())['queryPlanner'].winningPlan;
    expect(plan.stage).toBe('SORT');
    await c.insertOne({ tags: 'x', at: [1, 95] });
    expect([await examined({ tags: 'x' }), (await times({ tags: 'x' }))[0]]).toEqual([91, [1, 95]]);
  });

  it('maintains and enforces a hidden index without using it', async () => {
    const c = server.db().collection('c');
    await c.createIndex({ key: 1 }, { unique: true, hidden: true });
    await c.insertOne({ key: 1 });
    expect(await failureOf(c.insertOne({ key: 1 }))).toMatchObject({ code: 11000 });
    expect((await c.find({ key: 1 }).explain())['queryPlanner'].winningPlan.stage).toBe('COLLSCAN');
    expect(await failureOf(c.find({ key: 1 }).hint('key_1').toArray())).toMatchObject({ code: 2 });
    expect((await c.indexes())[1]).toMatchObject({ hidden: true });
    const db = c.db;
    expect(await db.command({ collMod: 'c', index: { name: 'key_1', hidden: false } })).toMatchObject({
      hidden_old: true,
      hidden_new: false,
    });
    expect((await c.find({ key: 1 }).explain())['queryPlanner'].winningPlan.stage).toBe('FETCH');
  });
});

describe('explain', () => {
  it('prints the work of every stage', async () => {
    const c = server.db().collection('c');
    await c.insertMany(Array.from({ length: 60 }, (_, i) => ({ a: i % 3, b: i, c: i % 7 })));
    await c.createIndex({ a: 1, b: 1 });
    const explained = await c
      .find({ a: 1, b: { $lt: 30 }, c: 1 })
      .sort({ c: 1, b: -1 })
      .skip(1)
      .limit(1)
      .explain('executionStats');
    const { executionStages, ...totals } = explained['executionStats'];
    expect(totals).toMatchObject({ nReturned: 1, totalKeysExamined: 10, totalDocsExamined: 10 });
    expect(executionStages).toMatchObject({
      stage: 'SKIP',
      nReturned: 1,
      inputStage: {
        stage: 'SORT',
        nReturned: 2,
        inputStage: {
          stage: 'FETCH',
          nReturned: 2,
          docsExamined: 10,
          inputStage: { stage: 'IXSCAN', keysExamined: 10 },
        },
      },
    });
  });

  it('prints the branches of a union', async () => {
    const c = server.db().collection('c');
    await c.insertMany(Array.from({ length: 40 }, (_, i) => ({ a: i % 4, b: i % 10 })));
    await c.createIndexes([{ key: { a: 1 } }, { key: { b: 1 } }]);
    const explained = await c.find({ $or: [{ a: 1 }, { b: 2 }] }).explain('executionStats');
    const or = explained['executionStats'].executionStages.inputStage;
    expect(or).toMatchObject({ stage: 'OR', inputStages: [{ keysExamined: 10 }, { keysExamined: 4 }] });
    expect(explained['executionStats'].nReturned).toBe(await c.countDocuments({ $or: [{ a: 1 }, { b: 2 }] }));
  });

  it('reads no documents for a count that needs none', async () => {
    const db = server.db();
    await db.collection('c').insertMany(Array.from({ length: 30 }, (_, i) => ({ a: i })));
    await db.collection('c').createIndex({ a: 1 });
    const explained = await db.command({
      explain: { count: 'c', query: { a: { $gte: 10, $lt: 20 } } },
      verbosity: 'executionStats',
    });
    expect(explained['executionStats']).toMatchObject({
      totalKeysExamined: 10,
      totalDocsExamined: 0,
      executionStages: { stage: 'COUNT', nCounted: 10, inputStage: { stage: 'COUNT_SCAN' } },
    });
  });

  it('prints the query and the remaining stages of a pipeline', async () => {
    const c = server.db().collection('c');
    await c.insertMany([{ a: 1 }, { a: 2 }]);
    await c.createIndex({ a: 1 });
    const explained = await c.aggregate([{ $match: { a: 2 } }, { $group: { _id: '$a' } }]).explain('executionStats');
    expect(explained['stages'][0].$cursor.executionStats.totalDocsExamined).toBe(1);
    expect(explained['stages'][1]).toEqual({ $group: { _id: '$a' } });
  });
});

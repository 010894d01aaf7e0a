import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Collection, Db } from 'mongodb';
import { failureOf, startTestServer, type TestServer, until } from '../test-server.js';

let server: TestServer;
let db: Db;
let items: Collection<{ _id: number; n: number; text: string }>;
const MANY = 30_000;
/** Slow for every document: a join of the collection with itself on a field without an index. */
const ENDLESS = [
  {
    $lookup: {
      from: 'items',
      let: { n: '$n' },
      pipeline: [{ $match: { $expr: { $eq: ['$text', { $concat: [{ $toString: '$$n' }, 'x'] }] } } }],
      as: 'none',
    },
  },
];

beforeAll(async () => {
  server = await startTestServer();
  db = server.db();
  items = db.collection('items');
  await items.insertMany(
    Array.from({ length: MANY }, (_, i) => ({ _id: i, n: i, text: 'some text that is not short' })),
  );
});
afterAll(() => server.stop());

const admin = () => server.client.db('admin');

describe('maxTimeMS', () => {
  const slow = { $expr: { $eq: [{ $strLenCP: { $concat: ['$text', '$text'] } }, -1] } };
  it.each([
    ['find', { find: 'items', filter: slow }],
    ['a sorted find', { find: 'items', filter: slow, sort: { n: 1 } }],
    ['count', { count: 'items', query: slow }],
    ['distinct', { distinct: 'items', key: 'n', query: slow }],
    ['aggregate', { aggregate: 'items', pipeline: ENDLESS, cursor: {} }],
    ['explain', { explain: { find: 'items', filter: slow }, verbosity: 'executionStats' }],
    ['findAndModify', { findAndModify: 'items', query: slow, remove: true }],
    ['createIndexes', { createIndexes: 'items', indexes: [{ key: { text: 1, n: 1 }, name: 'slow' }] }],
    ['validate', { validate: 'items' }],
  ])('ends %s with code 50', async (_name, command) => {
    expect(await failureOf(db.command({ ...command, maxTimeMS: 5 }))).toMatchObject({ code: 50 });
  });

  it('stops a long update and a long delete and keeps their changes', async () => {
    const c = db.collection('written');
    await c.insertMany(Array.from({ length: 20_000 }, (_, i) => ({ i })));
    const outcome = await c.updateMany({}, { $set: { x: 1 } }, { maxTimeMS: 5 }).catch((error: unknown) => error);
    expect(outcome).toMatchObject({ code: 50 });
    expect(await c.countDocuments({ x: 1 })).toBeLessThan(20_000);
    expect(await db.command({ validate: 'written' })).toMatchObject({ valid: true });
  });

  it('shares the limit among all batches of a cursor', async () => {
    const cursor = items.find(slow, { maxTimeMS: 40, batchSize: 0 });
    expect(await failureOf(cursor.toArray())).toMatchObject({ code: 50 });
  });

  it('leaves nothing of a stopped index build', async () => {
    expect((await items.indexes()).map(({ name }) => name)).toEqual(['_id_']);
    expect(await db.command({ validate: 'items' })).toMatchObject({ valid: true });
  });
});

describe('operations', () => {
  it('are listed by currentOp and ended by killOp', async () => {
    const running = failureOf(items.aggregate(ENDLESS, { comment: 'endless' }).toArray());
    const find = async () => {
      const { inprog } = await admin().command({ currentOp: 1, ns: `${db.databaseName}.items` });
      return inprog[0];
    };
    await until(async () => (await find()) !== undefined);
    const operation = await find();
    expect(operation).toMatchObject({ active: true, command: { aggregate: 'items' } });
    await admin().command({ killOp: 1, op: operation.opid });
    expect(await running).toMatchObject({ code: 11601 });
    expect(await find()).toBeUndefined();
  });

  it('end when their cursor is killed', async () => {
    const reply = await db.command({ aggregate: 'items', pipeline: ENDLESS, cursor: { batchSize: 0 } });
    const { id } = reply['cursor'];
    const more = failureOf(db.command({ getMore: id, collection: 'items' }));
    await until(
      async () => (await admin().command({ currentOp: 1, 'command.getMore': { $exists: true } }))['inprog'].length > 0,
    );
    await db.command({ killCursors: 'items', cursors: [id] });
    expect(await more).toMatchObject({ code: 237 });
  });

  it('end when their client disconnects', async () => {
    const { MongoClient } = await import('mongodb');
    const other = await MongoClient.connect(server.running.uri);
    const running = failureOf(other.db(db.databaseName).collection('items').aggregate(ENDLESS).toArray());
    const left = async () => (await admin().command({ currentOp: 1, ns: `${db.databaseName}.items` }))['inprog'].length;
    await until(async () => (await left()) > 0);
    await other.close(true);
    await running;
    await until(async () => (await left()) === 0);
  });

  it('end at the limit of a catastrophic pattern', async () => {
    await db.collection('words').insertOne({ word: `${'a'.repeat(60)}!` });
    const query = (pattern: string) =>
      db
        .collection('words')
        .find({ word: { $regex: pattern } })
        .toArray();
    expect(await query('^(a+)+$')).toEqual([]);
    expect(await failureOf(query('^(a+)+\\1$'))).toMatchObject({ code: 51156 });
    expect(
      await failureOf(
        db
          .collection('words')
          .aggregate([{ $project: { m: { $regexFind: { input: '$word', regex: '^(a+)+\\1$' } } } }])
          .toArray(),
      ),
    ).toMatchObject({ code: 51156 });
  });
});

describe('memory', () => {
  it('is limited to 100 MB for blocking stages and sorts, regardless of allowDiskUse', async () => {
    const c = db.collection('heavy');
    const filler = 'y'.repeat(1_000_000);
    for (let n = 0; n < 12; n++) await c.insertMany(Array.from({ length: 10 }, (_, i) => ({ n: n * 10 + i, filler })));
    const options = { allowDiskUse: true };
    const refused = { code: 292, message: expect.stringContaining('memory') };
    expect(await failureOf(c.aggregate([{ $set: { x: 1 } }, { $sort: { n: 1 } }], options).toArray())).toMatchObject(
      refused,
    );
    expect(
      await failureOf(c.aggregate([{ $group: { _id: null, all: { $push: '$filler' } } }], options).toArray()),
    ).toMatchObject(refused);
    for (const stage of [
      { $lookup: { from: 'heavy', pipeline: [], as: 'all' } },
      {
        $graphLookup: {
          from: 'heavy',
          startWith: '$filler',
          connectFromField: 'none',
          connectToField: 'filler',
          as: 'all',
        },
      },
      { $facet: { all: [{ $count: 'n' }] } },
    ])
      expect(await failureOf(c.aggregate([stage, { $project: { _id: 1 } }], options).toArray())).toMatchObject(refused);
    expect(await failureOf(c.find().sort({ filler: 1 }).allowDiskUse(true).toArray())).toMatchObject(refused);
    expect(
      await c
        .find({}, { projection: { n: 1 } })
        .sort({ filler: 1, n: 1 })
        .limit(2)
        .toArray(),
    ).toMatchObject([{ n: 0 }, { n: 1 }]);
  });
});

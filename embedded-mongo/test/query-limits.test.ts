import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Collection, Db } from 'mongodb';
import { failureOf, startTestServer, type TestServer, until } from './server-support.js';

let server: TestServer;
let db: Db;
let items: Collection<{ _id: number; n: number; text: string }>;
const many = 30_000;
/** Slow for every document: a join of the collection with itself on a field without an index. */
const endless = [
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
    Array.from({ length: many }, (_, i) => ({ _id: i, n: i, text: 'some text that is not short' })),
  );
});
afterAll(() => server.stop());

const admin = () => server.client.db('admin');

describe('maxTimeMS', () => {
  const slow = { $expr: { $eq: [{ $strLenCP: { $concat: ['$text', '$text'] } }, -1] } };
  test.each([
    ['find', { find: 'items', filter: slow }],
    ['a sorted find', { find: 'items', filter: slow, sort: { n: 1 } }],
    ['count', { count: 'items', query: slow }],
    ['distinct', { distinct: 'items', key: 'n', query: slow }],
    ['aggregate', { aggregate: 'items', pipeline: endless, cursor: {} }],
    ['explain', { explain: { find: 'items', filter: slow }, verbosity: 'executionStats' }],
    ['findAndModify', { findAndModify: 'items', query: slow, remove: true }],
    ['createIndexes', { createIndexes: 'items', indexes: [{ key: { text: 1, n: 1 }, name: 'slow' }] }],
    ['validate', { validate: 'items' }],
  ])('%s ends with code 50', async (_name, command) => {
    expect(await failureOf(db.command({ ...command, maxTimeMS: 5 }))).toMatchObject({ code: 50 });
  });

  test('an update and a delete that took too long say so; what they did stays', async () => {
    const c = db.collection('written');
    await c.insertMany(Array.from({ length: 20_000 }, (_, i) => ({ i })));
    const outcome = await c.updateMany({}, { $set: { x: 1 } }, { maxTimeMS: 5 }).catch((error: unknown) => error);
    expect(outcome).toMatchObject({ code: 50 });
    expect(await c.countDocuments({ x: 1 })).toBeLessThan(20_000);
    expect(await db.command({ validate: 'written' })).toMatchObject({ valid: true });
  });

  test('the batches of a cursor share the limit of the command that opened it', async () => {
    const cursor = items.find(slow, { maxTimeMS: 40, batchSize: 0 });
    expect(await failureOf(cursor.toArray())).toMatchObject({ code: 50 });
  });

  test('an index build that was stopped leaves nothing', async () => {
    expect((await items.indexes()).map(({ name }) => name)).toEqual(['_id_']);
    expect(await db.command({ validate: 'items' })).toMatchObject({ valid: true });
  });
});

describe('operations', () => {
  test('what runs is listed, and killed by its number', async () => {
    const running = failureOf(items.aggregate(endless, { comment: 'endless' }).toArray());
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

  test('killing a cursor ends the getMore that reads from it', async () => {
    const reply = await db.command({ aggregate: 'items', pipeline: endless, cursor: { batchSize: 0 } });
    const { id } = reply['cursor'];
    const more = failureOf(db.command({ getMore: id, collection: 'items' }));
    await until(
      async () => (await admin().command({ currentOp: 1, 'command.getMore': { $exists: true } }))['inprog'].length > 0,
    );
    await db.command({ killCursors: 'items', cursors: [id] });
    expect(await more).toMatchObject({ code: 237 });
  });

  test('a client that goes away takes its query with it', async () => {
    const { MongoClient } = await import('mongodb');
    const other = await MongoClient.connect(server.running.uri);
    const running = failureOf(other.db(db.databaseName).collection('items').aggregate(endless).toArray());
    const left = async () => (await admin().command({ currentOp: 1, ns: `${db.databaseName}.items` }))['inprog'].length;
    await until(async () => (await left()) > 0);
    await other.close(true);
    await running;
    await until(async () => (await left()) === 0);
  });

  test('a pattern that backtracks for ever ends the query, not the server', async () => {
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
  test('blocking stages and a sort without index are refused over 100 MB, whatever allowDiskUse says', async () => {
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

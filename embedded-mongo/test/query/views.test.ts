import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Db } from 'mongodb';
import { MongoClient } from 'mongodb';
import { startInThread } from '../../launch/launch.js';
import { failureOf, startTestServer, type TestServer, temporaryDirectory } from '../test-server.js';

let server: TestServer;
let db: Db;
beforeAll(async () => {
  server = await startTestServer();
  db = server.db();
  await db.collection<{ _id: number; kind: string; n: number }>('items').insertMany([
    { _id: 1, kind: 'a', n: 5 },
    { _id: 2, kind: 'b', n: 6 },
    { _id: 3, kind: 'a', n: 7 },
    { _id: 4, kind: 'c', n: 8 },
  ]);
  await db.createCollection('as', {
    viewOn: 'items',
    pipeline: [{ $match: { kind: 'a' } }, { $set: { twice: { $multiply: ['$n', 2] } } }],
  });
  await db.createCollection('large', { viewOn: 'as', pipeline: [{ $match: { twice: { $gt: 10 } } }] });
});
afterAll(() => server.stop());

describe('reads of a view', () => {
  it('find, sort, skip, limit and project the documents of the view', async () => {
    expect(await db.collection('as').find().sort({ n: -1 }).toArray()).toMatchObject([{ twice: 14 }, { twice: 10 }]);
    expect(
      await db
        .collection('as')
        .find({ twice: 14 }, { projection: { twice: 1, _id: 0 } })
        .toArray(),
    ).toEqual([{ twice: 14 }]);
    expect(await db.collection('as').find().sort({ n: 1 }).skip(1).limit(1).toArray()).toMatchObject([{ n: 7 }]);
    expect(await db.collection('as').findOne({ n: 5 })).toMatchObject({ twice: 10 });
  });

  it('apply both pipelines of a nested view', async () => {
    expect(await db.collection('large').find().toArray()).toEqual([{ _id: 3, kind: 'a', n: 7, twice: 14 }]);
  });

  it('count, distinct and aggregate see the same documents', async () => {
    expect(await db.collection('as').countDocuments({ n: { $gt: 5 } })).toBe(1);
    expect(await db.command({ count: 'as', skip: 1 })).toMatchObject({ n: 1 });
    expect(await db.collection('as').distinct('twice')).toEqual([10, 14]);
    expect(
      await db
        .collection('as')
        .aggregate([{ $group: { _id: null, sum: { $sum: '$twice' } } }])
        .toArray(),
    ).toEqual([{ _id: null, sum: 24 }]);
  });

  it('continue cursors under the name of the view', async () => {
    const reply = await db.command({ find: 'as', batchSize: 1 });
    expect(reply['cursor']).toMatchObject({ ns: `${db.databaseName}.as` });
    const more = await db.command({ getMore: reply['cursor'].id, collection: 'as' });
    expect(more['cursor'].nextBatch).toHaveLength(1);
  });

  it('$lookup, $unionWith and $graphLookup read views as collections', async () => {
    const [joined] = await db
      .collection('items')
      .aggregate([
        { $match: { _id: 1 } },
        { $lookup: { from: 'as', localField: 'kind', foreignField: 'kind', as: 'same' } },
      ])
      .toArray();
    expect(joined?.['same'].map((doc: { twice: number }) => doc.twice)).toEqual([10, 14]);
    const union = await db
      .collection('large')
      .aggregate([{ $unionWith: 'as' }])
      .toArray();
    expect(union).toHaveLength(3);
    const [graph] = await db
      .collection('items')
      .aggregate([
        { $match: { _id: 1 } },
        {
          $graphLookup: { from: 'as', startWith: '$kind', connectFromField: 'none', connectToField: 'kind', as: 'all' },
        },
      ])
      .toArray();
    expect(graph?.['all']).toHaveLength(2);
  });

  it('explain the plan on the underlying collection', async () => {
    const explained = await db.collection('as').find({ n: 5 }).explain('executionStats');
    expect(explained['queryPlanner'].namespace).toBe(`${db.databaseName}.items`);
    expect(explained['executionStats'].totalDocsExamined).toBe(4);
  });
});

describe('writes to a view', () => {
  it.each([
    ['insert', { insert: 'as', documents: [{}] }],
    ['update', { update: 'as', updates: [{ q: {}, u: { $set: { x: 1 } } }] }],
    ['delete', { delete: 'as', deletes: [{ q: {}, limit: 0 }] }],
    ['findAndModify', { findAndModify: 'as', query: {}, remove: true }],
    ['createIndexes', { createIndexes: 'as', indexes: [{ key: { n: 1 }, name: 'n' }] }],
    ['listIndexes', { listIndexes: 'as' }],
    ['validate', { validate: 'as' }],
  ])('rejects %s with code 166', async (_name, command) => {
    expect(await failureOf(db.command(command))).toMatchObject({ code: 166 });
  });

  it('rejects a bulk write and $merge into a view', async () => {
    const bulk = server.client.bulkWrite([{ name: 'insertOne', namespace: `${db.databaseName}.as`, document: {} }]);
    expect(await failureOf(bulk)).toBeDefined();
    const merge = db
      .collection('items')
      .aggregate([{ $merge: { into: 'as' } }])
      .toArray();
    expect(await failureOf(merge)).toMatchObject({ code: 166 });
    const out = db
      .collection('items')
      .aggregate([{ $out: 'as' }])
      .toArray();
    expect(await failureOf(out)).toMatchObject({ code: 166 });
    expect(await db.collection('items').countDocuments()).toBe(4);
  });

  it('shares names with collections and rejects cycles and other collations', async () => {
    expect(await failureOf(db.createCollection('items', { viewOn: 'as' }))).toMatchObject({ code: 48 });
    expect(await failureOf(db.createCollection('as'))).toMatchObject({ code: 48 });
    await db.createCollection('x', { viewOn: 'y' });
    expect(await failureOf(db.createCollection('y', { viewOn: 'x' }))).toMatchObject({ code: 5 });
    expect(await failureOf(db.createCollection('self', { viewOn: 'self' }))).toMatchObject({ code: 5 });
    expect(
      await failureOf(
        db
          .collection('as')
          .find({}, { collation: { locale: 'de' } })
          .toArray(),
      ),
    ).toMatchObject({ code: 167 });
    expect(await failureOf(db.createCollection('bad', { viewOn: 'items', pipeline: [{ $nope: 1 }] }))).toMatchObject({
      code: 40324,
    });
    expect(await failureOf(db.createCollection('bad', { viewOn: 'items', pipeline: [{ $out: 'x' }] }))).toBeDefined();
  });

  it('lists a view, changes it by collMod and drops it', async () => {
    await db.createCollection('changing', { viewOn: 'items', pipeline: [] });
    expect(await db.listCollections({ name: 'changing' }).toArray()).toMatchObject([
      { name: 'changing', type: 'view', options: { viewOn: 'items', pipeline: [] }, info: { readOnly: true } },
    ]);
    await db.command({ collMod: 'changing', viewOn: 'items', pipeline: [{ $match: { kind: 'c' } }] });
    expect(await db.collection('changing').countDocuments()).toBe(1);
    await db.collection('changing').drop();
    expect(await db.listCollections({ name: 'changing' }).toArray()).toEqual([]);
  });
});

it('views survive a restart', async () => {
  const directory = temporaryDirectory();
  const open = async <R>(work: (on: Db) => Promise<R>): Promise<R> => {
    const running = await startInThread({ dataDir: directory.path });
    const client = await MongoClient.connect(running.uri);
    try {
      return await work(client.db('d'));
    } finally {
      await client.close();
      await running.stop();
    }
  };
  await open(async (on) => {
    await on.collection('c').insertMany([{ n: 1 }, { n: 2 }]);
    await on.createCollection('v', { viewOn: 'c', pipeline: [{ $match: { n: 2 } }] });
  });
  expect(await open((on) => on.collection('v').countDocuments())).toBe(1);
  directory.remove();
});

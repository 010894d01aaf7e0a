import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { startInThread } from '../../launch/launch.js';
import { failureOf, startTestServer, type TestServer, temporaryDirectory } from '../test-server.js';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

interface Sale {
  _id: number;
  shop: string;
  amount: number;
}

async function sales(count = 300) {
  const db = server.db();
  const c = db.collection<Sale>('sales');
  await c.insertMany(Array.from({ length: count }, (_, i) => ({ _id: i, shop: `s${i % 3}`, amount: i })));
  await c.createIndex({ shop: 1, amount: -1 });
  return { db, c };
}

describe('aggregate', () => {
  it('leading stages use an index, the rest follows, through small batches', async () => {
    const { c } = await sales();
    const pipeline = [
      { $match: { shop: 's1', amount: { $gte: 100 } } },
      { $sort: { amount: -1 } },
      { $limit: 50 },
      { $set: { half: { $divide: ['$amount', 2] } } },
      { $project: { _id: 0, half: 1 } },
    ];
    const halves = await c.aggregate(pipeline, { batchSize: 7 }).toArray();
    expect(halves).toEqual(Array.from({ length: 50 }, (_, i) => ({ half: (298 - 3 * i) / 2 })));
    const explained = await c.aggregate(pipeline).explain('queryPlanner');
    expect(JSON.stringify(explained)).toContain('shop_1_amount_-1');
  });

  it('counts by keys, by filter and as a stage alike', async () => {
    const { c } = await sales();
    expect(await c.countDocuments({ shop: 's2' })).toBe(100);
    expect(await c.countDocuments({ shop: 's2', amount: { $mod: [2, 0] } })).toBe(50);
    expect(await c.countDocuments({ shop: 's2' }, { skip: 90, limit: 20 })).toBe(10);
    expect(await c.aggregate([{ $match: { shop: 'none' } }, { $count: 'n' }]).toArray()).toEqual([]);
    expect(await c.distinct('shop', { amount: { $lt: 2 } })).toEqual(['s0', 's1']);
  });

  it('$out replaces a collection and keeps its indexes', async () => {
    const { db, c } = await sales();
    const totals = db.collection('totals');
    await totals.createIndex({ sum: 1 });
    await totals.insertOne({ old: true });
    const group = { $group: { _id: '$shop', sum: { $sum: '$amount' } } };
    expect(await c.aggregate([group, { $out: 'totals' }]).toArray()).toEqual([]);
    expect(await totals.find().sort({ _id: 1 }).toArray()).toEqual([
      { _id: 's0', sum: 14_850 },
      { _id: 's1', sum: 14_950 },
      { _id: 's2', sum: 15_050 },
    ]);
    expect((await totals.indexes()).map(({ name }) => name)).toEqual(['_id_', 'sum_1']);
    expect((await db.listCollections().toArray()).map(({ name }) => name).toSorted()).toEqual(['sales', 'totals']);
    expect(await db.command({ validate: 'totals' })).toMatchObject({ valid: true });
  });

  it('$merge updates what it meets and inserts the rest', async () => {
    const { db, c } = await sales();
    const totals = db.collection<{ _id: string }>('totals');
    await totals.insertOne({ _id: 's0', kept: true } as never);
    await c.aggregate([{ $group: { _id: '$shop', n: { $sum: 1 } } }, { $merge: { into: 'totals' } }]).toArray();
    expect(await totals.find().sort({ _id: 1 }).toArray()).toEqual([
      { _id: 's0', kept: true, n: 100 },
      { _id: 's1', n: 100 },
      { _id: 's2', n: 100 },
    ]);
    const failing = c.aggregate([{ $merge: { into: 'totals', on: 'n' } }]).toArray();
    expect(await failureOf(failing)).toMatchObject({ code: 51183 });
  });

  it('a lookup reads the other collection by its index, with variables of the command', async () => {
    const { db, c } = await sales(30);
    await db.collection<{ _id: string; name: string }>('shops').insertMany([
      { _id: 's0', name: 'North' },
      { _id: 's1', name: 'South' },
    ]);
    const found = await c
      .aggregate(
        [
          { $match: { _id: { $lt: 3 } } },
          { $lookup: { from: 'shops', localField: 'shop', foreignField: '_id', as: 'shops' } },
          { $project: { name: { $ifNull: [{ $first: '$shops.name' }, '$$unknown'] } } },
        ],
        { let: { unknown: 'nowhere' } },
      )
      .toArray();
    expect(found).toEqual([
      { _id: 0, name: 'North' },
      { _id: 1, name: 'South' },
      { _id: 2, name: 'nowhere' },
    ]);
  });

  it('an unknown stage is named, on an empty collection too', async () => {
    const c = server.db().collection('none');
    expect(await failureOf(c.aggregate([{ $nonsense: {} }]).toArray())).toMatchObject({ code: 40324 });
    expect(await failureOf(c.aggregate([{ $match: { $nonsense: 1 } }]).toArray())).toMatchObject({ code: 2 });
  });
});

describe('client bulk writes', () => {
  it('write to several collections and report each operation', async () => {
    const db = server.db();
    const namespace = (name: string) => `${db.databaseName}.${name}`;
    const outcome = await server.client.bulkWrite(
      [
        { namespace: namespace('a'), name: 'insertOne', document: { _id: 1, n: 1 } as never },
        { namespace: namespace('b'), name: 'insertOne', document: { _id: 1 as never } },
        { namespace: namespace('a'), name: 'updateOne', filter: { n: 1 }, update: { $inc: { n: 1 } } },
        { namespace: namespace('a'), name: 'updateOne', filter: { n: 9 }, update: { $set: { m: 1 } }, upsert: true },
        { namespace: namespace('b'), name: 'deleteMany', filter: {} },
      ],
      { verboseResults: true },
    );
    expect(outcome).toMatchObject({
      insertedCount: 2,
      matchedCount: 1,
      modifiedCount: 1,
      upsertedCount: 1,
      deletedCount: 1,
    });
    expect(await db.collection('a').findOne({ n: 2 })).toMatchObject({ n: 2 });
    const failing = server.client.bulkWrite([
      { namespace: namespace('a'), name: 'insertOne', document: { _id: 1 as never } },
    ]);
    expect(await failureOf(failing)).toMatchObject({ name: 'MongoClientBulkWriteError' });
  });
});

describe('$out cut short by the end of the server', () => {
  it('leaves nothing of it behind', async () => {
    const directory = temporaryDirectory();
    const first = await startInThread({ dataDir: directory.path });
    const client = await MongoClient.connect(first.uri);
    await client.db('d').collection('tmp.agg_out.0123456789abcdef').insertOne({ a: 1 });
    await client.db('d').collection('kept').insertOne({ a: 1 });
    await client.close();
    await first.stop();
    const second = await startInThread({ dataDir: directory.path });
    const again = await MongoClient.connect(second.uri);
    expect((await again.db('d').listCollections().toArray()).map(({ name }) => name)).toEqual(['kept']);
    await again.close();
    await second.stop();
    directory.remove();
  });
});

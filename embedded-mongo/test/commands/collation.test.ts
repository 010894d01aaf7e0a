import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Collection, Document } from 'mongodb';
import { failureOf, startTestServer, type TestServer } from '../test-server.js';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const CASELESS = { locale: 'en', strength: 2 };
const NAMES = ['bob', 'Alice', 'alice', 'Bob', 'Émile', 'emile'];

async function filled(): Promise<Collection<Document>> {
  const c = server.db().collection('people');
  await c.insertMany(NAMES.map((name, n) => ({ name, n })));
  return c;
}

describe('a collation of a command', () => {
  it('applies to find, sort, count, distinct and aggregate', async () => {
    const c = await filled();
    expect(await c.find({ name: 'ALICE' }, { collation: CASELESS }).toArray()).toHaveLength(2);
    expect(await c.find({ name: 'ALICE' }).toArray()).toHaveLength(0);
    const sorted = await c.find({}, { collation: CASELESS }).sort({ name: 1, n: -1 }).toArray();
    expect(sorted.map(({ name }) => name)).toEqual(['alice', 'Alice', 'Bob', 'bob', 'emile', 'Émile']);
    const limited = await c.find({}, { collation: CASELESS }).sort({ name: -1 }).limit(2).toArray();
    expect(limited.map(({ name }) => name)).toEqual(['Émile', 'emile']);
    expect(await c.countDocuments({ name: 'BOB' }, { collation: CASELESS })).toBe(2);
    expect(await c.distinct('name', {}, { collation: CASELESS })).toEqual(['bob', 'Alice', 'Émile', 'emile']);
    const groups = await c
      .aggregate([{ $group: { _id: '$name', n: { $sum: 1 } } }, { $sort: { _id: 1 } }], { collation: CASELESS })
      .toArray();
    expect(groups).toMatchObject([{ n: 2 }, { n: 2 }, { n: 1 }, { n: 1 }]);
  });

  it('applies to update, delete, findAndModify, bulkWrite and upsert', async () => {
    const c = await filled();
    expect(await c.updateMany({ name: 'ALICE' }, { $set: { hit: 1 } }, { collation: CASELESS })).toMatchObject({
      matchedCount: 2,
    });
    expect(await c.findOneAndUpdate({ name: 'BOB' }, { $inc: { n: 10 } }, { collation: CASELESS })).toMatchObject({
      name: 'bob',
    });
    expect(
      await c.updateOne({ name: 'BOB' }, { $set: { up: 1 } }, { collation: CASELESS, upsert: true }),
    ).toMatchObject({
      upsertedCount: 0,
    });
    expect(await c.deleteMany({ name: 'ALICE' }, { collation: CASELESS })).toMatchObject({ deletedCount: 2 });
    const bulk = await server.client.bulkWrite([
      { namespace: c.namespace, name: 'deleteMany', filter: { name: 'BOB' }, collation: CASELESS },
    ]);
    expect(bulk.deletedCount).toBe(2);
  });

  it('uses an index with another collation for numbers only', async () => {
    const c = await filled();
    await c.createIndex({ name: 1 });
    await c.createIndex({ n: 1 });
    const plan = async (filter: Document, collation?: typeof CASELESS) =>
      JSON.stringify((await c.find(filter, collation ? { collation } : {}).explain('queryPlanner'))['queryPlanner']);
    expect(await plan({ name: 'bob' })).toContain('IXSCAN');
    expect(await plan({ name: 'bob' }, CASELESS)).toContain('COLLSCAN');
    expect(await plan({ n: 3 }, CASELESS)).toContain('IXSCAN');
    await c.createIndex({ name: 1 }, { name: 'ci', collation: CASELESS });
    expect(await plan({ name: 'bob' }, CASELESS)).toContain('"indexName":"ci"');
    expect(await plan({ name: 'bob' })).toContain('"indexName":"name_1"');
    expect(await c.find({ name: 'BOB' }, { collation: CASELESS }).toArray()).toHaveLength(2);
    expect(
      await c
        .find({ name: { $gt: 'b' } }, { collation: CASELESS })
        .sort({ name: 1 })
        .toArray(),
    ).toHaveLength(4);
  });
});

describe('a collation of an index', () => {
  it('rejects equal values, also in updates, and is listed', async () => {
    const c = server.db().collection('users');
    await c.createIndex({ tenant: 1, email: 1 }, { unique: true, collation: CASELESS });
    await c.insertMany([
      { tenant: 1, email: 'ann@x.org' },
      { tenant: 2, email: 'ANN@x.org' },
    ]);
    expect(await failureOf(c.insertOne({ tenant: 1, email: 'Ann@X.org' }))).toMatchObject({ code: 11000 });
    await c.insertOne({ tenant: 1, email: 'Straße' });
    expect(await failureOf(c.insertOne({ tenant: 1, email: 'STRAßE' }))).toMatchObject({ code: 11000 });
    expect(await failureOf(c.updateOne({ email: 'ANN@x.org' }, { $set: { tenant: 1 } }))).toMatchObject({
      code: 11000,
    });
    expect(await c.updateOne({ email: 'ANN@x.org' }, { $set: { email: 'ann@X.ORG' } })).toMatchObject({
      modifiedCount: 1,
    });
    expect((await c.indexes()).at(-1)).toMatchObject({ unique: true, collation: { locale: 'en', strength: 2 } });
    expect(await c.db.command({ validate: 'users' })).toMatchObject({ valid: true });
  });

  it('fails to build over existing duplicates', async () => {
    const c = server.db().collection('users');
    await c.insertMany([{ email: 'a' }, { email: 'A' }]);
    expect(await failureOf(c.createIndex({ email: 1 }, { unique: true, collation: CASELESS }))).toMatchObject({
      code: 11000,
    });
  });
});

describe('the default collation of a collection', () => {
  it('applies to queries, indexes and _id unless a command sets another', async () => {
    const db = server.db();
    const c = await db.createCollection<{ _id: string; name: string }>('c', { collation: CASELESS });
    await c.insertOne({ _id: 'One', name: 'x' });
    expect(await failureOf(c.insertOne({ _id: 'ONE', name: 'y' }))).toMatchObject({ code: 11000 });
    expect(await c.findOne({ _id: 'oNE' })).toMatchObject({ name: 'x' });
    expect(await c.findOne({ name: 'X' })).toMatchObject({ _id: 'One' });
    expect(await c.findOne({ name: 'X' }, { collation: { locale: 'simple' } })).toBeNull();
    await c.createIndex({ name: 1 }, { unique: true });
    expect(await failureOf(c.insertOne({ _id: 'two', name: 'X' }))).toMatchObject({ code: 11000 });
    expect(await db.listCollections({ name: 'c' }).toArray()).toMatchObject([
      {
        options: { collation: { locale: 'en', strength: 2, caseFirst: 'off' } },
        idIndex: { collation: { locale: 'en' } },
      },
    ]);
  });
});

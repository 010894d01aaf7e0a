import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Collection, Document } from 'mongodb';
import { failureOf, startTestServer, type TestServer } from './server-support.js';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const caseless = { locale: 'en', strength: 2 };
const names = ['bob', 'Alice', 'alice', 'Bob', 'Émile', 'emile'];

async function filled(): Promise<Collection<Document>> {
  const c = server.db().collection('people');
  await c.insertMany(names.map((name, n) => ({ name, n })));
  return c;
}

describe('a collation of a command', () => {
  test('holds for find, sort, count, distinct and aggregate', async () => {
    const c = await filled();
    expect(await c.find({ name: 'ALICE' }, { collation: caseless }).toArray()).toHaveLength(2);
    expect(await c.find({ name: 'ALICE' }).toArray()).toHaveLength(0);
    const sorted = await c.find({}, { collation: caseless }).sort({ name: 1, n: -1 }).toArray();
    expect(sorted.map(({ name }) => name)).toEqual(['alice', 'Alice', 'Bob', 'bob', 'emile', 'Émile']);
    const limited = await c.find({}, { collation: caseless }).sort({ name: -1 }).limit(2).toArray();
    expect(limited.map(({ name }) => name)).toEqual(['Émile', 'emile']);
    expect(await c.countDocuments({ name: 'BOB' }, { collation: caseless })).toBe(2);
    expect(await c.distinct('name', {}, { collation: caseless })).toEqual(['bob', 'Alice', 'Émile', 'emile']);
    const groups = await c
      .aggregate([{ $group: { _id: '$name', n: { $sum: 1 } } }, { $sort: { _id: 1 } }], { collation: caseless })
      .toArray();
    expect(groups).toMatchObject([{ n: 2 }, { n: 2 }, { n: 1 }, { n: 1 }]);
  });

  test('holds for update, delete, findAndModify, bulkWrite and upsert', async () => {
    const c = await filled();
    expect(await c.updateMany({ name: 'ALICE' }, { $set: { hit: 1 } }, { collation: caseless })).toMatchObject({
      matchedCount: 2,
    });
    expect(await c.findOneAndUpdate({ name: 'BOB' }, { $inc: { n: 10 } }, { collation: caseless })).toMatchObject({
      name: 'bob',
    });
    expect(
      await c.updateOne({ name: 'BOB' }, { $set: { up: 1 } }, { collation: caseless, upsert: true }),
    ).toMatchObject({
      upsertedCount: 0,
    });
    expect(await c.deleteMany({ name: 'ALICE' }, { collation: caseless })).toMatchObject({ deletedCount: 2 });
    const bulk = await server.client.bulkWrite([
      { namespace: c.namespace, name: 'deleteMany', filter: { name: 'BOB' }, collation: caseless },
    ]);
    expect(bulk.deletedCount).toBe(2);
  });

  test('an index of another collation is not read for text, and is for numbers', async () => {
    const c = await filled();
    await c.createIndex({ name: 1 });
    await c.createIndex({ n: 1 });
    const plan = async (filter: Document, collation?: typeof caseless) =>
      JSON.stringify((await c.find(filter, collation ? { collation } : {}).explain('queryPlanner'))['queryPlanner']);
    expect(await plan({ name: 'bob' })).toContain('IXSCAN');
    expect(await plan({ name: 'bob' }, caseless)).toContain('COLLSCAN');
    expect(await plan({ n: 3 }, caseless)).toContain('IXSCAN');
    await c.createIndex({ name: 1 }, { name: 'ci', collation: caseless });
    expect(await plan({ name: 'bob' }, caseless)).toContain('"indexName":"ci"');
    expect(await plan({ name: 'bob' })).toContain('"indexName":"name_1"');
    expect(await c.find({ name: 'BOB' }, { collation: caseless }).toArray()).toHaveLength(2);
    expect(
      await c
        .find({ name: { $gt: 'b' } }, { collation: caseless })
        .sort({ name: 1 })
        .toArray(),
    ).toHaveLength(4);
  });
});

describe('a collation of an index', () => {
  test('keeps unique what it calls equal, also through updates, and shows itself', async () => {
    const c = server.db().collection('users');
    await c.createIndex({ tenant: 1, email: 1 }, { unique: true, collation: caseless });
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

  test('is found again after a restart of the build: existing duplicates end it', async () => {
    const c = server.db().collection('users');
    await c.insertMany([{ email: 'a' }, { email: 'A' }]);
    expect(await failureOf(c.createIndex({ email: 1 }, { unique: true, collation: caseless }))).toMatchObject({
      code: 11000,
    });
  });
});

describe('the default collation of a collection', () => {
  test('holds for queries, indexes and _id, unless a command names another', async () => {
    const db = server.db();
    const c = await db.createCollection<{ _id: string; name: string }>('c', { collation: caseless });
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

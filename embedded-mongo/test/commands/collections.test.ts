import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { failureOf, startTestServer, type TestServer, until } from '../test-server.js';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

describe('capped collections', () => {
  it('keep the newest documents within count and size, in order of insertion', async () => {
    const db = server.db();
    const byCount = await db.createCollection('count', { capped: true, size: 1_000_000, max: 3 });
    await byCount.insertMany(Array.from({ length: 10 }, (_, n) => ({ n })));
    expect((await byCount.find().toArray()).map(({ n }) => n)).toEqual([7, 8, 9]);
    const bySize = await db.createCollection('size', { capped: true, size: 4_096 });
    await bySize.insertMany(Array.from({ length: 20 }, (_, n) => ({ n, pad: 'x'.repeat(1_000) })));
    expect((await bySize.find().sort({ $natural: -1 }).toArray()).map(({ n }) => n)).toEqual([19, 18, 17]);
    expect(await db.command({ validate: 'size' })).toMatchObject({ valid: true, nrecords: 3 });
  });

  it('wake a waiting tailable cursor at the next insert', async () => {
    const c = await server.db().createCollection('c', { capped: true, size: 1_000_000 });
    await c.insertOne({ n: 0 });
    const cursor = c.find({}, { tailable: true, awaitData: true, maxAwaitTimeMS: 10_000 });
    expect(await cursor.next()).toMatchObject({ n: 0 });
    const next = cursor.next();
    await c.insertOne({ n: 1 });
    expect(await next).toMatchObject({ n: 1 });
    await cursor.close();
  });

  it('fail an overtaken tailable cursor instead of leaving a gap', async () => {
    const c = await server.db().createCollection('c', { capped: true, size: 1_000_000, max: 2 });
    await c.insertOne({ n: 0 });
    const cursor = c.find({}, { tailable: true, batchSize: 1 });
    await cursor.next();
    await c.insertMany([{ n: 1 }, { n: 2 }, { n: 3 }]);
    expect(await failureOf(cursor.next())).toMatchObject({ code: 136 });
  });

  it('are the only collections with tailable cursors', async () => {
    const c = server.db().collection('c');
    await c.insertOne({});
    expect(await failureOf(c.find({}, { tailable: true }).next())).toMatchObject({ code: 2 });
  });
});

describe('validators', () => {
  it('reject invalid documents unless bypassed; moderate accepts documents that were invalid before', async () => {
    const db = server.db();
    const c = await db.createCollection('c', { validator: { n: { $type: 'int' } } });
    expect(await failureOf(c.insertOne({ n: 'one' }))).toMatchObject({ code: 121 });
    await c.insertOne({ n: 1 });
    expect(await failureOf(c.updateOne({ n: 1 }, { $set: { n: 'one' } }))).toMatchObject({ code: 121 });
    await c.insertOne({ n: 'two' }, { bypassDocumentValidation: true });
    expect(await failureOf(c.updateOne({ n: 'two' }, { $set: { m: 1 } }))).toMatchObject({ code: 121 });
    await db.command({ collMod: 'c', validationLevel: 'moderate' });
    expect(await c.updateOne({ n: 'two' }, { $set: { m: 1 } })).toMatchObject({ modifiedCount: 1 });
    expect(await failureOf(db.command({ collMod: 'c', validationAction: 'log' }))).toMatchObject({ code: 2 });
  });
});

describe('names', () => {
  it('lists, renames and drops collections and databases', async () => {
    const db = server.db();
    await db.createCollection('a');
    await db.createCollection('a');
    await db.collection('b').insertOne({ n: 1 });
    expect((await db.listCollections().toArray()).map(({ name }) => name)).toEqual(['a', 'b']);
    expect((await db.listCollections({ name: 'b' }).toArray()).map(({ name }) => name)).toEqual(['b']);
    expect(await failureOf(db.renameCollection('b', 'a'))).toMatchObject({ code: 48 });
    await db.renameCollection('b', 'a', { dropTarget: true });
    expect(await db.collection('a').findOne()).toMatchObject({ n: 1 });
    await db.dropCollection('a');
    expect(await db.collection('a').findOne()).toBeNull();
    await db.collection('c').insertOne({});
    await db.dropDatabase();
    expect((await server.client.db('admin').admin().listDatabases()).databases.map(({ name }) => name)).not.toContain(
      db.databaseName,
    );
  });

  it('creates an empty collection under the name of a dropped one', async () => {
    const db = server.db();
    const c = db.collection('c');
    await c.createIndex({ n: 1 }, { unique: true });
    await c.insertMany(Array.from({ length: 3_000 }, (_, n) => ({ n })));
    await c.drop();
    await c.insertMany([{ n: 1 }, { n: 1 }]);
    expect(await c.find().toArray()).toHaveLength(2);
    expect((await c.indexes()).map(({ name }) => name)).toEqual(['_id_']);
    expect(await db.command({ validate: 'c' })).toMatchObject({ valid: true, nrecords: 2 });
  });

  it('rejects the names that MongoDB rejects', async () => {
    const db = server.db();
    expect(await failureOf(db.command({ create: 'a$b' }))).toMatchObject({ code: 73 });
    expect(await failureOf(db.command({ create: `${'x'.repeat(300)}` }))).toMatchObject({ code: 73 });
  });
});

describe('long writes', () => {
  it('let other commands run while thousands of documents are deleted', async () => {
    const db = server.db();
    const c = db.collection('c');
    for (let i = 0; i < 10; i++)
      await c.insertMany(Array.from({ length: 2_000 }, (_, n) => ({ n, i, pad: 'x'.repeat(200) })));
    let finished = false;
    const deleted = c.deleteMany({ n: { $gte: 0 } }).finally(() => {
      finished = true;
    });
    let answered = 0;
    await until(async () => {
      await db.collection('other').insertOne({});
      answered += finished ? 0 : 1;
      return finished;
    });
    expect((await deleted).deletedCount).toBe(20_000);
    expect(answered).toBeGreaterThan(3);
    expect(await db.command({ validate: 'c' })).toMatchObject({ valid: true, nrecords: 0 });
  });
});

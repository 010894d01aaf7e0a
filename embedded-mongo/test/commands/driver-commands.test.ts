import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { type Running, startInThread } from '../../launch/launch.js';
import { failureOf, startTestServer, type TestServer, temporaryDirectory } from '../test-server.js';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

describe('validate', () => {
  it('accepts the arguments that pymongo sends by default', async () => {
    const db = server.db();
    await db.createCollection('c');
    expect(await db.command({ validate: 'c', scandata: false, full: false })).toMatchObject({ valid: true, ok: 1 });
  });
});

describe('apiStrict', () => {
  const strict = { apiVersion: '1', apiStrict: true };

  it('rejects commands and stages outside of API version 1 with 323', async () => {
    const db = server.db();
    await db.createCollection('c');
    expect(await failureOf(db.command({ collStats: 'c', ...strict }))).toMatchObject({
      code: 323,
      codeName: 'APIStrictError',
    });
    const pipeline = [{ $indexStats: {} }];
    expect(await failureOf(db.command({ aggregate: 'c', pipeline, cursor: {}, ...strict }))).toMatchObject({
      code: 323,
    });
    expect(await db.command({ count: 'c', ...strict })).toMatchObject({ ok: 1 });
    expect(await db.command({ collStats: 'c', apiVersion: '1' })).toMatchObject({ ok: 1 });
  });

  it('rejects another version, and switches without a version, with 322', async () => {
    const db = server.db();
    expect(await failureOf(db.command({ ping: 1, apiVersion: '2' }))).toMatchObject({ code: 322 });
    expect(await failureOf(db.command({ ping: 1, apiStrict: true }))).toMatchObject({ code: 322 });
    expect(await failureOf(db.command({ distinct: 'c', key: 'k', ...strict }))).toMatchObject({ code: 323 });
  });
});

describe('$listLocalSessions', () => {
  it('lists the sessions that clients use, until they end', async () => {
    const { client } = server;
    const list = () =>
      client
        .db('admin')
        .aggregate([{ $listLocalSessions: {} }])
        .toArray();
    const session = client.startSession();
    await client.db('admin').command({ ping: 1 }, { session });
    const mine = session.id?.id.toString('hex');
    const ids = async () => (await list()).map(({ _id }) => _id.id.toString('hex'));
    expect(await ids()).toContain(mine);
    await client.db('admin').command({ endSessions: [session.id] });
    expect(await ids()).not.toContain(mine);
    await session.endSession();
  });
});

describe('collMod prepareUnique', () => {
  it('keeps new writes unique, and converts the index when no duplicates are left', async () => {
    const db = server.db();
    const c = db.collection<{ _id: number; k: number }>('c');
    await c.insertMany([
      { _id: 1, k: 1 },
      { _id: 2, k: 1 },
    ]);
    await c.createIndex({ k: 1 });
    const change = (index: object) => db.command({ collMod: 'c', index: { name: 'k_1', ...index } });
    expect(await failureOf(change({ unique: true }))).toMatchObject({ code: 72 });
    expect(await change({ prepareUnique: true })).toMatchObject({ prepareUnique_new: true });
    expect(await failureOf(c.insertOne({ _id: 3, k: 1 }))).toMatchObject({ code: 11_000 });
    await c.insertOne({ _id: 4, k: 2 });
    expect(await failureOf(c.updateOne({ _id: 4 }, { $set: { k: 1 } }))).toMatchObject({ code: 11_000 });
    expect(await c.updateOne({ _id: 4 }, { $set: { k: 2 } })).toMatchObject({ matchedCount: 1 });
    expect(await failureOf(change({ unique: true }))).toMatchObject({
      code: 359,
      errorResponse: { violations: [{ ids: [1, 2] }] },
    });
    await c.deleteOne({ _id: 2 });
    expect(await change({ unique: true })).toMatchObject({ unique_new: true });
    expect(await c.indexes()).toMatchObject([{ name: '_id_' }, { name: 'k_1', unique: true }]);
    expect(await failureOf(c.insertOne({ _id: 5, k: 1 }))).toMatchObject({ code: 11_000 });
    expect(await db.command({ validate: 'c' })).toMatchObject({ valid: true, errors: [] });
  });
});

describe('declarations of indexes that are not served', () => {
  const KINDS = [{ place: '2dsphere' }, { '$**': 1 }, { k: 'hashed' }] as const;

  it.each([
    ['2dsphere', KINDS[0], { '2dsphereIndexVersion': 3 }],
    ['wildcard', KINDS[1], { wildcardProjection: { a: 1 } }],
    ['hashed', KINDS[2], {}],
  ])('names a %s index and --permissive-indexes when it rejects one', async (kind, key, options) => {
    const created = server
      .db()
      .collection('c')
      .createIndex({ ...key }, options);
    expect(await failureOf(created)).toMatchObject({
      code: 67,
      message: `This server does not support ${kind} indexes. The option --permissive-indexes accepts their declarations.`,
    });
  });

  it('rejects a misspelt kind as an unknown plugin', async () => {
    const created = server.db().command({ createIndexes: 'c', indexes: [{ key: { t: 'txet' }, name: 't' }] });
    expect(await failureOf(created)).toMatchObject({ code: 67, message: "Unknown index plugin 'txet'" });
  });

  it('are kept with permissiveIndexes, shown with served: false, and never used, also after a restart', async () => {
    const directory = temporaryDirectory();
    const open = async (work: (client: MongoClient, running: Running) => Promise<void>) => {
      const running = await startInThread({ dataDir: directory.path, permissiveIndexes: true });
      const client = await MongoClient.connect(running.uri);
      await work(client, running);
      await client.close();
      await running.stop();
    };
    await open(async (client) => {
      const c = client.db('d').collection('c');
      for (const key of KINDS) await c.createIndex({ ...key });
      // The same declaration again changes nothing.
      await c.createIndex({ place: '2dsphere' });
      await c.insertOne({ k: 1, place: { type: 'Point', coordinates: [1, 2] } });
      expect(await failureOf(c.createIndex({ u: 'hashed' }, { unique: true }))).toMatchObject({ code: 67 });
      const texts = client.db('d').collection('texts');
      await texts.createIndex({ '$**': 'text' });
      await texts.insertOne({ any: 'word' });
      expect(await texts.countDocuments({ $text: { $search: 'word' } })).toBe(1);
    });
    await open(async (client) => {
      const c = client.db('d').collection('c');
      const unserved = (await c.indexes()).filter((index) => index['served'] === false);
      expect(unserved.map(({ key }) => key)).toEqual(KINDS);
      expect(await c.countDocuments({ k: 1 })).toBe(1);
      expect(await c.find({ k: 1 }).explain()).toMatchObject({ queryPlanner: { winningPlan: { stage: 'COLLSCAN' } } });
      expect(await client.db('d').command({ validate: 'c' })).toMatchObject({ valid: true, errors: [] });
      await c.dropIndex('k_hashed');
      expect(await c.indexes()).toHaveLength(3);
    });
    directory.remove();
  });
});

describe('$merge and $lookup at their edges', () => {
  it('$merge with whenMatched fail gives the error of a duplicate key', async () => {
    const db = server.db();
    await db.collection<{ _id: number }>('c').insertOne({ _id: 1 });
    await db.collection<{ _id: number }>('into').insertOne({ _id: 1 });
    const merging = db
      .collection('c')
      .aggregate([{ $merge: { into: 'into', whenMatched: 'fail' } }])
      .toArray();
    expect(await failureOf(merging)).toMatchObject({
      code: 11_000,
      message: expect.stringMatching(/E11000 duplicate key error collection: .*into index: _id_ dup key: \{ _id: 1 \}/),
      keyPattern: { _id: 1 },
      keyValue: { _id: 1 },
    });
  });

  it('$lookup joins an empty local array with null and missing', async () => {
    const db = server.db();
    await db.collection<{ _id: number; a: unknown[] }>('c').insertOne({ _id: 1, a: [] });
    await db
      .collection<{ _id: number; b?: unknown }>('other')
      .insertMany([{ _id: 1, b: null }, { _id: 2 }, { _id: 3, b: 1 }]);
    const [joined] = await db
      .collection('c')
      .aggregate([{ $lookup: { from: 'other', localField: 'a', foreignField: 'b', as: 'found' } }])
      .toArray();
    expect(joined?.['found'].map(({ _id }: { _id: number }) => _id)).toEqual([1, 2]);
  });
});

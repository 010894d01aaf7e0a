import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Collection, type Db, type Document, MongoClient } from 'mongodb';
import { startInThread } from '../../launch/launch.js';
import { failureOf, startTestServer, type TestServer, temporaryDirectory } from '../test-server.js';

let server: TestServer;
let db: Db;
let stores: Collection<{ _id: number } & Document>;
beforeAll(async () => {
  server = await startTestServer();
  db = server.db();
  stores = db.collection('stores');
  // The example of MongoDB's manual, "Text Search", with the scores it prints.
  await stores.insertMany([
    { _id: 1, name: 'Java Hut', description: 'Coffee and cakes' },
    { _id: 2, name: 'Burger Buns', description: 'Gourmet hamburgers' },
    { _id: 3, name: 'Coffee Shop', description: 'Just coffee' },
    { _id: 4, name: 'Clothes Clothes Clothes', description: 'Discount clothing' },
    { _id: 5, name: 'Java Shopping', description: 'Indonesian goods' },
  ]);
  await stores.createIndex({ name: 'text', description: 'text' });
});
afterAll(() => server.stop());

const ids = async (search: string, options: Document = {}): Promise<number[]> =>
  (await stores.find({ $text: { $search: search, ...options } }).toArray()).map(({ _id }) => _id).sort();

const BY_SCORE = { score: { $meta: 'textScore' } } as const;

describe('$text', () => {
  it('finds any of the words, in any case and inflection', async () => {
    expect(await ids('java coffee shop')).toEqual([1, 3, 5]);
    expect(await ids('SHOPS')).toEqual([3, 5]);
    expect(await ids('cake')).toEqual([1]);
    expect(await ids('and the')).toEqual([]);
    expect(await ids('nothing')).toEqual([]);
  });

  it('requires phrases and excludes words and phrases with a hyphen', async () => {
    expect(await ids('"coffee shop"')).toEqual([3]);
    expect(await ids('java "coffee and"')).toEqual([1]);
    expect(await ids('java coffee -shop')).toEqual([1]);
    expect(await ids('java -"java hut"')).toEqual([5]);
    expect(await ids('-java')).toEqual([]);
  });

  it('returns the scores of the MongoDB manual and sorts by them', async () => {
    const found = await stores
      .find({ $text: { $search: 'java coffee shop' } }, { projection: BY_SCORE })
      .sort(BY_SCORE)
      .toArray();
    expect(found.map(({ _id, score }) => [_id, score])).toEqual([
      [3, 2.25],
      [1, 1.5],
      [5, 1.5],
    ]);
    const [best] = await stores
      .find({ $text: { $search: 'coffee' } }, { projection: { _id: 0, name: 1, score: BY_SCORE.score } })
      .sort(BY_SCORE)
      .limit(1)
      .toArray();
    expect(best).toEqual({ name: 'Coffee Shop', score: 1.5 });
  });

  it('gives the score to all stages of a pipeline', async () => {
    const found = await stores
      .aggregate([
        { $match: { $text: { $search: 'java coffee shop' } } },
        { $sort: BY_SCORE },
        { $project: { name: 1 } },
        { $addFields: { score: { $meta: 'textScore' } } },
        { $match: { score: { $gt: 2 } } },
      ])
      .toArray();
    expect(found).toEqual([{ _id: 3, name: 'Coffee Shop', score: 2.25 }]);
    const [sum] = await stores
      .aggregate([
        { $match: { $text: { $search: 'java coffee shop' } } },
        { $group: { _id: null, sum: { $sum: { $meta: 'textScore' } } } },
      ])
      .toArray();
    expect(sum).toEqual({ _id: null, sum: 5.25 });
  });

  it('counts, updates and deletes by words, together with other conditions', async () => {
    expect(await stores.countDocuments({ $text: { $search: 'java' }, _id: { $gt: 1 } })).toBe(1);
    await stores.insertOne({ _id: 9, name: 'Zebra', description: 'stripes' });
    await stores.updateOne({ $text: { $search: 'zebra' } }, { $set: { name: 'Okapi' } });
    expect(await ids('zebra')).toEqual([]);
    expect(await ids('okapi')).toEqual([9]);
    expect((await stores.deleteMany({ $text: { $search: 'okapi stripes' } })).deletedCount).toBe(1);
    expect(await db.command({ validate: 'stores' })).toMatchObject({ valid: true, errors: [] });
  });

  it('shows the index scan in explain', async () => {
    const explained = await stores.find({ $text: { $search: 'coffee' } }).explain('executionStats');
    expect(explained['queryPlanner'].winningPlan).toMatchObject({ stage: 'FETCH', inputStage: { stage: 'TEXT_OR' } });
    expect(explained['executionStats']).toMatchObject({ nReturned: 2, totalKeysExamined: 2, totalDocsExamined: 2 });
  });

  it('is rejected without an index, with a hint and inside other operators', async () => {
    expect(
      await failureOf(
        db
          .collection('none')
          .insertOne({})
          .then(() =>
            db
              .collection('none')
              .find({ $text: { $search: 'x' } })
              .toArray(),
          ),
      ),
    ).toMatchObject({ code: 27 });
    expect(
      await failureOf(
        stores
          .find({ $text: { $search: 'x' } })
          .hint({ _id: 1 })
          .toArray(),
      ),
    ).toMatchObject({ code: 2 });
    expect(await failureOf(stores.find({ $or: [{ $text: { $search: 'x' } }] }).toArray())).toMatchObject({ code: 27 });
    expect(await failureOf(stores.find({ $text: { $search: 'x', $language: 'klingon' } }).toArray())).toMatchObject({
      code: 17262,
    });
    expect(await failureOf(stores.find({}).hint('name_text_description_text').toArray())).toMatchObject({ code: 291 });
    expect(await failureOf(stores.createIndex({ other: 'text' }))).toBeDefined();
  });
});

describe('text indexes', () => {
  it('apply weights and list them with the defaults', async () => {
    const c = db.collection('weights');
    await c.createIndex({ title: 'text', body: 'text' }, { weights: { title: 10 }, name: 'words' });
    await c.insertMany([
      { _id: 1 as never, title: 'apple', body: 'pear' },
      { _id: 2 as never, title: 'pear', body: 'apple apple' },
    ]);
    const found = await c
      .find({ $text: { $search: 'apple' } }, { projection: BY_SCORE })
      .sort(BY_SCORE)
      .toArray();
    expect(found.map(({ _id, score }) => [_id, score])).toEqual([
      [1, 10],
      [2, 1.5],
    ]);
    expect((await c.indexes())[1]).toEqual({
      v: 2,
      key: { _fts: 'text', _ftsx: 1 },
      name: 'words',
      weights: { body: 1, title: 10 },
      default_language: 'english',
      language_override: 'language',
      textIndexVersion: 3,
    });
  });

  it('require equalities for leading fields and read only their keys', async () => {
    const c = db.collection('prefix');
    await c.createIndex({ tenant: 1, note: 'text' });
    await c.insertMany([
      { tenant: 'a', note: 'red fox' },
      { tenant: 'b', note: 'red hen' },
    ]);
    expect(await c.find({ tenant: 'b', $text: { $search: 'red' } }).toArray()).toMatchObject([{ note: 'red hen' }]);
    const explained = await c.find({ tenant: 'b', $text: { $search: 'red' } }).explain('executionStats');
    expect(explained['executionStats'].totalKeysExamined).toBe(1);
    expect(await failureOf(c.find({ $text: { $search: 'red' } }).toArray())).toMatchObject({ code: 291 });
    expect(await failureOf(c.insertOne({ tenant: ['x'], note: 'red' }))).toMatchObject({ code: 17261 });
  });

  it('use the stems and stop words of the language of the index, document or search', async () => {
    const c = db.collection('languages');
    await c.createIndex({ text: 'text' }, { default_language: 'german' });
    await c.insertMany([
      { _id: 1 as never, text: 'Die Häuser und Gärten' },
      { _id: 2 as never, text: 'the running foxes', language: 'english' },
      { _id: 3 as never, text: 'the running foxes', language: 'none' },
    ]);
    const found = async (text: Document) =>
      (await c.find({ $text: text as never }).toArray()).map(({ _id }) => Number(_id)).sort();
    expect(await found({ $search: 'haus' })).toEqual([1]);
    expect(await found({ $search: 'und die' })).toEqual([]);
    expect(await found({ $search: 'run', $language: 'en' })).toEqual([2]);
    expect(await found({ $search: 'running', $language: 'none' })).toEqual([3]);
  });

  it('distinguish case and marks only on request', async () => {
    const c = db.collection('folding');
    await c.createIndex({ '$**': 'text' }, { default_language: 'none' });
    await c.insertMany([
      { _id: 1 as never, deep: { text: ['Café'] } },
      { _id: 2 as never, other: 'cafe' },
    ]);
    const found = async (text: Document) =>
      (await c.find({ $text: text as never }).toArray()).map(({ _id }) => Number(_id)).sort();
    expect(await found({ $search: 'CAFE' })).toEqual([1, 2]);
    expect(await found({ $search: 'Café', $diacriticSensitive: true })).toEqual([1]);
    expect(await found({ $search: 'cafe', $caseSensitive: true })).toEqual([2]);
    expect(await found({ $search: '"CAFÉ"', $caseSensitive: true })).toEqual([]);
    expect(await found({ $search: '"cafe"' })).toEqual([1, 2]);
  });

  it('are limited to one a collection and reject options of other indexes', async () => {
    const c = db.collection('refused');
    await c.createIndex({ a: 'text' });
    await c.createIndex({ a: 'text' });
    expect(await failureOf(c.createIndex({ x: 1, b: 'text' }))).toMatchObject({ code: 67 });
    expect(await failureOf(c.createIndex({ b: 'text' }, { name: 'n', unique: true }))).toMatchObject({ code: 67 });
    expect(await failureOf(c.createIndex({ b: 1 }, { weights: { b: 1 } }))).toMatchObject({ code: 67 });
    expect(await failureOf(c.createIndex({ b: 'hashed' }))).toMatchObject({ code: 67 });
    expect(await failureOf(c.createIndex({ '$**': 1 }))).toMatchObject({ code: 67 });
  });

  it('survive a restart with their weights and language', async () => {
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
    const listed = await open(async (on) => {
      const c = on.collection('c');
      await c.createIndex({ tenant: 1, title: 'text' }, { weights: { title: 3 }, default_language: 'german' });
      await c.insertOne({ tenant: 'a', title: 'Die Häuser' });
      return c.indexes();
    });
    await open(async (on) => {
      const c = on.collection('c');
      expect(await c.indexes()).toEqual(listed);
      const filter = { tenant: 'a', $text: { $search: 'haus' } };
      const found = await c.find(filter, { projection: { _id: 0, score: { $meta: 'textScore' } } }).toArray();
      expect(found).toMatchObject([{ title: 'Die Häuser', score: 3 }]);
      expect(await on.command({ validate: 'c' })).toMatchObject({ valid: true, errors: [] });
    });
    directory.remove();
  });
});

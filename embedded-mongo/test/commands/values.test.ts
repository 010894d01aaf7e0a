import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { failureOf, startTestServer, type TestServer } from '../test-server.js';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const VARIABLES = { least: 2, who: { $literal: '$ann' } };

async function numbers() {
  const c = server.db().collection<{ _id: number; n: number; who?: string }>('c');
  await c.insertMany([1, 2, 3].map((n) => ({ _id: n, n })));
  return c;
}

const AT_LEAST = { $expr: { $gte: ['$n', '$$least'] } };

describe('let', () => {
  it('reaches the filter and projection of find', async () => {
    const c = await numbers();
    const found = await c
      .find(AT_LEAST, { let: VARIABLES, projection: { over: { $subtract: ['$n', '$$least'] } } })
      .toArray();
    expect(found).toEqual([
      { _id: 2, over: 0 },
      { _id: 3, over: 1 },
    ]);
    expect(await failureOf(c.find(AT_LEAST).toArray())).toMatchObject({ code: 17276 });
    expect(await failureOf(c.find({}, { let: { Upper: 1 } }).toArray())).toMatchObject({ code: 9 });
  });

  it('reaches update, delete, findAndModify, bulkWrite and aggregate', async () => {
    const c = await numbers();
    const pipeline = [{ $set: { who: '$$who', n: { $add: ['$n', '$$least'] } } }];
    expect(await c.updateMany(AT_LEAST, pipeline, { let: VARIABLES })).toMatchObject({ modifiedCount: 2 });
    expect(await c.findOne({ _id: 3 })).toEqual({ _id: 3, n: 5, who: '$ann' });
    expect(
      await c.findOneAndUpdate({ $expr: { $eq: ['$n', '$$five'] } }, [{ $unset: 'who' }], { let: { five: 5 } }),
    ).toMatchObject({ _id: 3 });
    expect(await c.deleteOne({ $expr: { $eq: ['$n', '$$x'] } }, { let: { x: 4 } })).toMatchObject({ deletedCount: 1 });
    const sums = await c.aggregate([{ $match: AT_LEAST }, { $project: { v: '$$who' } }], { let: VARIABLES }).toArray();
    expect(sums).toEqual([{ _id: 3, v: '$ann' }]);
    const bulk = await server.client.bulkWrite(
      [
        {
          namespace: c.namespace,
          name: 'updateOne',
          filter: { _id: 1 as never },
          update: [{ $set: { n: '$$least' } }],
        },
      ],
      { let: { least: 9 } },
    );
    expect(bulk.modifiedCount).toBe(1);
  });

  it('keeps the constants of a statement unchanged, and only for pipelines', async () => {
    const c = await numbers();
    const update = (u: unknown) => c.db.command({ update: 'c', updates: [{ q: { _id: 1 }, u, c: { v: '$n' } }] });
    await update([{ $set: { who: '$$v' } }]);
    expect(await c.findOne({ _id: 1 })).toMatchObject({ who: '$n' });
    expect(await update({ $set: { n: 1 } })).toMatchObject({ writeErrors: [{ code: 51198 }] });
  });
});

describe('pipeline updates', () => {
  it('know $$NOW, $rand and the document, and make documents on upsert', async () => {
    const c = server.db().collection('c');
    const before = Date.now();
    await c.updateOne({ _id: 'x' as never }, [{ $set: { at: '$$NOW', r: { $rand: {} }, same: '$$ROOT._id' } }], {
      upsert: true,
    });
    const made = await c.findOne({});
    expect(made).toMatchObject({ _id: 'x', same: 'x' });
    expect(Number(made?.['at'])).toBeGreaterThanOrEqual(before);
    expect(made?.['r']).toBeLessThan(1);
    expect(await c.findOne({ $expr: { $lte: ['$at', '$$NOW'] } })).toMatchObject({ _id: 'x' });
    expect(await failureOf(c.updateOne({}, [{ $group: { _id: 1 } }]))).toMatchObject({ code: 72 });
  });
});

describe('stages that need the server', () => {
  it('$merge by pipeline, $out to another database, facts of collection and indexes', async () => {
    const c = await numbers();
    await c
      .aggregate([{ $merge: { into: 'sums', whenMatched: [{ $set: { n: { $add: ['$n', '$$new.n'] } } }] } }])
      .toArray();
    await c
      .aggregate([{ $merge: { into: 'sums', whenMatched: [{ $set: { n: { $add: ['$n', '$$new.n'] } } }] } }])
      .toArray();
    expect(await c.db.collection('sums').find().toArray()).toMatchObject([{ n: 2 }, { n: 4 }, { n: 6 }]);
    const other = `${c.dbName}_other`;
    await c.aggregate([{ $out: { db: other, coll: 'copy' } }]).toArray();
    expect(await server.client.db(other).collection('copy').countDocuments()).toBe(3);
    await c.createIndex({ n: 1 });
    await c.findOne({ n: 2 });
    const stats = await c.aggregate([{ $indexStats: {} }, { $match: { name: 'n_1' } }]).toArray();
    expect(stats).toMatchObject([{ key: { n: 1 }, accesses: { ops: 1 } }]);
    expect(await c.aggregate([{ $collStats: { count: {}, storageStats: {} } }]).toArray()).toMatchObject([
      { count: 3, storageStats: { count: 3, nindexes: 2 } },
    ]);
    expect(await c.db.aggregate([{ $documents: [{ a: 1 }] }]).toArray()).toEqual([{ a: 1 }]);
    const running = await server.client
      .db('admin')
      // The driver's own monitors run too.
      .aggregate([{ $currentOp: {} }, { $match: { 'command.aggregate': { $exists: true } } }, { $project: { op: 1 } }])
      .toArray();
    expect(running).toMatchObject([{ op: 'command' }]);
    expect(await failureOf(c.aggregate([{ $geoNear: {} }]).toArray())).toMatchObject({ code: 40324 });
  });
});

describe('validators', () => {
  const schema = {
    bsonType: 'object',
    required: ['name', 'age'],
    properties: { age: { bsonType: 'int', minimum: 18, description: 'of age' }, tags: { items: { enum: ['a', 'b'] } } },
    additionalProperties: true,
  };

  it('name the broken rules and the values that break them', async () => {
    const db = server.db();
    const c = await db.createCollection('c', { validator: { $jsonSchema: schema } });
    const failure = await failureOf(c.insertOne({ _id: 1 as never, age: 7, tags: ['a', 'z'] }));
    expect(failure).toMatchObject({ code: 121, errInfo: { failingDocumentId: 1 } });
    expect(failure).toHaveProperty('errInfo.details', {
      operatorName: '$jsonSchema',
      schemaRulesNotSatisfied: [
        { operatorName: 'required', specifiedAs: { required: ['name', 'age'] }, missingProperties: ['name'] },
        {
          operatorName: 'properties',
          propertiesNotSatisfied: [
            {
              propertyName: 'age',
              description: 'of age',
              details: [
                {
                  operatorName: 'minimum',
                  specifiedAs: { minimum: 18 },
                  reason: 'comparison failed',
                  consideredValue: 7,
                },
              ],
            },
            {
              propertyName: 'tags',
              details: [
                {
                  operatorName: 'items',
                  reason: 'At least one item did not match the sub-schema',
                  itemIndex: 1,
                  details: [
                    {
                      operatorName: 'enum',
                      specifiedAs: { enum: ['a', 'b'] },
                      reason: 'value was not found in enum',
                      consideredValue: 'z',
                    },
                  ],
                },
              ],
            },
          ],
        },
      ],
    });
  });

  it('name the broken clause of query operators', async () => {
    const db = server.db();
    const c = await db.createCollection('c', { validator: { $and: [{ n: { $gt: 1 } }, { n: { $lt: 9 } }] } });
    expect(await failureOf(c.insertOne({ n: 10 }))).toMatchObject({
      errInfo: {
        details: {
          operatorName: '$and',
          clausesNotSatisfied: [
            { index: 1, details: { operatorName: '$lt', specifiedAs: { n: { $lt: 9 } }, consideredValue: 10 } },
          ],
        },
      },
    });
  });

  it('that only warn let documents through, and say so in the options; off checks nothing', async () => {
    const db = server.db();
    const c = await db.createCollection('c', { validator: { n: 1 }, validationAction: 'warn' });
    await c.insertOne({ n: 2 });
    expect(await db.listCollections().toArray()).toMatchObject([{ options: { validationAction: 'warn' } }]);
    await db.command({ collMod: 'c', validationAction: 'error' });
    expect(await failureOf(c.insertOne({ n: 2 }))).toMatchObject({ code: 121 });
    await db.command({ collMod: 'c', validationLevel: 'off' });
    await c.insertOne({ n: 2 });
  });

  it('follow the collation of their collection', async () => {
    const db = server.db();
    const c = await db.createCollection('c', { validator: { s: 'ABC' }, collation: { locale: 'en', strength: 2 } });
    await c.insertOne({ s: 'abc' });
    await db.command({ collMod: 'c', validationLevel: 'moderate' });
    expect(await db.listCollections().toArray()).toMatchObject([{ options: { collation: { locale: 'en' } } }]);
    expect(await failureOf(c.insertOne({ s: 'other' }))).toMatchObject({ code: 121 });
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Decimal128, Double, Int32, Long, ObjectId } from 'mongodb';
import { failureOf, startTestServer, type TestServer } from '../test-server.js';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

interface Numbered {
  _id: number;
  n: number;
}

function numbered(count: number): Numbered[] {
  return Array.from({ length: count }, (_, i) => ({ _id: i, n: i }));
}

describe('insert', () => {
  it('keeps number types and field order', async () => {
    const c = server.db().collection('c', { promoteValues: false });
    await c.insertOne({
      i: new Int32(1),
      d: new Double(1),
      l: Long.fromNumber(1),
      x: Decimal128.fromString('1.0'),
      7: 'a',
    });
    const found = await c.findOne({});
    expect(found?.['d']).toBeInstanceOf(Double);
    expect(found?.['l']).toBeInstanceOf(Long);
    expect(String(found?.['x'])).toBe('1.0');
  });

  it('stores _id first', async () => {
    const db = server.db();
    await db.command({ insert: 'c', documents: [{ a: 1, _id: 'last' }, { a: 2 }] });
    const [first, second] = await db.collection('c').find().toArray();
    expect(Object.keys(first ?? {})).toEqual(['_id', 'a']);
    expect(second?._id).toBeInstanceOf(ObjectId);
  });

  it('stops an ordered batch at the first failure and continues an unordered one', async () => {
    const c = server.db().collection<{ _id: number }>('c');
    const ordered = await failureOf(c.insertMany([{ _id: 1 }, { _id: 1 }, { _id: 2 }]));
    expect(ordered).toMatchObject({ code: 11000, insertedCount: 1 });
    const unordered = await failureOf(c.insertMany([{ _id: 1 }, { _id: 2 }, { _id: 3 }], { ordered: false }));
    expect(unordered).toMatchObject({ code: 11000, insertedCount: 2 });
    expect(await c.find().toArray()).toHaveLength(3);
  });

  it('reports a duplicate key with index, pattern and value', async () => {
    const c = server.db().collection('people');
    await c.createIndex({ 'name.last': 1, born: -1 }, { unique: true });
    await c.insertOne({ name: { last: 'Ng' }, born: 1980 });
    const failure = await failureOf(c.insertOne({ name: { last: 'Ng' }, born: 1980 }));
    expect(failure).toMatchObject({
      code: 11000,
      keyPattern: { 'name.last': 1, born: -1 },
      keyValue: { 'name.last': 'Ng', born: 1980 },
    });
    expect(String(failure['message'])).toMatch(
      /^E11000 duplicate key error collection: test[\w-]+\.people index: name\.last_1_born_-1 dup key: \{ name\.last: "Ng", born: 1980 \}/,
    );
  });

  it('rejects documents above 16 MiB and arrays as _id', async () => {
    const db = server.db();
    const tooLarge = await failureOf(
      db.command({ insert: 'c', documents: [{ _id: 1, text: 'x'.repeat(17_000_000) }] }).then(throwWriteError),
    );
    expect(tooLarge['code']).toBe(10334);
    expect(await failureOf(db.command({ insert: 'c', documents: [{ _id: [1] }] }).then(throwWriteError))).toMatchObject(
      { code: 53 },
    );
  });
});

function throwWriteError(reply: { writeErrors?: { code: number }[] }): void {
  const [error] = reply.writeErrors ?? [];
  if (error) throw error;
}

describe('find', () => {
  it('returns every document once in small batches', async () => {
    const c = server.db().collection<Numbered>('c');
    await c.insertMany(numbered(1_000));
    const found = await c.find().batchSize(7).toArray();
    expect(found.map(({ n }) => n)).toEqual(numbered(1_000).map(({ n }) => n));
  });

  it('closes the cursor with the last batch', async () => {
    const db = server.db();
    await db.collection<Numbered>('c').insertMany(numbered(4));
    const first = await db.command({ find: 'c', batchSize: 2 });
    const last = await db.command({ getMore: first['cursor'].id, collection: 'c', batchSize: 2 });
    expect(String(last['cursor'].id)).toBe('0');
    expect(last['cursor'].nextBatch).toHaveLength(2);
  });

  it('continues a cursor after writes between its batches', async () => {
    const c = server.db().collection<Numbered>('c');
    await c.insertMany(numbered(100));
    const cursor = c
      .find({ n: { $gte: 0 } })
      .hint({ _id: 1 })
      .batchSize(10);
    const seen: number[] = [];
    for await (const { n } of cursor) {
      seen.push(n);
      if (n === 15) await c.deleteMany({ n: { $gte: 30, $lt: 50 } });
      if (n === 20) await c.insertOne({ _id: 100, n: 100 });
    }
    expect(seen).toEqual([...numbered(30), ...numbered(101).slice(50)].map(({ n }) => n));
  });

  it('sorts, skips and limits equally with and without an index', async () => {
    const c = server.db().collection('c');
    await c.insertMany(numbered(200).map(({ n }) => ({ a: (n * 37) % 11, b: (n * 13) % 17, n })));
    const ask = () =>
      c
        .find({ a: { $gt: 3 } })
        .sort({ a: -1, b: 1, n: 1 })
        .skip(5)
        .limit(40)
        .toArray();
    const scanned = await ask();
    await c.createIndex({ a: -1, b: 1, n: 1 });
    expect(await ask()).toEqual(scanned);
    expect(scanned).toHaveLength(40);
  });

  it('returns error 43 for a killed or unknown cursor', async () => {
    const db = server.db();
    await db.collection<Numbered>('c').insertMany(numbered(10));
    const { cursor } = await db.command({ find: 'c', batchSize: 1 });
    await db.command({ killCursors: 'c', cursors: [cursor.id] });
    expect(await failureOf(db.command({ getMore: cursor.id, collection: 'c' }))).toMatchObject({ code: 43 });
  });
});

describe('update', () => {
  it('counts matched and changed documents', async () => {
    const c = server.db().collection<Numbered>('c');
    await c.insertMany(numbered(10));
    expect(await c.updateMany({ n: { $lt: 5 } }, { $set: { n: 3 } })).toMatchObject({
      matchedCount: 5,
      modifiedCount: 4,
    });
  });

  it('updates a document once when it moves forward in its index', async () => {
    const c = server.db().collection<Numbered>('c');
    await c.insertMany(numbered(2_000));
    await c.createIndex({ n: 1 });
    const outcome = await c.updateMany({ n: { $gte: 0 } }, { $inc: { n: 10_000 } });
    expect(outcome.modifiedCount).toBe(2_000);
    expect(await c.find({ n: { $gte: 20_000 } }).toArray()).toHaveLength(0);
  });

  it('upserts with the values that the filter fixes', async () => {
    const c = server.db().collection('c');
    const outcome = await c.updateOne(
      { a: 1, b: { $gt: 5 } },
      { $set: { c: 2 }, $setOnInsert: { d: 3 } },
      { upsert: true },
    );
    expect(outcome).toMatchObject({ matchedCount: 0, upsertedCount: 1 });
    expect(await c.findOne({ _id: outcome.upsertedId ?? new ObjectId() })).toMatchObject({ a: 1, c: 2, d: 3 });
  });

  it('leaves no trace of a failing statement and continues an unordered batch', async () => {
    const c = server.db().collection<Numbered>('c');
    await c.insertMany(numbered(3));
    await c.createIndex({ n: 1 }, { unique: true });
    const failure = await failureOf(
      c.bulkWrite(
        [
          { updateOne: { filter: { n: 0 }, update: { $set: { n: 1 } } } },
          { updateOne: { filter: { n: 2 }, update: { $set: { n: 9 } } } },
        ],
        { ordered: false },
      ),
    );
    expect(failure).toMatchObject({ code: 11000 });
    expect((await c.find().toArray()).map(({ n }) => n)).toEqual([0, 1, 9]);
    expect(await server.client.db(c.dbName).command({ validate: 'c' })).toMatchObject({ valid: true });
  });

  it('loses no compare-and-set under many writers', async () => {
    const c = server.db().collection<Numbered>('c');
    await c.insertOne({ _id: 1, n: 0 });
    const increment = async () => {
      for (let done = false; !done; ) {
        const current = await c.findOne({ _id: 1 });
        const outcome = await c.updateOne({ _id: 1, n: current?.n ?? -1 }, { $inc: { n: 1 } });
        done = outcome.modifiedCount === 1;
      }
    };
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        for (let i = 0; i < 10; i++) await increment();
      }),
    );
    expect((await c.findOne({ _id: 1 }))?.n).toBe(80);
  });
});

describe('findAndModify', () => {
  it('returns the document before or after, sorted, and upserts', async () => {
    const c = server.db().collection<Numbered>('c');
    await c.insertMany(numbered(3));
    expect(await c.findOneAndUpdate({}, { $inc: { n: 10 } }, { sort: { n: -1 } })).toEqual({ _id: 2, n: 2 });
    const after = await c.findOneAndUpdate({ _id: 0 }, { $inc: { n: 1 } }, { returnDocument: 'after' });
    expect(after).toEqual({ _id: 0, n: 1 });
    const upserted = await c.findOneAndUpdate(
      { _id: 7 },
      { $set: { n: 7 } },
      { upsert: true, includeResultMetadata: true },
    );
    expect(upserted.lastErrorObject).toMatchObject({ n: 1, updatedExisting: false, upserted: 7 });
    expect(await c.findOneAndDelete({ _id: 7 })).toEqual({ _id: 7, n: 7 });
    expect(await c.findOneAndDelete({ _id: 7 })).toBeNull();
  });
});

describe('delete', () => {
  it('deletes one or all documents and their index entries', async () => {
    const db = server.db();
    const c = db.collection<Numbered>('c');
    await c.insertMany(numbered(500));
    await c.createIndex({ n: -1 });
    expect(await c.deleteOne({ n: { $lt: 100 } })).toMatchObject({ deletedCount: 1 });
    expect(await c.deleteMany({ n: { $lt: 300 } })).toMatchObject({ deletedCount: 299 });
    expect(await c.estimatedDocumentCount()).toBe(200);
    expect(await db.command({ validate: 'c' })).toMatchObject({
      valid: true,
      keysPerIndex: { _id_: 200, 'n_-1': 200 },
    });
  });
});

describe('unsupported commands', () => {
  it.each([
    [{ nonsense: 1 }, 59],
    [{ find: 'c', returnKey: true }, 40415],
    [{ find: 'c', collation: { locale: 'xx_unknown' } }, 2],
    [{ insert: 'c', documents: [{}], txnNumber: 1 }, 20],
    [{ insert: 'c', documents: [{}], writeConcern: { w: 2 } }, 2],
    [{ find: 'c', readConcern: { level: 'snapshot' } }, 123],
    [{ find: 'c', filter: { $where: 'true' } }, 2],
    [{ create: 'v', timeseries: { timeField: 't' } }, 40415],
    [{ createIndexes: 'c', indexes: [{ key: { a: 'hashed' }, name: 'a' }] }, 67],
    [{ commitTransaction: 1 }, 20],
    [{ update: 'c', updates: [] }, 16],
    [{ delete: 'c', deletes: [] }, 16],
    [{ find: 'c\0d' }, 73],
    [{ createIndexes: 'c', indexes: [{ key: { a: 1 }, name: 'a', unique: 'yes' }] }, 14],
    [{ dropIndexes: 'c' }, 40414],
    [{ find: 'c', projection: { 'a.$': 1, 'b.$': 1 } }, 31276],
  ])('returns %j with error %i', async (command, code) => {
    expect(await failureOf(server.db().command(command))).toMatchObject({ code });
  });
});

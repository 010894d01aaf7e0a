import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Collection, Decimal128, type Document, Long, type Sort } from 'mongodb';
import { seeded } from '../seeded.js';
import { failureOf, startTestServer, type TestServer, until } from '../test-server.js';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ ttlIntervalMs: 50 });
});
afterAll(() => server.stop());

const SCALARS: readonly unknown[] = [
  null,
  undefined,
  -3,
  0,
  1,
  1.5,
  2,
  5,
  Number.NaN,
  Long.fromNumber(2),
  Decimal128.fromString('1.5'),
  '',
  'a',
  'ab',
  'b',
  true,
  false,
  new Date(0),
  new Date(1e12),
  { x: 1 },
  { x: 1, y: 2 },
];

describe('plans', () => {
  it('returns the results of a full scan for every index plan', async () => {
    const random = seeded(7);
    const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
    const value = (): unknown =>
      random() < 0.15 ? [pick(SCALARS), pick(SCALARS)].filter((v) => v !== undefined) : pick(SCALARS);
    const db = server.db();
    const c = db.collection<Document>('c', { ignoreUndefined: true });
    const documents = Array.from({ length: 300 }, (_, i) => {
      const a = value();
      return {
        _id: i as never,
        a,
        // Two arrays cannot be indexed together.
        b: Array.isArray(a) ? pick(SCALARS) : value(),
        c:
          random() < 0.3
            ? [{ d: pick(SCALARS), e: pick(SCALARS) }, { d: pick(SCALARS) }]
            : { d: pick(SCALARS), e: value() },
      };
    });
    await c.insertMany(documents);
    const indexes: [Document, Document][] = [
      [{ a: 1 }, {}],
      [{ a: -1, b: 1 }, { name: 'ab' }],
      [
        { b: 1, a: 1 },
        { sparse: true, name: 'ba' },
      ],
      [{ 'c.d': 1, 'c.e': -1 }, {}],
      [{ b: -1 }, { partialFilterExpression: { a: { $gt: 0 } }, name: 'partial' }],
    ];
    for (const [key, options] of indexes) await c.createIndex(key as never, options);
    const condition = (): unknown => {
      const scalar = () => pick(SCALARS.filter((v) => v !== undefined));
      const kind = Math.floor(random() * 7);
      if (kind === 0) return { $in: [scalar(), scalar(), scalar()] };
      if (kind === 1) return { $gt: scalar() };
      if (kind === 2) return { $gte: scalar(), $lt: scalar() };
      if (kind === 3) return { $exists: random() < 0.5 };
      if (kind === 4) return { $ne: scalar() };
      if (kind === 5) return /^a/;
      return scalar();
    };
    const paths = ['a', 'b', 'c.d', 'c.e'];
    let indexed = 0;
    for (let n = 0; n < 120; n++) {
      const filter: Document = { [pick(paths)]: condition(), [pick(paths)]: condition() };
      const query = random() < 0.15 ? { $or: [filter, { [pick(paths)]: condition() }] } : filter;
      const sort: Sort = random() < 0.3 ? { a: -1, b: 1, _id: 1 } : { _id: 1 };
      const ids = async (hint?: Document) =>
        (
          await c
            .find(query)
            .sort(sort)
            .hint((hint ?? undefined) as never)
            .toArray()
        ).map(({ _id }) => _id);
      const [planned, scanned] = [await ids(), await ids({ $natural: 1 })];
      if (JSON.stringify(planned) !== JSON.stringify(scanned)) {
        throw new Error(
          `plan and scan differ for ${JSON.stringify(query)} sorted by ${JSON.stringify(sort)}: ${planned} / ${scanned}`,
        );
      }
      if (await usesIndex(c, query)) indexed += 1;
    }
    expect(indexed).toBeGreaterThan(30);
    expect(await db.command({ validate: 'c' })).toMatchObject({ valid: true, errors: [] });
  });

  it('names the index in explain, without a residual filter when the index covers it', async () => {
    const c = server.db().collection('c');
    await c.insertMany(Array.from({ length: 50 }, (_, i) => ({ tenant: i % 2, at: i })));
    await c.createIndex({ tenant: 1, at: -1 });
    const explained = await c
      .find({ tenant: 1, at: { $gte: 10, $lt: 20 } })
      .sort({ at: -1 })
      .explain('executionStats');
    const plan = explained['queryPlanner'].winningPlan;
    expect(plan).toMatchObject({
      stage: 'FETCH',
      inputStage: { stage: 'IXSCAN', indexName: 'tenant_1_at_-1', direction: 'forward' },
    });
    expect(plan).not.toHaveProperty('filter');
    expect(explained['executionStats']).toMatchObject({ nReturned: 5, totalKeysExamined: 5, totalDocsExamined: 5 });
  });

  it('reads only the keys of a range of documents', async () => {
    const c = server.db().collection<{ _id: { part: string; seq: number } }>('c');
    const parts = ['a', 'b', 'c'];
    await c.insertMany(parts.flatMap((part) => Array.from({ length: 40 }, (_, i) => ({ _id: { part, seq: i + 1 } }))));
    const chain = { _id: { $gte: { part: 'b', seq: 10 }, $lte: { part: 'b', seq: 1_000 } } };
    const last = await c.find(chain).sort({ _id: -1 }).limit(1).explain('executionStats');
    expect(last['executionStats']).toMatchObject({ nReturned: 1, totalKeysExamined: 1, totalDocsExamined: 1 });
    const range = await c.find(chain).sort({ _id: 1 }).explain('executionStats');
    expect(range['executionStats']).toMatchObject({ nReturned: 31, totalKeysExamined: 31 });
    expect((await c.find(chain).sort({ _id: 1 }).toArray())[0]?._id).toEqual({ part: 'b', seq: 10 });
  });

  it('rejects a hint that names no index', async () => {
    const c = server.db().collection('c');
    await c.insertOne({});
    expect(await failureOf(c.find().hint('nope').toArray())).toMatchObject({ code: 2 });
  });
});

async function usesIndex(c: Collection, query: Document): Promise<boolean> {
  const explained = await c.find(query).explain('queryPlanner');
  return JSON.stringify(explained['queryPlanner'].winningPlan).includes('IXSCAN');
}

describe('building', () => {
  it('covers existing documents, and leaves no unique index over duplicates', async () => {
    const db = server.db();
    const c = db.collection('c');
    await c.insertMany(Array.from({ length: 1_000 }, (_, i) => ({ n: i, twice: i % 500 })));
    await c.createIndex({ n: 1 }, { unique: true });
    expect(await failureOf(c.createIndex({ twice: 1 }, { unique: true }))).toMatchObject({ code: 11000 });
    expect((await c.indexes()).map(({ name }) => name)).toEqual(['_id_', 'n_1']);
    expect(await db.command({ validate: 'c' })).toMatchObject({ valid: true, keysPerIndex: { n_1: 1_000 } });
  });

  it('includes documents written during a build', async () => {
    const db = server.db();
    const c = db.collection('c');
    await c.insertMany(Array.from({ length: 5_000 }, (_, i) => ({ n: i })));
    const writes = Array.from({ length: 20 }, (_, i) => c.updateOne({ n: 4_999 - i }, { $set: { n: 10_000 + i } }));
    await Promise.all([c.createIndex({ n: 1 }), ...writes, c.insertOne({ n: 20_000 })]);
    expect(await db.command({ validate: 'c' })).toMatchObject({ valid: true });
    expect(
      await c
        .find({ n: { $gte: 10_000 } })
        .hint('n_1')
        .toArray(),
    ).toHaveLength(21);
  });

  it('accepts an identical request and rejects a different one with the same name', async () => {
    const c = server.db().collection('c');
    await c.createIndex({ a: 1 });
    await c.createIndex({ a: 1 });
    expect(await failureOf(c.createIndex({ b: 1 }, { name: 'a_1' }))).toMatchObject({ code: 86 });
    expect(await failureOf(c.createIndex({ a: 1 }, { name: 'other' }))).toMatchObject({ code: 85 });
    const twice = [{ key: { d: 1 } }, { key: { d: 1 }, partialFilterExpression: { e: 1 } }];
    expect(await failureOf(c.createIndexes(twice))).toMatchObject({ code: 86 });
    expect((await c.indexes()).map(({ name }) => name)).toEqual(['_id_', 'a_1']);
    await c.dropIndex('a_1');
    expect(await failureOf(c.dropIndex('a_1'))).toMatchObject({ code: 27 });
    expect(await failureOf(c.dropIndex('_id_'))).toMatchObject({ code: 72 });
  });
});

describe('keys', () => {
  it('values longer than a key can be are found, unique and ordered', async () => {
    const db = server.db();
    const c = db.collection('c');
    await c.createIndex({ text: 1 }, { unique: true });
    const long = 'x'.repeat(5_000);
    await c.insertMany([{ text: `${long}b` }, { text: `${long}a` }, { text: 'short' }, { text: `${long}c` }]);
    expect(await failureOf(c.insertOne({ text: `${long}a` }))).toMatchObject({ code: 11000 });
    expect(await c.find({ text: `${long}a` }).toArray()).toHaveLength(1);
    expect(await c.find({ text: { $gt: `${long}a` } }).toArray()).toHaveLength(2);
    const sorted = await c.find().sort({ text: 1 }).toArray();
    expect(sorted.map(({ text }) => text.slice(-1))).toEqual(['t', 'a', 'b', 'c']);
    expect(await db.command({ validate: 'c' })).toMatchObject({ valid: true });
  });

  it('unique and partial: only documents under the filter compete', async () => {
    const c = server.db().collection('c');
    await c.createIndex({ key: 1 }, { unique: true, partialFilterExpression: { live: true } });
    await c.insertMany([
      { key: 1, live: false },
      { key: 1, live: false },
      { key: 1, live: true },
    ]);
    expect(await failureOf(c.insertOne({ key: 1, live: true }))).toMatchObject({ code: 11000 });
    expect(await failureOf(c.updateOne({ live: false }, { $set: { live: true } }))).toMatchObject({ code: 11000 });
  });

  it('two arrays cannot be indexed together', async () => {
    const c = server.db().collection('c');
    await c.createIndex({ a: 1, b: 1 });
    expect(await failureOf(c.insertOne({ a: [1], b: [2] }))).toMatchObject({ code: 171 });
    expect(await c.estimatedDocumentCount()).toBe(0);
  });
});

describe('TTL', () => {
  it('expired documents go, others and those without a date stay', async () => {
    const c = server.db().collection('c');
    await c.createIndex({ at: 1 }, { expireAfterSeconds: 3_600 });
    await c.insertMany([{ at: new Date(0) }, { at: new Date() }, { at: 'never' }, {}]);
    // Another server looks once a minute.
    await until(async () => (await c.estimatedDocumentCount()) === 3, 90_000);
    await c.updateOne({ at: 'never' }, { $set: { at: new Date(1) } });
    await until(async () => (await c.estimatedDocumentCount()) === 2, 90_000);
  }, 200_000);
});

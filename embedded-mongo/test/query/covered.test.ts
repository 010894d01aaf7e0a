import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Int32, Long, ObjectId } from 'bson';
import { BSONSymbol, Decimal128, MaxKey, MinKey, Long as SentLong, Timestamp } from 'mongodb';
import { decodeDocument } from '../../bson/decode.js';
import { encodeDocument } from '../../bson/encode.js';
import { BsonDoc, type BsonValue, toBson } from '../../bson/value.js';
import { parseIndexSpec } from '../../catalog/index-definition.js';
import { Execution, sortFields } from '../../exec/execution.js';
import { compileMatcher } from '../../match/matcher.js';
import { planQuery } from '../../planner/plan-query.js';
import { compileProjection, projectedPaths } from '../../project/projection.js';
import { shellText } from '../../store/duplicate-key.js';
import { seeded } from '../seeded.js';
import { startTestServer, type TestServer } from '../test-server.js';
import { pick, randomScalar } from '../values/generator.js';
import { type World, Worlds } from './plan-worlds.js';

const cases = Number(process.env['EMBEDDED_MONGO_PLAN_CASES'] ?? 2_000);
const firstSeed = Number(process.env['EMBEDDED_MONGO_PLAN_SEED'] ?? 1);

const worlds = new Worlds();
let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(async () => {
  await worlds.close();
  await server.stop();
});

const PATHS = ['a', 'b', 'c.x', 'c.y', 'd'];

/** Values of one field: of one type alone, or of any. */
function valuesOf(random: () => number): () => BsonValue | undefined {
  const some = Math.floor(random() * 4);
  const makers: readonly (() => BsonValue | undefined)[] = [
    () => new Int32(Math.floor(random() * 9)),
    () => toBson(['', 'a', 'a\0b', '\u0001', 'ä€', 'b'][Math.floor(random() * 6)]),
    () => toBson(random() < 0.5 ? 0.5 + some : -some),
    () => Long.fromNumber(Math.floor(random() * 5) - 2),
    () => toBson(random() < 0.5),
    () => toBson(new Date(Math.floor(random() * 3 - 1) * 86_400_000)),
    () => new ObjectId('0'.repeat(23) + some),
    () => (random() < 0.5 ? null : new Int32(some)),
    () => (random() < 0.5 ? undefined : new Int32(some)),
  ];
  return random() < 0.4 ? () => (random() < 0.1 ? undefined : randomScalar(random)) : pick(random, makers);
}

function documentOf(n: number, makers: ReadonlyMap<string, () => BsonValue | undefined>): BsonDoc {
  const doc = new BsonDoc().append('_id', toBson(n));
  const inner = new BsonDoc();
  for (const [path, make] of makers) {
    const value = make();
    if (value === undefined) continue;
    if (path.startsWith('c.')) inner.append(path.slice(2), value);
    else doc.append(path, value);
  }
  return inner.size > 0 ? doc.append('c', inner) : doc;
}

function run(world: World, filter: BsonDoc, projection: BsonDoc, sort: BsonDoc | undefined, hint: BsonValue) {
  const { collection, env, store } = world;
  const matcher = compileMatcher(filter);
  const reads = projectedPaths(projection);
  const plan = planQuery({ collection, root: matcher.root, sort: sort ? sortFields(sort) : [], hint, reads });
  const limits = { skip: 0, limit: undefined };
  const execution = new Execution({ store, data: env.data }, { collection, plan, matcher, sort, ...limits });
  const project = compileProjection(projection);
  const documents: string[] = [];
  for (let step = execution.step(); step !== 'done'; step = execution.step())
    if (step === 'document') documents.push(shape(decodeDocument(project.apply(execution.raw))));
  execution.suspend();
  return { plan, documents: documents.sort(), fetched: execution.docsExamined };
}

/** Bytes, whatever the order of the fields: keys do not tell that. */
function shape(doc: BsonDoc): string {
  const fields = doc.keys.map((name, i) => {
    const value = doc.values[i] as BsonValue;
    return value instanceof BsonDoc
      ? `${name}:{${shape(value)}}`
      : encodeDocument(BsonDoc.of({ [name]: value })).toString('hex');
  });
  return fields.sort().join();
}

describe('queries answered from keys', () => {
  it(`${cases} of them give what their documents hold`, async () => {
    let compared = 0;
    let covered = 0;
    let withoutDocuments = 0;
    for (let seed = firstSeed; compared < cases; seed++) {
      await new Promise((resolve) => setImmediate(resolve));
      const random = seeded(seed);
      const makers = new Map(PATHS.map((path) => [path, valuesOf(random)]));
      const key = new BsonDoc();
      for (const path of [...PATHS, '_id'].toSorted(() => random() - 0.5).slice(0, 2 + Math.floor(random() * 4)))
        key.set(path, toBson(random() < 0.5 ? 1 : -1));
      const world = worlds.of(
        Array.from({ length: 30 }, (_, n) => documentOf(n, makers)),
        parseIndexSpec(BsonDoc.of({ key, name: 'i', ...(random() < 0.2 ? { unique: key.has('_id') } : {}) })),
      );
      for (let n = 0; n < 40; n++) {
        const filter = new BsonDoc();
        for (const path of key.keys.slice(0, 1 + Math.floor(random() * 3))) {
          const value = (makers.get(path) ?? (() => toBson(Math.floor(random() * 30))))();
          if (value === undefined || value === null || typeof value === 'string' || 'value' in Object(value))
            filter.append(path, new BsonDoc([pick(random, ['$eq', '$gte', '$lt', '$ne', '$gt'])], [value ?? null]));
        }
        const projection = new BsonDoc().append('_id', new Int32(key.has('_id') && random() < 0.7 ? 1 : 0));
        for (const path of key.keys) if (path !== '_id' && random() < 0.6) projection.append(path, new Int32(1));
        if (projection.size < 2 && !key.has('_id')) continue;
        const sort = random() < 0.4 ? key : undefined;
        const planned = run(world, filter, projection, sort, 'i');
        const scanned = run(world, filter, projection, undefined, toBson({ $natural: 1 }));
        // A filter that nothing can match needs no keys either.
        if (planned.plan.access.kind === 'index' && planned.plan.covered) covered += 1;
        compared += 1;
        if (planned.documents.length > 0 && planned.fetched === 0) withoutDocuments += 1;
        if (planned.documents.join(';') === scanned.documents.join(';')) continue;
        throw new Error(`seed ${seed}, query ${n}: ${shellText(key)} ${shellText(filter)} ${shellText(projection)}`);
      }
    }
    expect(covered).toBeGreaterThan(cases * 0.8);
    expect(withoutDocuments).toBeGreaterThan(cases / 10);
  }, 600_000);

  it('ignore a rolled-back group and end when their index is gone', () => {
    const docs = Array.from({ length: 300 }, (_, n) => BsonDoc.of({ _id: n, a: n }));
    const world = worlds.of(docs, parseIndexSpec(BsonDoc.of({ key: { a: 1 }, name: 'i' })));
    const { collection, env, store } = world;
    const matcher = compileMatcher(new BsonDoc());
    const hint = 'i';
    const plan = planQuery({ collection, root: matcher.root, sort: [], hint, reads: new Set(['a']) });
    const none = { sort: undefined, skip: 0, limit: undefined };
    const open = () => new Execution({ store, data: env.data }, { collection, plan, matcher, ...none });
    const [paused, lasting] = [open(), open()];
    for (const execution of [paused, lasting]) {
      expect(execution.step()).toBe('document');
      execution.suspend();
    }
    worlds.undone(() =>
      store.insert(collection, encodeDocument(new BsonDoc(['_id', 'a'], [new Int32(900), Long.fromNumber(900)]))),
    );
    worlds.written(() => store.insert(collection, encodeDocument(BsonDoc.of({ _id: 901, a: [901] }))));
    const rows: BsonValue[] = [];
    for (let step = lasting.step(); step !== 'done'; step = lasting.step())
      if (step === 'document') rows.push(decodeDocument(lasting.raw).get('a') ?? null);
    lasting.suspend();
    expect(rows).toHaveLength(300);
    expect(rows[0]).toEqual(new Int32(1));
    expect(rows.at(-1)).toEqual([new Int32(901)]);
    worlds.drop(world);
    expect(() => paused.step()).toThrow('was dropped during the query');
  });

  it('report no read documents in explain', async () => {
    const c = server.db().collection('c');
    await c.createIndex({ owner: 1, at: -1, n: 1 });
    await c.insertMany(Array.from({ length: 50 }, (_, n) => ({ owner: `o${n % 5}`, at: new Date(n), n, more: 'x' })));
    const found = c.find({ owner: 'o3', n: { $ne: 8 } }).project({ _id: 0, owner: 1, at: 1, n: 1 });
    const told = await found.explain('executionStats');
    expect(told['queryPlanner'].winningPlan).toMatchObject({
      stage: 'PROJECTION_COVERED',
      inputStage: { stage: 'IXSCAN' },
    });
    expect(told['executionStats']).toMatchObject({ nReturned: 9, totalKeysExamined: 10, totalDocsExamined: 0 });
    expect(await found.sort({ at: 1 }).limit(1).toArray()).toEqual([{ owner: 'o3', at: new Date(3), n: 3 }]);
  });

  it('read no documents for counts, distinct and pipelines', async () => {
    const db = server.db();
    const c = db.collection('c');
    await c.createIndex({ owner: 1, kind: 1 });
    await c.insertMany(Array.from({ length: 40 }, (_, n) => ({ owner: n % 4, kind: `k${n % 10}` })));
    const filter = { owner: 2, kind: /2$/ };
    for (const command of [
      { count: 'c', query: filter },
      { distinct: 'c', key: 'kind', query: filter },
      { aggregate: 'c', pipeline: [{ $match: filter }, { $project: { _id: 0, kind: 1 } }], cursor: {} },
      { aggregate: 'c', pipeline: [{ $match: filter }, { $count: 'n' }], cursor: {} },
    ]) {
      const told = await db.command({ explain: command, verbosity: 'executionStats' });
      const stats = told['executionStats'] ?? told['stages'][0].$cursor.executionStats;
      expect(stats).toMatchObject({ totalKeysExamined: 10, totalDocsExamined: 0 });
    }
    expect(await c.countDocuments(filter)).toBe(2);
    expect(await c.distinct('kind', filter)).toEqual(['k2']);
  });

  it('read documents where types share keys, also for later documents', async () => {
    const c = server.db().collection<Record<string, unknown>>('c');
    await c.createIndex({ v: 1 });
    const rows = () =>
      c
        .find({ v: { $gte: new MinKey() } }, { promoteValues: false, hint: { v: 1 } })
        .project({ _id: 0, v: 1 })
        .toArray();
    const types = async () => (await rows()).map((row) => Object.keys(row).map((name) => row[name]));
    await c.insertOne({ v: 5 });
    for (const v of [
      5.5,
      SentLong.fromNumber(5),
      Decimal128.fromString('5.0'),
      -0,
      new BSONSymbol('s'),
      's',
      null,
      new Timestamp({ t: 1, i: 2 }),
      new MinKey(),
      new MaxKey(),
    ])
      await c.insertOne({ v });
    await c.insertOne({});
    const scanned = await c
      .find({}, { promoteValues: false, hint: { $natural: 1 } })
      .project({ _id: 0, v: 1 })
      .toArray();
    const text = (row: unknown) => JSON.stringify(row);
    expect((await rows()).map(text).toSorted()).toEqual(scanned.map(text).toSorted());
    expect(await types()).toHaveLength(12);
    // An array makes the index multikey: nothing is covered any more.
    const plan = () => c.find({ v: 5 }).project({ _id: 0, v: 1 }).explain();
    expect((await plan())['queryPlanner'].winningPlan.stage).toBe('PROJECTION_COVERED');
    await c.insertOne({ v: [5, 6] });
    expect((await plan())['queryPlanner'].winningPlan.stage).toBe('PROJECTION_DEFAULT');
    expect(await c.find({ v: 6 }).project({ _id: 0, v: 1 }).toArray()).toEqual([{ v: [5, 6] }]);
  });

  it('see an array that arrives while a covered cursor is open', async () => {
    const c = server.db().collection<{ _id: number; v: unknown }>('c');
    await c.createIndex({ v: 1 });
    await c.insertMany(Array.from({ length: 20 }, (_, n) => ({ _id: n, v: n })));
    const cursor = c.find({ v: { $gte: 0 } }, { batchSize: 5 }).project<{ v: unknown }>({ _id: 0, v: 1 });
    for (let n = 0; n < 5; n++) await cursor.next();
    await c.updateOne({ _id: 15 }, { $set: { v: [15] } });
    await c.updateOne({ _id: 16 }, { $set: { v: 16.5 } });
    const rest = await cursor.toArray();
    expect(rest.map(({ v }) => v)).toEqual([5, 6, 7, 8, 9, 10, 11, 12, 13, 14, [15], 16.5, 17, 18, 19]);
  });
});

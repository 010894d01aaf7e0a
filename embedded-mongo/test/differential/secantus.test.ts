import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BSON, type Db, type Document, MongoClient } from 'mongodb';
import { startTestServer, type TestServer, until } from '../test-server.js';
import { judgementOf } from './judgements.js';

/**
 * The same documents, queries, updates and pipelines on an independent server, SecantusDB (PyPI). SECANTUSD names its
 * program `secantusd-py`. A disagreement without a judgement in judgements.ts fails the test.
 */
const PROGRAM = process.env['SECANTUSD'] ?? 'secantusd-py';
const DOCUMENTS = Number(process.env['EMBEDDED_MONGO_SECANTUS_DOCUMENTS'] ?? 500);
const CASES = Number(process.env['EMBEDDED_MONGO_SECANTUS_CASES'] ?? 200);
const SEED = Number(process.env['EMBEDDED_MONGO_SECANTUS_SEED'] ?? 20_260_302);
const START_DEADLINE_MS = 240_000;
const isHere = spawnSync(PROGRAM, ['--help'], { stdio: 'ignore' }).status === 0;

/** Mulberry32. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const random = seeded(SEED);
const upTo = (count: number): number => Math.floor(random() * count);
const oneOf = <T>(...values: readonly T[]): T => values[upTo(values.length)] as T;

const scalar = (): unknown =>
  oneOf<unknown>(upTo(20), upTo(20) / 2, `t${upTo(9)}`, null, true, new Date(upTo(9) * 1_000));
const field = (): string => oneOf('a', 'b', 'c.d', 'list', 'docs.k', 'missing');

function documentOf(_id: number): Document {
  return {
    _id,
    a: upTo(20),
    b: scalar(),
    c: { d: upTo(9), e: `x${upTo(9)}` },
    list: Array.from({ length: upTo(4) }, () => upTo(9)),
    docs: Array.from({ length: upTo(3) }, () => ({ k: upTo(9), v: `v${upTo(4)}` })),
  };
}

function condition(): Document {
  const value = scalar();
  return oneOf<Document>(
    { $eq: value },
    { $ne: value },
    { [oneOf('$gt', '$gte', '$lt', '$lte')]: value },
    { $in: [scalar(), scalar()] },
    { $nin: [scalar(), scalar()] },
    { $exists: random() < 0.5 },
    { $not: { $gt: value } },
    { $size: upTo(4) },
    { $all: [upTo(9), upTo(9)] },
    { $type: oneOf('int', 'string', 'double', 'null', 'array', 'date') },
    { $mod: [1 + upTo(4), upTo(3)] },
  );
}

function filter(): Document {
  const plain = (): Document => ({ [field()]: condition() });
  return oneOf<Document>(
    plain(),
    { $and: [plain(), plain()] },
    { $or: [plain(), plain()] },
    { $nor: [plain()] },
    { docs: { $elemMatch: { k: { $gt: upTo(9) }, v: `v${upTo(4)}` } } },
    { $expr: { $gt: ['$a', '$c.d'] } },
  );
}

function update(): Document {
  return oneOf<Document>(
    { $set: { [oneOf('a', 'b', 'c.d', 'n.m')]: scalar() } },
    { $inc: { a: upTo(9) } },
    { $mul: { a: 2 } },
    { $unset: { [oneOf('b', 'c.e', 'missing')]: 1 } },
    { $min: { a: upTo(20) } },
    { $max: { b: scalar() } },
    { $push: { list: { $each: [upTo(9), upTo(9)], $slice: -4, $sort: 1 } } },
    { $addToSet: { list: upTo(9) } },
    { $pull: { list: { $gt: upTo(9) } } },
    { $pop: { list: oneOf(1, -1) } },
    { $rename: { b: 'renamed' } },
    { $bit: { a: { or: upTo(9) } } },
  );
}

function pipeline(): Document[] {
  const match = { $match: filter() };
  return oneOf<Document[]>(
    [
      match,
      { $group: { _id: '$c.d', n: { $sum: 1 }, most: { $max: '$a' }, all: { $avg: '$a' } } },
      { $sort: { _id: 1 } },
    ],
    [match, { $unwind: '$list' }, { $sortByCount: '$list' }, { $sort: { count: -1, _id: 1 } }],
    [
      match,
      { $project: { s: { $concat: ['$c.e', '-', { $toString: '$a' }] }, r: { $round: [{ $divide: ['$a', 3] }, 2] } } },
      { $sort: { _id: 1 } },
    ],
    [
      match,
      {
        $addFields: {
          size: { $size: '$list' },
          top: { $max: '$list' },
          f: { $filter: { input: '$list', cond: { $gt: ['$$this', 3] } } },
        },
      },
      { $sort: { _id: 1 } },
      { $limit: 20 },
    ],
    [match, { $bucket: { groupBy: '$a', boundaries: [0, 5, 10, 40], default: 'other' } }],
    [match, { $sort: { a: -1, _id: 1 } }, { $skip: 3 }, { $limit: 5 }, { $project: { _id: 1, t: { $type: '$b' } } }],
  );
}

let ours: TestServer;
let theirs: { client: MongoClient; child: ChildProcess } | undefined;
const disagreements: string[] = [];

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => {
    probe.listen(0, '127.0.0.1', resolve);
  });
  const address = probe.address();
  await new Promise<void>((resolve) => {
    probe.close(() => resolve());
  });
  if (address === null || typeof address === 'string') throw new Error('there is no free port');
  return address.port;
}

async function startTheirs(): Promise<{ client: MongoClient; child: ChildProcess }> {
  const port = await freePort();
  const args = ['--port', String(port), '--storage-path', ':memory:', '--standalone'];
  const child = spawn(PROGRAM, args, { stdio: 'ignore' });
  const client = new MongoClient(`mongodb://127.0.0.1:${port}/?directConnection=true`, {
    serverSelectionTimeoutMS: 20_000,
  });
  // Its interpreter may take minutes to start on a busy machine.
  await until(
    () =>
      client
        .db('admin')
        .command({ ping: 1 })
        .then(
          () => true,
          () => false,
        ),
    START_DEADLINE_MS,
  );
  return { client, child };
}

/** The result of a request, or the code of its error. Numbers count by value. */
async function outcome(run: () => Promise<unknown>): Promise<string> {
  try {
    return BSON.EJSON.stringify(await run(), { relaxed: true });
  } catch (error) {
    return `error ${String((error as { code?: unknown }).code)}`;
  }
}

async function compare(kind: string, request: unknown, run: (db: Db) => Promise<unknown>): Promise<void> {
  const independent = theirs?.client;
  if (!independent) return;
  const [mine, other] = [
    await outcome(() => run(ours.client.db('differ'))),
    await outcome(() => run(independent.db('differ'))),
  ];
  if (mine === other) return;
  const about = `${kind} ${BSON.EJSON.stringify(request as Document)}`;
  if (judgementOf(about, mine, other) === undefined)
    disagreements.push(`${about}\n  here:  ${mine.slice(0, 300)}\n  there: ${other.slice(0, 300)}`);
}

beforeAll(async () => {
  if (!isHere) return;
  ours = await startTestServer();
  theirs = await startTheirs();
}, 300_000);
afterAll(async () => {
  if (!theirs) return;
  await theirs.client.close();
  theirs.child.kill();
  await ours.stop();
});

describe('an independent server', () => {
  const name = `agrees on ${CASES} queries, updates and pipelines over ${DOCUMENTS} documents`;
  (isHere ? it : it.skip)(
    isHere ? name : `${name} [skipped: secantusd-py not installed]`,
    async () => {
      if (!theirs) throw new Error('the other server did not start');
      const documents = Array.from({ length: DOCUMENTS }, (_, n) => documentOf(n));
      for (const client of [ours.client, theirs.client])
        await client
          .db('differ')
          .collection<{ _id: number }>('c')
          .insertMany(documents as { _id: number }[]);
      const by = { _id: 1 } as const;
      for (let n = 0; n < CASES; n += 1) {
        const [query, change, stages] = [filter(), update(), pipeline()];
        await compare('find', query, (db) => db.collection('c').find(query).sort(by).limit(50).toArray());
        await compare('count', query, (db) => db.collection('c').countDocuments(query));
        await compare('update', { query, change }, (db) => db.collection('c').updateMany(query, change));
        await compare('aggregate', stages, (db) => db.collection('c').aggregate(stages).toArray());
      }
      await compare('all', {}, (db) => db.collection('c').find().sort(by).toArray());
      expect(disagreements).toEqual([]);
    },
    3_600_000,
  );
});

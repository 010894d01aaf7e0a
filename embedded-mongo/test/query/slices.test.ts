import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Collection, type Db, type Document, MongoClient } from 'mongodb';
import { type Running, startChild } from '../../launch/launch.js';
import { startTestServer, type TestServer, temporaryDirectory, until } from '../test-server.js';

type Items = Collection<{ _id: number } & Document>;
const DOCUMENTS = 12_000;

async function fill(items: Items, from = 0): Promise<void> {
  for (let start = from; start < from + DOCUMENTS; start += 2_000) {
    await items.insertMany(
      Array.from({ length: 2_000 }, (_, i) => ({
        _id: start + i,
        key: ((start + i) * 7_919) % 100_003,
        tags: [`a${i % 7}`, `b${i % 11}`],
        at: new Date(start + i),
      })),
    );
  }
}

describe('long work', () => {
  let server: TestServer;
  let db: Db;
  let items: Items;
  beforeAll(async () => {
    server = await startTestServer({ ttlIntervalMs: 50 });
    db = server.db();
    items = db.collection('items');
    await fill(items);
  });
  afterAll(() => server.stop());

  /** How many other commands were answered while the work ran. */
  async function answeredDuring(work: () => Promise<unknown>): Promise<number> {
    let done = false;
    const finished = work().finally(() => {
      done = true;
    });
    let answered = 0;
    while (!done) {
      await db.command({ ping: 1 });
      answered += 1;
    }
    await finished;
    return answered;
  }

  const works: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['an index build', () => items.createIndex({ key: 1, at: -1 })],
    ['a multikey index build', () => items.createIndex({ tags: 1 })],
    ['a sort in memory', () => items.find().sort({ at: -1, _id: 1 }).batchSize(1).next()],
    ['one group for each document', () => items.aggregate([{ $group: { _id: '$_id' } }, { $count: 'n' }]).toArray()],
    ['a count without an index', () => items.countDocuments({ at: { $ne: new Date(-1) } })],
    ['an update of all', () => items.updateMany({}, { $set: { changed: true } })],
    ['validate', () => db.command({ validate: 'items' })],
    ['a delete of most', () => items.deleteMany({ _id: { $gte: 500 } })],
  ];
  it.each(works)('lets other commands run during %s', async (_name, work) => {
    // One would be the answer that was on its way; how many more depends on the machine's speed.
    expect(await answeredDuring(work)).toBeGreaterThanOrEqual(2);
  });

  it('leaves matching records and entries', async () => {
    expect(await items.countDocuments()).toBe(500);
    expect(await db.command({ validate: 'items' })).toMatchObject({ valid: true, errors: [], nrecords: 500 });
  });

  it('deletes expired documents in slices', async () => {
    const expiring: Items = db.collection('expiring');
    await fill(expiring);
    await expiring.createIndex({ at: 1 }, { expireAfterSeconds: 1 });
    expect(
      await answeredDuring(() => until(async () => (await expiring.estimatedDocumentCount()) === 0)),
    ).toBeGreaterThan(3);
  });

  it('reports the stalls of the event loop', async () => {
    expect(await db.command({ eventLoopDelay: 1, reset: true })).toMatchObject({ ok: 1, samples: expect.any(Number) });
    const status = await db.command({ serverStatus: 1 });
    expect(status['eventLoop']).toMatchObject({ maxStallMs: expect.any(Number), p99StallMs: expect.any(Number) });
  });
});

describe('writes during', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(() => server.stop());

  it('an index build are in the index', async () => {
    const db = server.db();
    const items: Items = db.collection('items');
    await fill(items);
    let built = false;
    const build = items.createIndex({ key: 1, tags: 1 }).finally(() => {
      built = true;
    });
    let n = 0;
    for (; !built; n++) {
      await items.insertOne({ _id: DOCUMENTS + n, key: -1, tags: ['new'] });
      await items.updateOne({ _id: (n * 37) % DOCUMENTS }, { $set: { key: -2 } });
      await items.deleteOne({ _id: DOCUMENTS - 1 - n });
    }
    await build;
    expect(n).toBeGreaterThan(1);
    expect(await items.find({ key: -1 }).hint('key_1_tags_1').toArray()).toHaveLength(n);
    expect(await db.command({ validate: 'items' })).toMatchObject({ valid: true, errors: [] });
  });

  it('a unique build create no duplicates, and an existing duplicate ends the build', async () => {
    const db = server.db();
    const items: Items = db.collection('items');
    await fill(items);
    // The build comes to it last.
    await items.updateOne({ _id: DOCUMENTS - 1 }, { $set: { key: 7_919 } });
    const build = items.createIndex({ key: 1 }, { unique: true }).catch((error: unknown) => error);
    expect(await build).toMatchObject({ code: 11000 });
    expect(await items.indexes()).toHaveLength(1);
    expect(await db.command({ validate: 'items' })).toMatchObject({ valid: true });
  });

  it('validation are not reported as faults', async () => {
    const db = server.db();
    const items: Items = db.collection('items');
    await fill(items);
    await items.createIndex({ tags: 1, key: 1 });
    let done = false;
    const validation = db.command({ validate: 'items' }).finally(() => {
      done = true;
    });
    let n = 0;
    for (; !done; n++) {
      await Promise.all([
        items.insertOne({ _id: DOCUMENTS + n, key: n, tags: ['x', 'y'] }),
        items.updateOne({ _id: (n * 31) % DOCUMENTS }, { $set: { tags: ['z'], more: 'm'.repeat(n % 100) } }),
        items.deleteOne({ _id: (n * 53) % DOCUMENTS }),
      ]);
    }
    expect(n).toBeGreaterThan(1);
    expect(await validation).toMatchObject({ valid: true, errors: [] });
  });
});

describe('a crash in the middle of', () => {
  /** Loads, starts the work, ends the process where the work is under way, and looks at what a new one finds. */
  async function crashed(
    begin: (items: Items, db: Db) => Promise<unknown>,
    underWay: (db: Db) => Promise<boolean>,
    look: (items: Items, db: Db) => Promise<void>,
  ): Promise<void> {
    const directory = temporaryDirectory();
    const open = async (): Promise<{ running: Running; client: MongoClient; db: Db }> => {
      const running = await startChild({ dataDir: directory.path });
      const client = await MongoClient.connect(running.uri, { serverSelectionTimeoutMS: 20_000 });
      return { running, client, db: client.db('crash') };
    };
    const first = await open();
    await fill(first.db.collection('items'));
    const work = begin(first.db.collection('items'), first.db).catch(() => undefined);
    await until(() => underWay(first.db));
    first.running.kill();
    await work;
    await first.client.close(true);
    const second = await open();
    try {
      await look(second.db.collection('items'), second.db);
      await until(async () => (await second.db.command({ serverStatus: 1 }))['orphanedPrefixes'] === 0);
    } finally {
      await second.client.close();
      await second.running.stop();
      directory.remove();
    }
  }

  const running = (name: string) => async (db: Db) =>
    (await db.admin().command({ currentOp: 1, [`command.${name}`]: { $exists: true } }))['inprog'].length > 0;

  it('an index build leaves no index', async () => {
    await crashed(
      (items) => items.createIndex({ tags: 1, key: 1 }),
      running('createIndexes'),
      async (items, db) => {
        expect(await items.indexes()).toHaveLength(1);
        expect(await db.command({ validate: 'items' })).toMatchObject({ valid: true, nrecords: DOCUMENTS });
        await items.createIndex({ tags: 1, key: 1 });
        expect(await db.command({ validate: 'items' })).toMatchObject({ valid: true });
      },
    );
  });

  it('a drop leaves no entries and frees the name', async () => {
    let acknowledged = false;
    await crashed(
      async (items) => {
        await items.drop();
        acknowledged = true;
      },
      async () => acknowledged,
      async (items) => {
        expect(await items.countDocuments()).toBe(0);
        await fill(items);
        expect(await items.countDocuments()).toBe(DOCUMENTS);
      },
    );
  });

  it('a mass delete keeps the documents not yet reached', async () => {
    await crashed(
      (items) => items.deleteMany({}),
      running('delete'),
      async (items, db) => {
        expect(await db.command({ validate: 'items' })).toMatchObject({ valid: true, errors: [] });
        expect(await items.countDocuments({ _id: { $gte: 0 } })).toBe(await items.estimatedDocumentCount());
      },
    );
  });
});

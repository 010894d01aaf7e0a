import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BSON, type Db, type Document, MongoClient } from 'mongodb';
import { startTestServer, type TestServer, until } from '../test-server.js';
import { Generator } from './generate.js';
import { JUDGEMENTS } from './judgements.js';

/**
 * The same documents, queries, updates and pipelines on an independent server, SecantusDB (PyPI). SECANTUSD names its
 * program `secantusd-py`. The table of judgements holds the known disagreements; any other one fails the test.
 */
const PROGRAM = process.env['SECANTUSD'] ?? 'secantusd-py';
const DOCUMENTS = Number(process.env['EMBEDDED_MONGO_SECANTUS_DOCUMENTS'] ?? 500);
const CASES = Number(process.env['EMBEDDED_MONGO_SECANTUS_CASES'] ?? 200);
const SEED = Number(process.env['EMBEDDED_MONGO_SECANTUS_SEED'] ?? 20_260_302);
/** A slow machine ends the comparison early; the test prints the number of cases it compared. */
const MOST_MS = Number(process.env['EMBEDDED_MONGO_SECANTUS_SECONDS'] ?? 480) * 1_000;
const START_DEADLINE_MS = 240_000;
const isHere = spawnSync(PROGRAM, ['--help'], { stdio: 'ignore' }).status === 0;

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

type Run = (db: Db) => Promise<unknown>;

/** The outcome here and there. */
async function both(run: Run): Promise<readonly [here: string, there: string]> {
  if (!theirs) throw new Error('the other server did not start');
  const independent = theirs.client;
  return [await outcome(() => run(ours.client.db('differ'))), await outcome(() => run(independent.db('differ')))];
}

const EXCERPT_CHARS = 300;

/** The part around the first difference. */
function excerpt(text: string, other: string): string {
  let at = 0;
  while (at < text.length && text[at] === other[at]) at += 1;
  return text.slice(Math.max(0, at - EXCERPT_CHARS / 2), at + EXCERPT_CHARS / 2);
}

/** @returns whether both servers agree */
async function compare(kind: string, request: unknown, run: Run): Promise<boolean> {
  const [mine, other] = await both(run);
  if (mine === other) return true;
  const about = `${kind} ${BSON.EJSON.stringify(request as Document)}`;
  disagreements.push(`${about}\n  here:  ${excerpt(mine, other)}\n  there: ${excerpt(other, mine)}`);
  return false;
}

interface Numbered {
  _id: number;
}
const numbered = (db: Db) => db.collection<Numbered>('c');

const BY_ID = { _id: 1 } as const;

/** Updates a window of documents, and compares them. After a disagreement the other server gets ours. */
async function compareUpdate(generator: Generator): Promise<void> {
  const window = generator.window();
  const [query, change] = [{ ...window, ...generator.condition() }, generator.update()];
  const documents: Run = (db) => numbered(db).find(window).sort(BY_ID).toArray();
  const counts = await compare('update', { query, change }, (db) => numbered(db).updateMany(query, change));
  const agrees = await compare('documents after update', { query, change }, documents);
  if ((counts && agrees) || !theirs) return;
  const stored = await numbered(ours.client.db('differ')).find(window).sort(BY_ID).toArray();
  const copy = numbered(theirs.client.db('differ'));
  // In place: the order of the documents decides what a failing update of many has changed.
  for (const document of stored) await copy.replaceOne({ _id: document._id }, document, { upsert: true });
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

const skipped = isHere ? '' : ' [skipped: secantusd-py not installed]';
const test = isHere ? it : it.skip;

describe('an independent server', () => {
  test(`agrees on ${CASES} queries, updates and pipelines over ${DOCUMENTS} documents${skipped}`, async () => {
    const generator = new Generator(SEED, DOCUMENTS);
    const documents = Array.from({ length: DOCUMENTS }, (_, n) => generator.document(n));
    await both((db) => db.collection('c').insertMany(documents));
    await both((db) => db.collection('c').createIndex({ w: 1 }));
    const end = Date.now() + MOST_MS;
    let cases = 0;
    for (; cases < CASES && Date.now() < end; cases += 1) {
      const [query, projection, stages] = [generator.filter(), generator.projection(), generator.pipeline()];
      await compare('find', { query, projection }, (db) =>
        db.collection('c').find(query, { projection }).sort(BY_ID).limit(50).toArray(),
      );
      await compare('count', query, (db) => db.collection('c').countDocuments(query));
      await compareUpdate(generator);
      await compare('aggregate', stages, (db) => db.collection('c').aggregate(stages).toArray());
    }
    await compare('all', {}, (db) => db.collection('c').find().sort(BY_ID).toArray());
    process.stdout.write(
      `seed ${SEED}: ${cases} of ${CASES} finds, counts, updates and pipelines each over ${DOCUMENTS} documents, ` +
        `${disagreements.length} disagreements\n`,
    );
    expect(disagreements).toEqual([]);
    expect(cases).toBeGreaterThan(0);
  }, 3_600_000);

  for (const { name, documents, pipeline, here, there, right, reason } of JUDGEMENTS) {
    test(`disagrees on ${name}, where MongoDB is as ${right}: ${reason}${skipped}`, async () => {
      await both((db) => db.collection('judged').drop());
      await both((db) => db.collection('judged').insertMany(documents.map((one) => ({ ...one }))));
      const found = await both((db) =>
        db
          .collection('judged')
          .aggregate([...pipeline])
          .toArray(),
      );
      const told = [here, there].map((one) =>
        typeof one === 'number' ? `error ${one}` : BSON.EJSON.stringify(one, { relaxed: true }),
      );
      expect(found).toEqual(told);
    });
  }
});

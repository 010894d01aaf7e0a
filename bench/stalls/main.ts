import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Collection, MongoClient } from 'mongodb';
import { startChild } from '../../embedded-mongo/index.js';
import { machine } from '../support/measure.js';
import { IdleThread } from './idle-thread.js';

// `npm run bench:stalls [-- documents]`: measures the stalls of the embedded database's event loop during large jobs, inside
// the server (perf_hooks.monitorEventLoopDelay, command eventLoopDelay).

const AIM_MS = 50;
const documents = Number(process.argv[2] ?? 1_000_000);
const batchDocuments = 1_000;

interface Item {
  readonly _id: number;
  readonly key: string;
  readonly group: number;
  readonly tags: readonly string[];
  readonly at: Date;
  readonly text: string;
}

const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

/** Multiplicative hashing spreads keys over the whole index, the worst case for its pages. */
function scattered(n: number): number {
  return Math.imul(n, 0x9e3779b1) >>> 0;
}

function item(n: number): Item {
  const mixed = scattered(n);
  return {
    _id: n,
    key: mixed.toString(16).padStart(8, '0'),
    group: mixed % 1_000,
    tags: [`t${mixed % 97}`, `u${mixed % 89}`],
    at: new Date(n),
    text: 'x'.repeat(120),
  };
}

async function load(items: Collection<Item>): Promise<void> {
  for (let from = 0; from < documents; from += batchDocuments) {
    const size = Math.min(batchDocuments, documents - from);
    await items.insertMany(Array.from({ length: size }, (_, i) => item(from + i)));
  }
}

const directory = mkdtempSync(join(tmpdir(), 'stalls-'));
const server = await startChild({ dataDir: directory, ttlIntervalMs: 1_000 });
const client = await MongoClient.connect(server.uri);
const db = client.db('stalls');
const items = db.collection<Item>('items');

const works: readonly (readonly [string, () => Promise<unknown>])[] = [
  ['load', () => load(items)],
  ['createIndex', () => items.createIndex({ group: 1, at: -1 })],
  ['createIndex unique', () => items.createIndex({ key: 1 }, { unique: true })],
  ['createIndex multikey', () => items.createIndex({ tags: 1 })],
  ['count by filter on keys', () => items.countDocuments({ key: { $gte: '1' } })],
  ['count by scan', () => items.countDocuments({ text: { $ne: 'y' } })],
  [
    'find, sorted in memory',
    () =>
      items
        .find({}, { projection: { _id: 1 } })
        .sort({ text: 1, key: 1 })
        .limit(1)
        .toArray(),
  ],
  [
    'find, everything sorted in memory',
    () =>
      items
        .find({}, { projection: { _id: 1 } })
        .sort({ at: -1, key: 1 })
        .batchSize(10)
        .next(),
  ],
  [
    'find over a multikey index',
    () =>
      items
        .find({ tags: { $gt: '' } }, { projection: { _id: 1 } })
        .batchSize(50_000)
        .toArray(),
  ],
  ['aggregate, one group each', () => items.aggregate([{ $group: { _id: '$key' } }, { $limit: 1 }]).toArray()],
  ['aggregate, 1,000 groups', () => items.aggregate([{ $group: { _id: '$group', n: { $sum: 1 } } }]).toArray()],
  ['distinct', () => items.distinct('group')],
  ['updateMany', () => items.updateMany({}, { $inc: { group: 1 } })],
  ['validate', () => db.command({ validate: 'items' })],
  ['deleteMany of a half', () => items.deleteMany({ _id: { $lt: documents / 2 } })],
  ['dropIndex', () => items.dropIndex('tags_1')],
  [
    'TTL of a quarter',
    async () => {
      await items.createIndex(
        { at: 1 },
        { expireAfterSeconds: Math.round(Date.now() / 1_000 - (documents * 0.75) / 1_000) },
      );
      while ((await items.estimatedDocumentCount()) > documents * 0.26)
        await new Promise((resolve) => setTimeout(resolve, 200));
    },
  ],
  [
    'drop',
    async () => {
      await items.drop();
      while (((await db.admin().serverStatus())['orphanedPrefixes'] as number) > 0)
        await new Promise((resolve) => setTimeout(resolve, 200));
    },
  ],
];

const idle = new IdleThread();

/** The monitor's timer must fire before a job and again after it, or it misses a short stall. */
async function settled(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 50));
}

say(`machine: ${machine()}; ${documents} documents; aim: no stall over ${AIM_MS} ms`);
let failed = 0;
try {
  for (const [name, work] of works) {
    await db.command({ eventLoopDelay: 1, reset: true });
    await idle.read();
    await settled();
    const start = performance.now();
    let note = '';
    try {
      await work();
    } catch (error) {
      note = ` (refused: ${error instanceof Error ? error.message : String(error)})`;
    }
    const seconds = (performance.now() - start) / 1_000;
    await settled();
    const { maxStallMs, p99StallMs } = await db.command({ eventLoopDelay: 1, reset: true });
    const idleMs = await idle.read();
    if (maxStallMs > AIM_MS) failed += 1;
    const figures = [
      `${seconds.toFixed(1).padStart(7)} s`,
      `longest stall ${Number(maxStallMs).toFixed(0).padStart(5)} ms`,
      `p99 ${Number(p99StallMs).toFixed(1).padStart(5)} ms`,
      `an idle thread meanwhile ${idleMs.toFixed(0)} ms`,
    ];
    say(`  ${name.padEnd(36)} ${figures.join('   ')}${note}`);
  }
} finally {
  await idle.stop();
  await client.close();
  await server.stop();
  rmSync(directory, { recursive: true, force: true });
}
say(failed === 0 ? 'reached' : `missed in ${failed} of ${works.length}`);

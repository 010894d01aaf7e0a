import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { repositoryFile } from '../../../app/repository.js';
import { startTestServer, type TestServer } from '../../support/database.js';
import { seeded } from '../../support/random.js';
import { type Parcel, parcel, until } from './jobs-kit.js';

/** A round is one SIGKILL; 40 of them take about a minute. */
const ROUNDS = Number(process.env['JOBS_CRASH_ROUNDS'] ?? 2);
const ROWS_A_ROUND = 60;
const MAX_ALIVE_MS = 1_500;
const ATTEMPTS = 3;

let server: TestServer;
const children = new Set<ChildProcess>();

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await server.stop();
});

async function startWorker(database: string, own: string): Promise<ChildProcess> {
  const file = repositoryFile('test/shared/jobs/worker.mjs');
  const child = spawn(process.execPath, [file, server.uri, database, own], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.add(child);
  await once(child.stdout, 'data');
  return child;
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  const exited = once(child, 'exit');
  child.kill(signal);
  const [code] = (await exited) as [number | null];
  children.delete(child);
  return code;
}

it(
  'loses no row while two workers are killed alternately, and records one holder’s outcome per attempt',
  async () => {
    const random = seeded(20260302);
    const { db } = await server.connect('killed');
    const rows = db.collection<Parcel & { readonly tokens: readonly string[] }>('parcels');
    const workers = [await startWorker('killed', 'w0'), await startWorker('killed', 'w1')];
    let made = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const more = Array.from({ length: ROWS_A_ROUND }, (_, n) => parcel(made + n, `g${(made + n) % 12}`, Date.now()));
      await rows.insertMany(more.map((row) => ({ ...row, tokens: [] })));
      made += more.length;
      await new Promise((resolve) => setTimeout(resolve, random() * MAX_ALIVE_MS));
      const victim = workers[round % 2];
      if (victim) await end(victim, 'SIGKILL');
      workers[round % 2] = await startWorker('killed', `w${round + 2}`);
    }
    await until('every row is done', async () => (await rows.countDocuments({ status: 'SENT' })) === made, 120_000);
    for (const worker of workers) expect(await end(worker, 'SIGTERM')).toBe(0);

    const found = await rows.find().toArray();
    expect(found).toHaveLength(made);
    const marks = await db.collection('marks').find().toArray();
    for (const { attempt, tokens, next_attempt_at, lease_token } of found) {
      // The fence let each attempt through once, by another claim each time.
      expect([attempt, tokens.length, new Set(tokens).size]).toEqual([ATTEMPTS, ATTEMPTS, ATTEMPTS]);
      expect([next_attempt_at, lease_token]).toEqual([undefined, undefined]);
    }
    // At least once: more handlings than outcomes only where a holder died between the two.
    expect(marks.length).toBeGreaterThanOrEqual(made * ATTEMPTS);
    expect(await db.collection('exceptions').countDocuments()).toBe(0);
    const inTheMiddle = marks.length - made * ATTEMPTS;
    console.info(`${ROUNDS} kills, ${made} rows, ${inTheMiddle} handlings done again`);
  },
  10 * 60_000,
);

it('lets a stopped worker exit by itself: no timer and no cursor keeps it alive', async () => {
  const { db } = await server.connect('ends');
  const worker = await startWorker('ends', 'w');
  const rows = db.collection<Parcel>('parcels');
  await rows.insertMany(Array.from({ length: 20 }, (_, n) => parcel(n, `g${n % 3}`, Date.now())));
  await until('they are sent', async () => (await rows.countDocuments({ status: 'SENT' })) === 20);
  await until(
    'the alarm rang',
    async () => (await db.collection('alarms').countDocuments({ lastRunAt: { $ne: null } })) === 1,
  );
  // There is no process.exit in it: it ends when nothing is left to wait for.
  let told = '';
  worker.stdout?.on('data', (chunk: Buffer) => {
    told += chunk.toString('utf8');
  });
  expect(await end(worker, 'SIGTERM')).toBe(0);
  expect(told).toBe('left: \n');
});

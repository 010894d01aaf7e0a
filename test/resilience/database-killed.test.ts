import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { type EmbeddedDeps, startEmbeddedDatabase } from '../../app/embedded-database.js';
import { systemClock } from '../../shared/clock/clock.js';
import { createLogger } from '../../shared/telemetry/logger.js';
import { freshTenant, Http } from '../support/http.js';
import { type ServiceProcess, startServiceProcess, TEST_OPERATOR_KEY } from '../support/service-process.js';
import { ownerOf, until } from './processes.js';
import { expectOnlyRetries, expectVerified, isFatal, startLoad } from './write-load.js';

// The database child dies under write load. The service starts it again on the same address and stays up itself.

const KILLS = Number(process.env['DATABASE_KILLS'] ?? 3);
const WRITES_BETWEEN_KILLS = 40;

describe('a service whose database child is killed under write load', () => {
  it(
    `answers 503 with Retry-After or succeeds, and keeps every acknowledged event over ${KILLS} kills`,
    async () => {
      const dataDir = await mkdtemp(join(tmpdir(), 'eas-database-killed-'));
      const service = await startServiceProcess(dataDir, { SERVICE_RATE_LIMIT_PER_MINUTE: '0' });
      try {
        await judge(service, join(dataDir, 'embedded'));
      } finally {
        await service.kill();
        await rm(dataDir, { recursive: true, force: true });
      }
    },
    360_000 + KILLS * 30_000,
  );
});

/** Kills the database several times under load and looks for every acknowledged event afterwards. */
async function judge(service: ServiceProcess, folder: string): Promise<void> {
  const tenant = await freshTenant(new Http(service.url, TEST_OPERATOR_KEY), ['admin']);
  const load = startLoad(service.url, tenant.http.key);
  const killed = new Set<number>();
  for (let kill = 0; kill < KILLS; kill += 1) {
    const before = load.receipts.length;
    await until(() => load.receipts.length - before >= WRITES_BETWEEN_KILLS || load.failures.some(isFatal));
    const pid = await ownerOf(folder);
    killed.add(pid);
    process.kill(pid, 'SIGKILL');
    await until(async () => (await ownerOf(folder)) !== pid);
  }
  const before = load.receipts.length;
  await until(() => load.receipts.length - before >= WRITES_BETWEEN_KILLS || load.failures.some(isFatal));
  await load.stop();
  expectOnlyRetries(load, service.output);
  expect(killed.size).toBe(KILLS);
  await expectVerified(tenant.http, load.receipts);
  expect(await service.stop()).toBe(0);
}

describe('startEmbeddedDatabase', () => {
  it.each(['socket', 'tcp'] as const)('restarts a killed child on the same %s', async (transport) => {
    const folder = await mkdtemp(join(tmpdir(), 'eas-embedded-'));
    const lost: string[] = [];
    const deps: EmbeddedDeps = {
      clock: systemClock,
      logger: createLogger('silent'),
      onLost: (reason) => void lost.push(reason),
      transport,
    };
    const database = await startEmbeddedDatabase(folder, deps);
    const client = await MongoClient.connect(database.uri);
    const acknowledged = new Set<number>();
    for (let kill = 0; kill < 3; kill += 1) {
      await client.db('d').collection<{ _id: number }>('c').insertOne({ _id: kill });
      acknowledged.add(kill);
      const pid = await ownerOf(folder);
      process.kill(pid, 'SIGKILL');
      await until(async () => (await ownerOf(folder)) !== pid);
    }
    const stored = await client.db('d').collection<{ _id: number }>('c').find().toArray();
    expect(new Set(stored.map(({ _id }) => _id))).toEqual(acknowledged);
    expect(lost).toEqual([]);
    await client.close();
    await database.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('gives up after five restarts within a minute', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'eas-embedded-'));
    const lost: string[] = [];
    const clock = { nowMs: () => 0, monotonicMs: () => 0 };
    const deps: EmbeddedDeps = { clock, logger: createLogger('silent'), onLost: (reason) => void lost.push(reason) };
    const database = await startEmbeddedDatabase(folder, deps);
    for (let kill = 0; kill < 6; kill += 1) {
      const pid = await ownerOf(folder);
      process.kill(pid, 'SIGKILL');
      await until(async () => lost.length > 0 || (await ownerOf(folder)) !== pid);
    }
    expect(lost).toEqual([expect.stringMatching(/SIGKILL/)]);
    await database.stop();
    await rm(folder, { recursive: true, force: true });
  });
});

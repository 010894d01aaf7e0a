import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { type EmbeddedDeps, startEmbeddedDatabase } from '../../app/embedded-database.js';
import { systemClock } from '../../shared/clock/clock.js';
import { createLogger } from '../../shared/telemetry/logger.js';
import { keyed } from '../rest-facade/edge-kit.js';
import { envelope } from '../support/envelopes.js';
import { eventually } from '../support/eventually.js';
import { type Answer, freshTenant, Http } from '../support/http.js';
import { type ServiceProcess, startServiceProcess, TEST_OPERATOR_KEY } from '../support/service-process.js';

// The database child dies under write load. The service starts it again on the same address and stays up itself.

const KILLS = Number(process.env['DATABASE_KILLS'] ?? 3);
const WRITERS = 8;
const WRITES_BETWEEN_KILLS = 40;

/** @returns the process id of the server that owns a database folder. */
async function ownerOf(folder: string): Promise<number> {
  const owner: unknown = JSON.parse(await readFile(join(folder, 'owner.json'), 'utf8'));
  if (typeof owner !== 'object' || owner === null || !('pid' in owner)) throw new Error('the folder has no owner');
  return Number(owner.pid);
}

/** Polls until the condition holds, and fails if it does not in time. */
async function until(condition: () => Promise<boolean> | boolean): Promise<void> {
  const holds = await eventually(async () => {
    try {
      return await condition();
    } catch {
      // Between two children there is no owner file.
      return false;
    }
  }, Boolean);
  if (!holds) throw new Error('the condition did not hold in time');
}

interface Load {
  readonly acknowledged: Set<string>;
  readonly failures: Answer[];
  stop(): Promise<void>;
}

/** Posts events from several writers until it is stopped. Each waits as Retry-After says and sends the event again. */
function startLoad(url: string, key: string | null): Load {
  const acknowledged = new Set<string>();
  const failures: Answer[] = [];
  let isStopped = false;
  const http = new Http(url, key);
  const write = async (writer: number) => {
    for (let n = 0; !isStopped; n += 1) {
      const again = keyed();
      while (!isStopped) {
        const answer = await http.post('/v1/events', envelope(`kill-${writer}-${n}`), again);
        if (answer.status < 300) {
          acknowledged.add(answer.json.event_id);
          break;
        }
        failures.push(answer);
        if (answer.status !== 503) return;
        await new Promise((resolve) => setTimeout(resolve, Number(answer.headers.get('retry-after')) * 1_000));
      }
    }
  };
  const writing = Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
  return {
    acknowledged,
    failures,
    stop: async () => {
      isStopped = true;
      await writing;
    },
  };
}

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
    const before = load.acknowledged.size;
    await until(() => load.acknowledged.size - before >= WRITES_BETWEEN_KILLS || load.failures.some(isFatal));
    const pid = await ownerOf(folder);
    killed.add(pid);
    process.kill(pid, 'SIGKILL');
    await until(async () => (await ownerOf(folder)) !== pid);
  }
  const before = load.acknowledged.size;
  await until(() => load.acknowledged.size - before >= WRITES_BETWEEN_KILLS || load.failures.some(isFatal));
  await load.stop();
  const fatal = load.failures.filter(isFatal).map(({ status, json }) => ({ status, json }));
  // The log of the service names the cause.
  expect({ fatal, log: fatal.length === 0 ? '' : service.output() }).toEqual({ fatal: [], log: '' });
  expect(load.failures.every(({ headers }) => Number(headers.get('retry-after')) > 0)).toBe(true);
  expect(killed.size).toBe(KILLS);
  const lost: string[] = [];
  const unread = [...load.acknowledged];
  const read = async (): Promise<void> => {
    for (let id = unread.pop(); id !== undefined; id = unread.pop()) {
      if ((await tenant.http.get(`/v1/events/${id}`)).status !== 200) lost.push(id);
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, read));
  expect(lost).toEqual([]);
  expect(await service.stop()).toBe(0);
}

/** Anything but a success or a request to try again. */
const isFatal = ({ status }: Answer): boolean => status !== 503;

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

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { repositoryFile } from '../../../app/repository.js';
import { startChild } from '../../../embedded-mongo/index.js';
import { startCutProxy } from '../../support/cut-proxy.js';
import { freshTenant, Http } from '../../support/http.js';
import { itUnless, type Lack, lackOf } from '../../support/needs.js';
import { type ServiceProcess, startServiceProcess, TEST_OPERATOR_KEY } from '../../support/service-process.js';
import { type Part, partsOf, until } from '../processes.js';
import { expectOnlyRetries, expectVerified, isFatal, type Load, startLoad } from '../write-load.js';
import { freeze, stepClocks, withoutFiles } from './faults.js';

// Faults under write load, on the code of `npm start`. Each ends with a load that continues, a verified ledger, and every
// acknowledged event in its place. Kills are in database-killed.test.ts and crash.test.ts.

const ROUNDS = Number(process.env['CHAOS_ROUNDS'] ?? 1);
const SOURCES = ['um-core', 'claims', 'pharmacy'];
const WRITES_BETWEEN_FAULTS = 60;
const DAY_MS = 86_400_000;
/** A round trip: a day ahead, back, a day behind, and back. */
const CLOCK_STEPS_MS = [DAY_MS, -DAY_MS, -DAY_MS, DAY_MS];
const TIMEOUT_MS = 300_000 + ROUNDS * 200_000;
const SETTINGS = { SERVICE_RATE_LIMIT_PER_MINUTE: '0' };

const succeeds = (command: string, ...args: string[]): boolean => spawnSync(command, args).status === 0;
const lackOfLimits: Lack = lackOf(succeeds('prlimit', '--pid', `${process.pid}`, '--nofile'), 'prlimit');
const lackOfMounts: Lack = mayMount() ? null : 'only root mounts a small disk';

function mayMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'eas-mount-'));
  const mounted = succeeds('mount', '-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder);
  if (mounted) succeeds('umount', folder);
  rmSync(folder, { recursive: true, force: true });
  return mounted;
}

/** Resolves when the service has acknowledged so many more events, or has failed for good. */
async function acknowledges(load: Load, more = WRITES_BETWEEN_FAULTS): Promise<void> {
  const from = load.receipts.length;
  await until(() => load.receipts.length >= from + more || load.failures.some(isFatal));
}

let loads = 0;

/** Runs a fault under load, several times, and verifies the ledger. */
async function under(service: ServiceProcess, fault: (load: Load) => Promise<void>): Promise<Load> {
  const { http } = await freshTenant(new Http(service.url, TEST_OPERATOR_KEY), ['admin']);
  loads += 1;
  const load = startLoad(service.url, http.key, { sources: SOURCES, name: `chaos-${loads}` });
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      await acknowledges(load);
      await fault(load);
      await acknowledges(load);
    }
  } finally {
    await load.stop();
  }
  expectOnlyRetries(load, service.output);
  await expectVerified(http, load.receipts);
  return load;
}

const pidOf = (service: ServiceProcess, part: Part): number => {
  const pid = partsOf(service.process.pid ?? 0).get(part);
  if (pid === undefined) throw new Error(`the service has no ${part}`);
  return pid;
};

describe('a service under write load', () => {
  let folder: string;
  let service: ServiceProcess;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'eas-chaos-'));
    service = await startServiceProcess(join(folder, 'data'), {
      ...SETTINGS,
      NODE_OPTIONS: `--import=${pathToFileURL(repositoryFile('test/support/clock-ahead.mjs')).href}`,
      CLOCK_STEP_MS: CLOCK_STEPS_MS.join(','),
    });
  });
  afterAll(async () => {
    await service.kill();
    await rm(folder, { recursive: true, force: true });
  });

  it.each(['service', 'database', 'signer'] as const)(
    'keeps its promises when its %s is frozen for 15 s',
    (part) => under(service, () => freeze(pidOf(service, part))),
    TIMEOUT_MS,
  );

  it(
    'keeps its promises when the clock jumps a day ahead, back, a day behind, and back',
    () =>
      under(service, async (load) => {
        for (const [n] of CLOCK_STEPS_MS.entries()) {
          stepClocks(service.process.pid ?? 0);
          if (n < CLOCK_STEPS_MS.length - 1) await acknowledges(load);
        }
      }),
    TIMEOUT_MS,
  );

  itUnless(lackOfLimits).each(['service', 'database', 'signer'] as const)(
    'keeps its promises when its %s has no file descriptor left',
    (part: Part) => under(service, (load) => withoutFiles(part, pidOf(service, part), service.url, load)),
    TIMEOUT_MS,
  );
});

describe('a service with its connection to the database cut under write load', () => {
  it(
    'answers 503 with Retry-After meanwhile, and keeps every acknowledged event',
    async () => {
      const dataDir = await mkdtemp(join(tmpdir(), 'eas-chaos-cut-'));
      const database = await startChild({ dataDir: join(dataDir, 'database') });
      const proxy = await startCutProxy(database.uri);
      const service = await startServiceProcess(join(dataDir, 'service'), { ...SETTINGS, MONGODB_URI: proxy.uri });
      try {
        const load = await under(service, async ({ failures }) => {
          const before = failures.length;
          proxy.cut();
          await until(() => failures.length > before);
          proxy.mend();
        });
        expect(proxy.met()).toBeGreaterThan(0);
        expect(load.failures.length).toBeGreaterThanOrEqual(ROUNDS);
      } finally {
        await service.kill();
        await proxy.stop();
        await database.stop();
        await rm(dataDir, { recursive: true, force: true });
      }
    },
    TIMEOUT_MS,
  );
});

describe('a service on a disk that fills up under write load', () => {
  itUnless(lackOfMounts)(
    'answers 503 with Retry-After until there is space, and keeps every acknowledged event',
    async () => {
      const disk = await mkdtemp(join(tmpdir(), 'eas-chaos-disk-'));
      expect(succeeds('mount', '-t', 'tmpfs', '-o', 'size=384m', 'tmpfs', disk)).toBe(true);
      const service = await startServiceProcess(join(disk, 'data'), SETTINGS);
      try {
        const load = await under(service, async ({ failures }) => {
          const before = failures.length;
          await fill(join(disk, 'filler'));
          await until(() => failures.length > before);
          await rm(join(disk, 'filler'));
        });
        expect(load.failures.length).toBeGreaterThanOrEqual(ROUNDS);
      } finally {
        await service.kill();
        await until(() => succeeds('umount', disk));
        await rm(disk, { recursive: true, force: true });
      }
    },
    TIMEOUT_MS,
  );
});

/** Writes a file until the disk has no space left. */
async function fill(path: string): Promise<void> {
  const file = await open(path, 'w');
  const block = Buffer.alloc(65_536, 1);
  try {
    for (;;) await file.write(block);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
  } finally {
    await file.close();
  }
}

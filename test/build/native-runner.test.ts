import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { repositoryFile } from '../../app/repository.js';

// The runner of these suites, on suites that fail in every way: a runner that misses a failure makes every test worthless.

const HEAD = `import { afterAll, beforeAll, expect, it } from '@jest/globals';\n`;
const SUITES = {
  passes: `it('passes', () => expect(1).toBe(1)); it.skip('is skipped', () => undefined);`,
  fails: `it('fails', () => expect(1).toBe(2)); it('passes next to it', () => undefined);`,
  hangs: `it('hangs', () => new Promise(() => undefined));`,
  'does-not-load': `throw new Error('not loaded');`,
  'ends-its-process': `it('ends', () => process.exit(0));`,
  'fails-before': `beforeAll(() => { throw new Error('before'); }); it('has no ground', () => undefined);`,
  'rejects-unseen': `it('rejects', async () => { Promise.reject(new Error('unseen')); await new Promise(setImmediate); });`,
  'leaves-environment': `it('sets', () => { process.env.LEFT_BEHIND = 'yes'; });`,
  'sees-environment': `it('sees nothing', () => expect(process.env.LEFT_BEHIND).toBe(undefined));`,
};

/** Jest runs larger files first, so the process ends before the other suite. */
const ENDED_BETWEEN = {
  'ends-later': `afterAll(() => void setImmediate(() => process.exit(3))); it('passes', () => undefined); // ${'-'.repeat(500)}`,
  passes: SUITES.passes,
};

const Report = z.object({
  testResults: z.array(
    z.object({ name: z.string(), status: z.string(), assertionResults: z.array(z.object({ status: z.string() })) }),
  ),
});

type Verdicts = Readonly<Record<string, readonly string[]>>;

/** Runs suites in one worker. @returns for each suite its status and those of its tests */
async function verdictsOf(suites: Readonly<Record<string, string>>): Promise<Verdicts> {
  const folder = await mkdtemp(join(tmpdir(), 'eas-runner-'));
  for (const [name, text] of Object.entries(suites)) await writeFile(join(folder, `${name}.test.ts`), HEAD + text);
  const config = {
    rootDir: folder,
    runner: repositoryFile('test/support/native/runner.mjs'),
    testMatch: ['<rootDir>/*.test.ts'],
    testTimeout: 2_000,
    transform: {},
  };
  const report = join(folder, 'report.json');
  const jest = repositoryFile('node_modules/jest/bin/jest.js');
  const args = [`--config=${JSON.stringify(config)}`, '--maxWorkers=1', '--json', `--outputFile=${report}`];
  spawnSync(process.execPath, [jest, ...args], { cwd: folder, stdio: 'ignore' });
  const { testResults } = Report.parse(JSON.parse(await readFile(report, 'utf8')));
  await rm(folder, { recursive: true, force: true });
  return Object.fromEntries(
    testResults.map(({ name, status, assertionResults }) => [
      basename(name, '.test.ts'),
      [status, ...assertionResults.map((one) => one.status)],
    ]),
  );
}

let verdicts: Verdicts;
beforeAll(async () => {
  verdicts = await verdictsOf(SUITES);
});

describe('the runner of the suites', () => {
  it.each<[keyof typeof SUITES, readonly string[]]>([
    // Jest's word for a suite with a skipped test.
    ['passes', ['focused', 'passed', 'pending']],
    ['fails', ['failed', 'failed', 'passed']],
    ['hangs', ['failed', 'failed']],
    ['does-not-load', ['failed']],
    ['ends-its-process', ['failed']],
    ['fails-before', ['failed', 'failed']],
    ['rejects-unseen', ['failed', 'failed']],
    ['leaves-environment', ['passed', 'passed']],
    ['sees-environment', ['passed', 'passed']],
  ])('reports the suite that %s', (name, expected) => {
    expect(verdicts[name]).toEqual(expected);
  });

  it('reports every suite', () => {
    expect(Object.keys(verdicts).sort()).toEqual(Object.keys(SUITES).sort());
  });

  it('fails the next suite after a process that ended between two', async () => {
    expect(await verdictsOf(ENDED_BETWEEN)).toEqual({ 'ends-later': ['passed', 'passed'], passes: ['failed'] });
  });
});

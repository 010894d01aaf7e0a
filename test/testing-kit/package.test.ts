import { execFile, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { repositoryFile, repositoryRoot } from '../../app/repository.js';
import { itUnless, lackOf } from '../support/needs.js';

const run = promisify(execFile);

/** One test in the words of each runner; `expect` and `assert` are the runner's. */
const suiteOf = (imports: string, assertion: string): string => `
${imports}
import { startService } from '@eas/testing-kit';
let service;
before(async () => { service = await startService({ now: '2026-03-02T14:00:00.000Z' }); }, 120_000);
after(() => service?.stop());
test('records an event at the time of its clock', async () => {
  const body = { event_family: 'utilization_management', event_type: 'prior_auth.denied', source_system: 'um-core',
    source_record_id: 'PA-1', member_id: 'M-1', event_effective_timestamp: '2026-03-02T13:59:00.000Z', outcome: 'DENIED' };
  await service.client.POST('/v1/events', { body });
  const { data } = await service.client.GET('/v1/events');
  ${assertion}
}, 120_000);
`;
const EXPECTATION = "expect(data.items.map((it) => it.received_at)).toEqual(['2026-03-02T14:00:00.000Z']);";
const SUITES = {
  'node.test.mjs': suiteOf(
    "import { after, before, test as register } from 'node:test';\nimport assert from 'node:assert/strict';\n" +
      'const test = (name, body) => register(name, body);',
    "assert.deepEqual(data.items.map((it) => it.received_at), ['2026-03-02T14:00:00.000Z']);",
  ),
  'jest.test.mjs': suiteOf(
    "import { afterAll as after, beforeAll as before, expect, test } from '@jest/globals';",
    EXPECTATION,
  ),
  'vitest.test.mjs': suiteOf(
    "import { afterAll as after, beforeAll as before, expect, test } from 'vitest';",
    EXPECTATION,
  ),
};
const CONSUMER = `
import { type StartOptions, startService, type TestService } from '@eas/testing-kit';
const options: StartOptions = { scopes: ['events:read'] };
const service: TestService = await startService(options);
// @ts-expect-error: there is no such member.
service.nonsense();
`;

// The package as a project installs it; the service's package is this repository, which is built.
describe('the packed testing kit', () => {
  let project: string;
  beforeAll(async () => {
    project = await mkdtemp(join(tmpdir(), 'eas-kit-package-'));
    const packing = ['pack', '--json', '--workspace', 'testing-kit', '--pack-destination', project];
    const [{ filename }] = JSON.parse((await run('npm', packing, { cwd: repositoryRoot() })).stdout);
    const installed = join(project, 'node_modules/@eas/testing-kit');
    await mkdir(installed, { recursive: true });
    await run('tar', ['-xzf', join(project, filename), '-C', installed, '--strip-components=1']);
    await symlink(repositoryRoot(), join(project, 'node_modules/evidentiary-audit-service'));
    await writeFile(join(project, 'package.json'), '{"type":"module"}');
    for (const [name, text] of Object.entries(SUITES)) await writeFile(join(project, name), text);
  });
  afterAll(() => rm(project, { recursive: true, force: true }));

  /** Runs a suite without the variables that this suite's own runner sets. */
  async function ran(command: string, args: readonly string[]): Promise<string> {
    const { PATH, HOME } = process.env;
    const { stdout, stderr } = await run(command, args, { cwd: project, env: { PATH, HOME } });
    return stdout + stderr;
  }

  it('works with node:test', async () => {
    expect(await ran('node', ['--test', 'node.test.mjs'])).toMatch(/pass 1$/m);
  });

  it('works with jest', async () => {
    const options = { transform: {}, testMatch: ['**/jest.test.mjs'], testEnvironment: 'node' };
    await mkdir(join(project, 'node_modules/@jest'));
    await symlink(repositoryFile('node_modules/@jest/globals'), join(project, 'node_modules/@jest/globals'));
    const jest = ['--experimental-vm-modules', repositoryFile('node_modules/jest/bin/jest.js')];
    expect(await ran('node', [...jest, '--config', JSON.stringify(options)])).toMatch(/1 passed, 1 total$/m);
  });

  const lackOfVitest = lackOf(spawnSync('vitest', ['--version']).status === 0, 'vitest');
  itUnless(lackOfVitest)('works with vitest', async () => {
    // The runner's own module is in the folder of its program.
    const { stdout } = await run('sh', ['-c', 'readlink -f "$(command -v vitest)"']);
    await symlink(join(stdout.trim(), '..'), join(project, 'node_modules/vitest'));
    expect(await ran('vitest', ['run', 'vitest.test.mjs'])).toMatch(/1 passed/);
  });

  it('has the types of the kit', async () => {
    await writeFile(join(project, 'consumer.mts'), CONSUMER);
    const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--target', 'es2022'];
    const tsc = repositoryFile('node_modules/typescript/bin/tsc');
    const types = ['--typeRoots', repositoryFile('node_modules/@types'), '--types', 'node'];
    expect(await ran('node', [tsc, ...options, ...types, 'consumer.mts'])).toBe('');
  });
});

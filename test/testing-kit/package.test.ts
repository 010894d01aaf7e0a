import { spawnSync } from 'node:child_process';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { repositoryFile } from '../../app/repository.js';
import { itUnless, lackOf } from '../support/needs.js';
import { pdfOf } from '../vault/pdf-kit.js';
import { type Project, projectWithKit } from './installed-kit.js';

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
import { joinService, type StartOptions, startService, type TestService } from '@eas/testing-kit';
const options: StartOptions = { scopes: ['events:read'] };
const service: TestService = await startService(options);
const { client } = await joinService(service);
await client.GET('/v1/events');
// @ts-expect-error: there is no such path.
await client.GET('/v1/nonsense');
// @ts-expect-error: there is no such member.
service.nonsense();
`;
/** What runs in threads and processes of the service, or reads files of the package. */
const JOBS = `
import { readFile } from 'node:fs/promises';
import { startService } from '@eas/testing-kit';
const service = await startService();
const { client } = service;
const until = async (work) => {
  for (;;) {
    const done = await work();
    if (done) return done;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};
const form = new FormData();
form.set('file', new File([await readFile('letter.pdf')], 'letter.pdf', { type: 'application/pdf' }));
form.set('member_id', 'M-1');
const headers = { 'x-api-key': service.apiKey };
const posted = await fetch(service.url + '/v1/documents', { method: 'POST', headers, body: form });
const { document_id } = await posted.json();
const path = { params: { path: { document_id } } };
const text = await until(async () => {
  const { data } = await client.GET('/v1/documents/{document_id}/metadata', path);
  return data?.text?.status === 'PENDING' ? undefined : data?.text;
});
const { data: found } = await client.POST('/v1/search', { body: { query: 'lumbar', kinds: ['document'] } });
const { data: asked } = await client.POST('/v1/bundles', { body: { scope: { member_id: 'M-1' } } });
const sealed = await until(async () => {
  const { data } = await client.GET('/v1/bundles/{bundle_id}', { params: { path: { bundle_id: asked.bundle_id } } });
  return ['SEALED', 'FAILED'].includes(data.status) ? data : undefined;
});
const pages = [];
for (const page of ['/console', '/docs/try', '/docs/try/swagger-ui.css', '/graphiql', '/verify']) {
  pages.push([page, (await fetch(service.url + page, { headers: { accept: 'text/html' } })).status]);
}
await service.stop();
console.log(JSON.stringify({ text: text.status, found: found.items.length, bundle: sealed.status, pages }));
`;
/** The size that README.md promises, without what npm installs for the machine. */
const MAX_PACKED_BYTES = 40e6;

describe('the packed testing kit', () => {
  let project: Project;
  beforeAll(async () => {
    project = await projectWithKit(SUITES);
  }, 120_000);
  afterAll(() => project?.remove());

  it('works with node:test', async () => {
    expect(await project.ran('node', ['--test', 'node.test.mjs'])).toMatch(/pass 1$/m);
  });

  it('works with jest', async () => {
    const options = { transform: {}, testMatch: ['**/jest.test.mjs'], testEnvironment: 'node' };
    await project.link('@jest/globals');
    const jest = ['--experimental-vm-modules', repositoryFile('node_modules/jest/bin/jest.js')];
    expect(await project.ran('node', [...jest, '--config', JSON.stringify(options)])).toMatch(/1 passed, 1 total$/m);
  });

  const lackOfVitest = lackOf(spawnSync('vitest', ['--version']).status === 0, 'vitest');
  itUnless(lackOfVitest)('works with vitest', async () => {
    // The runner's own module is in the folder of its program.
    const program = await project.ran('sh', ['-c', 'readlink -f "$(command -v vitest)"']);
    await symlink(join(program.trim(), '..'), join(project.folder, 'node_modules/vitest'));
    expect(await project.ran('vitest', ['run', 'vitest.test.mjs'])).toMatch(/1 passed/);
  });

  it('reads a PDF, seals a bundle and serves its pages with no more packages than it installs', async () => {
    await writeFile(join(project.folder, 'letter.pdf'), await pdfOf([{ text: 'lumbar MRI', x: 72, y: 700 }], false));
    await writeFile(join(project.folder, 'jobs.mjs'), JOBS);
    expect(JSON.parse(await project.ran('node', ['jobs.mjs']))).toEqual({
      text: 'READY',
      found: 1,
      bundle: 'SEALED',
      pages: [
        ['/console', 200],
        ['/docs/try', 200],
        ['/docs/try/swagger-ui.css', 200],
        ['/graphiql', 200],
        ['/verify', 200],
      ],
    });
  });

  it('has the types of the kit', async () => {
    await writeFile(join(project.folder, 'consumer.mts'), CONSUMER);
    const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022'];
    const tsc = repositoryFile('node_modules/typescript/bin/tsc');
    const types = ['--typeRoots', repositoryFile('node_modules/@types'), '--types', 'node'];
    expect(await project.ran('node', [tsc, ...options, ...types, 'consumer.mts'])).toBe('');
  });

  it('packs less than 40 MB', () => {
    expect(project.packed.reduce((sum, { size }) => sum + size, 0)).toBeLessThan(MAX_PACKED_BYTES);
  });

  it('depends on the versions of the service', async () => {
    const versionsIn = async (path: string): Promise<Readonly<Record<string, Readonly<Record<string, string>>>>> =>
      JSON.parse(await readFile(repositoryFile(path), 'utf8'));
    const [service, kit] = await Promise.all(['package.json', 'testing-kit/package.json'].map(versionsIn));
    expect(service?.['dependencies']).toMatchObject({ ...kit?.['dependencies'], ...kit?.['peerDependencies'] });
  });
});

import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { repositoryFile } from '../../app/repository.js';
import { freshTenant } from '../support/http.js';
import { startWholeService, type WholeService } from '../support/whole-service.js';

const run = promisify(execFile);
/** What `npm install` of the tarball fetches; here from the repository's own folder, because a test needs no network. */
const DEPENDENCIES = ['openapi-fetch', 'openapi-typescript-helpers', '@types/node', 'undici-types'];
const CONSUMER = `
import { createApiClient, paginate, verifyWebhook } from '@eas/client';
const client = createApiClient({ baseUrl: 'http://127.0.0.1', apiKey: 'key' });
for await (const event of paginate(client, '/v1/events', { query: { limit: 1 } })) {
  const id: string = event.event_id;
  // @ts-expect-error: an event has no such member.
  console.log(id, event.nonsense);
}
// @ts-expect-error: there is no such list.
paginate(client, '/v1/nonsense');
const delivery = verifyWebhook({ secret: 'whsec_', headers: {}, body: '' });
if (delivery.type === 'bundle.sealed') console.log(delivery.data.bundle_id satisfies string);
`;

// The package as an empty project installs it: all tests use one tarball.
describe('the packed client', () => {
  let project: string;
  let installed: string;
  let service: WholeService;
  beforeAll(async () => {
    project = await mkdtemp(join(tmpdir(), 'eas-client-'));
    installed = join(project, 'node_modules/@eas/client');
    service = await startWholeService();
    const packing = ['pack', '--json', '--workspace', 'client', '--ignore-scripts', '--pack-destination', project];
    const [{ filename }] = JSON.parse((await run('npm', packing, { cwd: repositoryFile('.') })).stdout);
    await mkdir(installed, { recursive: true });
    await run('tar', ['-xzf', join(project, filename), '-C', installed, '--strip-components=1']);
    for (const name of DEPENDENCIES) {
      await mkdir(dirname(join(project, 'node_modules', name)), { recursive: true });
      await symlink(repositoryFile(`node_modules/${name}`), join(project, 'node_modules', name));
    }
    await writeFile(join(project, 'package.json'), '{"type":"module"}');
  });
  afterAll(async () => {
    await service.stop();
    await rm(project, { recursive: true, force: true });
  });

  it('depends on nothing but what its package.json lists', async () => {
    const { dependencies } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'));
    expect(Object.keys(dependencies)).toEqual(['openapi-fetch']);
    const { stdout } = await run(
      'node',
      ['--eval', "import('@eas/client').then((it) => console.log(Object.keys(it).length))"],
      {
        cwd: project,
      },
    );
    expect(Number(stdout)).toBeGreaterThan(10);
  });

  it('is also exported by the package of the service', async () => {
    const program = "import('evidentiary-audit-service/client').then((it) => console.log(typeof it.ingestRaw))";
    const { stdout } = await run('node', ['--eval', program], { cwd: repositoryFile('.') });
    expect(stdout.trim()).toBe('function');
  });

  it('has types that a strict project checks', async () => {
    await writeFile(join(project, 'consumer.ts'), CONSUMER);
    const options = [
      '--noEmit',
      '--strict',
      '--module',
      'nodenext',
      '--target',
      'es2022',
      '--types',
      'node',
      'consumer.ts',
    ];
    const { stdout } = await run('node', [repositoryFile('node_modules/typescript/bin/tsc'), ...options], {
      cwd: project,
    });
    expect(stdout).toBe('');
  });

  it('contains the example, which goes from a key to a verified bundle', async () => {
    const scopes = ['events:write', 'bundles:request', 'bundles:read', 'bundles:export'];
    const { tenantId, http } = await freshTenant(service.operator, scopes);
    const example = join(installed, 'examples/key-to-verified-bundle.mjs');
    const { stdout } = await run('node', [example, repositoryFile('dist/verifier/verify.mjs'), 'bundle.zip'], {
      cwd: project,
      env: { PATH: process.env['PATH'], EAS_URL: http.url, EAS_API_KEY: http.key ?? '', EAS_TENANT: tenantId },
    });
    expect(stdout).toContain('with 2 events');
    expect(stdout).toMatch(/^VALID\b/m);
  });
});

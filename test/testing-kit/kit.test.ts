import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { repositoryFile, repositoryRoot } from '../../app/repository.js';
import type { StartService } from '../../testing-kit/api.js';
import { joinService, startService } from '../../testing-kit/index.js';

/** As an integrator's process does it: by the package's name, ending when nothing is left to do. */
const SCRIPT = `
import { startService } from 'evidentiary-audit-service/testing-kit';
const from = performance.now();
const service = await startService();
const first = performance.now() - from;
await service.stop();
const again = performance.now();
const second = await startService();
const warm = performance.now() - again;
const { data } = await second.client.GET('/v1/healthz');
await second.stop();
console.log(JSON.stringify({ status: data.status, first, warm }));
`;

/** A suite in another process, which gets the address by its environment. */
const JOINING = `
import { joinService } from 'evidentiary-audit-service/testing-kit';
const service = await joinService(JSON.parse(process.env.SERVICE_OF_SUITES), { scopes: ['events:read'] });
const { response } = await service.client.GET('/v1/events');
console.log(JSON.stringify({ tenant: service.tenantId, status: response.status }));
`;

function runScript(
  script: string,
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly code: number | null; readonly output: string }> {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: repositoryRoot(),
    env: { ...process.env, ...env },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString('utf8');
    });
  }
  return new Promise((resolve) => child.once('exit', (code) => resolve({ code, output })));
}

describe('the testing kit', () => {
  it('is imported by the package’s name, and lets its process exit by itself', async () => {
    const { code, output } = await runScript(SCRIPT);
    expect([code, output]).toEqual([0, expect.stringContaining('"status":"ok"')]);
  });

  it('exports the declared types', () => {
    const typed: StartService = startService;
    expect(typed).toBe(startService);
  });

  it('shows the example that these suites run', async () => {
    const [page, example] = await Promise.all([
      readFile(repositoryFile('docs/testing-kit.md'), 'utf8'),
      readFile(repositoryFile('test/testing-kit/example.test.ts'), 'utf8'),
    ]);
    expect(page).toContain(example.trim());
  });

  it('starts services that share nothing, each with its own clock, and leaves nothing behind', async () => {
    const [old, fresh] = await Promise.all([startService({ now: '2020-01-01T00:00:00.000Z' }), startService()]);
    expect(old.apiKey).not.toBe(fresh.apiKey);
    expect((await fetch(`${fresh.url}/v1/events`, { headers: { 'x-api-key': old.apiKey } })).status).toBe(401);
    const made = await old.client.GET('/v1/api-keys');
    expect(made.data?.items[0]?.created_at).toBe('2020-01-01T00:00:00.000Z');
    await Promise.all([old.stop(), fresh.stop()]);
    await expect(fetch(old.url)).rejects.toThrow();
  });

  it('gives each process that joins a running service a tenant with a random id', async () => {
    const service = await startService();
    const { url, operatorKey } = service;
    const SERVICE_OF_SUITES = JSON.stringify({ url, operatorKey });
    const suites = await Promise.all([1, 2].map(() => runScript(JOINING, { SERVICE_OF_SUITES })));
    const [first, second] = suites.map(({ output }) => JSON.parse(output));
    expect(suites.map(({ code }) => code)).toEqual([0, 0]);
    expect(first).toEqual({ tenant: expect.stringMatching(/^test-tenant-[0-9a-f]{16}$/), status: 200 });
    expect(second.tenant).not.toBe(first.tenant);
    await service.stop();
  });

  it('lets a suite that joins make and name tenants', async () => {
    const service = await startService();
    const joined = await joinService(service, { tenantId: 'acme' });
    const other = await joined.newTenant({ scopes: ['events:read'] });
    expect([joined.tenantId, joined.url]).toEqual(['acme', service.url]);
    expect(other.tenantId).not.toBe(joined.tenantId);
    expect((await other.client.GET('/v1/api-keys')).response.status).toBe(403);
    await service.stop();
  });

  it('passes settings on, and rejects an unknown one', async () => {
    await expect(startService({ env: { SERVICE_NONSENSE: '1' } })).rejects.toThrow('SERVICE_NONSENSE');
    await expect(startService({ now: 'yesterday' })).rejects.toThrow('ISO 8601');
    const small = await startService({ env: { SERVICE_MAX_BATCH_EVENTS: '1' }, scopes: ['events:write'] });
    const { response } = await small.client.POST('/v1/events', { body: [{}, {}] as never });
    expect(response.status).toBe(413);
    await small.stop();
  });

  it('is built where package.json says', async () => {
    const { exports } = JSON.parse(await readFile(repositoryFile('package.json'), 'utf8')) as {
      exports: { './testing-kit': Record<string, string> };
    };
    for (const path of Object.values(exports['./testing-kit'])) expect(existsSync(repositoryFile(path))).toBe(true);
  });

  it('is complete in the output of npm pack, which contains the service without its suites', async () => {
    const packing = ['pack', '--dry-run', '--json', '--ignore-scripts'];
    const { stdout } = await promisify(execFile)('npm', packing, { cwd: repositoryFile('.') });
    const [{ files }] = JSON.parse(stdout) as [{ files: { path: string }[] }];
    const packed = files.map(({ path }) => path);
    expect(packed).toEqual(
      expect.arrayContaining([
        'dist/testing-kit/index.js',
        'dist/app/start-service.js',
        'testing-kit/api.ts',
        'client/client.ts',
        'client/schema.ts',
        'gateway/supergraph.graphql',
        'rest-facade/contract.json',
      ]),
    );
    expect(packed.filter((path) => path.startsWith('rest-facade/pages/graphiql/')).length).toBeGreaterThan(0);
    expect(packed.filter((path) => path.startsWith('test/'))).toEqual([]);
  });
});

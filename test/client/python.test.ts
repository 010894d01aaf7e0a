import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { repositoryFile } from '../../app/repository.js';
import { freshTenant } from '../support/http.js';
import { itUnless, lackOf } from '../support/needs.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { startWholeService, type WholeService } from '../support/whole-service.js';
import { type Fault, type FaultyProxy, startFaultyProxy } from './faulty-proxy.js';

// Runs the Python client's own tests against a service of this suite. It installs nothing: a machine without httpx skips it.

const PACKAGE = repositoryFile('client/python');
const succeeds = (args: readonly string[]): boolean => spawnSync('python3', args).status === 0;
const hasPython = succeeds(['-c', 'import sys; sys.exit(sys.version_info < (3, 10))']);
const lackOfHttpx = hasPython ? lackOf(succeeds(['-c', 'import httpx']), 'httpx') : lackOf(false, 'python3 ≥ 3.10');
const lackOfMypy = lackOfHttpx ?? lackOf(succeeds(['-m', 'mypy', '--version']), 'mypy');
const lackOfOpenssl = lackOfHttpx ?? lackOf(spawnSync('openssl', ['version']).status === 0, 'openssl');

/** The proxies of test_client.py: where they stand, and what goes wrong. */
const FAULTS: Readonly<Record<string, { readonly on: RegExp; readonly faults: readonly Fault[] }>> = {
  lost: {
    on: /^POST \/v1\/events/,
    faults: [{ kind: 'lost' }, { kind: 'cut', afterBytes: 10 }, { kind: 'answer', status: 503 }],
  },
  busy: { on: /^GET \/v1\/events/, faults: [{ kind: 'answer', status: 429, retryAfterSeconds: 7 }] },
  down: { on: /./, faults: Array(5).fill({ kind: 'answer', status: 503 }) },
  cut: {
    on: /\/download/,
    faults: [
      { kind: 'cut', afterBytes: 1_000 },
      { kind: 'answer', status: 503 },
      { kind: 'cut', afterBytes: 500 },
    ],
  },
  changed: { on: /\/download/, faults: [{ kind: 'changed', at: 2_000 }] },
};

let service: WholeService;
let receiver: Receiver;
let folder: string;
const proxies: FaultyProxy[] = [];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'eas-python-'));
  receiver = await startReceiver();
  service = await startWholeService({
    SERVICE_WEBHOOK_ALLOW_HTTP: 'true',
    SERVICE_WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
  });
});
afterAll(async () => {
  await service.stop();
  await receiver.close();
  await Promise.all(proxies.map((proxy) => proxy.close()));
  await rm(folder, { recursive: true, force: true });
});

async function proxiesOf(url: string): Promise<Readonly<Record<string, string>>> {
  const started = Object.entries(FAULTS).map(async ([name, { on, faults }]) => {
    const proxy = await startFaultyProxy(url, on, faults);
    proxies.push(proxy);
    return [name, proxy.url] as const;
  });
  return Object.fromEntries(await Promise.all(started));
}

/** A delivery of the service after one rotation: both secrets sign it. */
async function deliveryOf(http: Awaited<ReturnType<typeof freshTenant>>['http']): Promise<unknown> {
  const made = (await http.post('/v1/webhooks', { url: receiver.url, event_types: ['bundle.sealed'] })).json;
  const rotated = (await http.post(`/v1/webhooks/${made.webhook_id}/rotate-secret`, undefined)).json;
  await http.post(`/v1/webhooks/${made.webhook_id}/test`, {});
  const [first] = await receiver.until(1);
  return { secrets: [made.secret, rotated.secret], headers: first?.headers, body: first?.body.toString('base64') };
}

const python = (args: readonly string[], env: Readonly<Record<string, string>> = {}, cwd = PACKAGE) =>
  promisify(execFile)('python3', args, {
    cwd,
    env: { ...process.env, PYTHONPATH: join(PACKAGE, 'src'), PYTHONDONTWRITEBYTECODE: '1', ...env },
  });

/** Compiles every module without running it, so that a machine without httpx finds a file that Python cannot read. */
const COMPILING = `
import pathlib
for path in sorted(pathlib.Path('.').rglob('*.py')):
    compile(path.read_text(), str(path), 'exec')
    print(path)
`;

describe('the Python client', () => {
  itUnless(lackOf(hasPython, 'python3 ≥ 3.10'))('consists of modules that Python can compile', async () => {
    const { stdout } = await python(['-c', COMPILING]);
    expect(stdout).toContain('src/eas_client/operations.py');
  });

  itUnless(lackOfHttpx)('passes its own tests against the service, plain and async', async () => {
    const { http } = await freshTenant(service.operator, ['admin']);
    const [plain, asynchronous] = await Promise.all([proxiesOf(http.url), proxiesOf(http.url)]);
    const given = { url: http.url, key: http.key, proxies: { sync: plain, async: asynchronous } };
    const EAS_TEST = JSON.stringify({ ...given, delivery: await deliveryOf(http) });
    const { stderr } = await python(['-m', 'unittest', 'discover', '-s', 'tests', '-t', 'tests'], { EAS_TEST });
    expect(stderr).toMatch(/^Ran 2\d tests/m);
    expect(stderr).toMatch(/^OK$/m);
  });

  itUnless(lackOfOpenssl)('has an example that goes from a key to a verified bundle', async () => {
    const scopes = ['events:write', 'bundles:request', 'bundles:read', 'bundles:export'];
    const { tenantId, http } = await freshTenant(service.operator, scopes);
    const example = join(PACKAGE, 'examples/key_to_verified_bundle.py');
    const env = { EAS_URL: http.url, EAS_API_KEY: http.key ?? '', EAS_TENANT: tenantId };
    const { stdout } = await python([example, repositoryFile('dist/verifier/verify.py'), 'bundle.zip'], env, folder);
    expect(stdout).toContain('with 2 events');
    expect(stdout).toMatch(/^VALID\b/m);
  });

  itUnless(lackOfMypy)('is clean under mypy --strict, with its example and its tests', async () => {
    const { stdout } = await python(['-m', 'mypy', '--cache-dir', join(folder, 'mypy')]);
    expect(stdout).toContain('no issues found');
  });
});

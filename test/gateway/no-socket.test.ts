import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { repositoryFile } from '../../app/repository.js';
import { envelope } from '../support/envelopes.js';
import { freshTenant, Http } from '../support/http.js';
import { startServiceProcess, TEST_OPERATOR_KEY } from '../support/service-process.js';

/** What the watch wrote down of one attempt. */
interface Attempt {
  readonly kind: 'watching' | 'unix' | 'tcp' | 'udp' | 'dns';
  readonly target: string;
}

const WATCH = `--import=${repositoryFile('test/gateway/socket-watch.mjs')}`;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'eas-socket-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function attempts(name: string): Promise<Attempt[]> {
  const text = await readFile(join(folder, name), 'utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Attempt);
}

/** Runs a script under the watch to its end. */
function watched(name: string, script: string): void {
  const env = { PATH: process.env['PATH'] ?? '', WATCH_SOCKETS_LOG: join(folder, name) };
  const ended = spawnSync(process.execPath, [WATCH, '--input-type=module', '-e', script], {
    env,
    cwd: repositoryFile('.'),
    timeout: 30_000,
    encoding: 'utf8',
  });
  if (ended.status !== 0) throw new Error(ended.stderr);
}

describe('the socket watch', () => {
  it.each([
    ['a plain socket', `import net from 'node:net'; net.connect(9, '127.0.0.1').on('error', () => {});`, 'tcp'],
    ['fetch', `await fetch('http://192.0.2.1/').catch(() => {});`, 'tcp'],
    ['TLS', `import tls from 'node:tls'; tls.connect(9, '127.0.0.1').on('error', () => {});`, 'tcp'],
    ['a name', `import { lookup } from 'node:dns/promises'; await lookup('example.invalid').catch(() => {});`, 'dns'],
    [
      'UDP',
      `import { createSocket } from 'node:dgram'; const s = createSocket('udp4'); s.send('x', 9); s.close();`,
      'udp',
    ],
  ])('detects %s', async (name, script, kind) => {
    const log = `watch-${name.replaceAll(' ', '-')}`;
    watched(log, script);
    expect((await attempts(log)).map((attempt) => attempt.kind)).toContain(kind);
  });

  it('detects the gateway’s own telemetry when it is not disabled', async () => {
    // Read by the script itself: it is longer than an argument of a program may be.
    const file = JSON.stringify(repositoryFile('gateway/supergraph.graphql'));
    watched(
      'telemetry',
      `import { readFileSync } from 'node:fs';
       import { ApolloGateway } from '@apollo/gateway';
       const supergraphSdl = readFileSync(${file}, 'utf8');
       const gateway = new ApolloGateway({ supergraphSdl, buildService: () => ({ process: async () => ({}) }) });
       await gateway.load();
       await gateway.stop();
       process.exit(0);`,
    );
    const outward = (await attempts('telemetry')).filter(({ kind }) => kind === 'tcp' || kind === 'dns');
    expect(outward.length).toBeGreaterThan(0);
  });
});

describe('the whole service', () => {
  it('connects only to its database and its signer, from start to stop', async () => {
    const log = join(folder, 'service');
    const service = await startServiceProcess(join(folder, 'data'), { NODE_OPTIONS: WATCH, WATCH_SOCKETS_LOG: log });
    const { http } = await freshTenant(new Http(service.url, TEST_OPERATOR_KEY), [
      'events:read',
      'events:write',
      'graph:query',
    ]);
    expect((await http.post('/v1/events', [envelope(1), envelope(2)])).status).toBe(200);
    expect((await http.get('/v1/events')).json.items).toHaveLength(2);
    expect((await http.get('/v1/ledger/verify')).json.valid).toBe(true);
    expect((await http.post('/graphql', { query: '{ ledgerPartitions { items { source_system } } }' })).status).toBe(
      200,
    );
    expect((await http.get('/v1/openapi.json')).status).toBe(200);
    await service.stop();

    const seen = await attempts('service');
    expect(seen.filter(({ kind }) => kind === 'watching').length).toBeGreaterThan(0);
    expect(seen.filter(({ kind }) => kind !== 'watching' && kind !== 'unix')).toEqual([]);
    // The database's child also asks whether the holder of its lock is alive.
    const targets = new Set(seen.filter(({ kind }) => kind === 'unix').map(({ target }) => target));
    const own = [join(folder, 'data', 'embedded'), join(folder, 'data-signer')];
    expect([...targets].filter((target) => !own.includes(dirname(target)))).toEqual([]);
    expect([...targets].filter((target) => /^db-[0-9a-f]+\.sock$/.test(basename(target)))).toHaveLength(1);
  });
});

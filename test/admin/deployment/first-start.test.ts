import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startWorker } from '../../../embedded-mongo/index.js';
import { connectDatabase } from '../../../shared/db/database.js';
import { StartRefused } from '../../../shared/errors/start-refused.js';
import { startTestServer, type TestServer } from '../../support/database.js';
import { callerOf, principalOf, startAdmin } from '../admin-kit.js';

const GIVEN = 'operator-key-for-tests-0123456789abcdef';

let server: TestServer;
let databases = 0;

beforeAll(async () => {
  server = await startTestServer();
});

afterAll(async () => {
  await server.stop();
});

/** A name that no other test's database has. */
const freshName = (): string => {
  databases += 1;
  return `admin-first-start-${process.pid}-${databases}`;
};

describe('the first start', () => {
  it('generates one operator key, and the next start none', async () => {
    const name = freshName();
    const first = await startAdmin(await server.connect(name));
    const outcome = await first.admin.ensureOperatorKey();
    expect(outcome).toEqual({ created: true, apiKey: expect.stringMatching(/^eas_live_/) });
    const second = await startAdmin(await server.connect(name));
    expect(await second.admin.ensureOperatorKey()).toEqual({ created: false });
    const principal = await second.admin.keys.authenticate(outcome.apiKey ?? '', null);
    expect(principal).toMatchObject({ tenantId: null, grantedScopes: ['*'] });
  });

  it('creates one operator key, one origin and one reserved tenant for concurrent processes', async () => {
    const name = freshName();
    const connections = await Promise.all(Array.from({ length: 4 }, () => server.connect(name)));
    const started = await Promise.all(connections.map((connection) => startAdmin(connection)));
    const outcomes = await Promise.all(started.map(({ admin }) => admin.ensureOperatorKey()));
    expect(outcomes.filter((outcome) => outcome.created)).toHaveLength(1);
    const apiKey = outcomes.find((outcome) => outcome.created)?.apiKey ?? '';
    const logIds = new Set<string | undefined>();
    for (const { admin } of started) {
      expect(await admin.keys.authenticate(apiKey, null)).toBeDefined();
      logIds.add((await admin.tenants.find('_operator'))?.log_id);
    }
    expect(logIds.size).toBe(1);
    expect(await connections[0]?.db.collection('api_keys').find({}).toArray()).toHaveLength(1);
    expect(await connections[0]?.db.collection('deployment').find({}).toArray()).toHaveLength(1);
  });

  it('stores a provided key, which works after a restart', async () => {
    const name = freshName();
    const first = await startAdmin(await server.connect(name), { adminApiKey: GIVEN });
    expect(await first.admin.ensureOperatorKey()).toEqual({ created: true });
    const second = await startAdmin(await server.connect(name), { adminApiKey: GIVEN });
    expect(await second.admin.ensureOperatorKey()).toEqual({ created: false });
    expect(await second.admin.keys.authenticate(GIVEN, null)).toMatchObject({ tenantId: null });
    expect(await second.admin.keys.authenticate(`${GIVEN}x`, null)).toBeUndefined();
  });

  it('survives a restart of the database', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'eas-admin-'));
    const keys: string[] = [];
    for (let start = 0; start < 3; start++) {
      const own = await startWorker({ dataDir });
      const database = await connectDatabase(own.uri);
      const { admin } = await startAdmin(database);
      keys.push((await admin.ensureOperatorKey()).apiKey ?? '');
      expect(await admin.keys.authenticate(keys[0] ?? '', null)).toMatchObject({ grantedScopes: ['*'] });
      await admin.close();
      await database.close();
      await own.stop();
    }
    expect(keys).toEqual([expect.stringMatching(/^eas_live_/), '', '']);
    await rm(dataDir, { recursive: true });
  });

  it('stores the same provided key once for concurrent processes', async () => {
    const name = freshName();
    const started = await Promise.all(
      [1, 2, 3].map(async () => startAdmin(await server.connect(name), { adminApiKey: GIVEN })),
    );
    const outcomes = await Promise.all(started.map(({ admin }) => admin.ensureOperatorKey()));
    expect(outcomes.filter((outcome) => outcome.created)).toHaveLength(1);
  });

  it('fixes the origin: a start with another one fails', async () => {
    const name = freshName();
    await startAdmin(await server.connect(name), { origin: 'eas.example' });
    await expect(startAdmin(await server.connect(name), { origin: 'other.example' })).rejects.toThrow(StartRefused);
    await expect(startAdmin(await server.connect(name), { origin: 'eas.example' })).resolves.toBeDefined();
  });

  it('fixes the master key: a start with another one fails', async () => {
    const name = freshName();
    await startAdmin(await server.connect(name));
    await expect(startAdmin(await server.connect(name), { masterKeyByte: 8 })).rejects.toThrow(StartRefused);
  });
});

describe('the last operator key', () => {
  it('can be revoked only if another one exists', async () => {
    const { admin } = await startAdmin(await server.connect(freshName()));
    const { apiKey = '' } = await admin.ensureOperatorKey();
    const keyId = (await admin.keys.authenticate(apiKey, null))?.keyId ?? '';
    const operator = callerOf(admin, principalOf(null, '*'));
    expect(await operator.revokeApiKey(keyId)).toMatchObject({ code: 'CONFLICT' });
    expect(await admin.keys.authenticate(apiKey, null)).toBeDefined();
    const soon = new Date(Date.parse('2026-03-02T15:00:00Z')).toISOString();
    const next = await operator.createApiKey({ tenant_id: '*', name: 'next', scopes: ['*'], expires_at: soon });
    expect(next.code).toBeNull();
    expect(await operator.revokeApiKey(keyId)).toMatchObject({ code: null });
    expect(await admin.keys.authenticate(apiKey, null)).toBeUndefined();
    expect(await operator.revokeApiKey(next.data.createApiKey.key_id)).toMatchObject({ code: 'CONFLICT' });
    await admin.close();
  });

  it('is replaced at the next start after its expiry', async () => {
    const name = freshName();
    const first = await startAdmin(await server.connect(name));
    const { apiKey = '' } = await first.admin.ensureOperatorKey();
    const operator = callerOf(first.admin, principalOf(null, '*'));
    await operator.createApiKey({ tenant_id: '*', name: 'short', scopes: ['*'], expires_at: '2026-03-02T14:20:00Z' });
    const keyId = (await first.admin.keys.authenticate(apiKey, null))?.keyId ?? '';
    expect(await operator.revokeApiKey(keyId)).toMatchObject({ code: null });
    first.clock.advance(10 * 60_000);
    const second = await startAdmin(await server.connect(name), { clock: first.clock });
    const outcome = await second.admin.ensureOperatorKey();
    expect(outcome.created).toBe(true);
    expect(await second.admin.keys.authenticate(outcome.apiKey ?? '', null)).toBeDefined();
    await first.admin.close();
  });
});

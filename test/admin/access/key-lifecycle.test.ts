import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { AdminSubgraph } from '../../../subgraphs/admin/index.js';
import { startTestServer, type TestServer } from '../../support/database.js';
import { ManualClock, RecordingSystemLedger } from '../../support/fakes.js';
import { freshTenant } from '../../support/http.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';
import { type Caller, callerOf, principalOf, startAdmin } from '../admin-kit.js';

const DAY_MS = 86_400_000;

let server: TestServer;
/** Two processes on one database, on one clock. */
let one: AdminSubgraph;
let two: AdminSubgraph;
const clock = new ManualClock();
const systemLedger = new RecordingSystemLedger();
const operator = (): Caller => callerOf(one, principalOf(null, '*'));
let names = 0;

beforeAll(async () => {
  server = await startTestServer();
  ({ admin: one } = await startAdmin(await server.connect('lifecycle'), { clock, systemLedger }));
  ({ admin: two } = await startAdmin(await server.connect('lifecycle'), { clock, systemLedger }));
});
afterAll(async () => {
  await one.close();
  await two.close();
  await server.stop();
});

async function tenant() {
  names += 1;
  const tenantId = `lives-${names}`;
  await operator().createTenant(tenantId);
  return { tenantId, asAdmin: callerOf(one, principalOf(tenantId, 'admin')) };
}

async function key(as: Caller, input: Record<string, unknown> = {}) {
  const made = await as.createApiKey({ name: 'gateway', scopes: ['events:write'], ...input });
  expect(made.code).toBeNull();
  return { apiKey: made.data.createApiKey.api_key as string, keyId: made.data.createApiKey.key_id as string };
}

const opens = async (admin: AdminSubgraph, apiKey: string, address: string | null = null): Promise<boolean> =>
  (await admin.keys.authenticate(apiKey, address)) !== undefined;

describe('rotating a key', () => {
  it('creates a successor with the same scopes, roles, actor, addresses and expiry', async () => {
    const { asAdmin } = await tenant();
    const expires_at = new Date(clock.nowMs() + 30 * DAY_MS).toISOString();
    const actor = await asAdmin.createActor({ name: 'A feed', role_ids: ['integrator'] });
    const input = {
      role_ids: ['integrator'],
      actor_id: actor.data.createActor.actor_id,
      allowed_cidrs: ['203.0.113.0/24'],
      expires_at,
    };
    const { keyId } = await key(asAdmin, input);
    const rotated = (await asAdmin.rotateApiKey(keyId, { grace_seconds: 3_600 })).data.rotateApiKey;
    expect(rotated).toMatchObject({ ...input, scopes: ['events:write'], status: 'ACTIVE', rotated_from: keyId });
    const old = (await asAdmin.apiKey(keyId)).data.apiKey;
    expect(old).toMatchObject({ status: 'ROTATING', rotated_to: rotated.key_id });
    expect(old.grace_ends_at).toBe(new Date(clock.nowMs() + 3_600_000).toISOString());
  });

  it('accepts both keys during the grace and only the successor from its end', async () => {
    const { asAdmin } = await tenant();
    const { apiKey, keyId } = await key(asAdmin);
    const { api_key: successor } = (await asAdmin.rotateApiKey(keyId, { grace_seconds: 60 })).data.rotateApiKey;
    expect([await opens(two, apiKey), await opens(two, successor)]).toEqual([true, true]);
    clock.advance(59_999);
    expect(await opens(one, apiKey)).toBe(true);
    clock.advance(1);
    expect([await opens(one, apiKey), await opens(two, apiKey), await opens(one, successor)]).toEqual([
      false,
      false,
      true,
    ]);
    expect((await asAdmin.apiKey(keyId)).data.apiKey.status).toBe('REVOKED');
    expect((await asAdmin.apiKeys({ status: 'REVOKED' })).data.apiKeys.items).toHaveLength(1);
  });

  it('ends the old key at once here and within 5 s elsewhere without grace', async () => {
    const { asAdmin } = await tenant();
    const { apiKey, keyId } = await key(asAdmin);
    expect(await opens(two, apiKey)).toBe(true);
    await asAdmin.rotateApiKey(keyId, { grace_seconds: 0 });
    expect(await opens(one, apiKey)).toBe(false);
    clock.advance(4_999);
    expect(await opens(two, apiKey)).toBe(false);
  });

  it('never extends the expiry of the key', async () => {
    const { asAdmin } = await tenant();
    const expires_at = new Date(clock.nowMs() + 10_000).toISOString();
    const { apiKey, keyId } = await key(asAdmin, { expires_at });
    const { api_key: successor } = (await asAdmin.rotateApiKey(keyId, { grace_seconds: 3_600 })).data.rotateApiKey;
    expect((await asAdmin.apiKey(keyId)).data.apiKey.grace_ends_at).toBe(expires_at);
    clock.advance(10_000);
    expect([await opens(one, apiKey), await opens(one, successor)]).toEqual([false, false]);
  });

  it('creates one successor for concurrent callers in two processes', async () => {
    const { asAdmin, tenantId } = await tenant();
    const elsewhere = callerOf(two, principalOf(tenantId, 'admin'));
    const { keyId } = await key(asAdmin);
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) => (n % 2 ? asAdmin : elsewhere).rotateApiKey(keyId, {})),
    );
    expect(answers.filter(({ code }) => code === null)).toHaveLength(1);
    expect(answers.filter(({ code }) => code === 'INVALID_TRANSITION')).toHaveLength(7);
    expect((await asAdmin.apiKeys()).data.apiKeys.items).toHaveLength(2);
    expect(systemLedger.typesOf(tenantId).filter((type) => type === 'api-key.rotated')).toHaveLength(1);
  });

  it('rejects a rotating, revoked or expired key; a revocation ends the grace', async () => {
    const { asAdmin } = await tenant();
    const { apiKey, keyId } = await key(asAdmin);
    await asAdmin.rotateApiKey(keyId, { grace_seconds: 3_600 });
    expect((await asAdmin.rotateApiKey(keyId, {})).code).toBe('INVALID_TRANSITION');
    expect((await asAdmin.revokeApiKey(keyId)).data.revokeApiKey.status).toBe('REVOKED');
    expect(await opens(one, apiKey)).toBe(false);
    expect((await asAdmin.rotateApiKey(keyId, {})).code).toBe('INVALID_TRANSITION');
    const { keyId: expiring } = await key(asAdmin, { expires_at: new Date(clock.nowMs() + 1).toISOString() });
    clock.advance(1);
    expect((await asAdmin.rotateApiKey(expiring, {})).code).toBe('INVALID_TRANSITION');
  });

  it('returns the same successor and secret for the same work id', async () => {
    const { asAdmin, tenantId } = await tenant();
    const { keyId } = await key(asAdmin);
    const worker = callerOf(one, principalOf(tenantId, 'admin'), tenantId, 'wrk_01JQ0000000000000000000001');
    const elsewhere = callerOf(two, principalOf(tenantId, 'admin'), tenantId, 'wrk_01JQ0000000000000000000001');
    const first = (await worker.rotateApiKey(keyId, {})).data.rotateApiKey;
    const again = (await elsewhere.rotateApiKey(keyId, {})).data.rotateApiKey;
    expect([again.api_key, again.key_id]).toEqual([first.api_key, first.key_id]);
    expect((await asAdmin.apiKeys()).data.apiKeys.items).toHaveLength(2);
  });
});

describe('a request repeated with its work id', () => {
  it('creates each record once, with the same ids and secrets', async () => {
    const workId = 'wrk_01JQ0000000000000000000002';
    const first = callerOf(one, principalOf(null, '*'), null, workId);
    const again = callerOf(two, principalOf(null, '*'), null, workId);
    const twice = async (run: (as: Caller) => Promise<{ data: unknown }>) => {
      const made = (await run(first)).data;
      expect(made).not.toBeNull();
      clock.advance(10);
      expect((await run(again)).data).toEqual(made);
    };
    await twice((as) => as.createTenant('worked'));
    await twice((as) => as.createApiKey({ tenant_id: 'worked', name: 'k', scopes: ['events:read'] }));
    await twice((as) => as.createActor({ tenant_id: 'worked', name: 'a' }));
    await twice((as) => as.createRole({ tenant_id: 'worked', name: 'r', scopes: ['events:read'] }));
    const inTenant = (admin: AdminSubgraph) => callerOf(admin, principalOf('worked', 'admin'), 'worked', workId);
    const sign = 'mutation { createSigningKey(input: { purpose: "BUNDLE" }) { key_id public_key created_at } }';
    const made = (await inTenant(one).run(sign, {})).data;
    expect((await inTenant(two).run(sign, {})).data).toEqual(made);
    expect((await operator().createTenant('worked')).code).toBe('CONFLICT');
    expect(systemLedger.typesOf('worked').sort()).toEqual([
      'actor.created',
      'api-key.created',
      'role.created',
      'signing-key.created',
      'tenant.created',
    ]);
  });
});

describe('address lists', () => {
  it('admit only their IPv4 and IPv6 blocks, in every notation of the caller', async () => {
    const { asAdmin } = await tenant();
    const { apiKey } = await key(asAdmin, { allowed_cidrs: ['203.0.113.0/24', '2001:db8::/32', '198.51.100.7'] });
    for (const address of ['203.0.113.255', '::ffff:203.0.113.1', '2001:db8:1::1', '198.51.100.7']) {
      expect([address, await opens(one, apiKey, address)]).toEqual([address, true]);
    }
    for (const address of ['203.0.114.1', '2001:db9::1', '198.51.100.8', 'localhost', null]) {
      expect([address, await opens(one, apiKey, address)]).toEqual([address, false]);
    }
  });

  it('accept only address blocks', async () => {
    const { asAdmin } = await tenant();
    for (const block of ['203.0.113.0/33', '203.0.113', 'example.org', '::1/129', '10.0.0.0/8/8', '10.0.0.0/']) {
      const refused = await asAdmin.createApiKey({ name: 'k', scopes: ['events:read'], allowed_cidrs: [block] });
      expect([block, refused.code, refused.errors[0]?.path]).toEqual([block, 'VALIDATION_ERROR', '/allowed_cidrs/0']);
    }
  });

  it('show the last use with time and address, to the minute', async () => {
    const { asAdmin } = await tenant();
    const { apiKey, keyId } = await key(asAdmin);
    await one.keys.authenticate(apiKey, '203.0.113.9');
    const usedAt = new Date(clock.nowMs()).toISOString();
    clock.advance(30_000);
    await one.keys.authenticate(apiKey, '203.0.113.10');
    await one.close();
    const shown = (await asAdmin.apiKey(keyId)).data.apiKey;
    expect([shown.last_used_at, shown.last_used_address]).toEqual([usedAt, '203.0.113.9']);
  });
});

describe('a suspended actor', () => {
  it('loses its keys within 5 s in another process', async () => {
    const { asAdmin } = await tenant();
    const actor = (await asAdmin.createActor({ name: 'a', role_ids: ['auditor'] })).data.createActor;
    const { apiKey } = await key(asAdmin, { scopes: ['events:read'], actor_id: actor.actor_id });
    expect(await opens(two, apiKey)).toBe(true);
    await asAdmin.changeActor(actor.actor_id, { status: 'SUSPENDED' });
    expect(await opens(one, apiKey)).toBe(false);
    clock.advance(4_999);
    expect(await opens(two, apiKey)).toBe(false);
  });
});

describe('a suspended tenant', () => {
  let service: WholeService;
  beforeAll(async () => {
    service = await startWholeService({ SERVICE_TRUST_PROXY: '127.0.0.0/8, ::1' });
  });
  afterAll(() => service.stop());

  const status = (tenantId: string, to: string) =>
    service.operator.call(`/v1/tenants/${tenantId}`, { method: 'PATCH', body: { status: to } });

  it('gets TENANT_SUSPENDED on every route until an operator reactivates it', async () => {
    const { http, tenantId } = await freshTenant(service.operator, ['admin', 'events:read', 'events:write']);
    expect((await status(tenantId, 'SUSPENDED')).json).toMatchObject({ tenant_id: tenantId, status: 'SUSPENDED' });
    const paths = [
      '/v1/events',
      '/v1/api-keys',
      '/v1/actors',
      '/v1/roles',
      '/v1/signing-keys',
      '/v1/tenants',
      '/v1/ledger/verify',
    ];
    for (const path of paths) {
      const answer = await http.get(path);
      expect([path, answer.status, answer.json.code]).toEqual([path, 403, 'TENANT_SUSPENDED']);
    }
    const query = await http.post('/graphql', { query: '{ tenants { items { tenant_id } } }' });
    expect([query.status, query.json.code]).toEqual([403, 'TENANT_SUSPENDED']);
    const managed = await service.operator.get(`/v1/api-keys?tenant_id=${tenantId}`);
    expect([managed.status, managed.json.items.length]).toEqual([200, 1]);
    expect((await service.operator.get(`/v1/events?tenant_id=${tenantId}`)).json.code).toBe('TENANT_SUSPENDED');
    expect((await status(tenantId, 'ACTIVE')).json.status).toBe('ACTIVE');
    expect((await http.get('/v1/events')).status).toBe(200);
    const entries = (await http.get('/v1/events?source_system=_platform&order=asc&event_family=tenant')).json.items;
    expect(entries.map((entry: { event_type: string }) => entry.event_type)).toEqual([
      'tenant.created',
      'tenant.suspended',
      'tenant.reactivated',
    ]);
  });

  it('is suspended only by operators; a repeated suspension changes nothing, an unknown tenant is NOT_FOUND', async () => {
    const { http, tenantId } = await freshTenant(service.operator, ['admin']);
    const own = await http.call(`/v1/tenants/${tenantId}`, { method: 'PATCH', body: { status: 'SUSPENDED' } });
    expect([own.status, own.json.code]).toEqual([403, 'FORBIDDEN']);
    expect((await status(tenantId, 'ACTIVE')).status).toBe(200);
    expect((await status('never-made', 'SUSPENDED')).json.code).toBe('NOT_FOUND');
    expect((await status('_operator', 'SUSPENDED')).json.code).toBe('NOT_FOUND');
    const entries = (await http.get('/v1/events?source_system=_platform&event_family=tenant')).json.items;
    expect(entries).toHaveLength(1);
  });

  it('checks the address list against the caller that a trusted proxy names', async () => {
    const { http } = await freshTenant(service.operator, ['admin']);
    const made = await http.post('/v1/api-keys', {
      name: 'k',
      scopes: ['events:read'],
      allowed_cidrs: ['203.0.113.0/24'],
    });
    const restricted = http.as(made.json.api_key);
    expect((await restricted.get('/v1/events')).status).toBe(401);
    expect((await restricted.get('/v1/events', { 'x-forwarded-for': '203.0.113.7' })).status).toBe(200);
    expect((await restricted.get('/v1/events', { 'x-forwarded-for': '203.0.114.7' })).status).toBe(401);
    // The caller's own claim precedes the address that the proxy adds, and is ignored.
    expect((await restricted.get('/v1/events', { 'x-forwarded-for': '203.0.113.7, 192.0.2.1' })).status).toBe(401);
  });
});

it("no key reaches the internal fields, not even an operator's", async () => {
  const caller = callerOf(one, principalOf('acme', 'admin'), 'acme' as TenantId);
  const everything = callerOf(one, principalOf(null, '*'));
  for (const as of [caller, everything]) {
    expect((await as.run('{ findTenant(tenant_id: "acme") }', {})).code).toBe('FORBIDDEN');
    expect((await as.run('{ authenticateKey(api_key: "x") }', {})).code).toBe('FORBIDDEN');
    expect((await as.run('mutation { activeSigningKey(purpose: "BUNDLE") }', {})).code).toBe('FORBIDDEN');
    expect((await as.run('mutation { signWithKey(key_id: "x", message: "x", evidence: "{}") }', {})).code).toBe(
      'FORBIDDEN',
    );
  }
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AdminSubgraph } from '../../../subgraphs/admin/index.js';
import { startTestServer, type TestServer } from '../../support/database.js';
import { ManualClock } from '../../support/fakes.js';
import { type Caller, callerOf, principalOf, startAdmin } from '../admin-kit.js';

const NO_SUCH_KEY = 'key_01JQ0000000000000000000009';

let server: TestServer;
/** Two processes on one database, on one clock. */
let admin: AdminSubgraph;
let other: AdminSubgraph;
const clock = new ManualClock();
let operator: Caller;
let names = 0;

beforeAll(async () => {
  server = await startTestServer();
  const name = `admin-access-${process.pid}`;
  ({ admin } = await startAdmin(await server.connect(name), { clock }));
  ({ admin: other } = await startAdmin(await server.connect(name), { clock }));
  operator = callerOf(admin, principalOf(null, '*'));
});

afterAll(async () => {
  await admin.close();
  await other.close();
  await server.stop();
});

/** A tenant of the test's own, and its administrator. */
async function freshTenant(): Promise<{ readonly tenantId: string; readonly asAdmin: Caller }> {
  names += 1;
  const tenantId = `plan-${names}`;
  expect(await operator.createTenant(tenantId, `Plan ${names}`)).toMatchObject({ code: null });
  return { tenantId, asAdmin: callerOf(admin, principalOf(tenantId, 'admin')) };
}

async function freshKey(as: Caller, input: Record<string, unknown> = {}): Promise<{ apiKey: string; keyId: string }> {
  const made = await as.createApiKey({ name: 'gateway', scopes: ['events:write'], ...input });
  expect(made.code).toBeNull();
  return { apiKey: made.data.createApiKey.api_key, keyId: made.data.createApiKey.key_id };
}

describe('POST /v1/tenants', () => {
  it('returns the tenant without the id of its log', async () => {
    const made = await operator.createTenant('acme', 'Acme Health Plan');
    expect(made.data.createTenant).toEqual({
      tenant_id: 'acme',
      name: 'Acme Health Plan',
      status: 'ACTIVE',
      created_at: '2026-03-02T14:11:10.004Z',
    });
    expect(await admin.tenants.find('acme')).toEqual({
      tenant_id: 'acme',
      status: 'ACTIVE',
      log_id: expect.stringMatching(/^log_[0-9A-Z]{26}$/),
    });
  });

  it('returns CONFLICT for a taken identifier; another letter case is another tenant', async () => {
    const { tenantId } = await freshTenant();
    const before = await admin.tenants.find(tenantId);
    expect(await operator.createTenant(tenantId, 'Another')).toMatchObject({ code: 'CONFLICT', data: null });
    expect(await other.tenants.find(tenantId)).toEqual(before);
    expect(await operator.createTenant(tenantId.toUpperCase())).toMatchObject({ code: null });
  });

  it('creates the tenant once for concurrent requests', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => operator.createTenant('raced')));
    expect(answers.filter((answer) => answer.code === null)).toHaveLength(1);
    expect(answers.filter((answer) => answer.code === 'CONFLICT')).toHaveLength(9);
  });

  it("is for operators: a tenant's administrator is FORBIDDEN, and so is a key of no tenant without *", async () => {
    const { asAdmin } = await freshTenant();
    expect(await asAdmin.createTenant('mine')).toMatchObject({ code: 'FORBIDDEN' });
    const lesser = callerOf(admin, principalOf(null, 'admin'));
    expect(await lesser.createTenant('mine')).toMatchObject({ code: 'FORBIDDEN' });
    const reader = callerOf(admin, principalOf('acme', 'events:read'));
    expect(await reader.createTenant('mine')).toMatchObject({ code: 'FORBIDDEN' });
    expect(await other.tenants.find('mine')).toBeUndefined();
  });

  it.each([
    ['', 'Plan', '/tenant_id'],
    ['_operator', 'Plan', '/tenant_id'],
    ['*', 'Plan', '/tenant_id'],
    ['a b', 'Plan', '/tenant_id'],
    ['a/b', 'Plan', '/tenant_id'],
    ['x'.repeat(65), 'Plan', '/tenant_id'],
    ['ok', '', '/name'],
    ['ok', '   ', '/name'],
    ['ok', 'two\nlines', '/name'],
    ['ok', 'x'.repeat(201), '/name'],
  ])('rejects %j named %j at %s', async (tenantId, name, path) => {
    const refused = await operator.createTenant(tenantId, name);
    expect(refused.code).toBe('VALIDATION_ERROR');
    expect(refused.errors.map((fault) => fault.path)).toContain(path);
  });
});

describe('GET /v1/tenants', () => {
  it("are all shown to an operator, page by page, and its own alone to a tenant's administrator", async () => {
    const { tenantId, asAdmin } = await freshTenant();
    const own = await asAdmin.tenants();
    expect(own.data.tenants.items.map((tenant: { tenant_id: string }) => tenant.tenant_id)).toEqual([tenantId]);
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = (await operator.tenants({ limit: 2, cursor })).data.tenants;
      expect(page.items.length).toBeLessThanOrEqual(2);
      seen.push(...page.items.map((tenant: { tenant_id: string }) => tenant.tenant_id));
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen).toContain(tenantId);
    expect(seen).not.toContain('_operator');
    const turned = (await operator.tenants({ order: 'asc', limit: 500 })).data.tenants;
    expect(turned.items.map((tenant: { tenant_id: string }) => tenant.tenant_id)).toEqual(seen.reverse());
    expect(turned.next_cursor).toBeNull();
  });

  it('filters by name, status and time', async () => {
    clock.advance(60_000);
    const from = new Date(clock.nowMs()).toISOString();
    const { tenantId } = await freshTenant();
    const ids = async (args: Record<string, unknown>): Promise<string[]> =>
      (await operator.tenants(args)).data.tenants.items.map((tenant: { tenant_id: string }) => tenant.tenant_id);
    expect(await ids({ name: `Plan ${names}` })).toEqual([tenantId]);
    expect(await ids({ from })).toEqual([tenantId]);
    expect(await ids({ from, to: from })).toEqual([]);
    expect(await ids({ status: 'SUSPENDED' })).toEqual([]);
    expect(await ids({ from, status: 'ACTIVE' })).toEqual([tenantId]);
  });

  it("of others are not there for a tenant's administrator, as if they had never been made", async () => {
    const [mine, theirs] = [await freshTenant(), await freshTenant()];
    expect((await mine.asAdmin.tenant(mine.tenantId)).data.tenant.tenant_id).toBe(mine.tenantId);
    const [hidden, missing] = [await mine.asAdmin.tenant(theirs.tenantId), await mine.asAdmin.tenant('never-made')];
    expect(hidden).toEqual(missing);
    expect(hidden.data).toEqual({ tenant: null });
    expect((await operator.tenant('_operator')).data).toEqual({ tenant: null });
    expect((await operator.tenant('$ne')).data).toEqual({ tenant: null });
  });

  it('requires the scope admin and a limit within bounds', async () => {
    const reader = callerOf(admin, principalOf('acme', 'events:read'));
    expect(await reader.tenants()).toMatchObject({ code: 'FORBIDDEN' });
    expect(await reader.tenant('acme')).toMatchObject({ code: 'FORBIDDEN' });
    for (const limit of [0, 501, -1]) {
      expect(await operator.tenants({ limit })).toMatchObject({
        code: 'VALIDATION_ERROR',
        errors: [{ path: '/limit' }],
      });
    }
    expect(await operator.tenants({ cursor: 'none-of-ours' })).toMatchObject({ code: 'VALIDATION_ERROR' });
    expect(await operator.tenants({ order: 'up' })).toMatchObject({ code: 'VALIDATION_ERROR' });
  });

  it('makes new tenants known to the directory of another process; the reserved one is always known', async () => {
    expect(await other.tenants.find('late')).toBeUndefined();
    await operator.createTenant('late');
    expect(await admin.tenants.find('late')).toBeDefined();
    clock.advance(1_000);
    expect(await other.tenants.find('late')).toBeDefined();
    expect(await admin.tenants.find('_operator')).toEqual(await other.tenants.find('_operator'));
    expect(await admin.tenants.find('_operator')).toMatchObject({ status: 'ACTIVE' });
  });
});

describe('POST /v1/api-keys', () => {
  it('returns the key once; later answers have only its prefix and last characters', async () => {
    const { tenantId, asAdmin } = await freshTenant();
    const made = (
      await asAdmin.createApiKey({ name: 'claims gateway', scopes: ['events:write', 'events:read', 'events:read'] })
    ).data.createApiKey;
    expect(made).toEqual({
      key_id: expect.stringMatching(/^key_[0-9A-Z]{26}$/),
      tenant_id: tenantId,
      name: 'claims gateway',
      scopes: ['events:read', 'events:write'],
      role_ids: [],
      actor_id: null,
      allowed_cidrs: [],
      grace_ends_at: null,
      rotated_to: null,
      rotated_from: null,
      last_used_address: null,
      prefix: made.api_key.slice(0, 21),
      last_four: made.api_key.slice(-4),
      status: 'ACTIVE',
      created_at: new Date(clock.nowMs()).toISOString(),
      created_by: 'key_01JQ0000000000000000000001',
      expires_at: null,
      last_used_at: null,
      revoked_at: null,
      revoked_by: null,
      api_key: expect.stringMatching(/^eas_live_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}$/),
    });
    const listed = await asAdmin.apiKeys();
    const { api_key: apiKey, ...shown } = made;
    expect(listed.data.apiKeys.items).toEqual([shown]);
    expect(JSON.stringify(listed)).not.toContain(apiKey.slice(22, 65));
  });

  it('makes the key valid in this process and in another', async () => {
    const { tenantId, asAdmin } = await freshTenant();
    const { apiKey, keyId } = await freshKey(asAdmin);
    for (const process of [admin, other]) {
      const principal = await process.keys.authenticate(apiKey, null);
      expect(principal).toMatchObject({ keyId, tenantId, grantedScopes: ['events:write'] });
    }
  });

  it('stores nothing that would authenticate', async () => {
    const { apiKey } = await freshKey(operator, { tenant_id: 'acme' });
    const database = await server.connect(`admin-access-${process.pid}`);
    const rows = JSON.stringify(await database.db.collection('api_keys').find({}).toArray());
    expect(rows).toContain(apiKey.slice(9, 21));
    expect(rows).not.toContain(apiKey.slice(22));
    expect(rows).not.toContain(apiKey.slice(22, 65));
  });

  it("an operator makes one for any tenant, by body or by the tenant that the request names, and operators' keys", async () => {
    const { tenantId } = await freshTenant();
    const named = callerOf(admin, principalOf(null, '*'), tenantId);
    expect((await named.createApiKey({ name: 'k', scopes: ['admin'] })).data.createApiKey.tenant_id).toBe(tenantId);
    const { apiKey } = await freshKey(operator, { tenant_id: '*', scopes: ['*'] });
    expect(await admin.keys.authenticate(apiKey, null)).toMatchObject({ tenantId: null, grantedScopes: ['*'] });
  });

  it.each<[string, Record<string, unknown>, string, string | null]>([
    ['an operator that names no tenant', { tenant_id: undefined }, 'TENANT_REQUIRED', null],
    ['a tenant that is not there', { tenant_id: 'never-made' }, 'NOT_FOUND', null],
    ['the reserved tenant', { tenant_id: '_operator' }, 'VALIDATION_ERROR', '/input/tenant_id'],
    ['no scopes', { scopes: [] }, 'VALIDATION_ERROR', '/scopes'],
    ['an unknown scope', { scopes: ['admin', 'events:reed'] }, 'VALIDATION_ERROR', '/input/scopes/1'],
    ['* inside a tenant', { scopes: ['*'] }, 'VALIDATION_ERROR', '/scopes/0'],
    ['no tenant without *', { tenant_id: '*', scopes: ['admin'] }, 'VALIDATION_ERROR', '/scopes'],
    ['an empty name', { name: '' }, 'VALIDATION_ERROR', '/input/name'],
    ['an expiry without zone', { expires_at: '2027-01-01T00:00:00' }, 'VALIDATION_ERROR', '/input/expires_at'],
    ['an expiry that has passed', { expires_at: '2026-03-02T14:11:10.004Z' }, 'VALIDATION_ERROR', '/expires_at'],
  ])('rejects %s', async (_what, over, code, path) => {
    const input = { tenant_id: 'acme', name: 'k', scopes: ['events:read'], ...over };
    const refused = await operator.createApiKey(input);
    expect(refused.code).toBe(code);
    if (path !== null) expect(refused.errors.map((fault) => fault.path)).toContain(path);
  });

  it('rejects an operator when the body and the request name different tenants', async () => {
    const { tenantId } = await freshTenant();
    const named = callerOf(admin, principalOf(null, '*'), tenantId);
    const refused = await named.createApiKey({ tenant_id: 'acme', name: 'k', scopes: ['admin'] });
    expect(refused).toMatchObject({ code: 'VALIDATION_ERROR', errors: [{ path: '/tenant_id' }] });
  });

  it("a tenant's administrator makes keys for its own tenant only, and never gives what it lacks", async () => {
    const { asAdmin, tenantId } = await freshTenant();
    const attempt = (over: Record<string, unknown>) => asAdmin.createApiKey({ name: 'k', scopes: ['admin'], ...over });
    expect(await attempt({ tenant_id: tenantId })).toMatchObject({ code: null });
    // Whether the other tenant is there or not must not show.
    expect(await attempt({ tenant_id: 'acme' })).toEqual(await attempt({ tenant_id: 'never-made' }));
    expect(await attempt({ tenant_id: 'acme' })).toMatchObject({ code: 'TENANT_MISMATCH' });
    expect(await attempt({ tenant_id: '*' })).toMatchObject({ code: 'TENANT_MISMATCH' });
    expect(await attempt({ scopes: ['documents:unredacted'] })).toMatchObject({ code: 'FORBIDDEN' });
    expect(await attempt({ scopes: ['*'] })).toMatchObject({ code: 'FORBIDDEN' });
    const reader = callerOf(admin, principalOf(tenantId, 'events:read'));
    expect(await reader.createApiKey({ name: 'k', scopes: ['events:read'] })).toMatchObject({ code: 'FORBIDDEN' });
  });
});

describe('GET /v1/api-keys', () => {
  it('returns pages, filtered by status and name', async () => {
    const { asAdmin } = await freshTenant();
    const made: string[] = [];
    for (let i = 0; i < 5; i++) made.push((await freshKey(asAdmin, { name: `k${i}` })).keyId);
    const soon = new Date(clock.nowMs() + 1_000).toISOString();
    const { keyId: expiring } = await freshKey(asAdmin, { name: 'expiring', expires_at: soon });
    await asAdmin.revokeApiKey(made[0] ?? '');
    clock.advance(1_000);
    const ids = async (args: Record<string, unknown>): Promise<string[]> =>
      (await asAdmin.apiKeys(args)).data.apiKeys.items.map((key: { key_id: string }) => key.key_id);
    expect(await ids({})).toEqual([expiring, ...made.toReversed()]);
    expect(await ids({ status: 'EXPIRED' })).toEqual([expiring]);
    expect(await ids({ status: 'REVOKED' })).toEqual([made[0]]);
    expect(await ids({ status: 'ACTIVE', order: 'asc' })).toEqual(made.slice(1));
    expect(await ids({ name: 'k3' })).toEqual([made[3]]);
    const first = (await asAdmin.apiKeys({ limit: 4 })).data.apiKeys;
    const second = (await asAdmin.apiKeys({ limit: 4, cursor: first.next_cursor })).data.apiKeys;
    expect([...first.items, ...second.items].map((key: { key_id: string }) => key.key_id)).toEqual(await ids({}));
    expect(second.next_cursor).toBeNull();
    expect(await asAdmin.apiKeys({ status: 'LOST' })).toMatchObject({ code: 'VALIDATION_ERROR' });
  });

  it("shows a tenant's administrator its own keys only, and an operator those of the tenant it names", async () => {
    const [mine, theirs] = [await freshTenant(), await freshTenant()];
    const { keyId } = await freshKey(mine.asAdmin);
    const { keyId: foreign } = await freshKey(theirs.asAdmin);
    const tenantsSeen = async (as: Caller): Promise<Set<string>> =>
      new Set((await as.apiKeys({ limit: 500 })).data.apiKeys.items.map((key: { tenant_id: string }) => key.tenant_id));
    expect(await tenantsSeen(mine.asAdmin)).toEqual(new Set([mine.tenantId]));
    expect(await tenantsSeen(callerOf(admin, principalOf(null, '*'), theirs.tenantId))).toEqual(
      new Set([theirs.tenantId]),
    );
    const all = (await operator.apiKeys({ limit: 500 })).data.apiKeys.items.map(
      (key: { key_id: string }) => key.key_id,
    );
    expect(all).toEqual(expect.arrayContaining([keyId, foreign]));
    // Naming another tenant does not widen a tenant's key, should the facade let it through.
    const named = callerOf(admin, principalOf(mine.tenantId, 'admin'), theirs.tenantId);
    expect(await tenantsSeen(named)).toEqual(new Set([mine.tenantId]));
  });
});

describe('DELETE /v1/api-keys/{id}', () => {
  it('takes effect at once here and within 5 s in another process, and keeps the record', async () => {
    const { asAdmin } = await freshTenant();
    const { apiKey, keyId } = await freshKey(asAdmin);
    expect(await admin.keys.authenticate(apiKey, null)).toBeDefined();
    expect(await other.keys.authenticate(apiKey, null)).toBeDefined();
    const revoked = await asAdmin.revokeApiKey(keyId);
    expect(revoked.data.revokeApiKey).toMatchObject({
      key_id: keyId,
      status: 'REVOKED',
      revoked_at: new Date(clock.nowMs()).toISOString(),
      revoked_by: 'key_01JQ0000000000000000000001',
    });
    expect(await admin.keys.authenticate(apiKey, null)).toBeUndefined();
    clock.advance(4_999);
    expect(await other.keys.authenticate(apiKey, null)).toBeUndefined();
    expect((await asAdmin.apiKeys()).data.apiKeys.items).toEqual([revoked.data.revokeApiKey]);
    expect((await asAdmin.revokeApiKey(keyId)).data).toEqual(revoked.data);
  });

  it("returns NOT_FOUND for another tenant's key as for a missing one, and leaves it valid", async () => {
    const [mine, theirs] = [await freshTenant(), await freshTenant()];
    const { apiKey, keyId } = await freshKey(theirs.asAdmin);
    const refused = await mine.asAdmin.revokeApiKey(keyId);
    expect(refused.code).toBe('NOT_FOUND');
    expect(refused).toEqual(await mine.asAdmin.revokeApiKey(NO_SUCH_KEY));
    expect(refused).toEqual(await mine.asAdmin.revokeApiKey('not-even-an-id'));
    clock.advance(5_000);
    expect(await admin.keys.authenticate(apiKey, null)).toBeDefined();
    const named = callerOf(admin, principalOf(null, '*'), mine.tenantId);
    expect(await named.revokeApiKey(keyId)).toMatchObject({ code: 'NOT_FOUND' });
    expect(await operator.revokeApiKey(keyId)).toMatchObject({ code: null });
  });

  it('requires the scope admin', async () => {
    const { asAdmin, tenantId } = await freshTenant();
    const { keyId } = await freshKey(asAdmin);
    const reader = callerOf(admin, principalOf(tenantId, 'events:read'));
    expect(await reader.revokeApiKey(keyId)).toMatchObject({ code: 'FORBIDDEN' });
    expect(await reader.apiKeys()).toMatchObject({ code: 'FORBIDDEN' });
  });
});

describe('a key in use', () => {
  it('is rejected from its expiry, cached or not', async () => {
    const { asAdmin } = await freshTenant();
    const expires = new Date(clock.nowMs() + 2_000).toISOString();
    const { apiKey, keyId } = await freshKey(asAdmin, { expires_at: expires });
    expect(await admin.keys.authenticate(apiKey, null)).toBeDefined();
    clock.advance(1_999);
    expect(await admin.keys.authenticate(apiKey, null)).toBeDefined();
    clock.advance(1);
    expect(await admin.keys.authenticate(apiKey, null)).toBeUndefined();
    expect(await other.keys.authenticate(apiKey, null)).toBeUndefined();
    const [shown] = (await asAdmin.apiKeys()).data.apiKeys.items;
    expect(shown).toMatchObject({ key_id: keyId, status: 'EXPIRED', expires_at: expires });
  });

  it('shows the time of its last use, which never decreases', async () => {
    const { asAdmin } = await freshTenant();
    const { apiKey } = await freshKey(asAdmin);
    const lastUse = async (): Promise<string | null> => (await asAdmin.apiKeys()).data.apiKeys.items[0].last_used_at;
    expect(await lastUse()).toBeNull();
    const at = new Date(clock.nowMs()).toISOString();
    await admin.keys.authenticate(apiKey, null);
    await admin.close();
    expect(await lastUse()).toBe(at);
    clock.advance(59_999);
    await admin.keys.authenticate(apiKey, null);
    await admin.close();
    expect(await lastUse()).toBe(at);
    clock.advance(1);
    await admin.keys.authenticate(apiKey, null);
    await admin.close();
    expect(await lastUse()).toBe(new Date(clock.nowMs()).toISOString());
  });
});

it('the admin subgraph is healthy while its database answers', async () => {
  await expect(admin.health()).resolves.toBeUndefined();
});

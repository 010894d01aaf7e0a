import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type EdgeKit, edgeKit } from '../../rest-facade/edge-kit.js';
import { eventually } from '../../support/eventually.js';
import { freshTenant, type Http } from '../../support/http.js';

let kit: EdgeKit;
/** Two whole services on one database: what one does, the other must see. */
let operator: Http;
let otherService: Http;

beforeAll(async () => {
  kit = await edgeKit();
  operator = (await kit.start()).operator;
  otherService = (await kit.start()).operator;
});

afterAll(() => kit.stop());

describe("the operators' own chain", () => {
  const TRAIL = '/v1/events?tenant_id=_operator&source_system=_platform';

  it("contains the acts on operators' keys, which operators read and verify", async () => {
    const made = await operator.post('/v1/api-keys', { tenant_id: '*', name: 'second operator', scopes: ['*'] });
    expect(made.status).toBe(200);
    const trail = await operator.get(TRAIL);
    expect(trail.json).toMatchObject({
      items: expect.arrayContaining([
        expect.objectContaining({
          event_type: 'api-key.created',
          payload: expect.objectContaining({ key_id: made.json.key_id }),
        }),
      ]),
    });
    expect((await operator.get('/v1/ledger/verify?tenant_id=_operator')).json).toMatchObject({ valid: true });
    await operator.call(`/v1/api-keys/${made.json.key_id}`, { method: 'DELETE' });
  });

  it('rejects writes of callers and reads of tenants', async () => {
    const { http } = await freshTenant(operator, ['admin']);
    expect((await http.get(TRAIL)).status).toBe(403);
    const posted = await operator.post('/v1/events?tenant_id=_operator', {});
    expect([posted.status, posted.json.code]).toEqual([404, 'NOT_FOUND']);
  });
});

describe('over REST, 200', () => {
  it('lets an operator create a tenant and a key, which authenticates by either header', async () => {
    const tenant = await operator.post('/v1/tenants', { tenant_id: 'acme', name: 'Acme Health Plan' });
    expect(tenant).toMatchObject({ status: 200, json: { tenant_id: 'acme', status: 'ACTIVE' } });
    expect(tenant.json).not.toHaveProperty('log_id');
    const key = await operator.post('/v1/api-keys', { tenant_id: 'acme', name: 'gateway', scopes: ['admin'] });
    expect(key).toMatchObject({ status: 200, json: { tenant_id: 'acme', scopes: ['admin'], status: 'ACTIVE' } });
    const mine = operator.as(key.json.api_key);
    expect((await mine.get('/v1/tenants/acme')).json).toEqual(tenant.json);
    const bearer = { authorization: `Bearer ${key.json.api_key}` };
    expect(await operator.as(null).get('/v1/tenants', bearer)).toMatchObject({
      status: 200,
      json: { items: [tenant.json], next_cursor: null },
    });
    const listed = await mine.get('/v1/api-keys');
    expect(listed.json.items.map((item: { key_id: string }) => item.key_id)).toEqual([key.json.key_id]);
    expect(listed.text).not.toContain(key.json.api_key);
  });

  it('revokes by DELETE at once here and in the other process after its cache expires', async () => {
    const { http, keyId } = await freshTenant(operator, ['admin']);
    const elsewhere = otherService.as(http.key);
    expect((await http.get('/v1/tenants')).status).toBe(200);
    expect((await elsewhere.get('/v1/tenants')).status).toBe(200);
    const revoked = await operator.call(`/v1/api-keys/${keyId}`, { method: 'DELETE' });
    expect(revoked).toMatchObject({ status: 200, json: { key_id: keyId, status: 'REVOKED' } });
    expect((await http.get('/v1/tenants')).status).toBe(401);
    const seen = await eventually(
      () => elsewhere.get('/v1/tenants'),
      ({ status }) => status === 401,
    );
    expect(seen.status).toBe(401);
  });
});

describe('over REST, 400', () => {
  it.each<[string, unknown, string]>([
    ['no name', { tenant_id: 'x' }, '/name'],
    ['an unknown field', { tenant_id: 'x', name: 'X', log_id: 'mine' }, '/log_id'],
    ['a wrong type', { tenant_id: 5, name: 'X' }, '/tenant_id'],
    ['a reserved name', { tenant_id: '_operator', name: 'X' }, '/tenant_id'],
  ])('rejects a tenant with %s', async (_what, body, path) => {
    const refused = await operator.post('/v1/tenants', body);
    expect(refused).toMatchObject({ status: 400, json: { code: 'VALIDATION_ERROR', status: 400 } });
    expect(refused.json.errors.map((fault: { path: string }) => fault.path)).toContain(path);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['an unknown scope', { scopes: ['events:reed'] }, '/scopes/0'],
    ['no scopes', { scopes: [] }, '/scopes'],
    ['scopes as text', { scopes: 'admin' }, '/scopes'],
    ['* in a tenant', { scopes: ['*'] }, '/scopes/0'],
    ['an impossible expiry', { expires_at: '2027-02-30T00:00:00Z' }, '/expires_at'],
    ['an expiry that has passed', { expires_at: '2020-01-01T00:00:00Z' }, '/expires_at'],
  ])('rejects a key with %s', async (_what, over, path) => {
    const { tenantId } = await freshTenant(operator);
    const refused = await operator.post('/v1/api-keys', { tenant_id: tenantId, name: 'k', scopes: ['admin'], ...over });
    expect(refused).toMatchObject({ status: 400, json: { code: 'VALIDATION_ERROR' } });
    expect(refused.json.errors.map((fault: { path: string }) => fault.path)).toContain(path);
  });

  it('rejects an unknown query parameter, a limit out of bounds and a forged cursor', async () => {
    for (const query of ['colour=red', 'limit=0', 'limit=501', 'limit=ten', 'cursor=x', 'status=LOST', 'order=up']) {
      const refused = await operator.get(`/v1/api-keys?${query}`);
      expect(`${query} ${refused.status} ${refused.json.code}`).toBe(`${query} 400 VALIDATION_ERROR`);
    }
  });
});

describe('over REST, 401, 403, 404 and 409', () => {
  it('returns the same 401 for no key, a wrong, a misspelt and a revoked key', async () => {
    const { http, keyId } = await freshTenant(operator, ['admin']);
    await operator.call(`/v1/api-keys/${keyId}`, { method: 'DELETE' });
    const bodies = new Set<string>();
    for (const key of [null, 'wrong', `${http.key}`.slice(0, -1), 'x'.repeat(40), http.key]) {
      const refused = await operator.as(key).get('/v1/api-keys');
      expect(refused.status).toBe(401);
      const { request_id: _, ...told } = refused.json;
      bodies.add(JSON.stringify(told));
    }
    expect(bodies.size).toBe(1);
  });

  it("a tenant's administrator makes no tenant, no key elsewhere, and gives nothing it lacks", async () => {
    const [mine, theirs] = [await freshTenant(operator, ['admin']), await freshTenant(operator, ['admin'])];
    const code = async (path: string, body: unknown): Promise<string> => {
      const { status, json } = await mine.http.post(path, body);
      return `${status} ${json.code}`;
    };
    const key = { name: 'k', scopes: ['admin'] };
    expect(await code('/v1/tenants', { tenant_id: 'own', name: 'Own' })).toBe('403 FORBIDDEN');
    expect(await code('/v1/api-keys', { ...key, tenant_id: theirs.tenantId })).toBe('403 TENANT_MISMATCH');
    expect(await code('/v1/api-keys', { ...key, tenant_id: '*' })).toBe('403 TENANT_MISMATCH');
    expect(await code('/v1/api-keys', { ...key, scopes: ['documents:unredacted'] })).toBe('403 FORBIDDEN');
    expect((await mine.http.get('/v1/api-keys', { 'x-tenant-id': theirs.tenantId })).json.code).toBe('TENANT_MISMATCH');
  });

  it("another tenant's tenant and key are the 404 of what never was", async () => {
    const [mine, theirs] = [await freshTenant(operator, ['admin']), await freshTenant(operator, ['admin'])];
    const told = async (path: string, method = 'GET'): Promise<unknown> => {
      const { status, json } = await mine.http.call(path, { method });
      return { ...json, status, request_id: '' };
    };
    const missing = await told('/v1/tenants/never-made');
    expect(missing).toMatchObject({ status: 404, code: 'NOT_FOUND' });
    expect(await told(`/v1/tenants/${theirs.tenantId}`)).toEqual(missing);
    const noKey = await told('/v1/api-keys/key_01JQ0000000000000000000009', 'DELETE');
    expect(noKey).toMatchObject({ status: 404, code: 'NOT_FOUND' });
    expect(await told(`/v1/api-keys/${theirs.keyId}`, 'DELETE')).toEqual(noKey);
    expect((await theirs.http.get('/v1/api-keys')).status).toBe(200);
  });

  it('returns FORBIDDEN for a key without admin', async () => {
    const { http } = await freshTenant(operator, ['events:read', 'events:write']);
    for (const path of ['/v1/tenants', '/v1/api-keys']) expect((await http.get(path)).json.code).toBe('FORBIDDEN');
  });

  it('returns NOT_FOUND for a key of a missing tenant and CONFLICT for a repeated tenant', async () => {
    const missing = await operator.post('/v1/api-keys', { tenant_id: 'never-made', name: 'k', scopes: ['admin'] });
    expect(missing).toMatchObject({ status: 404, json: { code: 'NOT_FOUND' } });
    const { tenantId } = await freshTenant(operator);
    const again = await operator.post('/v1/tenants', { tenant_id: tenantId, name: 'Again' });
    expect(again).toMatchObject({ status: 409, json: { code: 'CONFLICT' } });
  });

  it('returns CONFLICT for the revocation of the last operator key', async () => {
    const keys = (await operator.get('/v1/api-keys?name=SERVICE_ADMIN_API_KEY')).json.items;
    expect(keys).toHaveLength(1);
    const refused = await operator.call(`/v1/api-keys/${keys[0].key_id}`, { method: 'DELETE' });
    expect(refused).toMatchObject({ status: 409, json: { code: 'CONFLICT' } });
  });
});

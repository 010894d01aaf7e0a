import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Answer, freshTenant, Http } from '../../support/http.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';

let service: WholeService;
let operator: Http;
beforeAll(async () => {
  service = await startWholeService();
  operator = service.operator;
});
afterAll(() => service.stop());

const origin = (): string => new URL(operator.url).origin;

/** A client that holds a cookie, as a page of the service's own origin. */
class Browser {
  readonly cookie: string;
  readonly #http = new Http(operator.url, null);

  constructor(opened: Answer) {
    this.cookie = (opened.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  }

  get(path: string): Promise<Answer> {
    return this.#http.get(path, { cookie: this.cookie });
  }

  send(method: string, path: string, body?: unknown, from: string | null = origin()): Promise<Answer> {
    const headers = { cookie: this.cookie, ...(from === null ? {} : { origin: from }) };
    return this.#http.call(path, { method, headers, ...(body === undefined ? {} : { body }) });
  }
}

const open = (http: Http, headers: Readonly<Record<string, string>> = { origin: origin() }): Promise<Answer> =>
  http.post('/v1/session', {}, headers);
const browserOf = async (http: Http): Promise<Browser> => new Browser(await open(http));

describe('POST /v1/session', () => {
  it('exchanges a key for a cookie that no script can read, and shows the token nowhere else', async () => {
    const { http, tenantId, keyId } = await freshTenant(operator);
    const opened = await open(http);
    expect(opened).toMatchObject({ status: 200, json: { tenant_id: tenantId, key_id: keyId, key_name: 'test key' } });
    const cookie = opened.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(/^eas_session=esn_[0-9A-Z]{26}_[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/);
    expect(opened.text).not.toContain('esn_');
    const listed = await http.get('/v1/sessions');
    expect(listed.json.items).toEqual([
      expect.objectContaining({ session_id: opened.json.session_id, status: 'ACTIVE', key_name: 'test key' }),
    ]);
    expect(listed.text).not.toContain('token');
  });

  it('binds the cookie to its host over HTTPS, also behind a proxy', async () => {
    const { http } = await freshTenant(operator);
    // A browser names the page's origin; here the host of the request with https.
    const opened = await open(http, { origin: origin().replace('http:', 'https:') });
    expect(opened.headers.get('set-cookie')).toMatch(
      /^__Host-eas_session=esn_\S+; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
    );
    expect((await new Browser(opened).get('/v1/session')).status).toBe(200);
  });

  it('returns 403 without an Origin, for a foreign one, and for a session instead of a key', async () => {
    const { http } = await freshTenant(operator);
    for (const headers of [{}, { origin: 'https://evil.example' }, { origin: 'null' }]) {
      expect([headers, (await open(http, headers)).status]).toEqual([headers, 403]);
    }
    expect((await (await browserOf(http)).send('POST', '/v1/session', {})).status).toBe(403);
  });

  it('opens a new session for each request under one Idempotency-Key, and keeps no copy of a token', async () => {
    const { http } = await freshTenant(operator);
    const headers = { origin: origin(), 'idempotency-key': '01JQ3ZK5V0000000000000000A' };
    const [first, second] = [await open(http, headers), await open(http, headers)];
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(second.json.session_id).not.toBe(first.json.session_id);
  });
});

describe('the cookie of a session', () => {
  it('reads /v1 and /graphql with the tenant and the scopes of its key, and nothing beyond', async () => {
    const { http, tenantId } = await freshTenant(operator, ['events:read', 'graph:query']);
    const browser = await browserOf(http);
    expect((await browser.get('/v1/events')).status).toBe(200);
    expect((await browser.get('/v1/api-keys')).json.code).toBe('FORBIDDEN');
    expect((await browser.get('/v1/events?tenant_id=other')).json.code).toBe('TENANT_MISMATCH');
    const query = '{ caller { tenant_id session_id } }';
    const asked = await browser.send('POST', '/graphql', { query });
    expect(asked.json.data.caller).toMatchObject({ tenant_id: tenantId, session_id: expect.stringMatching(/^ses_/) });
  });

  it('writes from pages of this origin alone: 403 for a foreign or a missing Origin', async () => {
    const { http } = await freshTenant(operator, ['admin']);
    const browser = await browserOf(http);
    const body = { name: 'a role', scopes: ['events:read'] };
    for (const from of ['https://evil.example', 'null', null, `${origin()}.evil.example`]) {
      const refused = await browser.send('POST', '/v1/roles', body, from);
      expect([from, refused.status, refused.json.code]).toEqual([from, 403, 'FORBIDDEN']);
    }
    expect((await browser.send('POST', '/graphql', { query: '{ __typename }' }, null)).status).toBe(403);
    expect((await browser.send('POST', '/v1/roles', body)).status).toBe(200);
    expect(
      (await http.get('/v1/roles')).json.items.filter((role: { built_in: boolean }) => !role.built_in),
    ).toHaveLength(1);
  });

  it('names its key in the ledger, as author of what it does', async () => {
    const { http, keyId } = await freshTenant(operator, ['admin']);
    const browser = await browserOf(http);
    await browser.send('POST', '/v1/roles', { name: 'a role', scopes: ['events:read'] });
    const acts = (await browser.get('/v1/events?source_system=_platform')).json.items;
    const byKey = acts.filter((act: { payload: { by: string } }) => act.payload.by === keyId);
    expect(byKey.map((act: { event_type: string }) => act.event_type).sort()).toEqual([
      'role.created',
      'session.opened',
    ]);
  });

  it('ends with its key', async () => {
    const { http, keyId } = await freshTenant(operator);
    const browser = await browserOf(http);
    expect((await browser.get('/v1/session')).status).toBe(200);
    await operator.call(`/v1/api-keys/${keyId}`, { method: 'DELETE' });
    expect((await browser.get('/v1/session')).status).toBe(401);
  });
});

describe('DELETE /v1/session', () => {
  it('signs out: the cookie is cleared, and its token rejected', async () => {
    const { http } = await freshTenant(operator);
    const browser = await browserOf(http);
    const out = await browser.send('DELETE', '/v1/session');
    expect(out).toMatchObject({ status: 200, json: { status: 'ENDED' } });
    expect(out.headers.get('set-cookie')).toBe('eas_session=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0');
    expect((await browser.get('/v1/session')).status).toBe(401);
  });
});

describe('sessions of others', () => {
  it('are listed and ended by an administrator of the tenant, and by no other key or tenant', async () => {
    const { http, tenantId } = await freshTenant(operator, ['admin']);
    const made = await http.post('/v1/api-keys', { tenant_id: tenantId, name: 'clerk', scopes: ['events:read'] });
    const clerk = http.as(made.json.api_key);
    const { session_id: own } = (await open(clerk)).json;
    const { session_id: admins } = (await open(http)).json;
    const idsOf = async (as: Http): Promise<string[]> =>
      (await as.get('/v1/sessions')).json.items.map((item: { session_id: string }) => item.session_id);
    expect(await idsOf(clerk)).toEqual([own]);
    expect((await idsOf(http)).sort()).toEqual([own, admins].sort());
    const end = (as: Http, id: string): Promise<Answer> => as.call(`/v1/sessions/${id}`, { method: 'DELETE' });
    expect((await end(clerk, admins)).status).toBe(404);
    expect((await end((await freshTenant(operator, ['admin'])).http, own)).status).toBe(404);
    expect((await end(http, own)).json.status).toBe('ENDED');
    expect((await end(http, own)).json.status).toBe('ENDED');
  });
});

describe("an operator's session", () => {
  it('names the tenant in each request, as its key does', async () => {
    const { tenantId } = await freshTenant(operator);
    const browser = await browserOf(operator);
    expect((await browser.get('/v1/session')).json.tenant_id).toBeNull();
    expect((await browser.get('/v1/events')).json.code).toBe('TENANT_REQUIRED');
    expect((await browser.get(`/v1/events?tenant_id=${tenantId}`)).status).toBe(200);
  });
});

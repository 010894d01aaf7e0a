import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BUILT_IN_ROLES } from '../../../shared/auth/roles.js';
import { type Answer, freshTenant, type Http } from '../../support/http.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';

const SAME = { 'x-request-id': 'same' };
const NO_ACTOR = 'act_01JQ0000000000000000000009';
const NO_ROLE = 'rol_01JQ0000000000000000000009';
const NO_KEY = 'key_01JQ0000000000000000000009';

let service: WholeService;
let operator: Http;
beforeAll(async () => {
  service = await startWholeService();
  operator = service.operator;
});
afterAll(() => service.stop());

const admin = () => freshTenant(operator, ['admin']);
const told = ({ status, json }: Answer) => [status, json.code ?? null];

async function made(http: Http, path: string, body: unknown) {
  const answer = await http.post(path, body);
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.text}`);
  return answer.json;
}

const makeActor = (http: Http, body: object = {}) => made(http, '/v1/actors', { name: 'An analyst', ...body });
const makeRole = (http: Http, body: object = {}) =>
  made(http, '/v1/roles', { name: 'readers', scopes: ['events:read'], ...body });
const makeKey = (http: Http, body: object) => made(http, '/v1/api-keys', { name: 'k', ...body });

async function platformEntries(http: Http) {
  const answer = await http.get('/v1/events?source_system=_platform&order=asc&limit=500');
  return answer.json.items as { event_type: string; payload: Record<string, unknown> }[];
}

describe('actors', () => {
  it('can be created, read, listed by kind and status, renamed and suspended; each act is an entry of _platform', async () => {
    const { http, tenantId } = await admin();
    const actor = await makeActor(http, { kind: 'SERVICE', role_ids: ['integrator', 'analyst', 'analyst'] });
    expect(actor).toMatchObject({ tenant_id: tenantId, status: 'ACTIVE', role_ids: ['analyst', 'integrator'] });
    expect((await http.get(`/v1/actors/${actor.actor_id}`)).json).toEqual(actor);
    const renamed = await http.call(`/v1/actors/${actor.actor_id}`, { method: 'PATCH', body: { name: 'Feed' } });
    expect(renamed.json).toMatchObject({ name: 'Feed', status: 'ACTIVE' });
    const suspend = () => http.call(`/v1/actors/${actor.actor_id}`, { method: 'PATCH', body: { status: 'SUSPENDED' } });
    expect((await suspend()).json.status).toBe('SUSPENDED');
    expect((await suspend()).json.status).toBe('SUSPENDED');
    expect((await http.get('/v1/actors?kind=SERVICE&status=SUSPENDED')).json.items).toHaveLength(1);
    expect((await http.get('/v1/actors?status=ACTIVE')).json.items).toEqual([]);
    const entries = (await platformEntries(http)).filter(({ event_type }) => event_type.startsWith('actor.'));
    expect(entries.map(({ event_type }) => event_type)).toEqual(['actor.created', 'actor.updated', 'actor.suspended']);
    // Names of people stand in no entry.
    expect(JSON.stringify(entries)).not.toContain('Feed');
    expect(entries[0]?.payload['subject']).toBe(actor.actor_id);
  });

  it('get roles and lose them, by name and by id; a repeated request changes nothing', async () => {
    const { http } = await admin();
    const { actor_id: id } = await makeActor(http);
    const role = await makeRole(http);
    expect((await http.post(`/v1/actors/${id}/roles/auditor`, { why: 'free-form' })).json.role_ids).toEqual([
      'auditor',
    ]);
    expect((await http.call(`/v1/actors/${id}/roles/${role.role_id}`, { method: 'POST' })).json.role_ids).toHaveLength(
      2,
    );
    expect((await http.post(`/v1/actors/${id}/roles/auditor`, {})).json.role_ids).toHaveLength(2);
    for (let i = 0; i < 2; i++) {
      const taken = await http.call(`/v1/actors/${id}/roles/auditor`, { method: 'DELETE' });
      expect([taken.status, taken.json.role_ids]).toEqual([200, [role.role_id]]);
    }
    expect(told(await http.post(`/v1/actors/${id}/roles/${NO_ROLE}`, {}))).toEqual([404, 'NOT_FOUND']);
    expect(told(await http.post(`/v1/actors/${id}/roles/operator`, {}))).toEqual([400, 'VALIDATION_ERROR']);
    const types = (await platformEntries(http)).map(({ event_type }) => event_type);
    expect(types.filter((type) => type === 'actor.role-given')).toHaveLength(2);
    expect(types.filter((type) => type === 'actor.role-taken')).toHaveLength(1);
  });
});

describe('roles', () => {
  it('are listed with the built-in ones in one paged list', async () => {
    const { http, tenantId } = await admin();
    const own = await makeRole(http, { description: 'Reads events.' });
    expect(own).toMatchObject({ tenant_id: tenantId, built_in: false, scopes: ['events:read'] });
    const ids: string[] = [];
    let cursor = '';
    do {
      const page = (await http.get(`/v1/roles?limit=2${cursor}`)).json;
      ids.push(...page.items.map((role: { role_id: string }) => role.role_id));
      cursor = page.next_cursor === null ? '' : `&cursor=${page.next_cursor}`;
    } while (cursor !== '');
    expect(ids[0]).toBe(own.role_id);
    expect(ids.slice(1).sort()).toEqual(BUILT_IN_ROLES.map((role) => role.role_id).sort());
    const turned = (await http.get('/v1/roles?order=asc&limit=500')).json.items;
    expect(turned.map((role: { role_id: string }) => role.role_id)).toEqual(ids.reverse());
    expect((await http.get('/v1/roles/auditor')).json).toMatchObject({ built_in: true, tenant_id: null });
    expect((await http.get('/v1/roles?name=readers')).json.items).toEqual([own]);
  });

  it('have unique names: a taken or built-in name is CONFLICT', async () => {
    const { http } = await admin();
    const { role_id: id } = await makeRole(http);
    const other = await makeRole(http, { name: 'writers' });
    const again = { name: 'readers', scopes: ['events:read'] };
    expect(told(await http.post('/v1/roles', again))).toEqual([409, 'CONFLICT']);
    expect(told(await http.post('/v1/roles', { ...again, name: 'auditor' }))).toEqual([409, 'CONFLICT']);
    const rename = { method: 'PATCH', body: { name: 'readers' } };
    expect(told(await http.call(`/v1/roles/${other.role_id}`, rename))).toEqual([409, 'CONFLICT']);
    expect((await http.call(`/v1/roles/${id}`, { method: 'DELETE' })).status).toBe(200);
    expect((await http.post('/v1/roles', again)).status).toBe(200);
    expect(told(await http.get(`/v1/roles/${id}`))).toEqual([404, 'NOT_FOUND']);
  });

  it('cannot be deleted while an actor or a live key has them', async () => {
    const { http } = await admin();
    const { role_id: id } = await makeRole(http);
    const actor = await makeActor(http, { role_ids: [id] });
    const key = await makeKey(http, { role_ids: [id] });
    const remove = () => http.call(`/v1/roles/${id}`, { method: 'DELETE' });
    expect(told(await remove())).toEqual([409, 'CONFLICT']);
    await http.call(`/v1/actors/${actor.actor_id}/roles/${id}`, { method: 'DELETE' });
    expect(told(await remove())).toEqual([409, 'CONFLICT']);
    await http.call(`/v1/api-keys/${key.key_id}`, { method: 'DELETE' });
    expect((await remove()).status).toBe(200);
    expect(told(await remove())).toEqual([404, 'NOT_FOUND']);
    expect(told(await http.call('/v1/roles/auditor', { method: 'DELETE' }))).toEqual([409, 'CONFLICT']);
    const types = (await platformEntries(http)).map(({ event_type }) => event_type);
    expect(types.filter((type) => type === 'role.deleted')).toHaveLength(1);
  });

  it('have no holders after a deletion concurrent with a grant', async () => {
    const { http } = await admin();
    for (let round = 0; round < 4; round++) {
      const { role_id: id } = await makeRole(http, { name: `raced ${round}` });
      const { actor_id: actorId } = await makeActor(http);
      const [given, deleted] = await Promise.all([
        http.post(`/v1/actors/${actorId}/roles/${id}`, {}),
        http.call(`/v1/roles/${id}`, { method: 'DELETE' }),
      ]);
      const actor = (await http.get(`/v1/actors/${actorId}`)).json;
      const isThere = (await http.get(`/v1/roles/${id}`)).status === 200;
      expect([actor.role_ids.includes(id) && !isThere, given.status >= 500, deleted.status >= 500]).toEqual([
        false,
        false,
        false,
      ]);
    }
  });
});

describe('the effective scopes of a key', () => {
  const may = async (http: Http, apiKey: string) => {
    const as = http.as(apiKey);
    const [read, wrote, listed] = [
      await as.get('/v1/events'),
      await as.post('/v1/events/validate', {}),
      await as.get('/v1/api-keys'),
    ];
    return [read.status, wrote.status, listed.status];
  };

  it('include those of its roles, also after a change of the role', async () => {
    const { http } = await admin();
    const { role_id: id } = await makeRole(http);
    const { api_key: key } = await makeKey(http, { role_ids: [id] });
    expect(await may(http, key)).toEqual([200, 403, 403]);
    await http.call(`/v1/roles/${id}`, { method: 'PATCH', body: { scopes: ['events:write'] } });
    expect(await may(http, key)).toEqual([403, 200, 403]);
    const { api_key: both } = await makeKey(http, { role_ids: [id], scopes: ['events:read'] });
    expect(await may(http, both)).toEqual([200, 200, 403]);
  });

  it('are limited by the roles of its actor, and empty while the actor is suspended', async () => {
    const { http } = await admin();
    const { actor_id: id } = await makeActor(http, { role_ids: ['auditor'] });
    const { api_key: key, actor_id: bound } = await makeKey(http, {
      scopes: ['events:read', 'events:write', 'admin'],
      actor_id: id,
    });
    expect(bound).toBe(id);
    expect(await may(http, key)).toEqual([200, 403, 403]);
    await http.post(`/v1/actors/${id}/roles/tenant-admin`, {});
    expect(await may(http, key)).toEqual([200, 200, 200]);
    await http.call(`/v1/actors/${id}`, { method: 'PATCH', body: { status: 'SUSPENDED' } });
    expect(await may(http, key)).toEqual([401, 401, 401]);
    await http.call(`/v1/actors/${id}`, { method: 'PATCH', body: { status: 'ACTIVE' } });
    expect(await may(http, key)).toEqual([200, 200, 200]);
  });

  it("are empty for an operator's key bound to an actor who is not an operator", async () => {
    const { actor_id: id } = await makeActor(operator, { tenant_id: '*' });
    const { api_key: key } = await makeKey(operator, { tenant_id: '*', scopes: ['*'], actor_id: id });
    expect((await operator.as(key).get('/v1/tenants')).status).toBe(401);
    expect((await operator.post(`/v1/actors/${id}/roles/operator`, {})).status).toBe(200);
    expect((await operator.as(key).get('/v1/tenants')).status).toBe(200);
  });
});

describe('a caller without a scope', () => {
  it('cannot give the scope or a role with it to a key, an actor or a role', async () => {
    const { http } = await admin();
    const { actor_id: actorId } = await makeActor(http);
    const { role_id: roleId } = await makeRole(http);
    const unredacted = { name: 'n', scopes: ['documents:unredacted'] };
    const forbidden = [
      await http.post('/v1/api-keys', unredacted),
      await http.post('/v1/roles', unredacted),
      await http.call(`/v1/roles/${roleId}`, { method: 'PATCH', body: { scopes: ['documents:unredacted'] } }),
      await http.post('/v1/api-keys', { name: 'n', role_ids: ['legal'] }),
      await http.post('/v1/actors', { name: 'n', role_ids: ['legal'] }),
      await http.post(`/v1/actors/${actorId}/roles/legal`, {}),
    ];
    expect(forbidden.map(told)).toEqual(Array(6).fill([403, 'FORBIDDEN']));
    expect((await http.get(`/v1/actors/${actorId}`)).json.role_ids).toEqual([]);
  });

  it('cannot get the scope by rotating a key that has it', async () => {
    const { http, tenantId } = await admin();
    const legal = await makeKey(operator, { tenant_id: tenantId, role_ids: ['legal'] });
    expect(told(await http.post(`/v1/api-keys/${legal.key_id}/rotate`, {}))).toEqual([403, 'FORBIDDEN']);
    expect((await operator.post(`/v1/api-keys/${legal.key_id}/rotate`, {})).status).toBe(200);
  });

  it('cannot administer without the scope admin', async () => {
    const { http } = await freshTenant(operator, ['events:read', 'events:write']);
    const answers = [
      await http.get('/v1/actors'),
      await http.post('/v1/actors', { name: 'n' }),
      await http.get('/v1/roles'),
      await http.get(`/v1/api-keys/${NO_KEY}`),
      await http.call('/v1/tenants/acme', { method: 'PATCH', body: { name: 'n' } }),
    ];
    expect(answers.map(told)).toEqual(Array(5).fill([403, 'FORBIDDEN']));
  });
});

describe("another tenant's record", () => {
  it('answers exactly like a missing one on every route of actors, roles and keys', async () => {
    const [mine, theirs] = [await admin(), await admin()];
    const foreign = {
      actor: (await makeActor(theirs.http)).actor_id as string,
      role: (await makeRole(theirs.http)).role_id as string,
      key: (await makeKey(theirs.http, { scopes: ['events:read'] })).key_id as string,
    };
    const { actor_id: ownActor } = await makeActor(mine.http);
    const all = async ({ actor, role, key }: typeof foreign) => {
      const call = (path: string, method = 'GET', body?: unknown) =>
        mine.http.call(path, { method, headers: SAME, ...(body === undefined ? {} : { body }) });
      const answers = [
        await call(`/v1/actors/${actor}`),
        await call(`/v1/actors/${actor}`, 'PATCH', { name: 'n' }),
        await call(`/v1/actors/${actor}/roles/auditor`, 'POST', {}),
        await call(`/v1/actors/${actor}/roles/auditor`, 'DELETE'),
        await call(`/v1/actors/${ownActor}/roles/${role}`, 'POST', {}),
        await call(`/v1/roles/${role}`),
        await call(`/v1/roles/${role}`, 'PATCH', { name: 'n' }),
        await call(`/v1/roles/${role}`, 'DELETE'),
        await call(`/v1/api-keys/${key}`),
        await call(`/v1/api-keys/${key}/rotate`, 'POST', {}),
        await call(`/v1/api-keys/${key}`, 'DELETE'),
        await call('/v1/api-keys', 'POST', { name: 'n', role_ids: [role] }),
        await call('/v1/api-keys', 'POST', { name: 'n', scopes: ['events:read'], actor_id: actor }),
        await call('/v1/actors', 'POST', { name: 'n', role_ids: [role] }),
      ];
      return answers.map(({ status, text }) => [status, text]);
    };
    const seen = await all(foreign);
    expect(seen).toEqual(await all({ actor: NO_ACTOR, role: NO_ROLE, key: NO_KEY }));
    expect(seen.map(([status]) => status)).toEqual([...Array(11).fill(404), 400, 400, 400]);
    for (const list of ['actors', 'roles', 'api-keys']) {
      const text = (await mine.http.get(`/v1/${list}?limit=500`)).text;
      expect([foreign.actor, foreign.role, foreign.key].filter((id) => text.includes(id))).toEqual([]);
    }
  });

  it('cannot be named in a body: another tenant is TENANT_MISMATCH, existing or not', async () => {
    const [mine, theirs] = [await admin(), await admin()];
    const answers = await Promise.all(
      [theirs.tenantId, 'never-made'].flatMap((tenant_id) => [
        mine.http.post('/v1/actors', { tenant_id, name: 'n' }),
        mine.http.post('/v1/roles', { tenant_id, name: 'n', scopes: ['events:read'] }),
        mine.http.post('/v1/api-keys', { tenant_id, name: 'n', scopes: ['events:read'] }),
      ]),
    );
    expect(answers.map(told)).toEqual(Array(6).fill([403, 'TENANT_MISMATCH']));
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type EdgeKit, edgeKit } from '../../rest-facade/edge-kit.js';
import { freshTenant, type Http } from '../../support/http.js';

let kit: EdgeKit;
let operator: Http;
beforeAll(async () => {
  kit = await edgeKit();
  operator = (await kit.start()).operator;
});
afterAll(() => kit.stop());

const DENIALS = { name: 'Denials of March', address: '/events?outcome=denied' };

/** A tenant, and keys of it with these scopes. */
async function tenantWith(...keys: readonly (readonly string[])[]) {
  const { http: admin, tenantId } = await freshTenant(operator, ['admin']);
  const others = await Promise.all(keys.map((scopes) => keyOf(tenantId, scopes)));
  return { admin, tenantId, others };
}

async function keyOf(tenantId: string, scopes: readonly string[], actor?: string): Promise<Http> {
  const body = { tenant_id: tenantId, name: 'reader', scopes, ...(actor === undefined ? {} : { actor_id: actor }) };
  const made = await operator.post('/v1/api-keys', body);
  expect(made.status).toBe(200);
  return operator.as(made.json.api_key);
}

/** Name and `own` of every view that a caller sees, newest first. */
async function seenBy(http: Http, query = ''): Promise<unknown[]> {
  const { status, json } = await http.get(`/v1/saved-views${query}`);
  expect(status).toBe(200);
  return json.items.map(({ name, own }: { name: string; own: boolean }) => [name, own]);
}

describe('POST /v1/saved-views', () => {
  it('saves a view for the key, which alone sees it and deletes it', async () => {
    const { admin, tenantId, others } = await tenantWith(['events:read']);
    const [reader = admin] = others;
    const saved = await reader.post('/v1/saved-views', DENIALS);
    expect([saved.status, saved.json]).toEqual([
      200,
      {
        ...DENIALS,
        shared: false,
        view_id: expect.stringMatching(/^svw_/),
        tenant_id: tenantId,
        screen: 'EVENTS',
        owner: expect.stringMatching(/^key_/),
        own: true,
        created_at: expect.stringMatching(/Z$/),
      },
    ]);
    expect([await seenBy(reader), await seenBy(admin)]).toEqual([[[DENIALS.name, true]], []]);
    const path = `/v1/saved-views/${saved.json.view_id}`;
    expect((await admin.call(path, { method: 'DELETE' })).status).toBe(404);
    expect((await reader.call(path, { method: 'DELETE' })).status).toBe(200);
    expect((await reader.call(path, { method: 'DELETE' })).status).toBe(404);
    expect(await seenBy(reader)).toEqual([]);
  });

  it('belongs to the actor under each of its keys', async () => {
    const { admin, tenantId } = await tenantWith();
    const actor = (await admin.post('/v1/actors', { name: 'Jordan', role_ids: ['analyst'] })).json.actor_id;
    const [first, second] = [
      await keyOf(tenantId, ['events:read'], actor),
      await keyOf(tenantId, ['events:read'], actor),
    ];
    expect((await first.post('/v1/saved-views', DENIALS)).json.owner).toBe(actor);
    expect(await seenBy(second)).toEqual([[DENIALS.name, true]]);
  });

  it('shows a shared view to readers of its screen alone; only its owner and an administrator delete it', async () => {
    const { admin, others } = await tenantWith(['events:read'], ['events:read'], ['feeds:read']);
    const [owner = admin, reader = admin, stranger = admin] = others;
    const saved = await owner.post('/v1/saved-views', { ...DENIALS, shared: true });
    expect([await seenBy(reader), await seenBy(stranger)]).toEqual([[[DENIALS.name, false]], []]);
    const path = `/v1/saved-views/${saved.json.view_id}`;
    expect((await reader.call(path, { method: 'DELETE' })).status).toBe(404);
    expect((await admin.call(path, { method: 'DELETE' })).status).toBe(200);
    expect(await seenBy(owner)).toEqual([]);
  });

  it('rejects a caller without the scope of the screen', async () => {
    const { others, admin } = await tenantWith(['feeds:read']);
    const [stranger = admin] = others;
    const refused = await stranger.post('/v1/saved-views', DENIALS);
    expect([refused.status, refused.json.code]).toEqual([403, 'FORBIDDEN']);
    const graph = await stranger.post('/v1/saved-views', { name: 'g', address: '/graph?node=member:M-1' });
    expect(graph.status).toBe(403);
  });

  it('rejects an address outside the three screens, and a name that the owner has for the screen', async () => {
    const { admin } = await tenantWith();
    const addresses = [
      '//evil.example/events',
      'https://evil.example/events',
      '/events/../../admin',
      '/admin',
      '/eventsx',
      '/events?a b',
      `/events?${'a'.repeat(2_000)}`,
      'javascript:alert(1)',
      '/events#top',
      '',
    ];
    const answers = [];
    for (const address of addresses) answers.push((await admin.post('/v1/saved-views', { name: 'x', address })).status);
    expect(answers).toEqual(addresses.map(() => 400));
    expect((await admin.post('/v1/saved-views', DENIALS)).status).toBe(200);
    const again = await admin.post('/v1/saved-views', DENIALS);
    expect([again.status, again.json.code]).toEqual([409, 'CONFLICT']);
    expect((await admin.post('/v1/saved-views', { ...DENIALS, address: '/graph' })).status).toBe(200);
    expect(await seenBy(admin, '?screen=GRAPH')).toEqual([[DENIALS.name, true]]);
  });

  it('saves one view when a request with an Idempotency-Key is repeated', async () => {
    const { admin } = await tenantWith();
    const key = { 'idempotency-key': '01JQ0000000000000000000043' };
    const [first, second] = [
      await admin.post('/v1/saved-views', DENIALS, key),
      await admin.post('/v1/saved-views', DENIALS, key),
    ];
    expect([first.status, second.status, second.json.view_id]).toEqual([200, 200, first.json.view_id]);
    expect(await seenBy(admin)).toEqual([[DENIALS.name, true]]);
  });

  it('keeps at most 100 views of an owner', async () => {
    const { admin } = await tenantWith();
    const names = Array.from({ length: 100 }, (_, n) => `view ${n}`);
    await Promise.all(names.map((name) => admin.post('/v1/saved-views', { ...DENIALS, name })));
    const over = await admin.post('/v1/saved-views', { ...DENIALS, name: 'one more' });
    expect([over.status, over.json.code]).toEqual([409, 'CONFLICT']);
  });

  it('stores one of many views that are saved at once when one place is left', async () => {
    const { admin } = await tenantWith();
    const save = (name: string) => admin.post('/v1/saved-views', { ...DENIALS, name });
    const saved = await Promise.all(Array.from({ length: 99 }, (_, n) => save(`view ${n}`)));
    expect(new Set(saved.map(({ status }) => status))).toEqual(new Set([200]));
    const last = await Promise.all(Array.from({ length: 12 }, (_, n) => save(`last ${n}`)));
    expect(last.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 11 }, () => 409)]);
    expect((await admin.get('/v1/saved-views?limit=200')).json.items).toHaveLength(100);
    const [view] = (await admin.get('/v1/saved-views')).json.items;
    expect((await admin.call(`/v1/saved-views/${view.view_id}`, { method: 'DELETE' })).status).toBe(200);
    expect((await save('in the place of the deleted one')).status).toBe(200);
  });
});

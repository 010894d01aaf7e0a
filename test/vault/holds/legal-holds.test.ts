import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { envelope } from '../../support/envelopes.js';
import { eventually } from '../../support/eventually.js';
import { freshTenant, type Http } from '../../support/http.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService();
});
afterAll(() => service.stop());

const HOLD = { name: 'Doe v. Acme', scope: { member_ids: ['M-1'] }, reason: 'Complaint served.' };
const RELEASE = {
  authority: { kind: 'COURT_ORDER', reference: 'Dkt. 88' },
  reason: 'Dismissed.',
  released_by: 'General Counsel',
};

const putPolicies = (http: Http, body: unknown) =>
  http.call('/v1/retention-policies', {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

const admin = async (): Promise<Http> => (await freshTenant(service.operator, ['admin'])).http;

describe('legal holds over HTTP', () => {
  it('places, reads, lists and releases a hold', async () => {
    const http = await admin();
    const placed = await http.post('/v1/legal-holds', HOLD);
    expect([placed.status, placed.json]).toEqual([200, expect.objectContaining({ status: 'ACTIVE', revision: 1 })]);
    const path = `/v1/legal-holds/${placed.json.hold_id}`;
    expect((await http.get(path)).json.allowed_actions).toEqual(['update', 'release']);
    expect((await http.get('/v1/legal-holds?status=ACTIVE')).json.items).toHaveLength(1);
    expect((await http.get(`${path}/tombstones`)).json).toEqual({ items: [], next_cursor: null });
    expect((await http.post(`${path}/release`, RELEASE)).json.status).toBe('RELEASED');
    expect((await http.post(`${path}/release`, RELEASE)).json.code).toBe('INVALID_TRANSITION');
  });

  it('lists records of ids merged with its member, until they are unmerged', async () => {
    const http = await admin();
    const ids: string[] = [];
    for (const member_id of ['M-1', 'M-2']) {
      const person = { member_id, name: { family: 'Testperson', given: ['Ada'] }, birth_date: '1970-01-31' };
      expect((await http.post('/v1/members', person)).status).toBe(200);
      ids.push((await http.post('/v1/events', envelope(member_id, { member_id }))).json.event_id);
    }
    const { hold_id } = (await http.post('/v1/legal-holds', HOLD)).json;
    const listed = async (): Promise<string[]> => {
      const { items } = (await http.get(`/v1/legal-holds/${hold_id}/tombstones`)).json;
      return items.map(({ id }: { id: string }) => id).sort();
    };
    const becomes = async (wanted: readonly (string | undefined)[]): Promise<void> => {
      const isThere = (seen: string[]): boolean => seen.join() === [...wanted].sort().join();
      expect(await eventually(listed, isThere)).toEqual([...wanted].sort());
    };
    await becomes([ids[0]]);
    expect((await http.post('/v1/members/M-1/merge', { source_member_id: 'M-2' })).status).toBe(200);
    await becomes(ids);
    expect((await http.post('/v1/members/M-1/unmerge', { source_member_id: 'M-2' })).status).toBe(200);
    await becomes([ids[0]]);
  });

  it('returns 400 for a release without an authority and for an empty scope', async () => {
    const http = await admin();
    const { json } = await http.post('/v1/legal-holds', HOLD);
    const { authority: _, ...without } = RELEASE;
    expect((await http.post(`/v1/legal-holds/${json.hold_id}/release`, without)).status).toBe(400);
    expect((await http.post('/v1/legal-holds', { ...HOLD, scope: {} })).status).toBe(400);
  });

  it('returns 400 with the path of each unknown record that it names', async () => {
    const http = await admin();
    const known = (await http.post('/v1/events', envelope('held'))).json.event_id;
    const [event, document, matter] = ['evt', 'doc', 'mat'].map((kind) => `${kind}_01JQ0000000000000000000001`);
    const scope = { event_ids: [known, event], document_ids: [document, 'a typing error'] };
    const refused = await http.post('/v1/legal-holds', { ...HOLD, scope, matter_id: matter });
    const paths = refused.json.errors?.map(({ path }: { path: string }) => path);
    expect([refused.status, paths]).toEqual([
      400,
      ['/scope/event_ids/1', '/scope/document_ids/0', '/scope/document_ids/1', '/matter_id'],
    ]);
    expect((await http.get('/v1/legal-holds')).json.items).toEqual([]);
    const placed = await http.post('/v1/legal-holds', { ...HOLD, scope: { event_ids: [known] } });
    expect([placed.status, placed.json.scope]).toEqual([200, { event_ids: [known] }]);
    const widened = { scope: { event_ids: [known, event] } };
    const path = `/v1/legal-holds/${placed.json.hold_id}`;
    expect((await http.call(path, { method: 'PATCH', body: widened })).status).toBe(400);
  });

  it('covers what is still to come where the request allows it, and says so', async () => {
    const http = await admin();
    const matter = 'mat_01JQ0000000000000000000001';
    const body = { ...HOLD, scope: { event_ids: ['evt_01JQ0000000000000000000001'] }, matter_id: matter };
    const placed = await http.post('/v1/legal-holds', { ...body, allow_unknown: true });
    expect([placed.status, placed.json.scope]).toEqual([200, { ...body.scope, allow_unknown: true }]);
    expect((await http.get(`/v1/legal-holds/${placed.json.hold_id}`)).json.scope.allow_unknown).toBe(true);
    // The option names nothing by itself.
    expect((await http.post('/v1/legal-holds', { ...HOLD, scope: {}, allow_unknown: true })).status).toBe(400);
  });

  it('returns 403 without the scope', async () => {
    const { http } = await freshTenant(service.operator, ['events:read']);
    expect((await http.post('/v1/legal-holds', HOLD)).status).toBe(403);
    expect((await http.post('/v1/retention/sweep', {})).status).toBe(403);
  });
});

describe('retention over HTTP', () => {
  it('returns the stored policies and an empty sweep, and 400 for a policy below the minimum', async () => {
    const http = await admin();
    expect((await http.get('/v1/retention-policies')).json).toMatchObject({ default_years: 10, minimum_years: 6 });
    const policies = [{ event_family: 'claims', years: 12 }];
    const put = await putPolicies(http, { policies });
    expect([put.status, put.json.policies]).toEqual([
      200,
      [{ event_family: 'claims', years: 12, counts_from: 'EFFECTIVE' }],
    ]);
    const short = await putPolicies(http, { policies: [{ document_type: 'note', years: 5 }] });
    expect([short.status, short.json.errors?.[0]?.path]).toEqual([400, '/policies/0/years']);
    const swept = await http.post('/v1/retention/sweep', { dry_run: true });
    expect(swept.json).toMatchObject({ dry_run: true, complete: true, events: { past_age: 0 } });
  });
});

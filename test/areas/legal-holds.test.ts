import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { envelope } from '../support/envelopes.js';
import { eventually } from '../support/eventually.js';
import { freshTenant, type Http } from '../support/http.js';
import { startWholeService, type WholeService } from '../support/whole-service.js';

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
  test('200: placed, read, listed and released under an authority', async () => {
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

  test('200: lists what stands under ids that are merged with its member, as long as they are', async () => {
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

  test('400: a release without its authority, a hold over nothing', async () => {
    const http = await admin();
    const { json } = await http.post('/v1/legal-holds', HOLD);
    const { authority: _, ...without } = RELEASE;
    expect((await http.post(`/v1/legal-holds/${json.hold_id}/release`, without)).status).toBe(400);
    expect((await http.post('/v1/legal-holds', { ...HOLD, scope: {} })).status).toBe(400);
  });

  test('403 without the scope', async () => {
    const { http } = await freshTenant(service.operator, ['events:read']);
    expect((await http.post('/v1/legal-holds', HOLD)).status).toBe(403);
    expect((await http.post('/v1/retention/sweep', {})).status).toBe(403);
  });
});

describe('retention over HTTP', () => {
  test('200: policies as they were put, and a sweep that finds nothing; 400 below the minimum', async () => {
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

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type EdgeKit, edgeKit, keyed } from '../../rest-facade/edge-kit.js';
import { envelope } from '../../support/envelopes.js';
import { eventually } from '../../support/eventually.js';
import { freshTenant, type Http } from '../../support/http.js';
import { uploadScanned } from '../../vault/vault-kit.js';

let kit: EdgeKit;
let operator: Http;
let http: Http;

beforeAll(async () => {
  kit = await edgeKit();
  ({ operator } = (await kit.start()) as { operator: Http });
  ({ http } = await freshTenant(operator, ['admin']));
});

afterAll(() => kit.stop());

// biome-ignore lint/suspicious/noExplicitAny: the test checks the shape of the answer.
async function consent(body: Record<string, unknown>, as = http): Promise<any> {
  const answer = await as.post('/v1/consent', body);
  if (answer.status !== 200) throw new Error(`no consent: ${answer.text}`);
  return answer.json;
}
const check = async (body: Record<string, unknown>) => (await http.post('/v1/consent/check', body)).json;
const post = async (n: string, member_id: string, payload: object = {}, over: object = {}): Promise<string> =>
  (await http.post('/v1/events', { ...envelope(n, { member_id, ...over }), payload })).json.event_id;
// biome-ignore lint/suspicious/noExplicitAny: rows of an answer.
const idsOf = (answer: { json: any }): string[] => answer.json.items.map((item: any) => item.event_id);

describe('/v1/consent', () => {
  it('creates, reads, lists and revokes a consent, with a ledger entry for every step', async () => {
    const made = await consent({ member_id: 'C-1', decision: 'PERMIT', purpose: 'treatment', categories: ['42CFR2'] });
    expect(made).toMatchObject({ purpose: 'TREATMENT', status: 'ACTIVE', in_force: true, allowed_actions: ['revoke'] });
    expect((await http.get(`/v1/consent/${made.consent_id}`)).json).toEqual(made);
    const listed = await http.get('/v1/consent?member_id=C-1&purpose=Treatment&status=ACTIVE&decision=PERMIT');
    expect(listed.json.items).toEqual([made]);
    const revoked = await http.post(`/v1/consent/${made.consent_id}/revoke`, { reason: 'Thought again.', revision: 1 });
    expect(revoked.json).toMatchObject({ status: 'REVOKED', in_force: false, revocation_reason: 'Thought again.' });
    const again = await http.post(`/v1/consent/${made.consent_id}/revoke`, {});
    expect(again).toMatchObject({ status: 409, json: { code: 'INVALID_TRANSITION', allowed: [] } });
    const told = await http.get('/v1/events?source_system=_records&event_family=consent&order=asc');
    const own = told.json.items.filter((item: never) => item['payload']['consent_id'] === made.consent_id);
    expect(own.map((item: never) => item['event_type'])).toEqual(['consent.created', 'consent.revoked']);
    // The entry says only that the record changed; it does not name the member.
    expect(JSON.stringify(own)).not.toContain('C-1');
  });

  it('creates one consent for a repeated request', async () => {
    const body = { member_id: 'C-2', decision: 'DENY', purpose: '*' };
    const key = keyed();
    const first = await http.post('/v1/consent', body, key);
    const second = await http.post('/v1/consent', body, key);
    expect(second.json).toEqual(first.json);
    expect((await http.get('/v1/consent?member_id=C-2')).json.items).toHaveLength(1);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['an empty period', { period: { start: '2026-03-02T00:00:00Z', end: '2026-03-02T00:00:00Z' } }, '/period/end'],
    ['a form that is not there', { source_document_id: 'doc_01JQ0000000000000000000001' }, '/source_document_id'],
    ['a purpose that is none', { purpose: 'no purpose' }, '/purpose'],
    ['a decision that is none', { decision: 'MAYBE' }, '/decision'],
  ])('rejects %s by its name', async (_what, over, path) => {
    const answer = await http.post('/v1/consent', { member_id: 'C-3', decision: 'PERMIT', purpose: 'X', ...over });
    expect(answer).toMatchObject({ status: 400, json: { code: 'VALIDATION_ERROR', errors: [{ path }] } });
  });

  it('checks a question by the rules of reads, with a reason', async () => {
    const question = { member_id: 'C-4', purpose: 'RESEARCH' };
    expect(await check(question)).toEqual({ decision: 'PERMIT', reason: null, consent_ids: [] });
    expect(await check({ ...question, category: '42CFR2' })).toMatchObject({ decision: 'DENY', reason: '42CFR2' });
    const permit = await consent({ ...question, decision: 'PERMIT', categories: ['42CFR2'] });
    expect(await check({ ...question, category: '42CFR2' })).toEqual({
      decision: 'PERMIT',
      reason: null,
      consent_ids: [permit.consent_id],
    });
    const deny = await consent({ ...question, decision: 'DENY' });
    expect(await check({ ...question, category: '42CFR2' })).toEqual({
      decision: 'DENY',
      reason: 'CONSENT_DENIED',
      consent_ids: [deny.consent_id],
    });
  });
});

describe('reads with a purpose', () => {
  it('omit withheld events and count them', async () => {
    const open = await post('open', 'R-1');
    const secret = await post('secret', 'R-1', { sensitivity: ['42CFR2'] });
    const all = await http.get('/v1/events?member_id=R-1');
    expect(idsOf(all).sort()).toEqual([open, secret].sort());
    expect(all.json.withheld).toBeUndefined();
    const stated = await http.get('/v1/events?member_id=R-1&purpose=TREATMENT');
    expect(idsOf(stated)).toEqual([open]);
    expect(stated.json.withheld).toEqual({ count: 1, reason: '42CFR2' });
    const one = await http.get(`/v1/events/${secret}?purpose=TREATMENT`);
    expect(one).toMatchObject({ status: 403, json: { code: 'FORBIDDEN', withheld: { count: 1, reason: '42CFR2' } } });
    expect((await http.get(`/v1/events/${open}?purpose=TREATMENT`)).status).toBe(200);

    const permit = await consent({
      member_id: 'R-1',
      decision: 'PERMIT',
      purpose: 'TREATMENT',
      categories: ['42CFR2'],
    });
    expect(idsOf(await http.get('/v1/events?member_id=R-1&purpose=treatment'))).toHaveLength(2);
    expect(idsOf(await http.get('/v1/events?member_id=R-1&purpose=RESEARCH'))).toEqual([open]);
    await http.post(`/v1/consent/${permit.consent_id}/revoke`, {});
    expect(idsOf(await http.get('/v1/events?member_id=R-1&purpose=TREATMENT'))).toEqual([open]);

    await consent({ member_id: 'R-1', decision: 'DENY', purpose: '*' });
    const denied = await http.get('/v1/events?member_id=R-1&purpose=TREATMENT');
    expect(denied.json).toMatchObject({ items: [], withheld: { count: 2, reason: 'CONSENT_DENIED' } });
  });

  it('protect a diagnosis F10–F19 as soon as its system is flagged', async () => {
    const id = await post('sud', 'R-2', { diagnosis_codes: ['F11.20'] }, { source_system: 'sud-clinic' });
    const seen = async () => idsOf(await http.get('/v1/events?member_id=R-2&purpose=PAYMENT'));
    expect(await seen()).toEqual([id]);
    const put = (part2_source_systems: string[]) =>
      http.call('/v1/consent/policy', { method: 'PUT', body: { part2_source_systems } });
    expect((await put(['sud-clinic'])).json).toMatchObject({ part2_source_systems: ['sud-clinic'], revision: 1 });
    expect(await seen()).toEqual([]);
    expect((await put(['sud-clinic'])).json.revision).toBe(1);
    expect((await put([])).json.revision).toBe(2);
    expect(await seen()).toEqual([id]);
  });

  it('search permitted records only, and reveal no count of the others', async () => {
    await post('s1', 'R-9', { note: 'zebrafish' });
    await post('s2', 'R-9', { note: 'zebrafish', sensitivity: ['42CFR2'] }, { event_type: 'secret.kept' });
    const find = async (purpose?: string) => (await http.post('/v1/search', { query: 'zebrafish', purpose })).json;
    const all = await eventually(
      () => find(),
      ({ total }) => total === 2,
    );
    expect([all.total, all.withheld]).toEqual([2, undefined]);
    const stated = await find('TREATMENT');
    expect(stated).toMatchObject({ total: 1, withheld: { count: 1, reason: '42CFR2' } });
    expect(stated.items).toHaveLength(1);
    expect(JSON.stringify(stated)).not.toContain('secret.kept');
    await consent({ member_id: 'R-9', decision: 'DENY', purpose: 'RESEARCH' });
    expect(await find('RESEARCH')).toMatchObject({ items: [], total: 0, withheld: { count: 2 } });
  });

  it('apply the same rules to documents: record, list and bytes', async () => {
    const { document_id: id } = (await uploadScanned(http, 'a letter', { member_id: 'R-3', tags: '42CFR2' })).json;
    expect((await http.get('/v1/documents?member_id=R-3')).json.items).toHaveLength(1);
    const stated = await http.get('/v1/documents?member_id=R-3&purpose=TREATMENT');
    expect(stated.json).toMatchObject({ items: [], withheld: { count: 1, reason: '42CFR2' } });
    for (const path of [`/v1/documents/${id}`, `/v1/documents/${id}/metadata`]) {
      expect((await http.get(path)).status).toBe(200);
      expect((await http.get(`${path}?purpose=TREATMENT`)).status).toBe(403);
    }
  });
});

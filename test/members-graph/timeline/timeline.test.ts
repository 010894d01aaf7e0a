import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type EdgeKit, edgeKit } from '../../rest-facade/edge-kit.js';
import { envelope } from '../../support/envelopes.js';
import { freshTenant, type Http } from '../../support/http.js';
import { uploadScanned } from '../../vault/vault-kit.js';

// One member under two identifiers, with a record of every kind; and one who is known from an event alone.

let kit: EdgeKit;
let http: Http;
let keyed: (scopes: readonly string[]) => Promise<Http>;

const at = (day: number): string => `2026-02-${String(day).padStart(2, '0')}T08:00:00.000Z`;
const MERGED = '/v1/members/T-1/timeline';

interface Entry {
  readonly kind: string;
  readonly id: string;
  readonly at: string;
  readonly member_id: string;
}

async function made(path: string, body: unknown): Promise<Readonly<Record<string, string>>> {
  const answer = await http.post(path, body);
  if (answer.status >= 300) throw new Error(`${path}: ${answer.text}`);
  return answer.json;
}

const event = (n: string, day: number, over: object = {}) =>
  made('/v1/events', envelope(n, { member_id: 'T-1', event_effective_timestamp: at(day), ...over }));

async function walk(path: string, limit: number): Promise<Entry[]> {
  const items: Entry[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const join = path.includes('?') ? '&' : '?';
    const asked = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const answer = await http.get(`${path}${join}limit=${limit}${asked}`);
    if (answer.status !== 200) throw new Error(answer.text);
    items.push(...answer.json.items);
    cursor = answer.json.next_cursor;
  }
  return items;
}

beforeAll(async () => {
  kit = await edgeKit();
  const { operator } = await kit.start({ SERVICE_CODE_IN_RESPONSE: 'true', SERVICE_RATE_LIMIT_PER_MINUTE: '0' });
  const tenant = await freshTenant(operator, ['admin']);
  http = tenant.http;
  keyed = async (scopes) => {
    const { api_key } = await made('/v1/api-keys', { name: 'other', scopes });
    return http.as(api_key ?? null);
  };
  for (const member_id of ['T-1', 'T-2']) {
    await made('/v1/members', { member_id, name: { family: `Timely ${member_id}` } });
  }
  await event('e-1', 3);
  await event('e-2', 9, { member_id: 'T-2' });
  await event('e-3', 9, { payload: { sensitivity: ['42CFR2'] } });
  await event('e-alone', 4, { member_id: 'T-alone' });
  await uploadScanned(http, 'a letter', { member_id: 'T-1', effective_at: at(5) });
  await uploadScanned(http, 'another letter', { member_id: 'T-2' });
  await made('/v1/consent', { member_id: 'T-1', decision: 'DENY', purpose: 'MARKETING', categories: ['document'] });
  await made('/v1/legal-holds', { name: 'h', reason: 'r', scope: { member_ids: ['T-1'] } });
  await made('/v1/bundles', { scope: { member_id: 'T-1' } });
  await made('/v1/ai-decisions', {
    decision_type: 'OTHER',
    model: { name: 'm', version: '1' },
    inputs: [],
    recommendation: 'REFER',
    member_id: 'T-1',
    decided_at: at(7),
  });
  await made('/v1/members/T-1/merge', { source_member_id: 'T-2', reason: 'One person.' });
});

afterAll(() => kit.stop());

describe('the timeline of a member', () => {
  it('contains every kind under both identifiers in order of time', async () => {
    const answer = await http.get(MERGED);
    expect(answer).toMatchObject({ status: 200, json: { member: { member_id: 'T-1' }, member_ids: ['T-1', 'T-2'] } });
    const items = answer.json.items as Entry[];
    expect(items.slice(0, 5).map(({ kind, at: when }) => [kind, when])).toEqual([
      ['EVENT', at(3)],
      ['DOCUMENT', at(5)],
      ['DECISION', at(7)],
      ['EVENT', at(9)],
      ['EVENT', at(9)],
    ]);
    expect(
      items
        .slice(5)
        .map(({ kind }) => kind)
        .sort(),
    ).toEqual(['BUNDLE', 'CONSENT', 'DOCUMENT', 'HOLD']);
    expect(new Set(items.map(({ member_id }) => member_id))).toEqual(new Set(['T-1', 'T-2']));
    expect(answer.json).not.toHaveProperty('withheld');
    const other = (await http.get('/v1/members/T-2/timeline')).json.items as Entry[];
    expect(other.map(({ id }) => id)).toEqual(items.map(({ id }) => id));
  });

  it.each([1, 2, 3])('returns everything once in pages of %d, in both orders', async (limit) => {
    const whole = (await http.get(MERGED)).json.items as Entry[];
    const ids = whole.map(({ id }) => id);
    expect((await walk(MERGED, limit)).map(({ id }) => id)).toEqual(ids);
    expect((await walk(`${MERGED}?order=desc`, limit)).map(({ id }) => id)).toEqual([...ids].reverse());
  });

  it('filters by kind and time', async () => {
    const kinds = (await http.get(`${MERGED}?kinds=event,DECISION&from=${at(4)}&to=${at(9)}`)).json.items as Entry[];
    expect(kinds.map(({ kind }) => kind)).toEqual(['DECISION']);
    expect(await http.get(`${MERGED}?kinds=nonsense`)).toMatchObject({
      status: 400,
      json: { code: 'VALIDATION_ERROR' },
    });
  });

  it('exists for a member known only from events, and not for an unknown member', async () => {
    const alone = await http.get('/v1/members/T-alone/timeline?kinds=HOLD');
    expect(alone).toMatchObject({ status: 200, json: { member: null, member_ids: ['T-alone'], items: [] } });
    expect((await http.get('/v1/members/T-alone/timeline')).json.items).toHaveLength(1);
    expect((await http.get('/v1/members/T-nobody/timeline')).status).toBe(404);
  });

  it('withholds and counts records without consent for a stated purpose', async () => {
    const answer = await http.get(`${MERGED}?purpose=MARKETING`);
    expect(answer.json.withheld).toEqual({ count: 3, reason: 'CONSENT_DENIED' });
    const items = answer.json.items as Entry[];
    expect(items.map(({ kind }) => kind)).not.toContain('DOCUMENT');
    expect(items.filter(({ kind }) => kind === 'EVENT')).toHaveLength(2);
    expect(answer.text).not.toContain('42CFR2');
  });

  it('shows a member token its own member only, under consent', async () => {
    const { challenge_id, code } = await made('/v1/member-auth/start', { member_id: 'T-1' });
    const { access_token } = await made('/v1/member-auth/verify', { challenge_id, code });
    const own = { authorization: `Bearer ${access_token}` };
    const reader = http.as(null);
    const answer = await reader.get(MERGED, own);
    expect(answer).toMatchObject({ status: 200, json: { withheld: { count: 1, reason: '42CFR2' } } });
    expect((await reader.get('/v1/members/T-alone/timeline', own)).status).toBe(404);
  });

  it('records a read by a representative in custody with purpose and recipient; a rejected read is not recorded', async () => {
    const asked = { member_id: 'T-1', purpose: 'appeal_support', requested_by: 'ava-7' };
    const { request_id, code } = await made('/v1/ava-access/request', asked);
    const { access_token } = await made('/v1/ava-access/verify', { request_id, code });
    const reader = http.as(access_token ?? null);
    expect((await reader.get(MERGED)).json).toMatchObject({ withheld: { count: 1, reason: '42CFR2' } });
    expect((await reader.get('/v1/members/T-alone/timeline')).status).toBe(404);
    const rows = async (member: string) => {
      const { items } = (await http.get(`/v1/custody?subject_kind=MEMBER&subject_id=${member}&limit=500`)).json;
      return (items as Record<string, unknown>[]).filter(({ recipient }) => recipient === 'ava-7');
    };
    const read = { action: 'READ_TIMELINE', purpose: 'APPEAL_SUPPORT', member_ids: ['T-1', 'T-2'] };
    expect(await rows('T-1')).toMatchObject([read]);
    expect(await rows('T-alone')).toEqual([]);
  });

  it('records every read in custody, but no rejected read', async () => {
    const count = async (): Promise<number> => {
      const { items } = (await http.get('/v1/custody?subject_kind=MEMBER&subject_id=T-1&limit=500')).json;
      return (items as { action: string }[]).filter(({ action }) => action === 'READ_TIMELINE').length;
    };
    const before = await count();
    await http.get(MERGED);
    expect(await count()).toBe(before + 1);
    await http.get(`${MERGED}?kinds=nonsense`);
    expect(await count()).toBe(before + 1);
  });

  it('requires events:read', async () => {
    expect((await (await keyed(['events:write'])).get(MERGED)).status).toBe(403);
    expect((await (await keyed(['events:read'])).get(MERGED)).status).toBe(200);
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Db } from 'mongodb';
import { type EdgeKit, edgeKit, keyed } from '../../rest-facade/edge-kit.js';
import { envelope } from '../../support/envelopes.js';
import { type Answer, freshTenant, type Http } from '../../support/http.js';
import { upload } from '../../vault/vault-kit.js';

let kit: EdgeKit;
let http: Http;
let rows: Db;

const PERSON = { member_id: 'A-1', name: { family: 'Testperson', given: ['Ada'] }, birth_date: '1970-01-01' };

beforeAll(async () => {
  kit = await edgeKit();
  const { operator } = await kit.start({
    SERVICE_CODE_IN_RESPONSE: 'true',
    SERVICE_CODES_PER_MEMBER_PER_HOUR: '100',
  });
  ({ http } = await freshTenant(operator, ['admin']));
  rows = (await kit.server.connect('eas')).db;
  for (const member_id of ['A-1', 'A-2']) {
    const made = await http.post('/v1/members', { ...PERSON, member_id });
    if (made.status !== 200) throw new Error(`no member: ${made.text}`);
  }
});

afterAll(async () => {
  await kit.stop();
});

const start = async (member_id = 'A-1') => (await http.post('/v1/member-auth/start', { member_id })).json;
const verify = (challenge_id: string, code: string, headers = {}): Promise<Answer> =>
  http.post('/v1/member-auth/verify', { challenge_id, code }, headers);
const wrong = (code: string): string => String((Number(code) + 1) % 1_000_000).padStart(6, '0');
const refused = { status: 401, json: { code: 'UNAUTHENTICATED' } };
const codes = () => rows.collection<{ _id: string; tries: number; status: string }>('access_codes');

async function signedIn(member_id = 'A-1') {
  const { challenge_id, code } = await start(member_id);
  return (await verify(challenge_id, code)).json;
}
const refresh = (refresh_token: string, headers = {}) =>
  http.post('/v1/member-auth/refresh', { refresh_token }, headers);

/** Routes of advocacy on which this member's record was read with a token, as custody has them. */
async function readsOf(memberId: string): Promise<readonly string[]> {
  const { items } = (await http.get(`/v1/custody?subject_kind=MEMBER&subject_id=${memberId}&limit=500`)).json;
  return items
    .filter(({ action }: { action: string }) => action === 'READ_MEMBER_RECORD')
    .map(({ detail }: { detail: { route: string } }) => detail.route)
    .filter((route: string) => route.startsWith('/v1/advocacy/'));
}

describe('a one-time code', () => {
  it('opens a session once, and is stored only as a hash', async () => {
    const { challenge_id, code } = await start();
    expect(code).toMatch(/^\d{6}$/);
    const stored = await codes().findOne({ _id: challenge_id });
    expect(JSON.stringify(stored)).not.toContain(code);
    const opened = await verify(challenge_id, code);
    expect(opened).toMatchObject({ status: 200, json: { token_type: 'Bearer', member_id: 'A-1' } });
    expect(await verify(challenge_id, code)).toMatchObject(refused);
  });

  it('allows five attempts, also for concurrent requests', async () => {
    const { challenge_id, code } = await start();
    const answers = await Promise.all(Array.from({ length: 100 }, () => verify(challenge_id, wrong(code))));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]));
    expect(await codes().findOne({ _id: challenge_id })).toMatchObject({ tries: 5, status: 'LOCKED' });
    expect(await verify(challenge_id, code)).toMatchObject(refused);
  });

  it('opens one session for many concurrent correct requests', async () => {
    const { challenge_id, code } = await start();
    const answers = await Promise.all(Array.from({ length: 20 }, () => verify(challenge_id, code)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it('is invalid after its expiry', async () => {
    const { challenge_id, code } = await start();
    await codes().updateOne({ _id: challenge_id }, { $set: { expires_at: new Date(Date.now() - 1) } });
    expect(await verify(challenge_id, code)).toMatchObject(refused);
    expect(await codes().findOne({ _id: challenge_id })).toMatchObject({ tries: 0, status: 'EXPIRED' });
  });

  it('gets the same answer for an unknown member, and is invalid', async () => {
    const [known, unknown] = [await start('A-1'), await start('nobody')];
    expect(Object.keys(unknown)).toEqual(Object.keys(known));
    expect(unknown.challenge_id).toMatch(/^chl_/);
    expect(await verify(unknown.challenge_id, unknown.code)).toMatchObject(refused);
    const never = await verify('chl_01JQ0000000000000000000001', '000000');
    const tried = await verify(known.challenge_id, wrong(known.code));
    expect(never.json.message).toBe(tried.json.message);
  });

  it('of one kind is invalid for the other kind', async () => {
    const { challenge_id, code } = await start();
    expect(await http.post('/v1/ava-access/verify', { request_id: challenge_id, code })).toMatchObject(refused);
    expect((await verify(challenge_id, code)).status).toBe(200);
  });
});

describe('a token of member access', () => {
  it('reads its own member only, and no other route', async () => {
    const mine = (await http.post('/v1/events', envelope('mine', { member_id: 'A-1' }))).json.event_id;
    const other = (await http.post('/v1/events', envelope('other', { member_id: 'A-2' }))).json.event_id;
    const member = http.as((await signedIn()).access_token);
    const listed = await member.get('/v1/events');
    expect(listed.json.items.map((item: never) => item['event_id'])).toEqual([mine]);
    expect((await member.get(`/v1/events/${mine}`)).status).toBe(200);
    expect((await member.get(`/v1/events/${other}`)).status).toBe(404);
    expect((await member.get('/v1/events?member_id=A-2')).status).toBe(403);
    expect((await member.get('/v1/documents')).json.items).toEqual([]);
    const shared = await upload(http, 'About both of them.', { member_id: JSON.stringify(['A-2', 'A-1']) });
    const told = await member.get(`/v1/documents/${shared.json.document_id}/metadata`);
    expect(told.json).toMatchObject({ member_id: 'A-1', member_ids: ['A-1'] });
    expect((await member.get('/v1/documents')).text).not.toContain('A-2');
    expect((await member.get('/v1/members/A-1')).json).toMatchObject({ member_id: 'A-1', name: PERSON.name });
    expect((await member.get('/v1/members/A-2')).status).toBe(404);
    for (const path of ['/v1/members', '/v1/consent', '/v1/custody', '/v1/bundles', `/v1/events/${mine}/proof`]) {
      expect((await member.get(path)).status).toBe(403);
    }
    expect((await member.post('/graphql', { query: '{ events { items { event_id } } }' })).status).toBe(403);
  });

  it('explains and checks events of its member only, without entries', async () => {
    const mine = (await http.post('/v1/events', envelope('explained', { member_id: 'A-1' }))).json.event_id;
    const other = (await http.post('/v1/events', envelope('not-mine', { member_id: 'A-2' }))).json.event_id;
    const { access_token } = await signedIn();
    const member = http.as(access_token);
    for (const answer of ['explain', 'guideline']) {
      const path = `/v1/advocacy/${answer}`;
      expect((await member.get(`${path}/${mine}`)).json).toMatchObject({ event_id: mine });
      expect(await member.get(`${path}/${other}`)).toMatchObject({ status: 404, json: { code: 'NOT_FOUND' } });
      expect(await member.get(`${path}/${mine}?record=true`)).toMatchObject({
        status: 403,
        json: { code: 'FORBIDDEN' },
      });
    }
    expect(await member.post(`/v1/advocacy/recode/${mine}`, {})).toMatchObject({ status: 403 });
    const { items } = (await http.get('/v1/events?source_system=_records&event_family=advocacy')).json;
    expect(items).toEqual([]);
    // A member's own reads are in the access log alone (docs/custody.md).
    expect(await readsOf('A-1')).toEqual([]);
    const sessions = rows.collection<{ _id: string }>('member_sessions');
    const soon = new Date(Date.now() - 1);
    await sessions.updateMany({ member_id: 'A-1' }, { $set: { access_until: soon, ends_at: soon } });
    for (const answer of ['explain', 'guideline']) {
      expect(await member.get(`/v1/advocacy/${answer}/${mine}`)).toMatchObject(refused);
    }
  });

  it('is renewed by a refresh token once; a second use ends the session', async () => {
    const first = await signedIn();
    const second = (await refresh(first.refresh_token)).json;
    expect((await http.as(first.access_token).get('/v1/events')).status).toBe(401);
    expect((await http.as(second.access_token).get('/v1/events')).status).toBe(200);
    expect(await refresh(first.refresh_token)).toMatchObject(refused);
    expect((await http.as(second.access_token).get('/v1/events')).status).toBe(401);
    expect(await refresh(second.refresh_token)).toMatchObject(refused);
  });

  it('returns the same renewal for a repeated request with its Idempotency-Key', async () => {
    const { refresh_token } = await signedIn();
    const key = keyed();
    const [once, again] = [await refresh(refresh_token, key), await refresh(refresh_token, key)];
    expect(again.json).toEqual(once.json);
    expect((await http.as(once.json.access_token).get('/v1/events')).status).toBe(200);
  });

  it('survives a guessed refresh token', async () => {
    const { access_token, refresh_token } = await signedIn();
    expect(await refresh(`${refresh_token.slice(0, -4)}AAAA`)).toMatchObject(refused);
    expect((await http.as(access_token).get('/v1/events')).status).toBe(200);
  });

  it('is invalid at once after a logout, by the member or by a key', async () => {
    const [one, two] = [await signedIn(), await signedIn()];
    expect((await http.as(one.access_token).post('/v1/member-auth/logout', {})).json).toEqual({ logged_out: true });
    await http.post('/v1/member-auth/logout', { token: two.refresh_token });
    for (const { access_token, refresh_token } of [one, two]) {
      expect((await http.as(access_token).get('/v1/events')).status).toBe(401);
      expect(await refresh(refresh_token)).toMatchObject(refused);
    }
    expect((await http.post('/v1/member-auth/logout', { token: 'nothing of ours' })).json).toEqual({
      logged_out: true,
    });
  });
});

describe('access of a representative', () => {
  const ask = async (over: object = {}) =>
    (
      await http.post('/v1/ava-access/request', {
        member_id: 'A-2',
        purpose: 'appeal_support',
        requested_by: 'ava-1',
        ...over,
      })
    ).json;
  const open = async (request: { request_id: string; code: string }) =>
    (await http.post('/v1/ava-access/verify', { request_id: request.request_id, code: request.code })).json;

  it('lasts at most 15 minutes, follows consent, and is recorded in custody at every read', async () => {
    const secret = { ...envelope('ava-secret', { member_id: 'A-2' }), payload: { sensitivity: ['42CFR2'] } };
    await http.post('/v1/events', secret);
    const request = await ask();
    expect(request).toMatchObject({ status: 'PENDING', delivery: 'log' });
    const token = await open(request);
    expect(token).toMatchObject({ member_id: 'A-2', purpose: 'APPEAL_SUPPORT', scopes: ['member:self'] });
    expect(Date.parse(token.expires_at) - Date.now()).toBeLessThanOrEqual(900_000);
    const listed = await http.as(token.access_token).get('/v1/events');
    expect(listed.json.withheld).toEqual({ count: 1, reason: '42CFR2' });
    const custody = await http.get('/v1/custody?subject_kind=MEMBER&subject_id=A-2');
    const [entry] = custody.json.items.filter((item: never) => item['action'] === 'READ_MEMBER_RECORD');
    expect(entry).toMatchObject({ purpose: 'APPEAL_SUPPORT', recipient: 'ava-1', member_ids: ['A-2'] });
    expect((await http.post('/v1/ava-access/request', { ...PERSON, ttl_seconds: 901 })).status).toBe(400);
  });

  it('is revoked before and after its verification', async () => {
    const early = await ask();
    const revoked = await http.post(`/v1/ava-access/${early.request_id}/revoke`, {});
    expect(revoked.json).toMatchObject({ status: 'REVOKED' });
    expect(await http.post('/v1/ava-access/verify', { request_id: early.request_id, code: early.code })).toMatchObject(
      refused,
    );
    const late = await ask();
    const { access_token } = await open(late);
    await http.post(`/v1/ava-access/${late.request_id}/revoke`, {});
    expect((await http.as(access_token).get('/v1/events')).status).toBe(401);
  });

  it('explains and checks events of that member in custody until it is revoked', async () => {
    const theirs = (await http.post('/v1/events', envelope('for-ava', { member_id: 'A-2' }))).json.event_id;
    const other = (await http.post('/v1/events', envelope('not-for-ava', { member_id: 'A-1' }))).json.event_id;
    const request = await ask();
    const { access_token } = await open(request);
    const ava = http.as(access_token);
    for (const answer of ['explain', 'guideline']) {
      const path = `/v1/advocacy/${answer}`;
      expect((await ava.get(`${path}/${theirs}`)).json).toMatchObject({ event_id: theirs });
      expect((await ava.get(`${path}/${other}`)).status).toBe(404);
      expect((await ava.get(`${path}/${theirs}?record=true`)).status).toBe(403);
    }
    expect(await readsOf('A-2')).toEqual(['/v1/advocacy/explain/{event_id}', '/v1/advocacy/guideline/{event_id}']);
    await http.post(`/v1/ava-access/${request.request_id}/revoke`, {});
    for (const answer of ['explain', 'guideline']) {
      expect(await ava.get(`/v1/advocacy/${answer}/${theirs}`)).toMatchObject(refused);
    }
  });

  it('opens nothing for a member known only from events', async () => {
    await http.post('/v1/events', envelope('event-alone', { member_id: 'A-3' }));
    const request = await ask({ member_id: 'A-3' });
    expect(
      await http.post('/v1/ava-access/verify', { request_id: request.request_id, code: request.code }),
    ).toMatchObject(refused);
    await http.post('/v1/members', { ...PERSON, member_id: 'A-3' });
    expect(await open(await ask({ member_id: 'A-3' }))).toMatchObject({ member_id: 'A-3' });
  });

  it('writes every step to the ledger without code, token or member', async () => {
    const told = await http.get('/v1/events?source_system=_records&event_family=ava-access&limit=500');
    const types = new Set(told.json.items.map((item: never) => item['event_type']));
    for (const type of ['ava-access.requested', 'ava-access.verified', 'ava-session.opened', 'ava-session.ended']) {
      expect(types).toContain(type);
    }
    expect(told.text).not.toMatch(/eva_|emt_|"A-2"/);
  });
});

it('the number of codes is limited for known and unknown members', async () => {
  const { operator } = await kit.start({ SERVICE_CODES_PER_MEMBER_PER_HOUR: '3' });
  const { http: own } = await freshTenant(operator, ['admin']);
  for (const member_id of ['nobody', 'nobody-else']) {
    const asked = async () => (await own.post('/v1/member-auth/start', { member_id })).status;
    expect([await asked(), await asked(), await asked()]).toEqual([200, 200, 200]);
    const fourth = await own.post('/v1/member-auth/start', { member_id });
    expect(fourth).toMatchObject({ status: 429, json: { code: 'RATE_LIMITED' } });
    expect(Number(fourth.headers.get('retry-after'))).toBeGreaterThan(0);
  }
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type EdgeKit, edgeKit, keyed } from '../../rest-facade/edge-kit.js';
import { freshTenant, type Http } from '../../support/http.js';

let kit: EdgeKit;
let operator: Http;
let http: Http;
let second: Http;

beforeAll(async () => {
  kit = await edgeKit();
  const unlimited = { SERVICE_RATE_LIMIT_PER_MINUTE: '0' };
  operator = (await kit.start(unlimited)).operator;
  ({ http } = await freshTenant(operator, ['admin']));
  second = (await kit.start(unlimited)).operator.as(http.key);
});

afterAll(() => kit.stop());

const APPOINTMENTS = '/v1/appointments';
const CARE_TEAM = '/v1/care-team';
const DOCTOR = { npi: '1234567893', name: 'Dr. A. Okafor' };
const at = (hour: number, minute = 0): string => new Date(Date.UTC(2026, 3, 1, hour, minute)).toISOString();

// biome-ignore lint/suspicious/noExplicitAny: the test checks the shape of the answer.
async function made(path: string, body: Record<string, unknown>, as = http): Promise<any> {
  const answer = await as.post(path, body);
  if (answer.status !== 200) throw new Error(`not made: ${answer.text}`);
  return answer.json;
}
const visit = (over: Record<string, unknown> = {}) => made(APPOINTMENTS, { member_id: 'V-1', ...over });
const step = (id: string, action: string, body: object = {}) => http.post(`${APPOINTMENTS}/${id}/${action}`, body);
const carerStep = (id: string, action: string, body: object = {}) => http.post(`${CARE_TEAM}/${id}/${action}`, body);
const idsAt = async (path: string, id: string): Promise<string[]> =>
  (await http.get(path)).json.items.map((item: Record<string, string>) => item[id]);
const told = async (family: string, idName: string, id: string): Promise<string[]> => {
  const { items } = (await http.get(`/v1/events?source_system=_records&event_family=${family}&order=asc&limit=500`))
    .json;
  // biome-ignore lint/suspicious/noExplicitAny: rows of an answer.
  const own = items.filter((item: any) => item.payload[idName] === id);
  expect(JSON.stringify(own)).not.toMatch(/V-1|1234567893|Okafor/);
  return own.map((item: { event_type: string }) => item.event_type);
};

describe('/v1/appointments', () => {
  it('takes an appointment from proposed to fulfilled, with a ledger entry for every step', async () => {
    const first = await visit({ service_type: 'PEER_TO_PEER', reason: 'Denial of PA-1.' });
    const id = first.appointment_id;
    expect(first).toMatchObject({ status: 'proposed', start: null, revision: 1, practitioner: null });
    expect((await http.get(`${APPOINTMENTS}/${id}`)).json).toEqual(first);
    expect((await step(id, 'book')).json).toMatchObject({ code: 'VALIDATION_ERROR', errors: [{ path: '/start' }] });
    const booked = (await step(id, 'book', { start: at(1), end: at(2), practitioner: DOCTOR, revision: 1 })).json;
    expect(booked).toMatchObject({ status: 'booked', start: at(1), end: at(2), practitioner: DOCTOR, revision: 2 });
    expect((await step(id, 'cancel', { revision: 1 })).json.code).toBe('CONFLICT');
    expect((await step(id, 'reschedule', { location: 'Room 4' })).status).toBe(400);
    expect((await step(id, 'reschedule', { start: at(3), end: at(4) })).json).toMatchObject({ start: at(3) });
    for (const [action, status] of [
      ['arrive', 'arrived'],
      ['check-in', 'checked-in'],
      ['fulfil', 'fulfilled'],
    ] as const) {
      expect((await step(id, action)).json.status).toBe(status);
    }
    expect(await step(id, 'cancel')).toMatchObject({
      status: 409,
      json: { code: 'INVALID_TRANSITION', allowed: ['mark-in-error'] },
    });
    const types = ['proposed', 'booked', 'rescheduled', 'arrived', 'checked-in', 'fulfilled'];
    expect(await told('appointment', 'appointment_id', id)).toEqual(types.map((type) => `appointment.${type}`));
  });

  it('lists by time, filtered by member, practitioner, status and time', async () => {
    const of = (member_id: string, hour: number) =>
      visit({ member_id, start: at(hour), end: at(hour, 30), practitioner: { npi: '1000000004' } });
    const [late, early] = [await of('V-list', 20), await of('V-list', 19)];
    const ids = [early.appointment_id, late.appointment_id];
    const path = `${APPOINTMENTS}?order=asc&`;
    for (const query of ['member_id=V-list', 'practitioner=1000000004', `from=${at(19)}&to=${at(20, 1)}`]) {
      expect(await idsAt(path + query, 'appointment_id')).toEqual(ids);
    }
    expect(await idsAt(`${path}member_id=V-list&from=${at(20)}`, 'appointment_id')).toEqual([late.appointment_id]);
    await step(late.appointment_id, 'cancel', { reason: 'Ill.' });
    const [cancelled] = (await http.get(`${path}member_id=V-list&status=cancelled`)).json.items;
    expect(cancelled).toMatchObject({ appointment_id: late.appointment_id, cancellation_reason: 'Ill.' });
  });

  it('books one of a hundred concurrent overlapping appointments at two processes', async () => {
    const practitioner = { npi: '1000000012' };
    const tries = Array.from({ length: 100 }, (_, n) =>
      [http, second][n % 2]?.post(APPOINTMENTS, {
        member_id: `V-${n}`,
        practitioner,
        // Each begins a little later than the one before: they share the hour from 11:40 on and no start.
        start: new Date(Date.UTC(2026, 3, 1, 10, n)).toISOString(),
        end: new Date(Date.UTC(2026, 3, 1, 12, n)).toISOString(),
      }),
    );
    const answers = await Promise.all(tries);
    expect(answers.filter((answer) => answer?.status === 200)).toHaveLength(1);
    const refused = answers.filter((answer) => answer?.status !== 200);
    expect(new Set(refused.map((answer) => `${answer?.status} ${answer?.json.code}`))).toEqual(
      new Set(['409 CONFLICT']),
    );
    expect(await idsAt(`${APPOINTMENTS}?practitioner=1000000012`, 'appointment_id')).toHaveLength(1);
  });

  it('frees a time after a cancellation or a move, and does not reserve it for a proposal', async () => {
    const { actor_id: actor } = await made('/v1/actors', { name: 'Dr. Free' });
    const practitioner = { actor };
    const of = (hour: number, over: object = {}) =>
      http.post(APPOINTMENTS, { member_id: 'V-1', practitioner, start: at(hour), end: at(hour + 1), ...over });
    const [first, waiting] = [(await of(1)).json, (await of(1, { status: 'waitlist' })).json];
    expect((await of(2)).status).toBe(200);
    expect((await step(waiting.appointment_id, 'book')).json.code).toBe('CONFLICT');
    expect((await step(first.appointment_id, 'reschedule', { start: at(1, 30), end: at(2, 30) })).status).toBe(409);
    expect((await step(first.appointment_id, 'reschedule', { start: at(0, 30), end: at(1, 30) })).status).toBe(200);
    expect((await step(waiting.appointment_id, 'book')).status).toBe(409);
    expect((await step(first.appointment_id, 'no-show')).json.status).toBe('noshow');
    expect((await step(waiting.appointment_id, 'book')).json.status).toBe('booked');
    expect((await of(1)).status).toBe(409);
  });

  it('stores two overlapping appointments of one member with two practitioners, and two with none', async () => {
    const { actor_id: actor } = await made('/v1/actors', { name: 'Dr. A' });
    const others: readonly object[] = [
      { practitioner: { npi: '1000000038' } },
      { practitioner: { actor } },
      { practitioner: { name: 'Dr. B' } },
      { practitioner: { name: 'Dr. B' } },
      {},
      {},
    ];
    for (const other of others) await visit({ member_id: 'V-overlap', start: at(7), end: at(8), ...other });
    expect(await idsAt(`${APPOINTMENTS}?member_id=V-overlap`, 'appointment_id')).toHaveLength(others.length);
  });

  it('creates once and steps once for repeated requests', async () => {
    const [key, again] = [keyed(), keyed()];
    const body = { member_id: 'V-once', start: at(5), end: at(6), practitioner: { npi: '1000000020' } };
    const first = await http.post(APPOINTMENTS, body, key);
    expect((await second.post(APPOINTMENTS, body, key)).json).toEqual(first.json);
    const path = `${APPOINTMENTS}/${first.json.appointment_id}/cancel`;
    const cancelled = await http.post(path, {}, again);
    expect([cancelled.status, (await second.post(path, {}, again)).json]).toEqual([200, cancelled.json]);
  });
});

describe('/v1/care-team', () => {
  const carer = (over: Record<string, unknown> = {}) =>
    made(CARE_TEAM, { member_id: 'V-1', role: 'PRIMARY_CARE', ...DOCTOR, ...over });

  it('adds, suspends, resumes and ends an entry, with a ledger entry for every step', async () => {
    const first = await carer();
    const id = first.care_team_id;
    expect(first).toMatchObject({ status: 'active', ...DOCTOR, period: { start: null, end: null } });
    expect((await http.get(`${CARE_TEAM}/${id}`)).json).toEqual(first);
    for (const [action, status] of [
      ['suspend', 'suspended'],
      ['resume', 'active'],
    ] as const) {
      expect((await carerStep(id, action)).json.status).toBe(status);
    }
    const ended = (await carerStep(id, 'end', { reason: 'Moved away.', revision: 3 })).json;
    expect(ended).toMatchObject({ status: 'inactive', ended_reason: 'Moved away.' });
    expect(ended.period.end).toEqual(ended.updated_at);
    expect((await carerStep(id, 'resume')).json.code).toBe('INVALID_TRANSITION');
    const types = ['added', 'suspended', 'resumed', 'ended'];
    expect(await told('care-team', 'care_team_id', id)).toEqual(types.map((type) => `care-team.${type}`));
    // A place that was given up is free.
    expect((await carer({ period: { start: ended.period.end } })).status).toBe('active');
  });

  it('rejects the same carer and role in an overlapping period, with the id of the other entry', async () => {
    const body = { member_id: 'V-twice', role: 'PCP', npi: '1000000038' };
    const period = { start: at(1), end: at(9) };
    const first = await made(CARE_TEAM, { ...body, period });
    const again = await http.post(CARE_TEAM, { ...body, role: ' pcp ', period: { start: at(8) } });
    expect(again).toMatchObject({ status: 409, json: { code: 'CONFLICT', care_team_id: first.care_team_id } });
    expect((await http.post(CARE_TEAM, { ...body, period: { start: at(9) } })).status).toBe(200);
    expect((await http.post(CARE_TEAM, { ...body, role: 'SPECIALIST', period })).status).toBe(200);
    expect((await http.post(CARE_TEAM, { member_id: 'V-twice', role: 'PCP' })).status).toBe(400);
  });

  it('adds one of twenty concurrent equal entries at two processes', async () => {
    const body = { member_id: 'V-race', role: 'PCP', npi: '1000000046' };
    const tries = Array.from({ length: 20 }, (_, n) => [http, second][n % 2]?.post(CARE_TEAM, body));
    const codes = (await Promise.all(tries)).map((answer) => answer?.status);
    expect(codes.filter((code) => code === 200)).toHaveLength(1);
    expect(new Set(codes)).toEqual(new Set([200, 409]));
  });
});

describe('appointments and care teams', () => {
  it('are found under every merged identifier, and keep the identifier as given', async () => {
    for (const member_id of ['V-a', 'V-b']) await made('/v1/members', { member_id, name: { family: 'Sameson' } });
    const appointment = await visit({ member_id: 'V-b', start: at(7), end: at(8) });
    const entry = { role: 'PCP', npi: '1000000053' };
    const carer = await made(CARE_TEAM, { member_id: 'V-b', ...entry });
    await made('/v1/members/V-a/merge', { source_member_id: 'V-b' });
    for (const member of ['V-a', 'V-b']) {
      expect((await http.get(`${APPOINTMENTS}?member_id=${member}`)).json.items).toEqual([appointment]);
      expect((await http.get(`${CARE_TEAM}?member_id=${member}`)).json.items).toEqual([carer]);
    }
    expect((await http.post(CARE_TEAM, { member_id: 'V-a', ...entry })).json.care_team_id).toBe(carer.care_team_id);
  });

  it('are on the timeline of a member known only from them, under consent', async () => {
    const visited = await visit({ member_id: 'V-line', start: at(7), end: at(8), service_type: 'CHECK' });
    const carer = await made(CARE_TEAM, { member_id: 'V-line', role: 'PCP', npi: '1000000061' });
    const { json } = await http.get('/v1/members/V-line/timeline');
    expect(json.member).toBeNull();
    const seen = json.items.map(({ kind, id, type, status }: Record<string, string>) => [kind, id, type, status]);
    expect(seen).toHaveLength(2);
    expect(seen).toContainEqual(['APPOINTMENT', visited.appointment_id, 'CHECK', 'booked']);
    expect(seen).toContainEqual(['CARE_TEAM', carer.care_team_id, 'PCP', 'active']);
    const deny = { member_id: 'V-line', decision: 'DENY', purpose: 'RESEARCH', categories: ['appointment'] };
    await made('/v1/consent', deny);
    const stated = await http.get('/v1/members/V-line/timeline?purpose=RESEARCH&kinds=APPOINTMENT,CARE_TEAM');
    expect(stated.json.items.map(({ kind }: { kind: string }) => kind)).toEqual(['CARE_TEAM']);
    expect(stated.json.withheld).toEqual({ count: 1, reason: 'CONSENT_DENIED' });
  });

  it('require their scopes, and are invisible to other tenants', async () => {
    const { http: reader } = await freshTenant(operator, ['appointments:read', 'care-team:read']);
    expect((await reader.post(APPOINTMENTS, { member_id: 'V-1' })).status).toBe(403);
    expect((await reader.post(CARE_TEAM, { member_id: 'V-1', role: 'PCP', npi: '1234567893' })).status).toBe(403);
    const { appointment_id } = await visit();
    expect((await reader.get(`${APPOINTMENTS}/${appointment_id}`)).status).toBe(404);
    expect((await reader.get(APPOINTMENTS)).json.items).toEqual([]);
    expect((await reader.get(CARE_TEAM)).json.items).toEqual([]);
  });
});

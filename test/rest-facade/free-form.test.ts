import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ended } from '../bundles/bundles-kit.js';
import { envelope } from '../support/envelopes.js';
import { freshTenant, type Http } from '../support/http.js';
import { startWholeService, type WholeService } from '../support/whole-service.js';

let service: WholeService;
let http: Http;
let tenantId: string;
beforeAll(async () => {
  service = await startWholeService({ SERVICE_CODE_IN_RESPONSE: 'true' });
  ({ http, tenantId } = await freshTenant(service.operator, ['admin']));
}, 180_000);
afterAll(() => service.stop());

const APPOINTMENT = { member_id: 'M-1', service_type: 'PEER_TO_PEER' };
const CARER = { member_id: 'M-1', role: 'PRIMARY_CARE', npi: '1234567893' };
const DECISION = {
  decision_type: 'DENIAL',
  model: { name: 'um', version: '1' },
  inputs: { a: 1 },
  recommendation: 'DENY',
};
const OVERRIDE = { outcome: 'APPROVE', reason: 'Documented.', overridden_by: 'dr-17' };

/** Names that no database takes as a member, and values of every kind. */
const UNKNOWN = { 'x.y': [1, { $set: null }], $where: 'a\u0000b', 'a\u0000b': 0.1, deep: { a: { b: [] } } };

const warned = (names: readonly string[]) =>
  names.map((name) => expect.objectContaining({ pointer: `/${name}`, code: 'unknown_field' }));

describe('free-form bodies', () => {
  it.each([
    ['/v1/actors', { name: 'Jordan' }, 'actor_id'],
    ['/v1/appointments', APPOINTMENT, 'appointment_id'],
    ['/v1/care-team', CARER, 'care_team_id'],
    ['/v1/ai-decisions', DECISION, 'decision_id'],
  ])('keep unknown members of POST %s under `extra`, and give them back', async (path, body, id) => {
    const made = await http.post(path, { ...body, ...UNKNOWN });
    expect(made.json).toMatchObject({ extra: UNKNOWN, warnings: warned(Object.keys(UNKNOWN)) });
    expect(made.status).toBe(200);
    const listed = (await http.get(path)).json.items.find((item: Record<string, string>) => item[id] === made.json[id]);
    expect(listed.extra).toEqual(UNKNOWN);
    expect(listed).not.toHaveProperty('warnings');
  });

  it('keep unknown members of nested objects and lists at their places', async () => {
    const { json } = await http.post('/v1/appointments', {
      ...APPOINTMENT,
      practitioner: { npi: '1234567893', fax: '555' },
      participants: [{ reference: 'a' }, { reference: 'b', Rolle: 'x' }],
    });
    expect(json.extra).toEqual({ practitioner: { fax: '555' }, participants: { 1: { Rolle: 'x' } } });
    expect(json.warnings).toEqual([
      { pointer: '/practitioner/fax', code: 'unknown_field' },
      { pointer: '/participants/1/Rolle', code: 'unknown_field', did_you_mean: 'role' },
    ]);
  });

  it('name the member that a mistyped one means', async () => {
    const { json } = await http.post('/v1/appointments', { member_id: 'M-1', serviceType: 'A', reasn: 'B' });
    expect(json.warnings).toEqual([
      { pointer: '/serviceType', code: 'unknown_field', did_you_mean: 'service_type' },
      { pointer: '/reasn', code: 'unknown_field', did_you_mean: 'reason' },
    ]);
    const missing = await http.post('/v1/appointments', { memberId: 'M-1' });
    expect(missing.json).toMatchObject({
      status: 400,
      errors: [{ path: '/member_id', code: 'required' }],
      warnings: [{ pointer: '/memberId', did_you_mean: 'member_id' }],
    });
  });

  it('answer without warnings and `extra` if every member is known', async () => {
    const { json } = await http.post('/v1/appointments', { ...APPOINTMENT, tenant_id: tenantId });
    expect(Object.keys(json)).not.toEqual(expect.arrayContaining(['warnings']));
    expect(json).not.toHaveProperty('extra');
  });

  it('reject more than 16 KiB of unknown members, and a member that `extra` repeats', async () => {
    const fits = { remark: 'n'.repeat(16_384 - '{"remark":""}'.length) };
    expect((await http.post('/v1/care-team', { ...CARER, role: 'A', ...fits })).status).toBe(200);
    const over = await http.post('/v1/care-team', { ...CARER, role: 'B', remark: 'n'.repeat(16_384) });
    expect(over.json).toMatchObject({ status: 400, errors: [{ path: '/extra', code: 'length' }] });
    const twice = await http.post('/v1/appointments', { ...APPOINTMENT, a: 1, extra: { a: 2 } });
    expect(twice.json).toMatchObject({ status: 400, errors: [{ path: '/extra/a', code: 'repeated' }] });
    const whole = await http.post('/v1/appointments', { ...APPOINTMENT, a: 1, extra: { b: 2 } });
    expect(whole.json.extra).toEqual({ a: 1, b: 2 });
  });

  it('hash the unknown members of an AI decision and its override with their entries', async () => {
    const { json } = await http.post('/v1/ai-decisions', { ...DECISION, model: { ...DECISION.model, vendor: 'V' } });
    expect(json.extra).toEqual({ model: { vendor: 'V' } });
    const entry = (await http.get(`/v1/events/${json.provenance.event_id}`)).json;
    expect(entry.payload.extra).toEqual(json.extra);
    const overridden = await http.post(`/v1/ai-decisions/${json.decision_id}/override`, { ...OVERRIDE, ticket: 7 });
    expect(overridden.json).toMatchObject({ overrides: [{ extra: { ticket: 7 } }], warnings: warned(['ticket']) });
    expect((await http.get(`/v1/ai-decisions/${json.decision_id}`)).json.overrides[0].extra).toEqual({ ticket: 7 });
  });

  it('give an idempotent repeat the same warnings', async () => {
    const key = { 'idempotency-key': '01JQ3ZK5V0000000000000000A' };
    const body = { ...APPOINTMENT, colour: 'red' };
    const first = await http.post('/v1/appointments', body, key);
    const again = await http.post('/v1/appointments', body, key);
    expect(again.text).toBe(first.text);
    expect(first.json.warnings).toEqual(warned(['colour']));
  });

  it('only list the unknown members where nothing is stored', async () => {
    const actor = (await http.post('/v1/actors', { name: 'A' })).json.actor_id;
    const given = await http.post(`/v1/actors/${actor}/roles/analyst`, { why: 'new' });
    expect(given.json).toMatchObject({ role_ids: ['analyst'], warnings: warned(['why']) });
    expect(given.json).not.toHaveProperty('extra');
    const event = (await http.post('/v1/events', envelope('free-form', { outcome: 'DENIED' }))).json.event_id;
    const recoded = await http.post(`/v1/advocacy/recode/${event}`, { note: 'x' });
    expect(recoded.json.warnings).toEqual([{ pointer: '/note', code: 'unknown_field', did_you_mean: 'notes' }]);
  });

  it('keep what a regeneration says with the new bundle, and prove it by its fact', async () => {
    const asked = await http.post('/v1/bundles', { scope: { member_id: 'M-free' } });
    const id = asked.json.bundle_id;
    await ended(http, id);
    const checked = await http.post(`/v1/bundles/${id}/verify-signature`, { reason: 'audit' });
    expect(checked.json).toMatchObject({ valid: true, warnings: warned(['reason']) });
    const again = await http.post(`/v1/bundles/${id}/regenerate`, { reason: 'New events.' });
    expect(again.json).toMatchObject({ regenerated_from: id, extra: { reason: 'New events.' } });
    await ended(http, again.json.bundle_id);
    expect((await http.get(`/v1/bundles/${again.json.bundle_id}`)).json.extra).toEqual({ reason: 'New events.' });
    expect((await http.post(`/v1/bundles/${again.json.bundle_id}/regenerate`, undefined)).status).toBe(200);
  });

  it('keep what a request of access says, and list what its verification says', async () => {
    const member = { member_id: 'M-ava', name: { family: 'A', given: ['B'] }, birth_date: '1980-01-01' };
    await http.post('/v1/members', member);
    const body = { member_id: 'M-ava', purpose: 'CARE_COORDINATION', requested_by: 'ava', channel: 'chat' };
    const asked = await http.post('/v1/ava-access/request', body);
    expect(asked.json).toMatchObject({ extra: { channel: 'chat' }, warnings: warned(['channel']) });
    const { request_id, code } = asked.json;
    const opened = await http.post('/v1/ava-access/verify', { request_id, code, device: 'x' });
    expect(opened.json.warnings ?? opened.json).toEqual(warned(['device']));
  });
});

describe('strict bodies', () => {
  it.each([
    ['/v1/events', { ...envelope('strict'), member_id: undefined, memberId: 'M-1' }, '/memberId', 'member_id'],
    ['/v1/bundles', { scope: { member_id: 'M-1' }, bundletype: 'MEMBER' }, '/bundletype', 'bundle_type'],
    ['/v1/bundles', { scope: { memberid: 'M-1' } }, '/scope/memberid', 'member_id'],
    ['/v1/api-keys', { name: 'k', scopes: [], expiresAt: null }, '/expiresAt', 'expires_at'],
    ['/v1/webhooks', { url: 'https://a.test', event_type: ['*'] }, '/event_type', 'event_types'],
  ])('reject an unknown member of POST %s and name the nearest one', async (path, body, at, nearest) => {
    const { status, json } = await http.post(path, body);
    expect(status).toBe(400);
    const found = json.errors.find((error: { path: string }) => error.path === at);
    expect(found).toMatchObject({ code: 'unknown_field', did_you_mean: nearest });
    expect(found.message).toBe(`Unknown field. Did you mean ${nearest}?`);
  });

  it('name the nearest query parameter', async () => {
    const { json } = await http.get('/v1/events?memberid=M-1');
    expect(json.errors).toEqual([expect.objectContaining({ path: '/memberid', did_you_mean: 'member_id' })]);
  });

  it('name line and column of broken JSON', async () => {
    const sent = await http.post('/v1/events', '{\n  "event_family": "a",\n  "payload": {,}\n}', {
      'content-type': 'application/json',
    });
    expect(sent.json).toMatchObject({
      code: 'MALFORMED_BODY',
      message: 'The body is not valid JSON: a name in double quotes is expected (line 3, column 15).',
      errors: [{ path: '', code: 'syntax', line: 3, column: 15 }],
    });
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Document } from 'mongodb';
import { connectDatabase, type Database } from '../../../shared/db/database.js';
import { freshTenant, type Http } from '../../support/http.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';

const NOTICE = { custodian: 'Jane Roe, Claims', text: 'Keep all records about member M-1.' };
const RELEASE = {
  authority: { kind: 'COURT_ORDER', reference: 'Dkt. 88' },
  reason: 'Dismissed.',
  released_by: 'General Counsel',
};

let service: WholeService;
let database: Database;
beforeAll(async () => {
  service = await startWholeService();
  database = await connectDatabase(service.databaseUri);
});
afterAll(async () => {
  await database.close();
  await service.stop();
});

interface Desk {
  readonly tenantId: string;
  readonly counsel: Http;
  readonly holdId: string;
}

async function desk(): Promise<Desk> {
  const { tenantId, http: counsel } = await freshTenant(service.operator, ['admin']);
  const hold = { name: 'Doe v. Acme', scope: { member_ids: ['M-1'] }, reason: 'Complaint served.' };
  return { tenantId, counsel, holdId: (await counsel.post('/v1/legal-holds', hold)).json.hold_id };
}

/** An actor with a key that opens nothing else. */
async function custodianOf({ tenantId }: Desk): Promise<{ readonly http: Http; readonly actorId: string }> {
  const actor = await service.operator.post('/v1/actors', { tenant_id: tenantId, name: 'Jane', role_ids: ['analyst'] });
  const key = { tenant_id: tenantId, name: 'Jane', scopes: ['events:read'], actor_id: actor.json.actor_id };
  const made = await service.operator.post('/v1/api-keys', key);
  return { http: service.operator.as(made.json.api_key), actorId: actor.json.actor_id };
}

async function given({ counsel, holdId }: Desk, more: object = {}): Promise<Document> {
  const { status, json } = await counsel.post(`/v1/legal-holds/${holdId}/notices`, { ...NOTICE, ...more });
  expect(status).toBe(200);
  return json;
}

const acknowledged = (http: Http, { notice_id }: Document, body: object = {}) =>
  http.post(`/v1/hold-notices/${notice_id}/acknowledge`, body);

const actsOf = async ({ counsel, holdId }: Desk): Promise<readonly string[]> => {
  const { json } = await counsel.get(`/v1/custody?subject_kind=HOLD&subject_id=${holdId}&order=asc`);
  return json.items.map(({ action }: Document) => action);
};

describe('a notice to an actor', () => {
  it('is read and acknowledged by the own key of the custodian, which needs no scope for it', async () => {
    const at = await desk();
    const jane = await custodianOf(at);
    const notice = await given(at, { custodian_id: jane.actorId });
    expect(notice).toMatchObject({ status: 'PENDING', overdue: false, reminders: 0, acknowledged_at: null });
    const own = await jane.http.get('/v1/hold-notices');
    expect(own.json.items).toMatchObject([{ notice_id: notice['notice_id'], text: NOTICE.text }]);
    const done = await acknowledged(jane.http, notice);
    expect(done).toMatchObject({ status: 200, json: { status: 'ACKNOWLEDGED', how: null } });
    expect(done.json.history.at(-1)).toMatchObject({ action: 'acknowledge', actor_id: jane.actorId });
    expect(await actsOf(at)).toEqual(['HOLD', 'NOTIFY', 'ACKNOWLEDGE']);
    expect(await acknowledged(jane.http, notice)).toMatchObject({ status: 409, json: { code: 'INVALID_TRANSITION' } });
  });

  it('is acknowledged by its custodian alone: other custodians see nothing, and staff is rejected', async () => {
    const at = await desk();
    const jane = await custodianOf(at);
    const other = await custodianOf(at);
    const stranger = await freshTenant(service.operator, ['admin']);
    const notice = await given(at, { custodian_id: jane.actorId });
    expect((await other.http.get('/v1/hold-notices')).json.items).toEqual([]);
    expect((await acknowledged(other.http, notice)).status).toBe(404);
    expect((await acknowledged(stranger.http, notice, { how: 'Told me.' })).status).toBe(404);
    expect((await acknowledged(at.counsel, notice, { how: 'Told me.' })).status).toBe(403);
    expect((await at.counsel.get('/v1/hold-notices')).status).toBe(403);
    expect((await jane.http.get(`/v1/legal-holds/${at.holdId}/notices`)).status).toBe(403);
    expect((await jane.http.post(`/v1/hold-notices/${notice['notice_id']}/withdraw`, {})).status).toBe(403);
    expect((await at.counsel.get(`/v1/legal-holds/${at.holdId}/notices`)).json.items).toMatchObject([
      { status: 'PENDING' },
    ]);
  });
});

describe('POST /v1/legal-holds/{id}/notices', () => {
  const unknownActor = 'act_01JQ00000000000000000000ZZ';

  it('rejects a custodian_id that names no actor of the tenant, or a suspended one', async () => {
    const at = await desk();
    const elsewhere = await custodianOf(await desk());
    const jane = await custodianOf(at);
    expect(
      (await at.counsel.call(`/v1/actors/${jane.actorId}`, { method: 'PATCH', body: { status: 'SUSPENDED' } })).status,
    ).toBe(200);
    const wanted = [
      [unknownActor, 'unknown'],
      [elsewhere.actorId, 'unknown'],
      [jane.actorId, 'suspended'],
    ] as const;
    for (const [custodian_id, code] of wanted) {
      const body = { ...NOTICE, custodian_id };
      expect(await at.counsel.post(`/v1/legal-holds/${at.holdId}/notices`, body)).toMatchObject({
        status: 400,
        json: { code: 'VALIDATION_ERROR', errors: [{ path: '/custodian_id', code }] },
      });
    }
    expect((await at.counsel.get(`/v1/legal-holds/${at.holdId}/notices`)).json.items).toEqual([]);
  });
});

describe('a notice to a custodian without an actor', () => {
  it('is acknowledged by staff who say how', async () => {
    const at = await desk();
    const notice = await given(at);
    const missing = await acknowledged(at.counsel, notice);
    expect(missing).toMatchObject({ status: 400, json: { errors: [{ path: '/how' }] } });
    const done = await acknowledged(at.counsel, notice, { how: 'E-mail of 3 March 2026' });
    expect(done.json).toMatchObject({ status: 'ACKNOWLEDGED', how: 'E-mail of 3 March 2026' });
  });
});

describe('a pending notice', () => {
  it('counts reminders in custody, and is withdrawn for good', async () => {
    const at = await desk();
    const { notice_id } = await given(at);
    const path = `/v1/hold-notices/${notice_id}`;
    for (const reminders of [1, 2]) {
      expect((await at.counsel.post(`${path}/remind`, {})).json).toMatchObject({ reminders, status: 'PENDING' });
    }
    expect((await at.counsel.post(`${path}/withdraw`, {})).json).toMatchObject({ status: 'WITHDRAWN' });
    expect((await at.counsel.post(`${path}/remind`, {})).status).toBe(409);
    expect(await actsOf(at)).toEqual(['HOLD', 'NOTIFY', 'NOTIFY', 'NOTIFY', 'WITHDRAW']);
  });

  it('needs an active hold, and no reminder follows its release', async () => {
    const at = await desk();
    const { notice_id } = await given(at);
    await at.counsel.post(`/v1/legal-holds/${at.holdId}/release`, RELEASE);
    expect((await at.counsel.post(`/v1/hold-notices/${notice_id}/remind`, {})).status).toBe(409);
    expect((await at.counsel.post(`/v1/legal-holds/${at.holdId}/notices`, NOTICE)).status).toBe(409);
    const never = '/v1/legal-holds/hld_01JQ00000000000000000000ZZ/notices';
    expect((await at.counsel.post(never, NOTICE)).status).toBe(404);
    expect((await at.counsel.get(never)).status).toBe(404);
  });

  it('names the custodian in custody and no webhook or ledger payload for readers of events', async () => {
    const at = await desk();
    const { notice_id } = await given(at);
    const reader = await service.operator.post('/v1/api-keys', {
      tenant_id: at.tenantId,
      name: 'reader',
      scopes: ['events:read'],
    });
    const path = `/v1/events?source_system=_records&source_record_id=hold-notice/${notice_id}`;
    const entries = await service.operator.as(reader.json.api_key).get(path);
    expect(entries.json.items).toHaveLength(1);
    expect(entries.text).not.toContain('Jane');
    const { json } = await at.counsel.get(`/v1/custody?subject_kind=HOLD&subject_id=${at.holdId}&action=NOTIFY`);
    expect(json.items).toMatchObject([{ recipient: NOTICE.custodian, detail: { notice_id } }]);
  });

  it.each([
    ['another status', { status: 'ACKNOWLEDGED' }],
    ['another custodian', { custodian_id: 'act_01JQ00000000000000000000ZZ' }],
    ['a later end', { due_at: new Date('2099-01-01T00:00:00.000Z') }],
  ])('is not shown with %s written into the database', async (_what, edit) => {
    const at = await desk();
    const { notice_id } = await given(at);
    const rows = database.db.collection<Document & { _id: string }>('hold_notices');
    await rows.updateOne({ _id: notice_id }, { $set: edit });
    const listed = await at.counsel.get(`/v1/legal-holds/${at.holdId}/notices`);
    expect(listed).toMatchObject({ status: 500, json: { code: 'INTEGRITY_FAILURE' } });
  });
});

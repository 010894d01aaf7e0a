import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Document } from 'mongodb';
import { connectDatabase, type Database } from '../../../shared/db/database.js';
import { freshTenant, type Http } from '../../support/http.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';

const NOTICE = { custodian: 'Jane Roe, Claims', text: 'Keep all records about member M-1.' };
const NAME = { name: 'Jane Q. Roe' };
const RELEASE = {
  authority: { kind: 'COURT_ORDER', reference: 'Dkt. 88' },
  reason: 'Dismissed.',
  released_by: 'General Counsel',
};

let service: WholeService;
let database: Database;
let party: Http;
beforeAll(async () => {
  service = await startWholeService();
  database = await connectDatabase(service.databaseUri);
  party = service.operator.as(null);
});
afterAll(async () => {
  await database.close();
  await service.stop();
});

interface Desk {
  readonly tenantId: string;
  readonly admin: Http;
  readonly counsel: Http;
  /** Key of the counsel. */
  readonly keyId: string;
  readonly holdId: string;
  readonly noticeId: string;
}

/** A tenant with a hold, a notice, and a counsel who gives notices by a key. */
async function desk(): Promise<Desk> {
  const { tenantId, http: admin } = await freshTenant(service.operator, ['admin']);
  const scopes = ['holds:read', 'holds:write'];
  const key = (await service.operator.post('/v1/api-keys', { tenant_id: tenantId, name: 'counsel', scopes })).json;
  const counsel = service.operator.as(key.api_key);
  const hold = { name: 'Doe v. Acme', scope: { member_ids: ['M-1'] }, reason: 'Complaint served.' };
  const holdId = (await counsel.post('/v1/legal-holds', hold)).json.hold_id;
  const noticeId = (await counsel.post(`/v1/legal-holds/${holdId}/notices`, NOTICE)).json.notice_id;
  return { tenantId, admin, counsel, keyId: key.key_id, holdId, noticeId };
}

async function linkOf({ counsel, noticeId }: Desk): Promise<string> {
  const made = await counsel.post(`/v1/hold-notices/${noticeId}/link`, { expires_in_hours: 1 });
  expect(made.status).toBe(201);
  expect(made.json.url).toBe(`/console/notice#${made.json.token}`);
  return made.json.token;
}

const read = (token: string) => party.get(`/v1/notice-links/${token}`);
const acknowledge = (token: string, body: object = NAME) => party.post(`/v1/notice-links/${token}/acknowledge`, body);

/** Status and text of an answer, without the number of the request. */
const said = ({ status, json }: Awaited<ReturnType<typeof read>>) => [status, json.code, json.message];

describe('a link to a notice', () => {
  it('shows the notice without a key, and takes one acknowledgement with the typed name', async () => {
    const at = await desk();
    const token = await linkOf(at);
    const shown = await read(token);
    expect([shown.status, shown.json]).toEqual([
      200,
      { ...NOTICE, status: 'PENDING', due_at: expect.stringMatching(/Z$/), acknowledged_at: null },
    ]);
    expect(shown.headers.get('cache-control')).toBe('private, no-store');
    expect((await acknowledge(token, { name: ' ' })).status).toBe(400);
    expect((await acknowledge(token, {})).status).toBe(400);
    const done = await acknowledge(token);
    expect(done).toMatchObject({ status: 200, json: { status: 'ACKNOWLEDGED' } });
    expect(said(await acknowledge(token)).slice(0, 2)).toEqual([409, 'INVALID_TRANSITION']);
    expect((await read(token)).json).toEqual(done.json);
    const [row] = (await at.counsel.get(`/v1/legal-holds/${at.holdId}/notices`)).json.items;
    expect(row).toMatchObject({ status: 'ACKNOWLEDGED', how: 'By link, as Jane Q. Roe' });
    expect(JSON.stringify(row)).not.toContain(token.slice(-43));
    expect(row.history.at(-1)).toMatchObject({ action: 'acknowledge', by: 'service:hold-notice-links' });
    const custody = await at.admin.get(`/v1/custody?subject_kind=HOLD&subject_id=${at.holdId}&order=asc`);
    const acts = custody.json.items.map(({ action, recipient }: Document) => [action, recipient]);
    expect(acts.slice(-2)).toEqual([
      ['SHARE', NOTICE.custodian],
      ['ACKNOWLEDGE', NOTICE.custodian],
    ]);
    expect((await at.admin.get('/v1/ledger/verify')).json.valid).toBe(true);
  });

  it('ends with a newer link, a withdrawal, its time, and the rights of its maker, with one answer for each', async () => {
    const nothing = said(await read(`ehn_01JQ0000000000000000000001_${'A'.repeat(43)}`));
    expect(nothing.slice(0, 2)).toEqual([404, 'NOT_FOUND']);
    const ends: readonly ((at: Desk) => Promise<unknown>)[] = [
      linkOf,
      ({ counsel, noticeId }) => counsel.post(`/v1/hold-notices/${noticeId}/withdraw`, {}),
      ({ admin, keyId }) => admin.call(`/v1/api-keys/${keyId}`, { method: 'DELETE' }),
      ({ tenantId }) =>
        service.operator.call(`/v1/tenants/${tenantId}`, { method: 'PATCH', body: { status: 'SUSPENDED' } }),
    ];
    for (const end of ends) {
      const at = await desk();
      const token = await linkOf(at);
      expect((await read(token)).status).toBe(200);
      await end(at);
      expect([said(await read(token)), said(await acknowledge(token))]).toEqual([nothing, nothing]);
    }
    const other = await linkOf(await desk());
    const swapped = `${other.slice(0, 31)}${(await linkOf(await desk())).slice(31)}`;
    expect(said(await read(swapped))).toEqual(nothing);
  });

  it('is refused for a custodian with an actor, a released hold, other tenants, and the 21st time', async () => {
    const at = await desk();
    const link = (http: Http, id: string) => http.post(`/v1/hold-notices/${id}/link`, { expires_in_hours: 1 });
    const actor = (await at.admin.post('/v1/actors', { name: 'Jane', role_ids: [] })).json.actor_id;
    const own = { ...NOTICE, custodian_id: actor };
    const { notice_id } = (await at.counsel.post(`/v1/legal-holds/${at.holdId}/notices`, own)).json;
    expect(said(await link(at.counsel, notice_id)).slice(0, 2)).toEqual([409, 'CONFLICT']);
    expect((await link((await desk()).counsel, at.noticeId)).status).toBe(404);
    for (let n = 0; n < 20; n++) await linkOf(at);
    expect(said(await link(at.counsel, at.noticeId))).toEqual([409, 'CONFLICT', 'A notice has 20 links.']);
    const released = await desk();
    await released.counsel.post(`/v1/legal-holds/${released.holdId}/release`, RELEASE);
    expect(said(await link(released.counsel, released.noticeId)).slice(0, 2)).toEqual([409, 'CONFLICT']);
  });

  it.each([
    ['a later end', { link_expires_at: new Date('2099-01-01T00:00:00.000Z') }],
    ['the hash of another token', { link_sha256: 'ab'.repeat(32) }],
    ['another maker', { link_grantor: { key_id: 'key_01JQ00000000000000000000ZZ', session_id: null } }],
  ])('is not opened with %s written into the database', async (_what, edit) => {
    const at = await desk();
    const token = await linkOf(at);
    const rows = database.db.collection<Document & { _id: string }>('hold_notices');
    await rows.updateOne({ _id: at.noticeId }, { $set: edit });
    expect(await read(token)).toMatchObject({ status: 500, json: { code: 'INTEGRITY_FAILURE' } });
  });
});

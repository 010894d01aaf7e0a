import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Db } from 'mongodb';
import { sha256Hex } from '../../../shared/crypto/hash.js';
import { type EdgeKit, edgeKit, keyed } from '../../rest-facade/edge-kit.js';
import { envelope } from '../../support/envelopes.js';
import { eventually } from '../../support/eventually.js';
import type { Http } from '../../support/http.js';
import { Desk, daysAgo, RIGHTS, rung } from './kit.js';

let kit: EdgeKit;
let operator: Http;
let desk: Desk;
let db: Db;

beforeAll(async () => {
  kit = await edgeKit();
  operator = (await kit.start({ SERVICE_RATE_LIMIT_PER_MINUTE: '0', SERVICE_MAX_BUNDLE_EVENTS: '3' })).operator;
  db = (await kit.server.connect('eas')).db;
}, 120_000);
beforeEach(async () => {
  desk = await Desk.fresh(operator);
});
afterAll(() => kit.stop());

const post = async (member_id: string, name: string, over: object = {}): Promise<string> =>
  (await desk.made('/v1/events', envelope(name, { member_id, ...over }))).event_id;

describe('a request about a member’s data', () => {
  it('runs through its steps, with ledger entries that do not name the member', async () => {
    await post('R-1', 'one');
    const requester = { name: 'Jordan Roe', relationship: 'ATTORNEY' };
    const received = await desk.receive('R-1', 'RESTRICTION', { requester, details: 'No marketing.' });
    const { data_right_id: id, received_at, due_at } = received.json;
    expect(received.json).toMatchObject({
      status: 'RECEIVED',
      requester,
      overdue: false,
      revision: 1,
      fulfilment: null,
    });
    expect(Date.parse(due_at) - Date.parse(received_at)).toBe(30 * 86_400_000);
    expect(await desk.read(id)).toEqual(received.json);
    expect(await desk.step(id, 'start')).toMatchObject({
      status: 409,
      json: { code: 'INVALID_TRANSITION', allowed: ['verify', 'extend', 'deny'] },
    });
    expect((await desk.step(id, 'verify', { how: 'Power of attorney.', revision: 9 })).json.code).toBe('CONFLICT');
    const verified = await desk.step(id, 'verify', { how: 'Power of attorney.', verified_by: 'Front desk' });
    expect(verified.json.verification).toMatchObject({ verified_by: 'Front desk', how: 'Power of attorney.' });
    expect((await desk.step(id, 'start')).json.status).toBe('IN_PROGRESS');
    expect((await desk.step(id, 'fulfil')).json).toMatchObject({ status: 'FULFILLED', allowed_actions: [] });
    const steps = ['received', 'verified', 'started', 'fulfilled'].map((step) => `data-right.${step}`);
    expect(await desk.told(id, ['R-1', 'Roe', 'marketing', 'attorney'])).toEqual(steps);
  });

  it('requires a known member, a past receipt, and members of its right', async () => {
    expect((await desk.receive('R-nobody', 'ACCESS')).status).toBe(404);
    await post('R-1', 'one');
    const tomorrow = { received_at: daysAgo(-1) };
    expect((await desk.receive('R-1', 'ACCESS', tomorrow)).json.errors).toEqual([
      expect.objectContaining({ path: '/received_at' }),
    ]);
    expect((await desk.receive('R-1', 'PORTABILITY')).status).toBe(400);
    const id = await desk.verified('R-1', 'ERASURE');
    expect((await desk.step(id, 'start', { purpose: 'MARKETING' })).json.errors).toEqual([
      expect.objectContaining({ path: '/purpose', code: 'right' }),
    ]);
    expect((await desk.step('drt_01JQ0000000000000000000001', 'start')).status).toBe(404);
  });

  it('is received once and stepped once for repeated requests', async () => {
    await post('R-1', 'one');
    const [key, again] = [keyed(), keyed()];
    const body = { member_id: 'R-1', right: 'RESTRICTION' };
    const [first, second] = [await desk.http.post(RIGHTS, body, key), await desk.http.post(RIGHTS, body, key)];
    expect(second.json).toEqual(first.json);
    const { data_right_id: id } = first.json;
    await desk.step(id, 'verify', { how: 'Known.' });
    const started = await desk.step(id, 'start', {}, again);
    expect((await desk.step(id, 'start', {}, again)).json).toEqual(started.json);
    const { items } = (await desk.http.get('/v1/consent?member_id=R-1')).json;
    expect(items.map((item: { consent_id: string }) => item.consent_id)).toEqual([started.json.fulfilment.consent_id]);
  });

  it('is listed by member, right, status and overdue, never to another tenant', async () => {
    await desk.made('/v1/members', { member_id: 'R-1', name: { family: 'Roe' } });
    await desk.made('/v1/members', { member_id: 'R-2', name: { family: 'Roe' } });
    const late = (await desk.receive('R-1', 'ACCESS', { received_at: daysAgo(40) })).json.data_right_id;
    const fresh = (await desk.receive('R-2', 'AMENDMENT')).json.data_right_id;
    await desk.made('/v1/members/R-1/merge', { source_member_id: 'R-2' });
    const ids = async (query: string, as = desk.http): Promise<string[]> =>
      (await as.get(`${RIGHTS}?order=asc&${query}`)).json.items.map(
        (item: { data_right_id: string }) => item.data_right_id,
      );
    expect(await ids('')).toEqual([late, fresh]);
    expect(await ids('overdue=true')).toEqual([late]);
    expect(await ids('overdue=false')).toEqual([fresh]);
    expect(await ids('right=AMENDMENT&status=RECEIVED')).toEqual([fresh]);
    expect(await ids('status=DENIED')).toEqual([]);
    for (const member of ['R-1', 'R-2']) expect(await ids(`member_id=${member}`)).toEqual([late, fresh]);
    expect(await ids('member_id=R-3')).toEqual([]);
    const other = await Desk.fresh(operator);
    expect(await ids('', other.http)).toEqual([]);
    for (const action of ['verify', 'deny']) {
      const body = action === 'verify' ? { how: 'x' } : { ground: 'x' };
      expect((await other.step(late, action, body)).status).toBe(404);
    }
  });

  it('opens one exception when overdue; an extension or an answer resolves it', async () => {
    await post('R-1', 'one');
    const { data_right_id: id } = (await desk.receive('R-1', 'AMENDMENT', { received_at: daysAgo(40) })).json;
    const open = async () =>
      (await desk.http.get('/v1/exceptions?kind=DATA_RIGHT_OVERDUE')).json.items as {
        status: string;
        subject: object;
      }[];
    const [exception] = await rung(db, open, (items) => items.length > 0);
    expect(exception).toMatchObject({ status: 'OPEN', subject: { data_right_id: id }, detail: { right: 'AMENDMENT' } });
    expect((await desk.read(id)).overdue).toBe(true);
    const extended = await desk.step(id, 'extend', { reason: 'The archive is slow.' });
    expect(extended.json).toMatchObject({ overdue: false, extension_reason: 'The archive is slow.' });
    expect(Date.parse(extended.json.extended_to) - Date.parse(extended.json.due_at)).toBe(30 * 86_400_000);
    const resolved = await eventually(open, ([item]) => item?.status === 'RESOLVED');
    expect(resolved).toHaveLength(1);
    expect((await desk.step(id, 'extend', { reason: 'Slower still.' })).json.code).toBe('CONFLICT');

    const { data_right_id: other } = (await desk.receive('R-1', 'ACCESS', { received_at: daysAgo(31) })).json;
    const to = daysAgo(-40);
    expect((await desk.step(other, 'extend', { reason: 'Too long.', to })).json.errors).toEqual([
      expect.objectContaining({ path: '/to' }),
    ]);
    await rung(db, open, (items) => items.some(({ status }) => status === 'OPEN'));
    expect((await desk.step(other, 'deny', { ground: 'Not the member.' })).json.denial_ground).toBe('Not the member.');
    expect((await eventually(open, (items) => items.every(({ status }) => status === 'RESOLVED'))).length).toBe(2);
    expect(await desk.told(other, ['R-1'])).toEqual(['received', 'overdue', 'denied'].map((it) => `data-right.${it}`));
  });
});

describe('access', () => {
  it('seals a bundle for the requester', async () => {
    await post('A-1', 'one');
    const id = await desk.verified('A-1', 'ACCESS', { requester: { name: 'Jordan Roe', relationship: 'SELF' } });
    const { bundle_id } = (await desk.step(id, 'start')).json.fulfilment;
    const bundle = async () => (await desk.http.get(`/v1/bundles/${bundle_id}`)).json;
    expect(await bundle()).toMatchObject({
      bundle_type: 'MEMBER',
      requested_by: 'Jordan Roe',
      scope: { member_id: 'A-1' },
    });
    expect((await eventually(bundle, ({ status }) => status !== 'REQUESTED')).status).toBe('SEALED');
    expect((await desk.step(id, 'start')).json).toMatchObject({ code: 'CONFLICT', bundle_id });
    expect((await desk.step(id, 'fulfil')).json).toMatchObject({ status: 'FULFILLED', fulfilment: { bundle_id } });
  });

  it('is not fulfilled by a failed bundle; a second start orders another', async () => {
    for (const name of ['one', 'two', 'three', 'four']) await post('A-2', name);
    const id = await desk.verified('A-2', 'ACCESS');
    const first = (await desk.step(id, 'start')).json.fulfilment.bundle_id;
    const statusOf = async (bundle: string) => (await desk.http.get(`/v1/bundles/${bundle}`)).json.status;
    expect(
      await eventually(
        () => statusOf(first),
        (status) => status !== 'REQUESTED',
      ),
    ).toBe('FAILED');
    expect(await desk.step(id, 'fulfil')).toMatchObject({
      status: 409,
      json: { code: 'NOT_SEALED', bundle_id: first, bundle_status: 'FAILED' },
    });
    const second = (await desk.step(id, 'start')).json.fulfilment.bundle_id;
    expect(second).not.toBe(first);
    expect((await desk.http.get(`/v1/bundles/${second}`)).status).toBe(200);
  });
});

describe('restriction', () => {
  it('creates a consent that denies the given records, or everything', async () => {
    await post('C-1', 'one');
    const some = await desk.verified('C-1', 'RESTRICTION', { requester: { name: 'Jordan Roe', relationship: 'SELF' } });
    const check = async (purpose: string) =>
      (await desk.http.post('/v1/consent/check', { member_id: 'C-1', purpose, category: 'document' })).json.decision;
    expect([await check('MARKETING'), await check('RESEARCH')]).toEqual(['PERMIT', 'PERMIT']);
    const { fulfilment } = (await desk.step(some, 'start', { purpose: 'marketing', categories: ['document'] })).json;
    expect(fulfilment).toMatchObject({ purpose: 'MARKETING', categories: ['document'], actors: [] });
    expect([await check('MARKETING'), await check('RESEARCH')]).toEqual(['DENY', 'PERMIT']);
    const consent = (await desk.http.get(`/v1/consent/${fulfilment.consent_id}`)).json;
    expect(consent).toMatchObject({ decision: 'DENY', grantor: 'Jordan Roe', note: expect.stringContaining(some) });
    const all = await desk.verified('C-1', 'RESTRICTION');
    expect((await desk.step(all, 'start')).json.fulfilment.purpose).toBe('*');
    expect(await check('RESEARCH')).toBe('DENY');
    expect((await desk.step(all, 'fulfil')).json.status).toBe('FULFILLED');
  });

  it('creates the consent once after a crash, under the identifier of the step', async () => {
    await post('C-2', 'one');
    const id = await desk.verified('C-2', 'RESTRICTION');
    const { consent_id } = (await desk.step(id, 'start')).json.fulfilment;
    const [rights, consents] = [
      db.collection<{ _id: string }>('data_rights'),
      db.collection<{ _id: string }>('consents'),
    ];
    const leave = (n: number) => {
      const effect = {
        id: `eff_left_${n}`,
        kind: 'data-right',
        tenant_id: desk.tenantId,
        data_right_id: id,
        work: 'FULFILMENT',
      };
      return rights.updateOne({ _id: id }, { $push: { pending: effect } } as never);
    };
    const done = () => rights.countDocuments({ _id: id, 'pending.id': { $exists: true } });
    // The crash left out the rows of the consent's fact.
    await consents.deleteOne({ _id: consent_id });
    await db.collection('consent_heads').deleteOne({ tenant_id: desk.tenantId, member_id: 'C-2' });
    for (const n of [1, 2]) {
      await leave(n);
      expect(await eventually(done, (left) => left === 0)).toBe(0);
      const { items } = (await desk.http.get('/v1/consent?member_id=C-2')).json;
      expect(items.map((item: { consent_id: string }) => item.consent_id)).toEqual([consent_id]);
    }
  });
});

describe('amendment', () => {
  it('links amended and correcting events of the member', async () => {
    const [wrong, right] = [await post('M-9', 'wrong'), await post('M-9', 'right')];
    const foreign = await post('M-8', 'foreign');
    const id = await desk.verified('M-9', 'AMENDMENT');
    await desk.step(id, 'start');
    expect((await desk.step(id, 'start')).json.code).toBe('INVALID_TRANSITION');
    const required = (await desk.step(id, 'fulfil')).json.errors;
    expect(required.map(({ path }: { path: string }) => path)).toEqual(['/event_ids', '/correction_event_ids']);
    const refused = await desk.step(id, 'fulfil', { event_ids: [wrong], correction_event_ids: [foreign] });
    expect(refused.json.errors).toEqual([
      expect.objectContaining({ path: '/correction_event_ids/0', code: 'unknown' }),
    ]);
    const before = (await desk.http.get(`/v1/events/${wrong}`)).json;
    const body = { event_ids: [wrong], correction_event_ids: [right] };
    expect((await desk.step(id, 'fulfil', body)).json).toMatchObject({ status: 'FULFILLED', fulfilment: body });
    expect((await desk.http.get(`/v1/events/${wrong}`)).json).toMatchObject({ entry_hash: before.entry_hash });
  });

  it('accepts a statement after a denial; no other right does', async () => {
    const statement = await post('M-7', 'statement');
    const id = await desk.verified('M-7', 'AMENDMENT');
    await desk.step(id, 'deny', { ground: 'Accurate and complete.' });
    const body = { statement_of_disagreement_event_id: statement };
    expect((await desk.step(id, 'disagree', body)).json).toMatchObject({ status: 'DENIED', fulfilment: body });
    const access = await desk.verified('M-7', 'ACCESS');
    await desk.step(access, 'deny', { ground: 'Not the member.' });
    expect((await desk.step(access, 'disagree', body)).json.code).toBe('INVALID_TRANSITION');
  });
});

describe('accounting of disclosures', () => {
  const act = (member_id: string, action: string, over: object = {}) =>
    desk.made('/v1/custody', { action, allow_unknown: true, subject: { kind: 'MEMBER', id: member_id }, ...over });

  it('lists six years of disclosures under every identifier, and returns the same list again', async () => {
    for (const member_id of ['D-1', 'D-2']) await desk.made('/v1/members', { member_id, name: { family: 'Doe' } });
    const about = { subject: { kind: 'DOCUMENT', id: 'doc_kept_elsewhere' } };
    await act('D-1', 'DISCLOSED', {
      ...about,
      member_ids: ['D-1'],
      recipient: 'Dr. Okafor',
      purpose: 'TREATMENT',
      at: daysAgo(300),
    });
    await act('D-2', 'TRANSFERRED', { recipient: 'Court', at: daysAgo(200) });
    await act('D-1', 'DISCLOSED', { recipient: 'Long ago', at: daysAgo(6 * 366 + 1) });
    await act('D-1', 'NOTED', { recipient: 'Nobody', at: daysAgo(100) });
    await act('D-1', 'INSPECTED', { at: daysAgo(100) });
    await act('D-3', 'DISCLOSED', { recipient: 'Another member', at: daysAgo(100) });
    await desk.http.get('/v1/members/D-1/timeline');
    await desk.made('/v1/members/D-1/merge', { source_member_id: 'D-2' });

    const id = await desk.verified('D-1', 'ACCOUNTING_OF_DISCLOSURES', { received_at: daysAgo(1) });
    const path = `${RIGHTS}/${id}/disclosures`;
    expect((await desk.http.get(path)).json.code).toBe('CONFLICT');
    await desk.step(id, 'start');
    const listed = async (query = '') => (await desk.http.get(`${path}${query}`)).json;
    const { items } = await listed();
    expect(items).toMatchObject([
      { action: 'DISCLOSED', recipient: 'Dr. Okafor', purpose: 'TREATMENT', ...about },
      { action: 'TRANSFERRED', recipient: 'Court', purpose: null, subject: { kind: 'MEMBER', id: 'D-2' } },
    ]);
    const page = await listed('?limit=1');
    expect(page.items).toEqual(items.slice(0, 1));
    expect(await listed(`?limit=1&cursor=${page.next_cursor}`)).toEqual({ items: items.slice(1), next_cursor: null });

    const { fulfilment } = (await desk.step(id, 'fulfil')).json;
    const hashes = items.map((item: { entry_hash: string }) => `${item.entry_hash}\n`).join('');
    expect(fulfilment).toMatchObject({ disclosure_count: 2, disclosures_sha256: sha256Hex(hashes) });
    expect(fulfilment.last_custody_seq).toBe(items[1].seq);
    await act('D-1', 'DISCLOSED', { recipient: 'Noted too late', at: daysAgo(250) });
    expect((await listed()).items).toEqual(items);
    const reads = (await desk.http.get('/v1/custody?subject_kind=MEMBER&subject_id=D-1&action=READ_DISCLOSURES')).json;
    expect(reads.items).toHaveLength(4);
    expect(reads.items[0]).toMatchObject({ subject: { kind: 'MEMBER', id: 'D-1' }, detail: { data_right_id: id } });
  });

  it('exists for an accounting only, and not for another tenant', async () => {
    await post('D-4', 'one');
    const id = await desk.verified('D-4', 'AMENDMENT');
    await desk.step(id, 'start');
    expect((await desk.http.get(`${RIGHTS}/${id}/disclosures`)).json.code).toBe('CONFLICT');
    const other = await Desk.fresh(operator);
    expect((await other.http.get(`${RIGHTS}/${id}/disclosures`)).status).toBe(404);
  });

  it('returns an empty answer, and keeps it', async () => {
    await post('D-5', 'one');
    const id = await desk.verified('D-5', 'ACCOUNTING_OF_DISCLOSURES');
    await desk.step(id, 'start');
    const { fulfilment } = (await desk.step(id, 'fulfil')).json;
    expect(fulfilment).toMatchObject({ disclosure_count: 0, disclosures_sha256: sha256Hex('') });
    await act('D-5', 'DISCLOSED', { recipient: 'Noted too late', at: daysAgo(10) });
    expect((await desk.http.get(`${RIGHTS}/${id}/disclosures`)).json).toEqual({ items: [], next_cursor: null });
  });
});

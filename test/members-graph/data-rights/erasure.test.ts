import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Db } from 'mongodb';
import { type EdgeKit, edgeKit } from '../../rest-facade/edge-kit.js';
import { envelope } from '../../support/envelopes.js';
import { eventually } from '../../support/eventually.js';
import type { Http } from '../../support/http.js';
import { uploadScanned } from '../../vault/vault-kit.js';
import { Desk, rung } from './kit.js';

let kit: EdgeKit;
let operator: Http;
let desk: Desk;
let db: Db;

beforeAll(async () => {
  kit = await edgeKit();
  operator = (await kit.start({ SERVICE_RATE_LIMIT_PER_MINUTE: '0' })).operator;
  db = (await kit.server.connect('eas')).db;
}, 120_000);
beforeEach(async () => {
  desk = await Desk.fresh(operator);
});
afterAll(() => kit.stop());

const post = async (member_id: string, name: string, over: object = {}): Promise<string> =>
  (await desk.made('/v1/events', envelope(name, { member_id, ...over }))).event_id;

describe('erasure', () => {
  const OLD = { event_effective_timestamp: '2010-03-02T14:11:09.123Z', event_family: 'claims' };
  const old = (member_id: string, name: string, over: object = {}) => post(member_id, name, { ...OLD, ...over });
  const statusOf = async (id: string) => (await desk.http.get(`/v1/events/${id}`)).status;
  const rules = () =>
    desk.http.call('/v1/retention-policies', {
      method: 'PUT',
      body: {
        policies: [
          { event_family: 'claims', years: 6 },
          { document_type: 'letter', years: 6 },
        ],
      },
    });
  const letter = async (text: string, fields: Record<string, string | string[]>): Promise<string> => {
    const about = { document_type: 'letter', effective_at: '2010-03-02T14:11:09.123Z', ...fields };
    return (await uploadScanned(desk.http, text, about)).json.document_id;
  };
  const hold = async (event_ids: string[]): Promise<string> =>
    (await desk.made('/v1/legal-holds', { name: 'Doe v. Acme', scope: { event_ids }, reason: 'Complaint.' })).hold_id;
  const release = (id: string) =>
    desk.made(`/v1/legal-holds/${id}/release`, {
      authority: { kind: 'COURT_ORDER', reference: 'Dkt. 88' },
      reason: 'Dismissed.',
      released_by: 'General Counsel',
    });

  it('disposes of records past retention, with certificates, for this member only', async () => {
    await rules();
    for (const member_id of ['E-1', 'E-2']) await desk.made('/v1/members', { member_id, name: { family: 'Eve' } });
    const own = [await old('E-1', 'one'), await old('E-2', 'two')];
    const foreign = await old('E-3', 'three');
    const documents = [
      await letter('own', { member_id: 'E-1' }),
      await letter('attached', { event_ids: [own[1] ?? ''] }),
    ];
    await desk.made('/v1/members/E-1/merge', { source_member_id: 'E-2' });
    const id = await desk.verified('E-1', 'ERASURE');
    const started = (await desk.step(id, 'start')).json;
    expect(started).toMatchObject({
      status: 'IN_PROGRESS',
      fulfilment: { complete: true, disposed: { events: 2, documents: 2 }, refused: [] },
    });
    expect(await Promise.all([...own, foreign].map(statusOf))).toEqual([410, 410, 200]);
    for (const document of documents) {
      expect((await desk.http.get(`/v1/documents/${document}/metadata`)).json.status).toBe('DISPOSED');
    }
    const { items } = (await desk.http.get(`/v1/custody?subject_kind=EVENT&subject_id=${own[0]}&action=DISPOSE`)).json;
    expect(items[0].detail.policies).toEqual([`data-right=${id}`, 'event_family:claims=6y/EFFECTIVE']);
    expect((await desk.http.get('/v1/ledger/verify')).json).toMatchObject({ valid: true, breaks: [] });
    expect((await desk.step(id, 'fulfil')).json).toMatchObject({
      status: 'FULFILLED',
      fulfilment: { disposed: { events: 2, documents: 2 } },
    });
  });

  it('respects retention and holds, and continues when they end', async () => {
    await rules();
    const [free, first, second] = [await old('E-4', 'free'), await old('E-4', 'first'), await old('E-4', 'second')];
    const kept = await post('E-4', 'kept', { event_family: 'claims' });
    const shared = await letter('both', { member_id: ['E-4', 'E-5'] });
    const holds = [await hold([first]), await hold([second])];
    const id = await desk.verified('E-4', 'ERASURE');
    const { fulfilment } = (await desk.step(id, 'start')).json;
    expect(fulfilment).toMatchObject({ complete: true, disposed: { events: 1, documents: 0 } });
    expect(fulfilment.refused).toHaveLength(3);
    expect(fulfilment.refused).toEqual(
      expect.arrayContaining([
        { kind: 'EVENT', reason: 'LEGAL_HOLD', count: 2, hold_ids: [...holds].sort() },
        {
          kind: 'EVENT',
          reason: 'RETENTION',
          count: 1,
          earliest_at: '2032-03-02T14:11:09.124Z',
          latest_at: '2032-03-02T14:11:09.124Z',
        },
        { kind: 'DOCUMENT', reason: 'OTHER_MEMBERS', count: 1 },
      ]),
    );
    expect(await Promise.all([free, first, second, kept].map(statusOf))).toEqual([410, 200, 200, 200]);
    expect(await desk.step(id, 'fulfil')).toMatchObject({ status: 409, json: { code: 'LEGAL_HOLD_ACTIVE' } });

    await release(holds[0] ?? '');
    expect((await desk.step(id, 'start')).json.fulfilment.disposed.events).toBe(2);
    await release(holds[1] ?? '');
    await db.collection<{ _id: string }>('data_rights').updateOne({ _id: id }, { $set: { next_look_at: new Date(0) } });
    const looked = await rung(
      db,
      () => desk.read(id),
      (seen) => seen.fulfilment.disposed.events === 3,
    );
    expect(looked.fulfilment.disposed).toEqual({ events: 3, documents: 0 });
    expect(await Promise.all([first, second, kept].map(statusOf))).toEqual([410, 410, 200]);
    expect((await desk.http.get(`/v1/documents/${shared}/metadata`)).json.status).toBe('AVAILABLE');
    const refused = await desk.step(id, 'fulfil');
    expect(refused).toMatchObject({ status: 409, json: { code: 'CONFLICT' } });
    expect(refused.json.refused.map(({ reason }: { reason: string }) => reason).sort()).toEqual([
      'OTHER_MEMBERS',
      'RETENTION',
    ]);
    expect((await desk.step(id, 'deny', { ground: 'Kept by law until 2032.' })).json.status).toBe('DENIED');
    expect((await desk.read(id)).fulfilment.disposed.events).toBe(3);
    // Concurrent runs may report partial progress, so the number of reports varies.
    const told = await desk.told(id, ['E-4']);
    expect(told.filter((it, i) => it !== 'data-right.reported' || it !== told[i - 1])).toEqual(
      ['received', 'verified', 'started', 'reported', 'resumed', 'reported', 'denied'].map((it) => `data-right.${it}`),
    );
  });

  it('certifies nothing twice after a crash', async () => {
    await rules();
    const events = [await old('E-6', 'one'), await old('E-6', 'two')];
    const id = await desk.verified('E-6', 'ERASURE');
    const work = { kind: 'data-right', tenant_id: desk.tenantId, data_right_id: id, work: 'FULFILMENT' };
    await desk.step(id, 'start');
    const rights = db.collection<{ _id: string }>('data_rights');
    await rights.updateOne({ _id: id }, { $push: { pending: { id: 'eff_again', ...work } } } as never);
    await eventually(
      () => rights.countDocuments({ _id: id, 'pending.id': { $exists: true } }),
      (left) => left === 0,
    );
    expect((await desk.read(id)).fulfilment.disposed).toEqual({ events: 2, documents: 0 });
    for (const event of events) {
      const { items } = (await desk.http.get(`/v1/custody?subject_kind=EVENT&subject_id=${event}&action=DISPOSE`)).json;
      expect(items.filter((item: { detail: { stage: string } }) => item.detail.stage === 'DISPOSED')).toHaveLength(1);
    }
  });

  it('keeps records of open requests, as a sweep does', async () => {
    await rules();
    const event = await old('E-8', 'one');
    const access = (await desk.receive('E-8', 'ACCESS')).json.data_right_id;
    const sweep = async () => (await desk.made('/v1/retention/sweep', {})).events;
    expect(await sweep()).toEqual({ past_age: 1, disposed: 0, held: 1, damaged: 0 });
    const id = await desk.verified('E-8', 'ERASURE');
    const { refused } = (await desk.step(id, 'start')).json.fulfilment;
    expect(refused).toEqual([{ kind: 'EVENT', reason: 'OPEN_REQUEST', count: 1 }]);
    expect((await desk.step(id, 'fulfil')).json.code).toBe('CONFLICT');
    expect(await statusOf(event)).toBe(200);
    await desk.step(access, 'deny', { ground: 'Withdrawn.' });
    expect((await desk.step(id, 'fulfil')).json).toMatchObject({ status: 'FULFILLED', fulfilment: { refused: [] } });
    expect(await statusOf(event)).toBe(410);
  });

  it('leaves the same member of another tenant unchanged', async () => {
    await rules();
    await old('E-7', 'one');
    const first = desk;
    desk = await Desk.fresh(operator);
    await rules();
    const theirs = await old('E-7', 'one');
    const id = await first.verified('E-7', 'ERASURE');
    expect((await first.step(id, 'start')).json.fulfilment.disposed.events).toBe(1);
    expect(await statusOf(theirs)).toBe(200);
  });
});

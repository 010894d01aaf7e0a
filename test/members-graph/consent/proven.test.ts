import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Collection, Document } from 'mongodb';
import { connectDatabase, type Database } from '../../../shared/db/database.js';
import { envelope } from '../../support/envelopes.js';
import { eventually } from '../../support/eventually.js';
import { type Answer, freshTenant, type Http } from '../../support/http.js';
import { withOtherEnd } from '../../support/other-end.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';

// A writer of the database changes rows of consents; no change widens or hides what consents permit.

type Rows = Collection<Document & { _id: string }>;

const HOUR_MS = 3_600_000;
const MEMBER = 'C-1';
const PURPOSE = 'TREATMENT';

let service: WholeService;
let database: Database;
let rows: Rows;
let heads: Rows;

beforeAll(async () => {
  service = await startWholeService();
  database = await connectDatabase(service.databaseUri);
  rows = database.db.collection('consents');
  heads = database.db.collection('consent_heads');
});
afterAll(async () => {
  await database.close();
  await service.stop();
});

interface Made {
  readonly http: Http;
  readonly tenantId: string;
  readonly id: string;
  readonly row: Document & { _id: string };
  /** The only event of the member, which is protected by 42 CFR Part 2. */
  readonly event: string;
}

const rowOf = async (id: string): Promise<Document & { _id: string }> => {
  const row = await rows.findOne({ _id: id });
  if (!row) throw new Error('no row');
  return row;
};

async function grant(http: Http, over: object = {}): Promise<string> {
  const body = { member_id: MEMBER, decision: 'PERMIT', purpose: PURPOSE, categories: ['42CFR2'], ...over };
  const { status, json, text } = await http.post('/v1/consent', body);
  if (status !== 200) throw new Error(text);
  return json.consent_id;
}

async function granted(over: object = {}): Promise<Made> {
  const { http, tenantId } = await freshTenant(service.operator, ['admin']);
  const secret = { ...envelope('secret', { member_id: MEMBER }), payload: { sensitivity: ['42CFR2'] } };
  const event = (await http.post('/v1/events', secret)).json.event_id;
  const id = await grant(http, over);
  return { http, tenantId, id, row: await rowOf(id), event };
}

const revoke = async (http: Http, id: string): Promise<void> => {
  expect((await http.post(`/v1/consent/${id}/revoke`, { reason: 'Thought again.' })).status).toBe(200);
};

const graph = (http: Http, query: string): Promise<Answer> => http.post('/graphql', { query });

/** Every read that depends on the consents of the member. */
const READS: readonly (readonly [string, (made: Made) => Promise<Answer>])[] = [
  ['GET /v1/events/{id} with a purpose', ({ http, event }) => http.get(`/v1/events/${event}?purpose=${PURPOSE}`)],
  ['GET /v1/events with a purpose', ({ http }) => http.get(`/v1/events?member_id=${MEMBER}&purpose=${PURPOSE}`)],
  ['the timeline', ({ http }) => http.get(`/v1/members/${MEMBER}/timeline?purpose=${PURPOSE}`)],
  [
    'POST /v1/consent/check',
    ({ http }) => http.post('/v1/consent/check', { member_id: MEMBER, purpose: PURPOSE, category: '42CFR2' }),
  ],
  [
    'GraphQL',
    ({ http }) =>
      graph(http, `{ checkConsent(input: { member_id: "${MEMBER}", purpose: "${PURPOSE}" }) { decision } }`),
  ],
];

const codeOf = ({ json }: Answer): unknown => json?.code ?? json?.errors?.[0]?.extensions?.code;

async function expectRejected(made: Made): Promise<void> {
  for (const [name, read] of READS) expect([name, codeOf(await read(made))]).toEqual([name, 'INTEGRITY_FAILURE']);
}

const mayRead = async ({ http, event }: Made): Promise<number> =>
  (await http.get(`/v1/events/${event}?purpose=${PURPOSE}`)).status;

describe('GET /v1/consent/{id}', () => {
  it('answers 404 for a consent that was never given', async () => {
    const made = await granted();
    expect((await made.http.get(`/v1/consent/${withOtherEnd(made.id)}`)).status).toBe(404);
  });
});

describe('a consent in force', () => {
  it.each<[string, Document]>([
    ['flips its status', { $set: { status: 'REVOKED' } }],
    ['flips its decision', { $set: { decision: 'DENY' } }],
    ['widens its categories', { $set: { categories: [] } }],
    ['widens its actors', { $set: { actors: ['everyone'] } }],
    ['changes its purpose', { $set: { purpose: '*' } }],
    ['gives it to another member', { $set: { member_id: 'C-2' } }],
    ['gives it to another tenant', { $set: { tenant_id: 'another' } }],
    ['prolongs its period', { $set: { 'period.end': new Date('2099-01-01T00:00:00Z') } }],
    ['changes a line of its history', { $set: { 'history.0.by': 'key_01JQ0000000000000000000009' } }],
    ['adds a member', { $set: { forged: true } }],
    ['replaces its status by an object', { $set: { status: { forged: true } } }],
  ])('fails every read that it decides when someone %s', async (_, change) => {
    const made = await granted();
    expect(await mayRead(made)).toBe(200);
    await rows.updateOne({ _id: made.id }, change);
    await expectRejected(made);
    await rows.replaceOne({ _id: made.id }, made.row);
    expect(await mayRead(made)).toBe(200);
  });

  it('fails every read that it decides when someone removes its row', async () => {
    const made = await granted({ decision: 'DENY', categories: [] });
    expect(await mayRead(made)).toBe(403);
    await rows.deleteOne({ _id: made.id });
    await expectRejected(made);
    for (const path of [`/v1/consent/${made.id}`, `/v1/consent?member_id=${MEMBER}`]) {
      expect([path, codeOf(await made.http.get(path))]).toEqual([path, 'INTEGRITY_FAILURE']);
    }
  });

  it('opens CHAIN_BREAK and records custody of the member when its row differs', async () => {
    const made = await granted();
    await rows.updateOne({ _id: made.id }, { $set: { categories: [] } });
    expect(await mayRead(made)).toBe(500);
    const { items } = (await made.http.get('/v1/exceptions?kind=CHAIN_BREAK')).json;
    expect(items).toEqual([
      expect.objectContaining({ subject: { kind: 'RECORD', id: expect.stringMatching(/^consent\/[0-9a-f]{64}$/) } }),
    ]);
    const custody = await made.http.get(`/v1/custody?subject_kind=MEMBER&subject_id=${MEMBER}`);
    const actions = custody.json.items.map(({ action }: { action: string }) => action);
    expect(actions).toContain('INTEGRITY_FAILURE');
  });

  it('fails every read when someone inserts a consent without a fact', async () => {
    const made = await granted({ purpose: 'RESEARCH' });
    expect(await mayRead(made)).toBe(403);
    await rows.insertOne({ ...made.row, _id: withOtherEnd(made.id), purpose: PURPOSE });
    await expectRejected(made);
  });

  it('fails the reads of a member without consents when someone inserts one', async () => {
    const made = await granted();
    const inserted = { ...made.row, _id: withOtherEnd(made.id), member_id: 'C-9' };
    await rows.insertOne(inserted);
    const check = await made.http.post('/v1/consent/check', { member_id: 'C-9', purpose: PURPOSE });
    expect(codeOf(check)).toBe('INTEGRITY_FAILURE');
    expect(await mayRead(made)).toBe(200);
  });

  it('stops to apply when its period ends', async () => {
    const end = new Date(Date.now() - HOUR_MS).toISOString();
    const made = await granted({ period: { start: '2020-01-01T00:00:00Z', end } });
    expect(await mayRead(made)).toBe(403);
    expect((await made.http.get(`/v1/consent/${made.id}`)).json).toMatchObject({ status: 'ACTIVE', in_force: false });
  });
});

describe('a revoked consent', () => {
  it('permits nothing: not by GET, not by GraphQL, not in a bundle', async () => {
    const made = await granted();
    await revoke(made.http, made.id);
    expect(await mayRead(made)).toBe(403);
    const input = `{ member_id: "${MEMBER}", purpose: "${PURPOSE}", category: "42CFR2" }`;
    const answer = await graph(made.http, `{ checkConsent(input: ${input}) { decision } }`);
    expect(answer.json.data.checkConsent).toEqual({ decision: 'DENY' });
    const asked = { scope: { member_id: MEMBER }, purpose: PURPOSE };
    const { bundle_id } = (await made.http.post('/v1/bundles', asked)).json;
    const read = (): Promise<Answer> => made.http.get(`/v1/bundles/${bundle_id}`);
    const bundle = await eventually(read, ({ json }) => ['SEALED', 'FAILED'].includes(json.status));
    expect(bundle.json).toMatchObject({ status: 'SEALED', event_count: 0 });
  });

  it.each<[string, (made: Made) => Promise<unknown>]>([
    ['sets its status back', ({ id }) => rows.updateOne({ _id: id }, { $set: { status: 'ACTIVE' } })],
    ['sets its row back', ({ id, row }) => rows.replaceOne({ _id: id }, row)],
  ])('fails every read when someone %s', async (_, forge) => {
    const made = await granted();
    await revoke(made.http, made.id);
    await forge(made);
    await expectRejected(made);
  });

  it('does not apply again when someone sets its row and the head of the member back', async () => {
    const made = await granted();
    const head = await heads.findOne({ tenant_id: made.tenantId, member_id: MEMBER });
    if (!head) throw new Error('no head');
    await revoke(made.http, made.id);
    await rows.replaceOne({ _id: made.id }, made.row);
    await heads.replaceOne({ _id: head._id }, head);
    // The facts write row and head again.
    expect(await mayRead(made)).toBe(403);
    expect(await rowOf(made.id)).toMatchObject({ status: 'REVOKED' });
  });

  it.each<[string, (id: string) => Promise<unknown>]>([
    ['removes its row', (id) => rows.deleteOne({ _id: id })],
    ['changes its reason', (id) => rows.updateOne({ _id: id }, { $set: { revocation_reason: 'Another.' } })],
    ['removes the name of its fact', (id) => rows.updateOne({ _id: id }, { $unset: { fact: true } })],
  ])('fails the reads of its record and of the list of the member when someone %s', async (_, forge) => {
    const made = await granted();
    await revoke(made.http, made.id);
    await forge(made.id);
    for (const path of [`/v1/consent/${made.id}`, `/v1/consent?member_id=${MEMBER}`]) {
      expect([path, codeOf(await made.http.get(path))]).toEqual([path, 'INTEGRITY_FAILURE']);
    }
    expect(await mayRead(made)).toBe(403);
  });
});

describe('the head of a member with consents', () => {
  it('is written again from the facts when a crash left it out', async () => {
    const made = await granted();
    const head = await heads.findOneAndDelete({ tenant_id: made.tenantId, member_id: MEMBER });
    expect(await mayRead(made)).toBe(200);
    expect(await heads.findOne({ tenant_id: made.tenantId, member_id: MEMBER })).toEqual(head);
  });

  it.each<[string, Document]>([
    ['names a fact that the ledger does not have', { $set: { 'fact.seq': 9_999 } }],
    ['names another entry', { $set: { 'fact.entry_hash': '0'.repeat(64) } }],
    ['removes the name of the fact', { $unset: { fact: true } }],
    ['gives it to another tenant', { $set: { tenant_id: 'another' } }],
  ])('fails every read when someone %s', async (_, change) => {
    const made = await granted();
    await heads.updateOne({ tenant_id: made.tenantId, member_id: MEMBER }, change);
    await expectRejected(made);
  });

  it('keeps a removed fact from going unnoticed', async () => {
    const made = await granted();
    await revoke(made.http, made.id);
    const head = await heads.findOne({ tenant_id: made.tenantId, member_id: MEMBER });
    const { source_system, seq } = head?.['fact'] ?? {};
    await database.db
      .collection('ledger')
      .deleteOne({ '_id.tenant_id': made.tenantId, '_id.source_system': source_system, '_id.seq': seq });
    await rows.replaceOne({ _id: made.id }, made.row);
    await expectRejected(made);
  });
});

describe('rows that a crash left behind their facts', () => {
  it('are written again when the first row of a member is missing', async () => {
    const made = await granted();
    await heads.deleteOne({ tenant_id: made.tenantId, member_id: MEMBER });
    await rows.deleteOne({ _id: made.id });
    expect(await mayRead(made)).toBe(200);
    const { fact: _, ...again } = await rowOf(made.id);
    expect(again).toEqual((({ fact: __, ...rest }) => rest)(made.row));
  });
});

describe('concurrent changes of the consents of one member', () => {
  it('are all in the facts, and the ledger verifies', async () => {
    const made = await granted();
    const more = await Promise.all(Array.from({ length: 4 }, () => grant(made.http)));
    await Promise.all([...more.map((id) => revoke(made.http, id)), grant(made.http, { decision: 'DENY' })]);
    const { items } = (await made.http.get(`/v1/consent?member_id=${MEMBER}`)).json;
    const statuses = items.map(({ status }: { status: string }) => status).sort();
    expect(statuses).toEqual(['ACTIVE', 'ACTIVE', 'REVOKED', 'REVOKED', 'REVOKED', 'REVOKED']);
    expect(await mayRead(made)).toBe(403);
    expect((await made.http.get('/v1/ledger/verify')).json).toMatchObject({ valid: true, breaks: [] });
  });

  it('of one consent: one revocation is accepted', async () => {
    const made = await granted();
    const path = `/v1/consent/${made.id}/revoke`;
    const answers = await Promise.all(Array.from({ length: 5 }, () => made.http.post(path, {})));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409]);
  });
});

describe('the consent policy', () => {
  const policy = () => database.db.collection<Document & { _id: string }>('consent_policies');
  const PATH = '/v1/consent/policy';

  async function flagged(): Promise<{ readonly http: Http; readonly tenantId: string; readonly event: string }> {
    const { http, tenantId } = await freshTenant(service.operator, ['admin']);
    const event = (await http.post('/v1/events', envelope('sud', { member_id: MEMBER, source_system: 'sud-clinic' })))
      .json.event_id;
    const put = await http.call(PATH, { method: 'PUT', body: { part2_source_systems: ['sud-clinic'] } });
    expect(put.status).toBe(200);
    return { http, tenantId, event };
  }

  it.each<[string, Document]>([
    ['empties its systems', { $set: { part2_source_systems: [] } }],
    ['replaces its systems by null', { $set: { part2_source_systems: null } }],
    ['changes its revision', { $set: { revision: 9 } }],
    ['changes its author', { $set: { updated_by: 'key_01JQ0000000000000000000009' } }],
    ['names a fact that the ledger does not have', { $set: { 'fact.seq': 9_999 } }],
    ['removes the name of its fact', { $unset: { fact: true } }],
    ['gives it to another tenant', { $set: { tenant_id: 'another' } }],
  ])('fails every read with a purpose when someone %s', async (_, change) => {
    const { http, tenantId, event } = await flagged();
    await policy().updateOne({ _id: tenantId }, change);
    for (const path of [PATH, `/v1/events/${event}?purpose=${PURPOSE}`]) {
      expect([path, codeOf(await http.get(path))]).toEqual([path, 'INTEGRITY_FAILURE']);
    }
  });

  it('is written again from its facts when a crash left its row out', async () => {
    const { http, tenantId } = await flagged();
    const row = await policy().findOneAndDelete({ _id: tenantId });
    expect((await http.get(PATH)).json).toMatchObject({ part2_source_systems: ['sud-clinic'], revision: 1 });
    expect(await policy().findOne({ _id: tenantId })).toEqual(row);
  });

  it('fails when someone inserts one without a fact', async () => {
    const { http, tenantId } = await flagged();
    const row = await policy().findOne({ _id: tenantId });
    const other = await freshTenant(service.operator, ['admin']);
    await policy().insertOne({ ...row, _id: other.tenantId, tenant_id: other.tenantId });
    expect(codeOf(await other.http.get(PATH))).toBe('INTEGRITY_FAILURE');
    expect((await http.get(PATH)).status).toBe(200);
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Collection, Document } from 'mongodb';
import { connectDatabase, type Database } from '../../../shared/db/database.js';
import { envelope } from '../../support/envelopes.js';
import { eventually } from '../../support/eventually.js';
import { type Answer, freshTenant, type Http } from '../../support/http.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';

// A writer of the database changes rows of members and merges; no change joins two persons or parts one.

type Rows = Collection<Document & { _id: string }>;

const PURPOSE = 'TREATMENT';
/** Names that no search takes for each other. */
const FAMILIES = { 'M-a': 'Aldrich', 'M-b': 'Brewster', 'M-c': 'Czerny' } as const;
type Name = keyof typeof FAMILIES;
const NAMES: readonly Name[] = ['M-a', 'M-b', 'M-c'];

let service: WholeService;
let database: Database;
let members: Rows;
let merges: Rows;

beforeAll(async () => {
  service = await startWholeService();
  database = await connectDatabase(service.databaseUri);
  members = database.db.collection('members');
  merges = database.db.collection('member_merges');
});
afterAll(async () => {
  await database.close();
  await service.stop();
});

interface Directory {
  readonly http: Http;
  readonly tenantId: string;
}

const merge = (http: Http, into: string, source: string): Promise<Answer> =>
  http.post(`/v1/members/${into}/merge`, { source_member_id: source });

/** A tenant with three members; each has an event. */
async function directory(): Promise<Directory> {
  const { http, tenantId } = await freshTenant(service.operator, ['admin']);
  for (const id of NAMES) {
    const name = { family: FAMILIES[id], given: [id] };
    expect((await http.post('/v1/members', { member_id: id, name })).status).toBe(200);
    await http.post('/v1/events', envelope(id, { member_id: id }));
  }
  return { http, tenantId };
}

/** A tenant in which M-b is merged into M-a, and every row says so. */
async function merged(): Promise<Directory> {
  const made = await directory();
  expect((await merge(made.http, 'M-a', 'M-b')).status).toBe(200);
  const row = await eventually(
    () => members.findOne({ _id: `${made.tenantId}/M-b` }),
    (found) => found?.['merged_into'] === 'M-a',
  );
  expect(row).toMatchObject({ merged_into: 'M-a', status: 'MERGED' });
  return made;
}

/** Every read that resolves a member to a person. */
const readsOf = (id: Name): string[] => [
  `/v1/members/${id}`,
  `/v1/members/${id}/timeline`,
  `/v1/events?member_id=${id}&purpose=${PURPOSE}`,
  `/v1/members/search?q=${FAMILIES[id]}`,
];

const codeOf = ({ json }: Answer): unknown => json?.code;

async function expectRejected(http: Http, id: Name): Promise<void> {
  for (const path of readsOf(id)) expect([path, codeOf(await http.get(path))]).toEqual([path, 'INTEGRITY_FAILURE']);
  const check = await http.post('/v1/consent/check', { member_id: id, purpose: PURPOSE });
  expect(codeOf(check)).toBe('INTEGRITY_FAILURE');
}

async function expectShown(http: Http, id: Name): Promise<void> {
  for (const path of readsOf(id)) expect([path, (await http.get(path)).status]).toEqual([path, 200]);
}

const personOf = async (http: Http, id: string): Promise<string[]> =>
  (await http.get(`/v1/members/${id}/timeline`)).json.member_ids;

describe('a record of a member', () => {
  it('fails every read of the member when someone writes a merge into it', async () => {
    const { http, tenantId } = await directory();
    await expectShown(http, 'M-a');
    await members.updateOne({ _id: `${tenantId}/M-a` }, { $set: { merged_into: 'M-c' } });
    await expectRejected(http, 'M-a');
    expect(codeOf(await http.get('/v1/members'))).toBe('INTEGRITY_FAILURE');
    await expectShown(http, 'M-b');
  });

  it('fails every read of the member when someone writes another merge into it', async () => {
    const { http, tenantId } = await merged();
    await members.updateOne({ _id: `${tenantId}/M-b` }, { $set: { merged_into: 'M-c' } });
    for (const path of ['/v1/members/M-b', '/v1/members/M-b/timeline', '/v1/members']) {
      expect([path, codeOf(await http.get(path))]).toEqual([path, 'INTEGRITY_FAILURE']);
    }
    const { items } = (await http.get('/v1/exceptions?kind=CHAIN_BREAK')).json;
    expect(items).toEqual([
      expect.objectContaining({ subject: { kind: 'RECORD', id: expect.stringMatching(/^member\/[0-9a-f]{64}$/) } }),
    ]);
    const custody = await http.get('/v1/custody?subject_kind=MEMBER&subject_id=M-b');
    expect(custody.json.items.map(({ action }: { action: string }) => action)).toContain('INTEGRITY_FAILURE');
  });

  it('is shown as merged although someone removes the recent merge from it', async () => {
    const { http, tenantId } = await merged();
    await members.updateOne({ _id: `${tenantId}/M-b` }, { $set: { merged_into: null, status: 'ACTIVE' } });
    expect((await http.get('/v1/members/M-b')).json.status).toBe('MERGED');
    expect((await personOf(http, 'M-b')).sort()).toEqual(['M-a', 'M-b']);
  });

  it('may change in members that no fact states', async () => {
    const { http, tenantId } = await merged();
    await members.updateOne({ _id: `${tenantId}/M-a` }, { $set: { phones: ['217-555-0100'] } });
    expect((await http.get('/v1/members/M-a')).json).toMatchObject({ phones: ['217-555-0100'] });
  });
});

describe('the row of a merge', () => {
  it.each<[string, Document]>([
    ['names another source', { $set: { source_id: 'M-c' } }],
    ['names another target', { $set: { target_id: 'M-c' } }],
    ['turns it into an unmerge', { $set: { action: 'UNMERGE' } }],
    ['changes its time', { $set: { at: new Date('2020-01-01T00:00:00Z') } }],
    ['changes its reason', { $set: { reason: 'Forged.' } }],
    ['names a fact that the ledger does not have', { $set: { 'fact.entry_hash': '0'.repeat(64) } }],
    ['removes the name of its fact', { $unset: { fact: true } }],
  ])('fails the reads of both members when someone %s', async (_, change) => {
    const { http, tenantId } = await merged();
    await merges.updateOne({ _id: `${tenantId}/1` }, change);
    await expectRejected(http, 'M-a');
    await expectRejected(http, 'M-b');
  });

  it('is written again from the facts when a crash left it out', async () => {
    const { http, tenantId } = await merged();
    const row = await merges.findOneAndDelete({ _id: `${tenantId}/1` });
    expect((await personOf(http, 'M-b')).sort()).toEqual(['M-a', 'M-b']);
    expect((await personOf(http, 'M-a')).sort()).toEqual(['M-a', 'M-b']);
    expect({ ...(await merges.findOne({ _id: `${tenantId}/1` })), pending: [] }).toEqual({ ...row, pending: [] });
  });

  it('fails the reads of its members when someone inserts one without a fact', async () => {
    const { http, tenantId } = await merged();
    const row = await merges.findOne({ _id: `${tenantId}/1` });
    await merges.insertOne({ ...row, _id: `${tenantId}/2`, number: 2, source_id: 'M-c' });
    await expectRejected(http, 'M-c');
    await expectRejected(http, 'M-a');
    expect(codeOf(await merge(http, 'M-a', 'M-c'))).toBe('INTEGRITY_FAILURE');
  });

  it('does not part a person when someone inserts an unmerge', async () => {
    const { http, tenantId } = await merged();
    const row = await merges.findOne({ _id: `${tenantId}/1` });
    await merges.insertOne({ ...row, _id: `${tenantId}/2`, number: 2, action: 'UNMERGE' });
    await expectRejected(http, 'M-a');
    await expectRejected(http, 'M-b');
  });
});

describe('consents of a merged member', () => {
  it('apply to the whole person, whatever someone removes from the rows', async () => {
    const { http, tenantId } = await merged();
    const denied = { member_id: 'M-b', decision: 'DENY', purpose: '*' };
    expect((await http.post('/v1/consent', denied)).status).toBe(200);
    const seen = async (): Promise<unknown> =>
      (await http.get(`/v1/events?member_id=M-a&purpose=${PURPOSE}`)).json.items.length;
    expect(await seen()).toBe(0);
    await merges.deleteOne({ _id: `${tenantId}/1` });
    await members.updateOne({ _id: `${tenantId}/M-b` }, { $set: { merged_into: null } });
    expect(await seen()).toBe(0);
  });
});

describe('concurrent merges', () => {
  it('of three members in a circle: at least one is rejected, and each person has one survivor', async () => {
    for (let round = 0; round < 3; round++) {
      const { http } = await directory();
      const answers = await Promise.all([
        merge(http, 'M-a', 'M-b'),
        merge(http, 'M-b', 'M-c'),
        merge(http, 'M-c', 'M-a'),
      ]);
      const statuses = answers.map(({ status }) => status);
      expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(0);
      expect(statuses.filter((status) => status === 409).length).toBeGreaterThan(0);
      const survivors = await Promise.all(NAMES.map(async (id) => (await personOf(http, id))[0]));
      for (const survivor of survivors) {
        expect((await http.get(`/v1/members/${survivor}`)).json).toMatchObject({ status: 'ACTIVE' });
      }
      expect((await http.get('/v1/ledger/verify')).json).toMatchObject({ valid: true, breaks: [] });
    }
  });
});

describe('the facts of a merge', () => {
  it('name no member to readers of events, and a member without a merge has none', async () => {
    const { http } = await merged();
    const { items } = (await http.get('/v1/events?source_system=_records&limit=100&order=asc')).json;
    const types = items.map(({ event_type }: { event_type: string }) => event_type);
    expect(types.filter((type: string) => type !== 'member.created').sort()).toEqual([
      'member-merges.joined',
      'member-merges.ordered',
      'member.merged',
    ]);
    expect(JSON.stringify(items)).not.toMatch(/M-[abc]"/);
    const { payload } = items.find(({ event_type }: { event_type: string }) => event_type === 'member.merged');
    expect(payload).toMatchObject({ action: 'merge', from: 'ACTIVE', to: 'MERGED', merge_id: expect.any(String) });
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type EdgeKit, edgeKit, keyed } from '../../rest-facade/edge-kit.js';
import { envelope } from '../../support/envelopes.js';
import { eventually } from '../../support/eventually.js';
import { freshTenant, type Http } from '../../support/http.js';

let kit: EdgeKit;
let operator: Http;
let http: Http;
let second: Http;

beforeAll(async () => {
  kit = await edgeKit();
  operator = (await kit.start()).operator;
  ({ http } = await freshTenant(operator, ['admin']));
  second = (await kit.start()).operator.as(http.key);
});

afterAll(() => kit.stop());

const SURNAME = 'Zzyzxson';
const ADA = {
  identifiers: [{ system: 'ssn', value: '212-34-5566' }],
  name: { family: SURNAME, given: ['Adaeze', 'Ruth'] },
  birth_date: '1970-01-31',
  sex: 'FEMALE',
  addresses: [{ lines: ['12 Elm Street'], city: 'Springfield', state: 'IL', postal_code: '62704' }],
  phones: ['217-555-0142'],
  program: 'Medicare',
};

// biome-ignore lint/suspicious/noExplicitAny: the test checks the shape of the answer.
async function made(member_id: string, over: Record<string, unknown> = {}, as = http): Promise<any> {
  const answer = await as.post('/v1/members', { ...ADA, member_id, ...over });
  if (answer.status !== 200) throw new Error(`no member: ${answer.text}`);
  return answer.json;
}
const at = (id: string, rest = ''): string => `/v1/members/${encodeURIComponent(id)}${rest}`;
const patch = (id: string, body: unknown, as = http) => as.call(at(id), { method: 'PATCH', body });
const merge = (into: string, source: string, as = http) => as.post(at(into, '/merge'), { source_member_id: source });
const unmerge = (into: string, source: string) => http.post(at(into, '/unmerge'), { source_member_id: source });
const foundBy = async (query: string, as = http): Promise<readonly string[]> =>
  (await as.get(`/v1/members/search?${query}`)).json.items.map(
    ({ member }: { member: { member_id: string } }) => member.member_id,
  );

describe('/v1/members', () => {
  it('creates, reads, changes and deactivates a member, with previous values in the history', async () => {
    const member = await made('M/1 ä');
    expect(member).toMatchObject({ ...ADA, status: 'ACTIVE', revision: 1, links: [], jurisdiction: null });
    expect((await http.get(at('M/1 ä'))).json).toEqual(member);
    const changed = (await patch('M/1 ä', { phones: [], birth_date: '1970-01', revision: 1 })).json;
    expect(changed).toMatchObject({ phones: [], birth_date: '1970-01', program: 'Medicare', revision: 2 });
    expect((await patch('M/1 ä', { phones: [] })).json.revision).toBe(2);
    expect((await patch('M/1 ä', { status: 'INACTIVE', program: null })).json).toMatchObject({
      status: 'INACTIVE',
      program: null,
      allowed_actions: ['update', 'activate', 'merge'],
    });
    const { items } = (await http.get(at('M/1 ä', '/history?order=asc'))).json;
    expect(items.map(({ action, revision, before }: Record<string, unknown>) => [action, revision, before])).toEqual([
      ['create', 1, {}],
      ['update', 2, { phones: ['217-555-0142'], birth_date: '1970-01-31' }],
      ['deactivate', 3, { program: 'Medicare' }],
    ]);
  });

  it('writes every change to the ledger without personal data', async () => {
    await made('M-told', { phones: ['217-555-0199'] });
    await patch('M-told', { phones: ['217-555-0198'] });
    const { items } = (await http.get('/v1/events?source_system=_records&event_family=member&limit=500')).json;
    const types = items.map(({ event_type }: { event_type: string }) => event_type);
    expect(types).toEqual(expect.arrayContaining(['member.created', 'member.updated']));
    const text = JSON.stringify(items);
    for (const personal of ['M-told', SURNAME, '217-555', '1970-01-31', '212-34']) expect(text).not.toContain(personal);
    expect(items[0].payload).toMatchObject({ member_ref: expect.stringMatching(/^[0-9a-f]{64}$/) });
  });

  it('creates one member for a repeated request with one Idempotency-Key', async () => {
    const headers = keyed();
    const [first, again] = [
      await http.post('/v1/members', { ...ADA, member_id: 'M-once' }, headers),
      await second.post('/v1/members', { ...ADA, member_id: 'M-once' }, headers),
    ];
    expect([first.status, again.status]).toEqual([200, 200]);
    expect(again.json).toEqual(first.json);
  });
});

describe('/v1/members, errors', () => {
  it('returns 400 for an invalid date, 409 for a taken id or another revision, 404 for an unknown member', async () => {
    await made('M-409');
    const bad = await http.post('/v1/members', { ...ADA, member_id: 'M-400', birth_date: '1970-02-30' });
    expect([bad.status, bad.json.errors[0].path]).toEqual([400, '/birth_date']);
    expect((await http.post('/v1/members', { ...ADA, member_id: 'M-400', birth_date: '31/1/1970' })).status).toBe(400);
    expect((await http.post('/v1/members', { ...ADA, member_id: 'M-409' })).json.code).toBe('CONFLICT');
    expect((await patch('M-409', { phones: [], revision: 7 })).json.code).toBe('CONFLICT');
    expect((await patch('M-nobody', { phones: [] })).status).toBe(404);
    expect((await http.get(at('M-nobody', '/history'))).status).toBe(404);
    expect((await http.get('/v1/members/search')).status).toBe(400);
  });

  it('returns 403 without the scope', async () => {
    const { http: reader } = await freshTenant(operator, ['events:read']);
    expect((await reader.post('/v1/members', { ...ADA, member_id: 'M-1' })).status).toBe(403);
    expect((await reader.get('/v1/members')).status).toBe(200);
  });
});

describe('merging', () => {
  it('links two records, and an unmerge restores both exactly', async () => {
    const [target, source] = [await made('M-a'), await made('M-b', { phones: ['217-555-0100'] })];
    const merged = (await merge('M-a', 'M-b')).json;
    expect(merged).toMatchObject({ member_id: 'M-a', status: 'ACTIVE', phones: target.phones });
    expect(merged.links).toEqual([{ type: 'REPLACES', member_id: 'M-b', since: expect.any(String) }]);
    const away = (await http.get(at('M-b'))).json;
    expect(away).toMatchObject({ status: 'MERGED', phones: ['217-555-0100'], allowed_actions: ['unmerge'] });
    expect(away.links).toMatchObject([{ type: 'REPLACED_BY', member_id: 'M-a' }]);
    expect((await patch('M-b', { phones: [] })).json.code).toBe('INVALID_TRANSITION');
    expect((await http.get('/v1/members?status=MERGED')).json.items).toMatchObject([{ member_id: 'M-b' }]);
    expect((await unmerge('M-a', 'M-b')).json.links).toEqual([]);
    const { revision: _, updated_at: __, ...restored } = (await http.get(at('M-b'))).json;
    const { revision: ___, updated_at: ____, ...before } = source;
    expect(restored).toEqual(before);
    const actions = (await http.get(at('M-b', '/history?order=asc'))).json.items.map(
      ({ action, other_member_id }: Record<string, unknown>) => [action, other_member_id],
    );
    expect(actions).toEqual([
      ['create', null],
      ['merge', 'M-a'],
      ['unmerge', 'M-a'],
    ]);
  });

  it('rejects a merge with itself, a second merge, a circle, and an unknown member', async () => {
    for (const id of ['M-c1', 'M-c2', 'M-c3']) await made(id);
    expect((await merge('M-c1', 'M-c1')).json.code).toBe('CONFLICT');
    expect((await merge('M-c1', 'M-nobody')).json.errors[0].path).toBe('/source_member_id');
    expect((await merge('M-nobody', 'M-c1')).status).toBe(404);
    expect((await merge('M-c2', 'M-c1')).status).toBe(200);
    expect((await merge('M-c3', 'M-c2')).status).toBe(200);
    expect((await merge('M-c1', 'M-c3')).json.code).toBe('CONFLICT');
    expect((await merge('M-c3', 'M-c1')).json.code).toBe('CONFLICT');
    expect((await unmerge('M-c3', 'M-c1')).json.code).toBe('CONFLICT');
  });

  it('rejects one of two concurrent merges that would form a circle', async () => {
    for (let n = 0; n < 5; n++) {
      await made(`M-r${n}a`);
      await made(`M-r${n}b`);
      const answers = await Promise.all([merge(`M-r${n}a`, `M-r${n}b`), merge(`M-r${n}b`, `M-r${n}a`, second)]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    }
  });

  it('merges once for a repeated request with one Idempotency-Key', async () => {
    await made('M-k1');
    await made('M-k2');
    const headers = keyed();
    const answers = await Promise.all(
      [http, second].map((each) => each.post(at('M-k1', '/merge'), { source_member_id: 'M-k2' }, headers)),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const { items } = (await http.get(at('M-k2', '/history'))).json;
    expect(items.filter(({ action }: { action: string }) => action === 'merge')).toHaveLength(1);
  });
});

describe('searching and matching', () => {
  let tenant: Http;
  beforeAll(async () => {
    ({ http: tenant } = await freshTenant(operator, ['admin']));
    await made('M-1000042', {}, tenant);
    await made('P-2', { name: { family: 'Петров', given: ['Иван'] }, identifiers: [], phones: [] }, tenant);
    await made('P-3', { name: { family: 'García López', given: ['Robert'] }, identifiers: [], phones: [] }, tenant);
    const baby = { name: { family: 'Keller', given: ['Baby', 'Boy'] }, birth_date: '2024-06-01', phones: [] };
    await made('P-4', { ...baby, identifiers: [{ system: 'ssn', value: '000-00-0000' }] }, tenant);
  });

  it.each([
    ['q=adaeze zzyzxson', 'M-1000042'],
    ['q=Zzyzxson, Adaeze', 'M-1000042'],
    ['q=zzyzxon adaze 1/31/1970', 'M-1000042'],
    ['q=31 Jan 1970', 'M-1000042'],
    ['q=M-1000042', 'M-1000042'],
    ['q=212-34-5566', 'M-1000042'],
    ['q=(217) 555-0142', 'M-1000042'],
    ['q=555-0142', 'M-1000042'],
    ['family=Zzyzxson&birth_date=1970', 'M-1000042'],
    ['q=Ivan Petrov', 'P-2'],
    ['q=Иван Петров', 'P-2'],
    ['q=bob lopez', 'P-3'],
  ])('%s finds the intended member first', async (query, id) => {
    const found = await foundBy(encodeURI(query).replaceAll('+', '%2B'), tenant);
    expect(found[0]).toBe(id);
  });

  it('grades and explains a match with contributions that add up', async () => {
    const record = { name: { family: SURNAME, given: ['Adaeze'] }, birth_date: '1970-01-31', sex: 'FEMALE' };
    const { items } = (await tenant.post('/v1/members/match', { record })).json;
    expect(items[0]).toMatchObject({ match: 'EXACT', matched_member_id: 'M-1000042', member: { status: 'ACTIVE' } });
    const sum = items[0].contributions.reduce((all: number, { weight }: { weight: number }) => all + weight, 0);
    expect(items[0].score).toBeCloseTo(sum, 1);
    const stranger = { name: { family: 'Nobody', given: ['Here'] }, birth_date: '1999-09-09' };
    expect((await tenant.post('/v1/members/match', { record: stranger })).json.items).toEqual([]);
    const placeholder = { identifiers: [{ system: 'ssn', value: '000-00-0000' }] };
    expect((await tenant.post('/v1/members/match', { record: placeholder })).json.items).toEqual([]);
  });

  it('returns the survivor for a match of a merged record', async () => {
    await made('M-dup', { name: { family: 'Quixoteson', given: ['Ada'] }, identifiers: [], phones: [] }, tenant);
    await merge('M-1000042', 'M-dup', tenant);
    const [found] = (await tenant.get('/v1/members/search?q=ada quixoteson')).json.items;
    expect(found).toMatchObject({ matched_member_id: 'M-dup', member: { member_id: 'M-1000042' } });
  });
});

describe('members from the ledger', () => {
  const told = (n: string, over: Record<string, unknown>) => envelope(n, over);
  const person = { last_name: 'Ledgerson', first_name: 'Lena', birth_date: '1980-04-05', gender: 'F', state: 'IL' };

  it('are added and corrected by events, and the history names the event', async () => {
    const { http: tenant } = await freshTenant(operator, ['admin']);
    const payload = { patient: { ...person, id: 'M-fed' }, program: 'Medicaid', jurisdiction: 'US-IL' };
    const at1 = { member_id: 'M-fed', event_effective_timestamp: '2026-03-02T00:00:00.000Z', payload };
    const { event_id } = (await tenant.post('/v1/events', told('fed-1', at1))).json;
    const look = async () => (await tenant.get(at('M-fed'))).json;
    const member = await eventually(look, ({ revision }) => revision === 1);
    expect(member).toMatchObject({
      name: { family: 'Ledgerson', given: ['Lena'] },
      birth_date: '1980-04-05',
      sex: 'FEMALE',
      program: 'Medicaid',
      jurisdiction: 'US-IL',
      created_by: 'service:members',
    });
    const married = { ...payload, patient: { ...payload.patient, last_name: 'Newname' } };
    const older = { ...payload, patient: { ...payload.patient, last_name: 'Oldname' } };
    await tenant.post('/v1/events', [
      told('fed-2', { ...at1, event_effective_timestamp: '2026-04-02T00:00:00.000Z', payload: married }),
      told('fed-3', { ...at1, event_effective_timestamp: '2025-04-02T00:00:00.000Z', payload: older }),
    ]);
    const later = await eventually(look, ({ revision }) => revision >= 2);
    expect(later).toMatchObject({ name: { family: 'Newname' }, former_families: ['Ledgerson'], revision: 2 });
    const { items } = (await tenant.get(at('M-fed', '/history?order=asc'))).json;
    expect(items[0]).toMatchObject({ action: 'create', event_id, by: 'service:members' });
  });

  it('raise one exception if unknown, which resolves when the member is added', async () => {
    const { http: tenant } = await freshTenant(operator, ['admin']);
    await made('M-kept', {}, tenant);
    await tenant.post('/v1/events', [told('u-1', { member_id: 'M-strange' }), told('u-2', { member_id: 'M-strange' })]);
    const open = async (status: string) =>
      (await tenant.get(`/v1/exceptions?kind=UNKNOWN_MEMBER&status=${status}`)).json.items;
    const opened = await eventually(
      () => open('OPEN'),
      (items) => items.length > 0,
    );
    expect(opened).toHaveLength(1);
    expect(JSON.stringify(opened)).not.toContain('M-strange');
    await made('M-strange', {}, tenant);
    expect(await open('OPEN')).toEqual([]);
    expect(await open('RESOLVED')).toHaveLength(1);
  });
});

it('the logs contain nothing personal', () => {
  const log = kit.log();
  for (const personal of [SURNAME, '212-34-5566', '217-555-0142', 'Ledgerson', '1980-04-05']) {
    expect(log).not.toContain(personal);
  }
});

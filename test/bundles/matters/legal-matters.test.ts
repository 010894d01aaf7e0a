import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { allowedActions } from '../../../shared/state-machine/state-machine.js';
import {
  MATTER_MACHINE,
  MAX_LINKS,
  type MatterLinks,
  withLink,
  withoutLink,
} from '../../../subgraphs/bundles/matters/domain.js';
import { type EdgeKit, edgeKit, keyed } from '../../rest-facade/edge-kit.js';
import { envelope } from '../../support/envelopes.js';
import { freshTenant, type Http } from '../../support/http.js';

let kit: EdgeKit;
let operator: Http;
let http: Http;
let tenantId: string;

beforeAll(async () => {
  kit = await edgeKit();
  operator = (await kit.start()).operator;
  ({ http, tenantId } = await freshTenant(operator, ['admin']));
});

afterAll(() => kit.stop());

const CASE = { name: 'Testperson v. Acme', kind: 'LITIGATION', description: 'A knee.', member_ids: ['M-1', 'M-1'] };

// biome-ignore lint/suspicious/noExplicitAny: an answer is what the test is about to judge.
const opened = async (body: Record<string, unknown> = CASE, as = http): Promise<any> => {
  const answer = await as.post('/v1/legal-matters', body);
  if (answer.status !== 200) throw new Error(`no legal matter: ${answer.text}`);
  return answer.json;
};
const at = (id: string, rest = ''): string => `/v1/legal-matters/${id}${rest}`;
const patch = (id: string, body: unknown) => http.call(at(id), { method: 'PATCH', body });
const link = (id: string, kind: string, ref: string) => http.post(at(id, `/${kind}/${ref}`), {});
const unlink = (id: string, kind: string, ref: string) => http.call(at(id, `/${kind}/${ref}`), { method: 'DELETE' });

/** An exception of the tenant: two events that contradict each other. */
async function exceptionId(): Promise<string> {
  for (const outcome of ['APPROVED', 'DENIED']) await http.post('/v1/events', envelope('conflict', { outcome }));
  return (await http.get('/v1/exceptions?limit=1')).json.items[0].exception_id;
}

describe('/v1/legal-matters, 200', () => {
  it('creates, reads, changes and closes a matter, and returns every step', async () => {
    const matter = await opened();
    expect(matter).toMatchObject({
      name: 'Testperson v. Acme',
      kind: 'LITIGATION',
      description: 'A knee.',
      status: 'OPEN',
      member_ids: ['M-1'],
      hold_ids: [],
      bundle_ids: [],
      exception_ids: [],
      document_ids: [],
      revision: 1,
      allowed_actions: ['update', 'link', 'unlink', 'close'],
      closed_at: null,
    });
    expect((await http.get(at(matter.matter_id))).json).toEqual(matter);
    const patched = (await patch(matter.matter_id, { description: null, kind: 'APPEAL', revision: 1 })).json;
    expect(patched).toMatchObject({ description: null, kind: 'APPEAL', name: CASE.name, revision: 2 });
    await link(matter.matter_id, 'members', 'M%2F2');
    await unlink(matter.matter_id, 'members', 'M-1');
    const closed = (await http.post(at(matter.matter_id, '/close'), {})).json;
    expect(closed).toMatchObject({ status: 'CLOSED', member_ids: ['M/2'], allowed_actions: [], revision: 5 });
    expect(closed.closed_at).toBe(closed.updated_at);
    expect(closed.history.map((step: { action: string; link: unknown }) => [step.action, step.link])).toEqual([
      ['create', null],
      ['update', null],
      ['link', { kind: 'members', ref: 'M/2' }],
      ['unlink', { kind: 'members', ref: 'M-1' }],
      ['close', null],
    ]);
  });

  it('ignores a repeated link and the removal of an absent link', async () => {
    const { matter_id } = await opened();
    const exception = await exceptionId();
    const linked = (await link(matter_id, 'exceptions', exception)).json;
    expect(linked).toMatchObject({ exception_ids: [exception], revision: 2 });
    expect((await link(matter_id, 'exceptions', exception)).json).toEqual(linked);
    expect((await unlink(matter_id, 'documents', 'doc_01JQ0000000000000000000001')).json).toEqual(linked);
    expect((await unlink(matter_id, 'exceptions', exception)).json).toMatchObject({ exception_ids: [], revision: 3 });
  });

  it('lists by status, kind, name and member, and in pages', async () => {
    const { http: own } = await freshTenant(operator, ['admin']);
    const first = await opened({ name: 'One', kind: 'AUDIT', member_ids: ['M-7'] }, own);
    const second = await opened({ name: 'Two', kind: 'SUBPOENA' }, own);
    await own.post(at(first.matter_id, '/close'), {});
    const ids = async (query: string): Promise<string[]> =>
      (await own.get(`/v1/legal-matters?${query}`)).json.items.map((item: { matter_id: string }) => item.matter_id);
    expect(await ids('status=OPEN')).toEqual([second.matter_id]);
    expect(await ids('kind=AUDIT')).toEqual([first.matter_id]);
    expect(await ids('name=Two')).toEqual([second.matter_id]);
    expect(await ids('member_id=M-7')).toEqual([first.matter_id]);
    const page = (await own.get('/v1/legal-matters?limit=1')).json;
    expect(page.items[0].matter_id).toBe(second.matter_id);
    expect(await ids(`limit=1&cursor=${page.next_cursor}`)).toEqual([first.matter_id]);
  });

  it('records each step in the ledger of its tenant without naming members', async () => {
    const { http: own } = await freshTenant(operator, ['admin']);
    const { matter_id } = await opened({ name: 'One', kind: 'OTHER' }, own);
    await own.post(at(matter_id, '/members/M-SECRET'), {});
    await own.post(at(matter_id, '/close'), {});
    const entries = await own.get('/v1/events?source_system=_records&order=asc');
    expect(entries.json.items.map((item: { event_type: string }) => item.event_type).sort()).toEqual([
      'matter.closed',
      'matter.created',
      'matter.linked',
    ]);
    expect(entries.text).not.toContain('M-SECRET');
    expect((await own.get('/v1/ledger/verify')).json).toMatchObject({ valid: true, breaks: [] });
  });

  it('creates one matter for repeated requests with one Idempotency-Key', async () => {
    const headers = keyed();
    const [first, again] = [
      await http.post('/v1/legal-matters', CASE, headers),
      await http.post('/v1/legal-matters', CASE, headers),
    ];
    expect(again.json).toEqual(first.json);
  });
});

describe('/v1/legal-matters, 409', () => {
  it('rejects every step of a closed matter', async () => {
    const { matter_id } = await opened();
    await http.post(at(matter_id, '/close'), {});
    for (const refused of [
      await patch(matter_id, { name: 'Anew' }),
      await link(matter_id, 'members', 'M-2'),
      await unlink(matter_id, 'members', 'M-1'),
      await http.post(at(matter_id, '/close'), {}),
    ]) {
      expect(refused).toMatchObject({ status: 409, json: { code: 'INVALID_TRANSITION', from: 'CLOSED' } });
    }
    expect(allowedActions(MATTER_MACHINE, 'CLOSED')).toEqual([]);
  });

  it('rejects an outdated revision', async () => {
    const { matter_id } = await opened();
    expect((await patch(matter_id, { name: 'Anew', revision: 9 })).json.code).toBe('CONFLICT');
  });

  it('loses no change of concurrent writers', async () => {
    const { matter_id } = await opened({ name: 'Busy', kind: 'OTHER' });
    const refs = ['M-1', 'M-2', 'M-3', 'M-4'];
    const answers = await Promise.all(refs.map((ref) => link(matter_id, 'members', ref)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect((await http.get(at(matter_id))).json.member_ids.sort()).toEqual(refs);
  });
});

describe('a legal matter with long identifiers of members', () => {
  const named = (n: number, length: number): string => `${String(n).padStart(4, '0')}${'医'.repeat(length)}`;
  const members = (length: number) => Array.from({ length: MAX_LINKS }, (_, n) => named(n, length));

  it('keeps as many as its fact can hold, and takes no more', async () => {
    const description = '医'.repeat(4_000);
    const { matter_id, member_ids } = await opened({ ...CASE, description, member_ids: members(85) });
    expect(member_ids).toHaveLength(MAX_LINKS);
    expect((await unlink(matter_id, 'members', encodeURIComponent(named(0, 85)))).status).toBe(200);
    const longer = await link(matter_id, 'members', encodeURIComponent(named(1_000, 250)));
    expect([longer.status, longer.json.code]).toEqual([409, 'CONFLICT']);
    expect((await link(matter_id, 'members', encodeURIComponent(named(1_000, 85)))).status).toBe(200);
    expect((await http.get(at(matter_id))).json.member_ids).toHaveLength(MAX_LINKS);
  });

  it('rejects a new one with more', async () => {
    const { status, json } = await http.post('/v1/legal-matters', { ...CASE, member_ids: members(252) });
    expect([status, json.code, json.errors[0].path]).toEqual([400, 'VALIDATION_ERROR', '/member_ids']);
  });
});

describe('/v1/legal-matters, 400, 403 and 404', () => {
  it.each<[string, Record<string, unknown>, string]>([
    ['no name', { kind: 'OTHER' }, '/name'],
    ['an unknown kind', { name: 'x', kind: 'GOSSIP' }, '/kind'],
    ['an unknown member', { name: 'x', kind: 'OTHER', judge: 'y' }, '/judge'],
    [
      'too many links',
      { name: 'x', kind: 'OTHER', member_ids: Array.from({ length: MAX_LINKS + 1 }, (_, i) => `M-${i}`) },
      '/member_ids',
    ],
    [
      'a hold that never was',
      { name: 'x', kind: 'OTHER', hold_ids: ['hld_01JQ0000000000000000000001'] },
      '/hold_ids/0',
    ],
    ['a document of a wrong form', { name: 'x', kind: 'OTHER', document_ids: ['x'] }, '/document_ids/0'],
    [
      'a bundle that never was',
      { name: 'x', kind: 'OTHER', bundle_ids: ['bdl_01JQ0000000000000000000001'] },
      '/bundle_ids/0',
    ],
    [
      'an exception that never was',
      { name: 'x', kind: 'OTHER', exception_ids: ['exc_01JQ0000000000000000000001'] },
      '/exception_ids/0',
    ],
  ])('%s', async (_what, body, path) => {
    const refused = await http.post('/v1/legal-matters', body);
    expect(refused).toMatchObject({ status: 400, json: { code: 'VALIDATION_ERROR' } });
    expect(refused.json.errors.map((fault: { path: string }) => fault.path)).toContain(path);
  });

  it.each([
    ['holds', 'hld_01JQ0000000000000000000001'],
    ['bundles', 'bdl_01JQ0000000000000000000001'],
    ['documents', 'doc_01JQ0000000000000000000001'],
    ['exceptions', 'nonsense'],
  ])('returns NOT_FOUND for a link to a missing record: %s/%s', async (kind, ref) => {
    const { matter_id } = await opened();
    expect(await link(matter_id, kind, ref)).toMatchObject({ status: 404, json: { code: 'NOT_FOUND' } });
  });

  it('returns 404 for an unknown matter and 400 for an unknown kind of link', async () => {
    expect((await http.get(at('mat_01JQ0000000000000000000001'))).json.code).toBe('NOT_FOUND');
    expect((await link('nonsense', 'members', 'M-1')).json.code).toBe('NOT_FOUND');
    expect((await link((await opened()).matter_id, 'judges', 'J-1')).status).toBe(404);
  });

  it('returns 403 for a key that may only read', async () => {
    const key = await operator.post('/v1/api-keys', { tenant_id: tenantId, name: 'r', scopes: ['matters:read'] });
    const reader = http.as(key.json.api_key);
    expect((await reader.get('/v1/legal-matters')).status).toBe(200);
    expect((await reader.post('/v1/legal-matters', CASE)).json.code).toBe('FORBIDDEN');
  });
});

const NO_LINKS = { member_ids: [], hold_ids: [], bundle_ids: [], exception_ids: [], document_ids: [] };

describe('links', () => {
  it('are sets: adding or removing twice returns the same object', () => {
    const one = withLink<MatterLinks>(NO_LINKS, 'holds', 'h');
    expect(one.hold_ids).toEqual(['h']);
    expect(withLink(one, 'holds', 'h')).toBe(one);
    expect(withoutLink(one, 'bundles', 'h')).toBe(one);
    expect(withoutLink(one, 'holds', 'h').hold_ids).toEqual([]);
    expect(NO_LINKS.hold_ids).toEqual([]);
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sha256Hex } from '../../../shared/crypto/hash.js';
import { type EdgeKit, edgeKit, keyed } from '../../rest-facade/edge-kit.js';
import { eventually } from '../../support/eventually.js';
import { freshTenant, type Http } from '../../support/http.js';
import { startReceiver } from '../../support/receiver.js';

// Rules over the whole service: one service for all of them, a tenant for each promise that counts.

let kit: EdgeKit;
let operator: Http;
let http: Http;
let tenantId: string;

beforeAll(async () => {
  kit = await edgeKit();
  const settings = { SERVICE_RATE_LIMIT_PER_MINUTE: '0', SERVICE_WEBHOOK_ALLOW_HTTP: 'true' };
  operator = (await kit.start({ ...settings, SERVICE_WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' })).operator;
  ({ http, tenantId } = await freshTenant(operator, ['admin']));
});

afterAll(() => kit.stop());

const RULE = {
  key: 'acme-cpap',
  title: 'CPAP for obstructive sleep apnea',
  kind: 'GUIDELINE',
  program: 'Commercial',
  jurisdiction: 'US',
  effective_from: '2024-01-01',
  codes: ['hcpcs/e0601', 'ICD-10-CM/G4733'],
  criteria: [{ id: 'c1', text: 'Age 18 or more.', logic: { '>=': [{ var: 'member.age_years' }, 18] } }],
  body: 'Covered where the sleep test shows it.',
  citation: 'Acme Health Plan, medical policy 12.1',
};

const put = (body: unknown, as = http) => as.post('/v1/rules', body);

/** A rule under a unique key. */
// biome-ignore lint/suspicious/noExplicitAny: an answer is what the test is about to judge.
async function made(key: string, over: Record<string, unknown> = {}, as = http): Promise<any> {
  const answer = await put({ ...RULE, key, ...over }, as);
  if (answer.status !== 200) throw new Error(`no rule: ${answer.status} ${answer.text}`);
  return answer.json;
}

const faultsOf = (answer: { json: { errors?: readonly { path: string; code: string }[] } }) =>
  (answer.json.errors ?? []).map(({ path, code }) => `${path} ${code}`);

describe('/v1/rules', () => {
  it('creates a rule with normalised codes for a new key, recorded in the ledger and sent to webhooks', async () => {
    const rule = await made('first');
    expect(rule).toMatchObject({
      key: 'first',
      revision: 1,
      shared: false,
      effective_from: '2024-01-01T00:00:00.000Z',
      effective_to: null,
      codes: ['HCPCS/E0601', 'ICD10CM/G47.33'],
      criteria: RULE.criteria,
      artifact_media_type: 'application/json',
    });
    expect((await http.get(`/v1/rules/${rule.rule_id}`)).json).toEqual(rule);
    const recorded = await eventually(
      async () => (await http.get('/v1/events?source_system=_records&event_family=rule')).json.items,
      (items) => items.some(({ payload }: { payload: { key: string } }) => payload.key === 'first'),
    );
    const [entry] = recorded.filter(({ payload }: { payload: { key: string } }) => payload.key === 'first');
    expect(entry).toMatchObject({
      event_type: 'rule.created',
      payload: { rule_id: rule.rule_id, revision: 1, artifact_sha256: rule.artifact_sha256 },
    });
  });

  it('gives concurrent creations of one key one rule, with a revision each', async () => {
    const one = await freshTenant(operator, ['admin']);
    const titles = ['One', 'Two', 'Three', 'Four'];
    const each = await Promise.all(titles.map((title) => made('same', { title }, one.http)));
    expect(new Set(each.map(({ rule_id }) => rule_id)).size).toBe(1);
    expect(each.map(({ revision }) => revision).sort()).toEqual([1, 2, 3, 4]);
    const history = await one.http.get('/v1/events?source_system=_records&source_record_id=rule/same');
    expect(history.json.items).toHaveLength(4);
    expect((await one.http.get('/v1/ledger/verify')).json.valid).toBe(true);
  });

  it('adds a revision only to the revision that the caller has read', async () => {
    const one = await freshTenant(operator, ['admin']);
    const save = (title: string, revision: number) =>
      one.http.post('/v1/rules', { ...RULE, key: 'read-first', title, revision });
    expect((await save('Mine', 1)).status).toBe(409);
    expect((await save('Mine', 0)).json.revision).toBe(1);
    const both = await Promise.all([save('Theirs', 1), save('Ours', 1)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(both.find(({ status }) => status === 409)?.json.code).toBe('CONFLICT');
    const latest = (await one.http.get('/v1/rules?key=read-first')).json.items[0];
    expect(latest.revision).toBe(2);
    expect((await save(latest.title, 2)).json.revision).toBe(2);
    expect((await save('Next', 2)).json.revision).toBe(3);
  });

  it('returns the same revision for equal content, and a new revision for another text', async () => {
    const first = await made('twice');
    expect(await made('twice')).toEqual(first);
    const second = await made('twice', { title: 'CPAP, corrected' });
    expect(second).toMatchObject({ rule_id: first.rule_id, revision: 2, title: 'CPAP, corrected' });
    expect(second.artifact_sha256).not.toBe(first.artifact_sha256);
    const revisions = (await http.get(`/v1/rules/${first.rule_id}/revisions`)).json;
    expect(revisions).toEqual({ items: [second, first], next_cursor: null });
    expect((await http.get(`/v1/rules/${first.rule_id}/revisions/1`)).json).toEqual(first);
    const page = (await http.get(`/v1/rules/${first.rule_id}/revisions?limit=1`)).json;
    expect(page.items).toEqual([second]);
    const rest = await http.get(`/v1/rules/${first.rule_id}/revisions?limit=1&cursor=${page.next_cursor}`);
    expect(rest.json).toEqual({ items: [first], next_cursor: null });
    // A return to the first text is a third revision: the corrected text no longer applies.
    expect(await made('twice')).toMatchObject({ revision: 3 });
  });

  it('sends each revision to webhooks once, without its text', async () => {
    const receiver = await startReceiver();
    const own = await freshTenant(operator, ['admin']);
    try {
      const { tenantId } = own;
      await own.http.post('/v1/webhooks', { url: receiver.url, tenant_id: tenantId, event_types: ['rule.*'] });
      const first = await made('told', {}, own.http);
      await made('told', {}, own.http);
      const second = await made('told', { title: 'Another title' }, own.http);
      const told = (await receiver.until(2)).map(({ body }) => JSON.parse(body.toString()));
      expect(told).toHaveLength(2);
      for (const [type, { rule_id, key, revision, artifact_sha256 }] of [
        ['rule.created', first],
        ['rule.updated', second],
      ] as const) {
        expect(told).toContainEqual(
          expect.objectContaining({ type, data: { rule_id, key, revision, artifact_sha256 } }),
        );
      }
    } finally {
      await receiver.close();
    }
  }, 60_000);

  it('makes one revision for a repeated Idempotency-Key', async () => {
    const headers = keyed();
    const once = await http.post('/v1/rules', { ...RULE, key: 'keyed' }, headers);
    const again = await http.post('/v1/rules', { ...RULE, key: 'keyed' }, headers);
    expect(again.json).toEqual(once.json);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
  });

  it('lists by kind, code, code family, program, jurisdiction and key', async () => {
    const { http: mine } = await freshTenant(operator, ['admin']);
    const family = await made('family', { codes: ['ICD10CM/S82.*'], kind: 'POLICY', program: 'Medicaid' }, mine);
    const single = await made('single', { jurisdiction: 'US-CA', codes: ['REVENUE/0250'] }, mine);
    const found = async (query: string) =>
      (await mine.get(`/v1/rules?${query}`)).json.items
        .filter(({ shared }: { shared: boolean }) => !shared)
        .map(({ key }: { key: string }) => key);
    expect(await found('limit=2')).toEqual(['single', 'family']);
    expect(await found('kind=POLICY')).toEqual(['family']);
    expect(await found('code=ICD10CM/S82.001A')).toEqual(['family']);
    expect(await found('code=ICD10CM/S72.001A')).toEqual([]);
    expect(await found('code=REVENUE/0250')).toEqual(['single']);
    expect(await found('program=Medicaid')).toEqual(['family']);
    expect(await found('jurisdiction=US-CA')).toEqual(['single']);
    expect(await found('key=single')).toEqual(['single']);
    const page = (await mine.get('/v1/rules?limit=1')).json;
    expect(page.items).toEqual([single]);
    const next = (await mine.get(`/v1/rules?limit=1&cursor=${encodeURIComponent(page.next_cursor)}`)).json;
    expect(next.items).toEqual([family]);
  });

  it('returns the revision in force at the time `at`', async () => {
    await made('timed', { effective_from: '2020-01-01', title: 'old' });
    await made('timed', { effective_from: '2024-01-01', effective_to: '2025-01-01', title: 'new' });
    const at = async (time: string) =>
      (await http.get(`/v1/rules?key=timed&at=${time}`)).json.items.map(({ title }: { title: string }) => title);
    expect(await at('2019-12-31T23:59:59.999Z')).toEqual([]);
    expect(await at('2020-01-01T00:00:00.000Z')).toEqual(['old']);
    expect(await at('2024-01-01T00:00:00.000Z')).toEqual(['new']);
    // The old one ended where the new one began, and does not come back.
    expect(await at('2025-01-01T00:00:00.000Z')).toEqual([]);
  });

  it('keeps line ends and tabs of a body', async () => {
    const body = 'One.\n\tTwo.\r\n';
    expect(await made('lines', { body, citation: 'a\nb' })).toMatchObject({ body, citation: 'a\nb' });
  });

  it('stores a given document in the write-once store by its hash', async () => {
    const bytes = Buffer.from('%PDF-1.7 a policy');
    const rule = await made('document', { artifact: bytes.toString('base64'), artifact_media_type: 'application/pdf' });
    expect(rule).toMatchObject({
      artifact_sha256: sha256Hex(bytes),
      artifact_size: bytes.length,
      artifact_media_type: 'application/pdf',
    });
    const largest = Buffer.alloc(10 * 1_048_576, 1);
    const large = await made('large', { artifact: largest.toString('base64') });
    expect(large).toMatchObject({ artifact_sha256: sha256Hex(largest), artifact_size: largest.length });
  });

  it('has the shared corpus from the first start for every tenant; importing again changes nothing', async () => {
    const shared = (await http.get('/v1/rules?key=NCD-240.4')).json.items;
    expect(shared).toMatchObject([{ shared: true, revision: 1, kind: 'GUIDELINE', program: 'Medicare' }]);
    expect((await http.get('/v1/rules?code=CARC/50&kind=REASON_CODE')).json.items).toMatchObject([{ key: 'CARC-50' }]);
    const second = await kit.start();
    const { http: other } = await freshTenant(second.operator, ['events:read']);
    expect((await other.get('/v1/rules?key=NCD-240.4')).json.items).toEqual(shared);
    // A tenant's rule with the same key is separate, and only that tenant sees it.
    const own = await made('NCD-240.4');
    expect((await http.get('/v1/rules?key=NCD-240.4')).json.items).toEqual([own, ...shared]);
    expect((await other.get('/v1/rules?key=NCD-240.4')).json.items).toEqual(shared);
    expect(own.rule_id).not.toBe(shared[0].rule_id);
  });
});

describe('/v1/rules returns 400', () => {
  const cases: readonly (readonly [promise: string, over: Record<string, unknown>, faults: readonly string[]])[] = [
    [
      'an operator that the grammar does not have',
      { criteria: [{ text: 'x', logic: { map: [[1], { '+': [1] }] } }] },
      ['/criteria/0/logic/map criteria'],
    ],
    [
      'a fact that no record holds',
      { criteria: [{ text: 'x', logic: { '==': [{ var: 'member.__proto__' }, 1] } }] },
      ['/criteria/0/logic unknown_fact'],
    ],
    [
      'a misspelt member of a criterion',
      {
        criteria: [
          { text: 'x', logic: true },
          { text: 'y', logik: { '==': [{ var: 'event.outcome' }, 'denied'] } },
        ],
      },
      ['/criteria/1/logik unknown_field'],
    ],
    ['a code that its table does not have', { codes: ['CARC/50', 'CARC/9999'] }, ['/codes/1 unknown_code']],
    ['a system that nobody knows', { codes: ['DEWEY/610'] }, ['/codes/0 code']],
    ['a day that there is none of', { effective_from: '2023-02-29' }, ['/effective_from time']],
    ['an end before its beginning', { effective_to: '2024-01-01' }, ['/effective_to order']],
    ['what is no base64', { artifact: 'a policy!' }, ['/artifact base64']],
    ['a title with NUL', { title: 'a\u0000b' }, ['/title pattern']],
    ['a title of blanks', { title: '  ' }, ['/title pattern']],
    ['a programme with a line of its own', { program: 'Medicare\nx' }, ['/program pattern']],
    ['a body that rings', { body: 'x\u0007', citation: 'c\u009b' }, ['/body pattern', '/citation pattern']],
    [
      'control characters within criteria',
      { criteria: [{ text: 'a\u0000', logic: { '==': [{ var: 'event.outcome' }, 'b\u001b'] } }] },
      ['/criteria/0/text control_character', '/criteria/0/logic/==/1 control_character'],
    ],
    [
      'an expression that is too large',
      { criteria: [{ text: 'x', logic: { or: Array.from({ length: 300 }, () => true) } }] },
      ['/criteria/0/logic/or/199 criteria'],
    ],
  ];

  it.each(cases)('for %s, with its position', async (_promise, over, faults) => {
    const answer = await put({ ...RULE, key: 'refused', ...over });
    expect([answer.status, answer.json.code, faultsOf(answer)]).toEqual([400, 'VALIDATION_ERROR', faults]);
    expect((await http.get('/v1/rules?key=refused')).json.items).toEqual([]);
  });
});

describe('POST /v1/rules/preview', () => {
  const event = (n: number, birth_date: string | null, over: Record<string, unknown> = {}) => ({
    event_family: 'claim',
    event_type: 'claim.denied',
    member_id: `P-${n}`,
    source_system: 'preview',
    source_record_id: `C-${n}`,
    event_effective_timestamp: `2026-03-0${n}T00:00:00Z`,
    outcome: 'DENIED',
    payload: {
      program: 'Commercial',
      procedure_codes: ['E0601'],
      ...(birth_date === null ? {} : { patient: { birth_date }, member: { birth_date } }),
    },
    ...over,
  });
  const RULE_TRIED = {
    ...RULE,
    key: 'tried',
    jurisdiction: undefined,
    codes: ['HCPCS/E0601'],
    criteria: [
      { id: 'denied', text: 'It was denied.', logic: { '==': [{ var: 'event.outcome' }, 'denied'] } },
      { id: 'never', text: 'Nobody says.', logic: { '==': [{ var: 'member.sex' }, 'F'] } },
    ],
  };

  it('counts verdicts and criteria over the newest events that the rule applies to, and stores nothing', async () => {
    const { http: own } = await freshTenant(operator, ['admin']);
    const events = [1, 2, 3].map((n) => event(n, null));
    const other = event(4, null, { payload: { program: 'Commercial', procedure_codes: ['99213'] } });
    expect((await own.post('/v1/events', { events: [...events, other] })).json.accepted).toBe(4);
    const tried = await own.post('/v1/rules/preview', { rule: RULE_TRIED, last: 3 });
    expect(tried.json).toEqual({
      looked_at: 3,
      judged: 2,
      verdicts: { SUPPORTS: 0, DOES_NOT_SUPPORT: 0, INSUFFICIENT_INFORMATION: 2 },
      criteria: [
        { id: 'denied', text: 'It was denied.', met: 2, not_met: 0, no_value: 0 },
        { id: 'never', text: 'Nobody says.', met: 0, not_met: 0, no_value: 2 },
        expect.objectContaining({ id: 'program', met: 2 }),
      ],
    });
    expect((await own.get('/v1/rules?key=tried')).json.items).toEqual([]);
    expect((await own.get('/v1/events?source_system=_records&limit=5')).json.items).toEqual([]);
  });

  it('rejects what POST /v1/rules rejects, at its place', async () => {
    const rule = { ...RULE_TRIED, criteria: [{ text: 'x', logik: true }] };
    const answer = await http.post('/v1/rules/preview', { rule });
    expect(answer.json).toMatchObject({
      status: 400,
      errors: [{ path: '/rule/criteria/0/logik', did_you_mean: 'logic' }],
    });
    const over = await http.post('/v1/rules/preview', { rule: RULE_TRIED, last: 201 });
    expect(faultsOf(over)).toEqual(['/last range']);
  });

  it('needs rules:write and events:read', async () => {
    for (const scopes of [['rules:write'], ['events:read']]) {
      const { http: own } = await freshTenant(operator, scopes);
      expect((await own.post('/v1/rules/preview', { rule: RULE_TRIED })).json.code).toBe('FORBIDDEN');
    }
  });
});

describe('/v1/rules returns 409 or 413', () => {
  it('for overlapping revisions and another kind', async () => {
    await made('overlap', { effective_from: '2024-01-01', effective_to: '2025-01-01' });
    for (const over of [
      { effective_from: '2024-06-01' },
      { effective_from: '2023-06-01', effective_to: '2024-06-01' },
      { effective_from: '2023-06-01', effective_to: '2026-01-01' },
    ]) {
      const answer = await put({ ...RULE, key: 'overlap', ...over });
      expect([answer.status, answer.json.code]).toEqual([409, 'CONFLICT']);
    }
    expect(await made('overlap', { effective_from: '2025-01-01' })).toMatchObject({ revision: 2 });
    expect((await put({ ...RULE, key: 'overlap', kind: 'POLICY', effective_from: '2026-01-01' })).status).toBe(409);
  });

  it('for an artifact over 10 MiB', async () => {
    for (const bytes of [10 * 1_048_576 + 1, 11 * 1_048_576, 30 * 1_048_576]) {
      const artifact = Buffer.alloc(bytes).toString('base64');
      const answer = await put({ ...RULE, key: 'too-large', artifact });
      expect([bytes, answer.status, answer.json.code]).toEqual([bytes, 413, 'PAYLOAD_TOO_LARGE']);
    }
  });
});

describe('/v1/rules returns 403 or 404', () => {
  it('without rules:read, which events:read implies, or rules:write, and for writes to the shared corpus', async () => {
    const rule = await made('scoped');
    const key = async (scopes: readonly string[]) =>
      http.as((await operator.post('/v1/api-keys', { tenant_id: tenantId, name: 'k', scopes })).json.api_key as string);
    const reader = await key(['events:read']);
    expect((await reader.get(`/v1/rules/${rule.rule_id}`)).status).toBe(200);
    expect((await put({ ...RULE, key: 'scoped' }, reader)).status).toBe(403);
    expect((await (await key(['events:write'])).get('/v1/rules')).status).toBe(403);
  });

  it("for another tenant's rule, a missing revision and an invalid identifier", async () => {
    const rule = await made('mine');
    const { http: stranger } = await freshTenant(operator, ['admin']);
    for (const path of ['', '/revisions', '/revisions/1']) {
      expect((await stranger.get(`/v1/rules/${rule.rule_id}${path}`)).status).toBe(404);
    }
    for (const n of ['0', '2', '01', '-1', 'x', '99999999999999999999']) {
      expect((await http.get(`/v1/rules/${rule.rule_id}/revisions/${n}`)).status).toBe(404);
    }
    expect((await http.get('/v1/rules/evt_01JQ0000000000000000000001')).status).toBe(404);
  });
});

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { repositoryFile } from '../../../app/repository.js';
import { envelope } from '../../support/envelopes.js';
import { freshTenant, type Http } from '../../support/http.js';
import { itUnless } from '../../support/needs.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';

// The route in a whole service; every code and rule of the answer is in explain-texts.test.ts and explain-rules.test.ts.

const SAMPLES = repositoryFile('../shared/samples');

interface Golden {
  /** Where it was read: what the expectation was written by. */
  readonly by: string;
  readonly body: string;
  readonly format: string;
  readonly source_system: string;
  /** By source_record_id's last part, or by place among the events of the body. */
  readonly at: number;
  readonly expected: Record<string, unknown>;
}
const GOLDEN = JSON.parse(
  readFileSync(repositoryFile('test/advocacy/explain/explain-golden.json'), 'utf8'),
) as Golden[];

let service: WholeService;
let http: Http;
let tenantId: string;
beforeAll(async () => {
  service = await startWholeService();
  ({ http, tenantId } = await freshTenant(service.operator, ['admin']));
});
afterAll(() => service.stop());

const posted = async (by: Http, over: Readonly<Record<string, unknown>>): Promise<string> =>
  (await by.post('/v1/events', envelope(JSON.stringify(over).length, over))).json.event_id;

const DENIED = {
  event_family: 'remittance',
  event_type: 'claim_adjudicated',
  outcome: 'DENIED',
  payload: {
    carc: ['50'],
    program: 'Commercial',
    jurisdiction: 'US-CA',
    adjustments: [{ group: 'CO', reason: '50', amount: '120.00' }],
    amounts: { charge: '120.00', paid: '0.00' },
  },
};

it('an explanation has the meaning of the codes, the amounts, the appeal steps and the sources', async () => {
  const eventId = await posted(http, DENIED);
  const { status, json, headers } = await http.get(`/v1/advocacy/explain/${eventId}`);
  expect(status).toBe(200);
  expect(headers.get('content-language')).toBe('en');
  expect(json).toMatchObject({
    event_id: eventId,
    outcome: 'DENIED',
    reasons: [{ code: '50', code_system: 'CARC', group: 'CO', deadline: '2026-08-29' }],
    amounts: { charge: '120.00', paid: '0.00', member_owes: '0.00', not_owed: '120.00', unexplained: '0.00' },
    appeal_rights: {
      applies: true,
      programs: ['COMMERCIAL'],
      notice_date: '2026-03-02',
      notice_date_basis: 'PAYMENT',
      steps: [
        { level: 1, file_by: '2026-08-29', is_external: false },
        { level: 2, is_external: true, citation: expect.stringContaining('1374.30') },
      ],
    },
    language: 'en',
  });
  expect(json.reading_grade).toBeLessThanOrEqual(8);
  const [rule, ...files] = json.citations;
  expect(rule).toEqual({
    rule_id: expect.stringMatching(/^rul_/),
    revision: 1,
    sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  expect(files.map(({ rule_id }: { rule_id: string }) => rule_id)).toEqual([
    'codes/carc.json',
    'codes/plain-carc.json',
    'codes/plain-phrases.json',
    'codes/appeal-rights.json',
  ]);
  expect(Object.keys(json).sort()).toEqual([
    'amounts',
    'appeal_rights',
    'citations',
    'event_id',
    'language',
    'outcome',
    'reading_grade',
    'reasons',
    'summary',
  ]);
});

it('the same event gives the same bytes in the requested or preferred language', async () => {
  const path = `/v1/advocacy/explain/${await posted(http, { ...DENIED, source_record_id: 'same' })}`;
  const first = await http.get(path);
  expect((await http.get(path)).text).toBe(first.text);
  const spanish = await http.get(`${path}?language=es`);
  expect(spanish.json.summary).toContain('El plan dijo que no');
  expect(spanish.headers.get('content-language')).toBe('es');
  expect((await http.get(path, { 'accept-language': 'fr, es-MX;q=0.8, en;q=0.2' })).text).toBe(spanish.text);
  expect((await http.get(`${path}?language=en`, { 'accept-language': 'es' })).text).toBe(first.text);
  expect((await http.get(`${path}?language=fr`)).json.code).toBe('VALIDATION_ERROR');
});

it("another tenant's event, an unknown event and a key without the scope are rejected as on other routes", async () => {
  const eventId = await posted(http, { ...DENIED, source_record_id: 'others' });
  const other = await freshTenant(service.operator);
  const missing = await other.http.get('/v1/advocacy/explain/evt_01JQ0000000000000000000009');
  const foreign = await other.http.get(`/v1/advocacy/explain/${eventId}`);
  for (const { status, json } of [missing, foreign]) expect([status, json.code]).toEqual([404, 'NOT_FOUND']);
  const writer = await freshTenant(service.operator, ['events:write']);
  expect((await writer.http.get(`/v1/advocacy/explain/${eventId}`)).json.code).toBe('FORBIDDEN');
});

it('record=true records each answer once in the ledger', async () => {
  const path = `/v1/advocacy/explain/${await posted(http, { ...DENIED, source_record_id: 'recorded' })}`;
  const plain = (await http.get(path)).json;
  expect(plain.recorded).toBeUndefined();
  const { recorded, answer_sha256, ...answer } = (await http.get(`${path}?record=true`)).json;
  expect(answer).toEqual(plain);
  expect(answer_sha256).toMatch(/^[0-9a-f]{64}$/);
  expect((await http.get(`${path}?record=true`)).json.recorded).toEqual(recorded);
  expect((await http.get(`${path}?record=true&language=es`)).json.recorded).not.toEqual(recorded);
  const entries = await http.get(
    `/v1/events?source_system=${recorded.source_system}&source_record_id=${recorded.source_record_id}`,
  );
  expect(entries.json.items).toMatchObject([{ payload: { kind: 'EXPLAIN', answer_sha256 } }]);
});

it('redacted data is in no explanation for callers who may not see it', async () => {
  const eventId = await posted(http, { ...DENIED, source_record_id: 'hidden' });
  const draft = { subject: { kind: 'EVENT', id: eventId }, pointers: ['/payload/carc', '/payload/adjustments'] };
  const { redaction_id } = (await http.post('/v1/redactions', { ...draft, reason: 'r', basis: 'b' })).json;
  const key = { tenant_id: tenantId, name: 'counsel', scopes: ['redactions:apply'] };
  const counsel = http.as((await service.operator.post('/v1/api-keys', key)).json.api_key);
  expect((await counsel.post(`/v1/redactions/${redaction_id}/apply`, {})).status).toBe(200);
  const { json } = await http.get(`/v1/advocacy/explain/${eventId}`);
  expect(json.reasons).toEqual([]);
  expect(json.summary).toContain('Parts of this record are hidden from you.');
});

it("a tenant's rule is quoted and cited instead of the shared one", async () => {
  const rule = {
    key: 'CARC-96',
    title: 'Site visit was missing.',
    kind: 'REASON_CODE',
    effective_from: '2020-01-01T00:00:00.000Z',
    codes: ['CARC/96'],
    body: 'Plan rule on site visits.',
  };
  const made = await http.post('/v1/rules', rule);
  expect([made.status, made.json.errors]).toEqual([200, undefined]);
  const eventId = await posted(http, { ...DENIED, source_record_id: 'local', payload: { carc: ['CO-96', '9999'] } });
  const { json } = await http.get(`/v1/advocacy/explain/${eventId}`);
  expect(json.reasons.map(({ meaning }: { meaning: string }) => meaning)).toEqual([
    'The plan does not cover this. A remark code says why. A rule on file says: “Site visit was missing.”',
    'We do not know this code.',
  ]);
  expect(json.citations[0].rule_id).toBe(made.json.rule_id);
});

it("a payer's own code is explained by the tenant's PAYER rule, a code of a table is not", async () => {
  const rule = {
    key: 'payer-words',
    title: 'The clinic has left our network.',
    kind: 'REASON_CODE',
    effective_from: '2020-01-01T00:00:00.000Z',
    codes: ['PAYER/Z77', 'PAYER/50'],
  };
  const made = await http.post('/v1/rules', rule);
  expect([made.status, made.json.errors]).toEqual([200, undefined]);
  // Of a list that has a table a code that it lacks is refused all the same.
  expect((await http.post('/v1/rules', { ...rule, key: 'no-carc', codes: ['CARC/9999'] })).status).toBe(400);
  const payload = { carc: ['50'], reason_codes: ['z77'] };
  const { json } = await http.get(
    `/v1/advocacy/explain/${await posted(http, { ...DENIED, source_record_id: 'payers-own', payload })}`,
  );
  expect(json.reasons.map(({ meaning }: { meaning: string }) => meaning)).toEqual([
    'The plan says this care was not needed for your health.',
    'A rule on file says: “The clinic has left our network.”',
  ]);
  expect(json.summary).not.toContain('do not know');
  expect(json.citations).toContainEqual(expect.objectContaining({ rule_id: made.json.rule_id, revision: 1 }));
});

it('an event that consent withholds from a purpose is not explained for it', async () => {
  const payload = { ...DENIED.payload, sensitivity: ['42CFR2'] };
  const part2 = { ...DENIED, member_id: 'M-part2', source_record_id: 'part-2', payload };
  const path = `/v1/advocacy/explain/${await posted(http, part2)}`;
  expect((await http.get(path)).status).toBe(200);
  const refused = await http.get(`${path}?purpose=research`);
  expect(refused).toMatchObject({ status: 403, json: { code: 'FORBIDDEN', withheld: { count: 1, reason: '42CFR2' } } });
  const permit = { member_id: 'M-part2', decision: 'PERMIT', purpose: 'RESEARCH', categories: ['42CFR2'] };
  expect((await http.post('/v1/consent', permit)).status).toBe(200);
  expect((await http.get(`${path}?purpose=research`)).status).toBe(200);
  expect((await http.get(`${path}?purpose=no+purpose`)).status).toBe(400);
});

describe('golden cases', () => {
  for (const { by, body, format, source_system, at, expected } of GOLDEN) {
    const sample = body.startsWith('samples/') ? join(SAMPLES, body.slice('samples/'.length)) : null;
    const run = itUnless(sample === null || existsSync(sample) ? null : '../shared/samples is absent');
    run(`${source_system}: ${by}`, async () => {
      const raw = sample === null ? body : readFileSync(sample, 'utf8');
      const taken = await http.post(`/v1/ingest/raw?format=${format}&source_system=${source_system}`, raw, {
        'content-type': format === 'fhir' ? 'application/fhir+json' : 'text/plain',
      });
      expect(taken.status).toBe(200);
      const { items } = (await http.get(`/v1/events?source_system=${source_system}&order=asc&limit=100`)).json;
      const sorted = items.sort((a: { sequence: number }, b: { sequence: number }) => a.sequence - b.sequence);
      const { json } = await http.get(`/v1/advocacy/explain/${sorted[at].event_id}`);
      expect(json).toMatchObject(expected);
      expect(json.reading_grade).toBeLessThanOrEqual(8);
    });
  }
});

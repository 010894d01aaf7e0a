import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { sha256Hex } from '../../../shared/crypto/hash.js';
import { ulidIds } from '../../../shared/ids/ids.js';
import { envelope } from '../../support/envelopes.js';
import { seededRandomness } from '../../support/fakes.js';
import { freshTenant, type Http } from '../../support/http.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';

let service: WholeService;
let http: Http;
let tenantId: string;

beforeAll(async () => {
  service = await startWholeService();
  ({ http, tenantId } = await freshTenant(service.operator, ['admin']));
});

afterAll(() => service.stop());

const REVIEWER = { reviewer_id: 'dr-17', license_type: 'MD', license_number: 'CA-A12345' };

const decision = (over: Readonly<Record<string, unknown>> = {}): Record<string, unknown> => ({
  decision_type: 'UTILIZATION_MANAGEMENT',
  model: { name: 'um-triage', version: '4.2.0', provider: 'Example Models' },
  member_id: 'M-1001',
  inputs: { b: 2, a: [1, 'x'] },
  output: { label: 'deny', detail: [1, null] },
  score: 0.91,
  threshold: 0.8,
  recommendation: 'DENY',
  rationale: 'Conservative therapy is not documented.',
  human_review: { required: true, reviewer: REVIEWER },
  individualized: { medical_history: true, clinical_notes: true },
  decided_at: '2026-03-02T14:11:09.123Z',
  ...over,
});

// biome-ignore lint/suspicious/noExplicitAny: an answer is what the test is about to judge.
const recorded = async (over: Readonly<Record<string, unknown>> = {}, as = http): Promise<any> => {
  const answer = await as.post('/v1/ai-decisions', decision(over));
  if (answer.status !== 200) throw new Error(`no decision: ${answer.text}`);
  return answer.json;
};
const APPROVAL = { outcome: 'APPROVE', reason: 'It was documented.', overridden_by: 'dr-18', credentials: 'MD' };
const entries = async (as = http) =>
  (await as.get('/v1/events?source_system=ai-provenance&order=asc&limit=500')).json.items;
const exceptionsOf = async (as: Http) => (await as.get('/v1/exceptions?kind=AI_ADVERSE_UNREVIEWED')).json.items;

describe('/v1/ai-decisions with status 200', () => {
  it('returns a decision as sent, with the hash of its inputs in their place', async () => {
    const made = await recorded();
    expect(made).toMatchObject({
      tenant_id: tenantId,
      decision_type: 'UTILIZATION_MANAGEMENT',
      model: { name: 'um-triage', version: '4.2.0', provider: 'Example Models' },
      input_sha256: sha256Hex('{"a":[1,"x"],"b":2}'),
      output: { label: 'deny', detail: [1, null] },
      recommendation: 'DENY',
      outcome: 'DENY',
      adverse: true,
      unreviewed: false,
      exception_id: null,
      individualized: { medical_history: true, provider_recommendation: false, clinical_notes: true },
      status: 'RECORDED',
      overrides: [],
    });
    expect(made).not.toHaveProperty('inputs');
    expect((await http.get(`/v1/ai-decisions/${made.decision_id}`)).json).toEqual(made);
  });

  it('appends an entry of ai-provenance, listed with events only by name, and the ledger verifies', async () => {
    const { http: own } = await freshTenant(service.operator, ['admin']);
    const made = await recorded({}, own);
    const [entry, ...others] = await entries(own);
    expect(others).toEqual([]);
    expect(entry).toMatchObject({
      event_id: made.provenance.event_id,
      event_type: 'ai_decision.recorded',
      source_record_id: made.decision_id,
      entry_hash: made.provenance.entry_hash,
      event_effective_timestamp: '2026-03-02T14:11:09.123Z',
      outcome: 'DENY',
      member_id: 'M-1001',
      payload: { input_sha256: made.input_sha256, score: 0.91 },
    });
    expect(JSON.stringify(entry)).not.toContain('"inputs"');
    expect((await own.get('/v1/events')).json.items).toEqual([]);
    expect((await own.get('/v1/ledger/verify')).json).toMatchObject({ valid: true, breaks: [] });
  });

  it('fills and returns defaults: adverse by recommendation and type, made now, nothing considered', async () => {
    const bare = { decision_type: 'OTHER', model: { name: 'm', version: '1' }, input_sha256: 'b'.repeat(64) };
    const made = await http.post('/v1/ai-decisions', { ...bare, recommendation: 'APPROVE' });
    expect(made.json).toMatchObject({
      adverse: false,
      human_review: { required: false },
      input_sha256: 'b'.repeat(64),
    });
    expect(Date.parse(made.json.decided_at)).toBeGreaterThan(Date.parse('2026-01-01'));
    for (const recommendation of ['Denied', 'DELAY', 'modify', 'partially approved']) {
      expect((await http.post('/v1/ai-decisions', { ...bare, recommendation })).json.adverse).toBe(true);
    }
    const denial = { ...bare, decision_type: 'DENIAL', recommendation: 'REFER' };
    expect((await http.post('/v1/ai-decisions', denial)).json.adverse).toBe(true);
    expect((await http.post('/v1/ai-decisions', { ...denial, adverse: false })).json.adverse).toBe(false);
  });

  it('filters by every member of a decision, in pages', async () => {
    const { http: own } = await freshTenant(service.operator, ['admin']);
    const event = (await own.post('/v1/events', envelope('ai-list'))).json.event_id as string;
    const first = await recorded({ event_id: event, decision_type: 'DENIAL' }, own);
    const second = await recorded(
      { member_id: 'M-2', model: { name: 'fraud', version: '1' }, recommendation: 'PAY' },
      own,
    );
    await own.post(`/v1/ai-decisions/${first.decision_id}/override`, APPROVAL);
    const ids = async (query: string): Promise<string[]> =>
      (await own.get(`/v1/ai-decisions?${query}`)).json.items.map((item: { decision_id: string }) => item.decision_id);
    expect(await ids('')).toEqual([second.decision_id, first.decision_id]);
    expect(await ids('decision_type=DENIAL')).toEqual([first.decision_id]);
    expect(await ids(`event_id=${event}`)).toEqual([first.decision_id]);
    expect(await ids('model_name=fraud&model_version=1')).toEqual([second.decision_id]);
    expect(await ids('member_id=M-2')).toEqual([second.decision_id]);
    expect(await ids('adverse=false')).toEqual([second.decision_id]);
    expect(await ids('status=OVERRIDDEN')).toEqual([first.decision_id]);
    expect(await ids('recommendation=PAY&order=asc')).toEqual([second.decision_id]);
    const page = await own.get('/v1/ai-decisions?limit=1');
    expect(await ids(`limit=1&cursor=${page.json.next_cursor}`)).toEqual([first.decision_id]);
  });
});

describe('overriding an AI decision', () => {
  it('appends another entry; the decision and earlier overrides stay unchanged', async () => {
    const { http: own } = await freshTenant(service.operator, ['admin']);
    const made = await recorded({}, own);
    const event = async () => {
      // The tree takes the entry in at its own time.
      const { tree_index: _, ...rest } = (await own.get(`/v1/events/${made.provenance.event_id}`)).json;
      return rest;
    };
    const before = await event();
    const route = `/v1/ai-decisions/${made.decision_id}/override`;
    const once = await own.post(route, APPROVAL);
    expect(once.json).toMatchObject({ status: 'OVERRIDDEN', outcome: 'APPROVE', recommendation: 'DENY' });
    const twice = await own.post(route, { outcome: 'REFER', reason: 'A second look.', overridden_by: 'dr-19' });
    expect(twice.json).toMatchObject({ status: 'OVERRIDDEN', outcome: 'REFER', recommendation: 'DENY' });
    expect(twice.json.overrides).toMatchObject([
      { ...APPROVAL, prior_outcome: 'DENY' },
      { outcome: 'REFER', prior_outcome: 'APPROVE', overridden_by: 'dr-19' },
    ]);
    expect(await event()).toEqual(before);
    expect((await entries(own)).map((entry: { event_type: string }) => entry.event_type)).toEqual([
      'ai_decision.recorded',
      'ai_decision.overridden',
      'ai_decision.overridden',
    ]);
    expect((await own.get('/v1/ledger/verify')).json).toMatchObject({ valid: true });
  });

  it('keeps each of many concurrent overrides once', async () => {
    const { decision_id } = await recorded();
    const outcomes = Array.from({ length: 8 }, (_, i) => `OUTCOME-${i}`);
    const answers = await Promise.all(
      outcomes.map((outcome) => http.post(`/v1/ai-decisions/${decision_id}/override`, { ...APPROVAL, outcome })),
    );
    expect(answers.map((answer) => answer.status)).toEqual(outcomes.map(() => 200));
    const { overrides } = (await http.get(`/v1/ai-decisions/${decision_id}`)).json;
    expect(overrides.map((one: { outcome: string }) => one.outcome).sort()).toEqual(outcomes);
  });

  it('requires a reason, an outcome, a person and an existing decision', async () => {
    const { decision_id } = await recorded();
    for (const missing of ['outcome', 'reason', 'overridden_by']) {
      const refused = await http.post(`/v1/ai-decisions/${decision_id}/override`, {
        ...APPROVAL,
        [missing]: undefined,
      });
      expect(refused).toMatchObject({ status: 400, json: { code: 'VALIDATION_ERROR' } });
    }
    const none = await http.post('/v1/ai-decisions/aid_01JQ0000000000000000000001/override', APPROVAL);
    expect(none.json.code).toBe('NOT_FOUND');
  });
});

describe('an adverse decision without a licensed reviewer', () => {
  it.each([
    ['nobody', { required: true }, 'NO_REVIEWER'],
    ['somebody without a licence', { required: true, reviewer: { reviewer_id: 'u-1' } }, 'REVIEWER_WITHOUT_LICENSE'],
  ])('is recorded when reviewed by %s, and opens one exception before the answer', async (_who, human_review, why) => {
    const { http: own } = await freshTenant(service.operator, ['admin']);
    const made = await recorded({ human_review }, own);
    expect(made).toMatchObject({ status: 'RECORDED', unreviewed: true });
    const [exception, ...others] = await exceptionsOf(own);
    expect(others).toEqual([]);
    expect(exception).toMatchObject({
      exception_id: made.exception_id,
      subject: { kind: 'AI_DECISION', id: made.decision_id },
      detail: { why, model: 'um-triage', version: '4.2.0', provenance_event_id: made.provenance.event_id },
      severity: 'HIGH',
    });
    expect(JSON.stringify(exception)).not.toContain('M-1001');
  });

  it('opens no exception if it is not adverse or was reviewed', async () => {
    const { http: own } = await freshTenant(service.operator, ['admin']);
    await recorded({}, own);
    await recorded({ human_review: { required: false }, recommendation: 'APPROVE' }, own);
    expect(await exceptionsOf(own)).toEqual([]);
  });
});

describe('an export of AI decisions', () => {
  it('contains one decision, or a page of filtered decisions', async () => {
    const { http: own } = await freshTenant(service.operator, ['admin']);
    const first = await recorded({}, own);
    await own.post(`/v1/ai-decisions/${first.decision_id}/override`, APPROVAL);
    const second = await recorded({ member_id: 'M-2' }, own);
    const one = await own.get(`/v1/ai-decisions/${first.decision_id}/export?format=fhir`);
    expect(one.json).toMatchObject({ resourceType: 'Bundle', entry: [{}, {}] });
    const all = (await own.get('/v1/ai-decisions/export')).json;
    expect(all).toMatchObject({ format: 'prov', next_cursor: null });
    expect(all.document.entity).toHaveProperty([`eas:decision/${second.decision_id}`]);
    const page = (await own.get('/v1/ai-decisions/export?format=fhir&limit=1')).json;
    expect(page.document.entry).toHaveLength(1);
    const rest = await own.get(`/v1/ai-decisions/export?format=fhir&limit=1&cursor=${page.next_cursor}`);
    expect(rest.json).toMatchObject({ next_cursor: null, document: one.json });
    const ofMember = (await own.get('/v1/ai-decisions/export?format=fhir&member_id=M-2')).json;
    expect(ofMember.document.entry).toHaveLength(1);
    expect((await own.get('/v1/ai-decisions/export?format=pdf')).status).toBe(400);
  });
});

describe('the summary of AI decisions', () => {
  it('counts by type, model, version, outcome and month, with override rates and their trend', async () => {
    const { http: own } = await freshTenant(service.operator, ['admin']);
    const override = async ({ decision_id }: { decision_id: string }) =>
      own.post(`/v1/ai-decisions/${decision_id}/override`, APPROVAL);
    const january = { decided_at: '2026-01-15T00:00:00Z' };
    const february = { decided_at: '2026-02-15T00:00:00+01:00', model: { name: 'um-triage', version: '5.0.0' } };
    for (let n = 0; n < 4; n++) await recorded(january, own);
    await recorded({ ...february, recommendation: 'APPROVE' }, own);
    await override(await recorded(february, own));
    await override(await recorded({ ...february, human_review: { required: true } }, own));
    await recorded({ ...february, decision_type: 'FRAUD_SCORE', recommendation: 'PAY' }, own);
    const summary = (await own.get('/v1/ai-decisions/summary')).json;
    expect(summary).toMatchObject({ count: 8, adverse: 6, unreviewed: 1, overridden: 2, override_rate: 0.25 });
    expect(summary.by_type).toMatchObject([
      { name: 'UTILIZATION_MANAGEMENT', count: 7, overridden: 2 },
      { name: 'FRAUD_SCORE', count: 1, overridden: 0 },
    ]);
    expect(summary.by_model).toMatchObject([{ name: 'um-triage', count: 8 }]);
    expect(summary.by_version).toMatchObject([
      { name: 'um-triage 4.2.0', count: 4, override_rate: 0 },
      { name: 'um-triage 5.0.0', count: 4, override_rate: 0.5 },
    ]);
    expect(summary.by_outcome).toMatchObject([
      { name: 'DENY', count: 6 },
      { name: 'APPROVE', count: 1 },
      { name: 'PAY', count: 1 },
    ]);
    expect(summary.by_month).toMatchObject([
      { name: '2026-01', override_rate: 0, override_rate_change: null },
      { name: '2026-02', override_rate: 0.5, override_rate_change: 0.5 },
    ]);
    expect(summary.override_trend).toEqual({ direction: 'RISING', change_per_month: 0.5, months: 2 });
    const cut = (await own.get('/v1/ai-decisions/summary?to=2026-02-01T00:00:00Z')).json;
    expect(cut).toMatchObject({ count: 4, override_trend: { direction: 'UNKNOWN', change_per_month: null } });
  });

  it('returns zeros for no decisions', async () => {
    const { http: own } = await freshTenant(service.operator, ['admin']);
    expect((await own.get('/v1/ai-decisions/summary')).json).toMatchObject({ count: 0, override_rate: 0, by_type: [] });
  });
});

describe('/v1/ai-decisions with status 400, 403 or 404', () => {
  it.each<[string, Record<string, unknown>, string]>([
    ['no type', { decision_type: undefined }, '/decision_type'],
    ['no version of the model', { model: { name: 'm' } }, '/model/version'],
    ['no recommendation', { recommendation: undefined }, '/recommendation'],
    ['no input', { inputs: undefined }, '/input_sha256'],
    ['an input twice', { input_sha256: 'c'.repeat(64) }, '/input_sha256'],
    ['a time without a zone', { decided_at: '2026-03-02T14:11:09' }, '/decided_at'],
    ['an event that never was', { event_id: 'evt_01JQ0000000000000000000001' }, '/event_id'],
  ])('%s', async (_what, over, path) => {
    const refused = await http.post('/v1/ai-decisions', decision(over));
    expect(refused).toMatchObject({ status: 400, json: { code: 'VALIDATION_ERROR' } });
    expect(refused.json.errors.map((fault: { path: string }) => fault.path)).toContain(path);
  });

  it('rejects a decision that is larger than a record as a whole', async () => {
    const before = (await entries()).length;
    const refused = await http.post('/v1/ai-decisions', decision({ output: 'x'.repeat(300 * 1024) }));
    expect(refused).toMatchObject({ status: 413, json: { code: 'PAYLOAD_TOO_LARGE' } });
    expect((await entries()).length).toBe(before);
  });

  it('rejects an unknown decision and an invalid window', async () => {
    for (const path of ['', '/export', '/export?format=fhir']) {
      const answer = await http.get(`/v1/ai-decisions/aid_01JQ0000000000000000000001${path}`);
      expect(answer.json.code).toBe('NOT_FOUND');
    }
    expect((await http.get('/v1/ai-decisions/summary?from=yesterday')).status).toBe(400);
  });

  it('rejects recording with a read scope and reading with an events scope', async () => {
    const keyWith = async (scope: string) => {
      const made = await service.operator.post('/v1/api-keys', { tenant_id: tenantId, name: 'k', scopes: [scope] });
      return http.as(made.json.api_key);
    };
    const reader = await keyWith('ai-provenance:read');
    expect((await reader.get('/v1/ai-decisions')).status).toBe(200);
    expect((await reader.post('/v1/ai-decisions', decision())).json.code).toBe('FORBIDDEN');
    expect((await (await keyWith('events:read')).get('/v1/ai-decisions')).json.code).toBe('FORBIDDEN');
  });
});

describe('a retried request', () => {
  const ids = ulidIds(() => Date.parse('2026-03-02T00:00:00Z'), seededRandomness(11));
  const key = (): string => ids.next('request').slice(4);

  it('records once and overrides once', async () => {
    const { http: own } = await freshTenant(service.operator, ['admin']);
    const headers = { 'idempotency-key': key() };
    const first = await own.post('/v1/ai-decisions', decision(), headers);
    const again = await own.post('/v1/ai-decisions', decision(), headers);
    expect(again.text).toBe(first.text);
    const route = `/v1/ai-decisions/${first.json.decision_id}/override`;
    const over = { 'idempotency-key': key() };
    expect((await own.post(route, APPROVAL, over)).text).toBe((await own.post(route, APPROVAL, over)).text);
    expect(await entries(own)).toHaveLength(2);
  });
});

describe('the derived index of AI decisions', () => {
  it('shows nothing that the ledger does not hold', async () => {
    const { http: own, tenantId: tenant } = await freshTenant(service.operator, ['admin']);
    const { decision_id, provenance } = await recorded({}, own);
    const client = await MongoClient.connect(service.databaseUri);
    try {
      const rows = client.db('eas').collection('ledger');
      const _id = { tenant_id: tenant, source_system: 'ai-provenance', seq: provenance.sequence };
      const record = (await rows.findOne({ _id: _id as never }))?.['record'].buffer as Uint8Array;
      const forged = Buffer.from(Buffer.from(record).toString('utf8').replace('"DENY"', '"PAID"'));
      await rows.updateOne({ _id: _id as never }, { $set: { record: forged } });
      expect((await own.get(`/v1/ai-decisions/${decision_id}`)).json.code).toBe('INTEGRITY_FAILURE');
    } finally {
      await client.close();
    }
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type EdgeKit, edgeKit, keyed } from '../../rest-facade/edge-kit.js';
import { envelope } from '../../support/envelopes.js';
import { eventually } from '../../support/eventually.js';
import { freshTenant, type Http } from '../../support/http.js';
import { startReceiver } from '../../support/receiver.js';

// Guideline checks and recoding over the whole service, on the corpus that comes with it.

let kit: EdgeKit;
let operator: Http;
let http: Http;

beforeAll(async () => {
  kit = await edgeKit();
  const settings = { SERVICE_RATE_LIMIT_PER_MINUTE: '0', SERVICE_WEBHOOK_ALLOW_HTTP: 'true' };
  operator = (await kit.start({ ...settings, SERVICE_WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' })).operator;
  ({ http } = await freshTenant(operator, ['admin']));
});

afterAll(() => kit.stop());

const STUDY = envelope('study', {
  event_family: 'clinical',
  event_type: 'result_reported',
  outcome: 'recorded',
  member_id: 'M-cpap',
  event_effective_timestamp: '2026-01-20T10:00:00.000Z',
  payload: { results: [{ name: 'Apnea-hypopnea index', value: '22', unit: '/h' }] },
});

const FINDINGS = { sleep_test_confirms_osa: true, cpap_within_trial: true, cpap_ordered_and_taught: true };

const denied = (n: string, over: Record<string, unknown> = {}, member = 'M-cpap') =>
  envelope(n, {
    event_family: 'remittance',
    event_type: 'claim_adjudicated',
    outcome: 'denied',
    member_id: member,
    payload: {
      program: 'MEDICARE_ADVANTAGE',
      jurisdiction: 'US-CA',
      carc: ['50'],
      service: 'CPAP device',
      procedure_codes: ['E0601'],
      diagnosis_codes: ['G47.33'],
      patient: { birth_date: '1960-03-04' },
      findings: FINDINGS,
      ...over,
    },
  });

async function posted(event: Record<string, unknown>, as = http): Promise<string> {
  const answer = await as.post('/v1/events', event);
  if (answer.status !== 200) throw new Error(`not taken: ${answer.status} ${answer.text}`);
  return answer.json.event_id ?? answer.json.results[0].event_id;
}

const check = (id: string, query = '', as = http) => as.get(`/v1/advocacy/guideline/${id}${query}`);
const recode = (id: string, body: unknown = {}, query = '', as = http) =>
  as.post(`/v1/advocacy/recode/${id}${query}`, body);

describe('a guideline check', () => {
  it('evaluates the record by the shared corpus, with evidence and the same bytes each time', async () => {
    const study = await posted(STUDY);
    const id = await posted(denied('supported'));
    const answer = await check(id);
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({
      event_id: id,
      verdict: 'SUPPORTS',
      guidelines: [{ key: 'NCD-240.4', revision: 1, verdict: 'SUPPORTS', notes: [] }],
      stood_on: { rules: [{ revision: 1 }], record_capped: false },
      withheld: [],
    });
    const [{ criteria, rule_id, artifact_sha256 }] = answer.json.guidelines;
    expect(criteria.map(({ met }: { met: boolean }) => met)).toEqual([true, true, true, true, true]);
    expect(criteria[2].evidence).toContainEqual({ event_id: study, field: '/payload/results/0/value', value: '22' });
    expect(answer.json.stood_on.rules).toEqual([{ rule_id, revision: 1, artifact_sha256 }]);
    expect(answer.json.stood_on.events.map(({ event_id }: { event_id: string }) => event_id)).toEqual([id, study]);
    await posted(envelope('unrelated', { member_id: 'M-cpap' }));
    expect((await check(id)).text).toBe(answer.text);
  });

  it('names the documents for unknown criteria and the criteria that are not met', async () => {
    const open = (await check(await posted(denied('open', { findings: {} }, 'M-open')))).json;
    expect(open.verdict).toBe('INSUFFICIENT_INFORMATION');
    const unknown = open.guidelines[0].criteria.filter(({ met }: { met: boolean | null }) => met === null);
    expect(unknown.map(({ settled_by }: { settled_by: { kind: string } }) => settled_by.kind)).toEqual([
      'sleep_study',
      'sleep_study',
      'adherence_report',
      'order',
    ]);
    const refused = (await check(await posted(denied('refused', { diagnosis_codes: ['R06.83'] }, 'M-refused')))).json;
    expect(refused).toMatchObject({ verdict: 'DOES_NOT_SUPPORT' });
  });

  it('answers NO_GUIDELINE for an event without codes or guidelines', async () => {
    const bare = await posted(envelope('bare', { payload: {} }));
    expect((await check(bare)).json).toMatchObject({ verdict: 'NO_GUIDELINE', guidelines: [] });
    expect((await check(await posted(envelope('knee')))).json).toMatchObject({ verdict: 'NO_GUIDELINE' });
    expect((await recode(bare)).json).toMatchObject({ suggestions: [], needed: [], appeal: { deadline: null } });
  });

  it('uses the revision in force at the effective time of the event', async () => {
    const { http: own } = await freshTenant(operator, ['admin']);
    const rule = (from: string, min: number) => ({
      key: 'knee',
      title: 'Knee imaging',
      kind: 'POLICY',
      effective_from: from,
      codes: ['CPT/73721'],
      criteria: [{ id: 'c1', text: `Age ${min} or more.`, logic: { '>=': [{ var: 'member.age_years' }, min] } }],
    });
    for (const [from, min] of [['2025-01-01', 18] as const, ['2026-01-01', 40] as const]) {
      const made = await own.post('/v1/rules', rule(from, min));
      expect([made.status, made.text]).toEqual([200, made.text]);
    }
    const aged = (n: string, at: string) =>
      posted(
        envelope(n, {
          event_effective_timestamp: at,
          payload: { procedure_codes: ['73721'], patient: { birth_date: '1990-01-01' } },
        }),
        own,
      );
    const [before, after] = [await aged('before', '2025-06-01T00:00:00Z'), await aged('after', '2026-06-01T00:00:00Z')];
    expect((await check(before, '', own)).json).toMatchObject({ verdict: 'SUPPORTS', guidelines: [{ revision: 1 }] });
    expect((await check(after, '', own)).json).toMatchObject({
      verdict: 'DOES_NOT_SUPPORT',
      guidelines: [{ revision: 2 }],
    });
  });
});

describe('a verdict', () => {
  it('is sent to webhooks once for each new answer, and recorded once on request', async () => {
    const receiver = await startReceiver();
    const { http: own, tenantId } = await freshTenant(operator, ['admin']);
    try {
      await own.post('/v1/webhooks', { url: receiver.url, tenant_id: tenantId, event_types: ['advocacy.verdict'] });
      const id = await posted(denied('told'), own);
      const [first, again] = await Promise.all([check(id, '', own), check(id, '', own)]);
      expect(again.text).toBe(first.text);
      const recorded = await check(id, '?record=true', own);
      expect(recorded.json.answer_sha256).toBe(first.json.answer_sha256);
      expect((await check(id, '?record=true', own)).json.recorded).toEqual(recorded.json.recorded);
      const changed = await recode(id, {}, '', own);
      await recode(id, {}, '', own);
      const told = (await receiver.until(2)).map(({ body }) => JSON.parse(body.toString()).data);
      expect(told).toHaveLength(2);
      expect(told).toContainEqual({
        event_id: id,
        verdict: 'INSUFFICIENT_INFORMATION',
        answer_sha256: first.json.answer_sha256,
      });
      expect(told).toContainEqual({ event_id: id, verdict: 'RECODED', answer_sha256: changed.json.answer_sha256 });
      const entries = await eventually(
        async () => (await own.get('/v1/events?source_system=_records&event_family=advocacy')).json.items,
        (items) => items.length > 0,
      );
      expect(entries).toHaveLength(1);
      expect(entries[0]).toMatchObject({
        source_record_id: recorded.json.recorded.source_record_id,
        event_type: 'advocacy.guideline_answered',
        outcome: 'INSUFFICIENT_INFORMATION',
        payload: { event_id: id, answer_sha256: first.json.answer_sha256 },
      });
      expect(JSON.stringify(entries)).not.toContain('1960-03-04');
    } finally {
      await receiver.close();
    }
  });
});

describe('a recoding', () => {
  it('suggests supported codes, drafts the appeal and does not change the event', async () => {
    const id = await posted(denied('recode', { lines: [{ line: 1, procedure_code: 'E0601' }] }));
    // Its place in the tree comes a moment later; nothing else of it ever changes.
    const read = async () => ({ ...(await http.get(`/v1/events/${id}`)).json, tree_index: null });
    const before = await read();
    const answer = await recode(id, { notes: 'The mask was fitted anew.' });
    expect(answer.json).toMatchObject({
      event_id: id,
      suggestions: [{ from: 'E0601', to: 'E0601-KX', rule_id: expect.stringMatching(/^rul_/) }],
      appeal: { deadline: '2026-05-06' },
      stood_on: { tables: [] },
    });
    expect(answer.json.appeal.letter).toContain('> The mask was fitted anew.');
    expect(answer.json.appeal.letter).toContain('The record meets every criterion');
    expect(await read()).toEqual(before);
    expect((await recode(id, { notes: 'The mask was fitted anew.' })).text).toBe(answer.text);
  });

  it('returns the letter as a PDF with the same bytes, also for a repeated Idempotency-Key', async () => {
    const id = await posted(denied('pdf'));
    const headers = { ...keyed(), 'x-api-key': http.key ?? '' };
    const fetched = async (): Promise<{ type: string | null; replayed: boolean; bytes: Buffer }> => {
      const answer = await fetch(`${http.url}/v1/advocacy/recode/${id}?format=pdf`, { method: 'POST', headers });
      expect(answer.status).toBe(200);
      const replayed = answer.headers.get('idempotency-replayed') === 'true';
      return { type: answer.headers.get('content-type'), replayed, bytes: Buffer.from(await answer.arrayBuffer()) };
    };
    const [first, again] = [await fetched(), await fetched()];
    expect(first).toMatchObject({ type: 'application/pdf', replayed: false });
    expect(first.bytes.subarray(0, 5).toString()).toBe('%PDF-');
    // An answer of a read is made again, so that it follows redactions and consents of the moment.
    expect(again).toEqual(first);
    const unkeyed = await fetch(`${http.url}/v1/advocacy/recode/${id}?format=pdf`, {
      method: 'POST',
      headers: { 'x-api-key': http.key ?? '' },
    });
    expect(Buffer.from(await unkeyed.arrayBuffer()).equals(first.bytes)).toBe(true);
  });
});

describe('consent', () => {
  it('withholds events from the evidence, returns their number, and prevents conclusions from absence', async () => {
    const labelled = { ...Object(STUDY.payload), sensitivity: ['42CFR2'] };
    const study = { ...STUDY, source_record_id: 'study-part2', member_id: 'M-consent', payload: labelled };
    const studyId = await posted(study);
    const id = await posted(denied('consent', {}, 'M-consent'));
    const whole = (await check(id)).json;
    expect(JSON.stringify(whole.guidelines)).toContain(studyId);
    expect(whole).not.toHaveProperty('withheld_by_consent');
    const [asked, recoded] = [await check(id, '?purpose=RESEARCH'), await recode(id, {}, '?purpose=RESEARCH')];
    for (const { status, json, text } of [asked, recoded]) {
      expect([status, json.withheld_by_consent]).toEqual([200, { count: 1, reason: '42CFR2' }]);
      expect(text).not.toContain(studyId);
    }
    expect(asked.json.verdict).toBe('INSUFFICIENT_INFORMATION');
    const own = `?purpose=RESEARCH`;
    expect((await check(studyId, own)).status).toBe(403);
    expect((await recode(studyId, {}, own)).status).toBe(403);
  });
});

describe('an invalid request', () => {
  it('returns 404 for the event of another tenant, a missing event and an invalid id', async () => {
    const id = await posted(denied('mine'));
    const { http: other } = await freshTenant(operator);
    for (const one of [id, 'evt_01JQ0000000000000000000001', 'no-id']) {
      expect([(await check(one, '', other)).status, (await recode(one, {}, '', other)).status]).toEqual([404, 404]);
    }
  });

  it('returns 400 for unknown parameters and invalid members, 401 without a key and 403 without events:read', async () => {
    const id = await posted(denied('refusals'));
    expect((await check(id, '?nonsense=1')).status).toBe(400);
    expect((await check(id, '?record=perhaps')).status).toBe(400);
    expect((await recode(id, { codes: [] })).json.warnings).toEqual([{ pointer: '/codes', code: 'unknown_field' }]);
    expect((await recode(id, { procedure_codes: [''] })).status).toBe(400);
    expect((await recode(id, {}, '?format=docx')).status).toBe(400);
    expect((await check(id, '', http.as(null))).status).toBe(401);
    const { http: writer } = await freshTenant(operator, ['events:write']);
    expect([(await check(id, '', writer)).status, (await recode(id, {}, '', writer)).status]).toEqual([403, 403]);
  });
});

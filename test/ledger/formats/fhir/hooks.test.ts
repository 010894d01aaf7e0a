import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sniffFormat } from '../../../../subgraphs/ledger/formats/domain.js';
import { eventually } from '../../../support/eventually.js';
import { freshTenant } from '../../../support/http.js';
import { startWholeService, type WholeService } from '../../../support/whole-service.js';
import { codesOf, eventsOf, readBody, receivedAt, refusedOf } from './reading.js';

const SERVER = 'https://ehr.example/fhir';
const patient = (id: string) => ({
  resourceType: 'Patient',
  id,
  name: [{ family: 'NAMEONE', given: ['GIVEN'] }],
  address: [{ state: 'OH', country: 'US' }],
});
const coverage = (id: string, member: string) => ({
  resourceType: 'Coverage',
  id,
  status: 'active',
  subscriberId: member,
});
const order = {
  resourceType: 'ServiceRequest',
  id: 'o1',
  status: 'draft',
  code: { coding: [{ system: 'http://www.ama-assn.org/go/cpt', code: '72148', display: 'MRI' }] },
  subject: { reference: 'Patient/p1' },
};
const bundle = (...resources: object[]) => ({
  resourceType: 'Bundle',
  entry: resources.map((resource) => ({ resource })),
});
const request = (prefetch: object, more: object = {}) => ({
  hook: 'order-sign',
  hookInstance: 'a1b2',
  fhirServer: SERVER,
  fhirAuthorization: { access_token: 'SECRET-TOKEN', token_type: 'Bearer' },
  context: {
    userId: 'Practitioner/d1',
    patientId: 'p1',
    encounterId: 'e1',
    draftOrders: bundle(order),
    selections: ['ServiceRequest/o1'],
  },
  prefetch,
  ...more,
});
const full = request({ patient: patient('p1'), coverage: bundle(coverage('c1', 'SYN-1')) });
const answer = {
  hookInstance: 'a1b2',
  cards: [{ uuid: 'k1', summary: 'Authorization needed', indicator: 'warning', source: { label: 'Synthetic Plan' } }],
  systemActions: [
    {
      type: 'update',
      resource: {
        ...order,
        extension: [
          {
            url: 'http://hl7.org/fhir/us/davinci-crd/StructureDefinition/ext-coverage-information',
            extension: [
              { url: 'covered', valueCode: 'conditional' },
              { url: 'pa-needed', valueCode: 'auth-needed' },
              { url: 'doc-needed', valueCode: 'clinical' },
              { url: 'coverage-assertion-id', valueString: 'ASSERT-1' },
            ],
          },
        ],
      },
    },
  ],
};
const envelopeOf = async (message: object) => eventsOf(await readBody(JSON.stringify(message)))[0]?.envelope;

describe('a CDS Hooks request', () => {
  it('is an event with its hook, orders and codes; the token of the request is in no event', async () => {
    const items = await readBody(JSON.stringify(full));
    const [event] = eventsOf(items);
    expect(event?.envelope).toMatchObject({
      event_family: 'prior_authorization',
      event_type: 'coverage_requirements_asked',
      outcome: 'submitted',
      member_id: 'SYN-1',
      source_system: SERVER,
      source_record_id: 'CDSHooks/a1b2',
      event_effective_timestamp: receivedAt,
      payload: {
        hook: 'order-sign',
        hook_instance: 'a1b2',
        procedure_codes: ['72148'],
        service: 'MRI',
        orders: [{ type: 'ServiceRequest', id: 'o1', status: 'draft' }],
        selections: ['ServiceRequest/o1'],
        encounter: 'e1',
        patient: { last_name: 'NAMEONE' },
        jurisdiction: 'US-OH',
        member_basis: { from: 'coverage' },
      },
    });
    expect(JSON.stringify(items)).not.toContain('SECRET-TOKEN');
    expect(refusedOf(items)).toEqual([]);
  });

  it.each([
    ['the coverage of prefetch', full, 'SYN-1'],
    ['the id on its server without a number', request({ patient: patient('p1') }), `${SERVER}|p1`],
    ['the id alone, without prefetch', request({}), `${SERVER}|p1`],
    [
      'no coverage where prefetch has two',
      request({ coverage: bundle(coverage('c1', 'SYN-1'), coverage('c2', 'SYN-2')) }),
      `${SERVER}|p1`,
    ],
    ['nobody without a patient', request({}, { context: { userId: 'Practitioner/d1' } }), undefined],
  ])('names its member by %s', async (_, message, member) => {
    expect((await envelopeOf(message))?.member_id).toBe(member);
  });

  it('has the same content with another token and other spacing', async () => {
    const again = { ...full, fhirAuthorization: { access_token: 'OTHER' } };
    const hashes = async (text: string) => eventsOf(await readBody(text)).map(({ part }) => part.contentSha256);
    expect(await hashes(JSON.stringify(again, null, 2))).toEqual(await hashes(JSON.stringify(full)));
  });

  it('reads messages one a line, and rejects a cut one alone', async () => {
    const text = JSON.stringify(full);
    const items = await readBody(`${text}\n${JSON.stringify(answer)}\n${text.slice(0, -50)}`);
    expect(eventsOf(items)).toHaveLength(2);
    expect(codesOf(items)).toContain('RESOURCE_CUT');
  });

  it('cut at every 5th byte: yields no event', async () => {
    const text = JSON.stringify(full);
    for (let at = 1; at < text.length; at += 5) expect(eventsOf(await readBody(text.slice(0, at)))).toEqual([]);
  });
});

describe('a CDS Hooks response', () => {
  it('is an event with its cards and what it says of coverage', async () => {
    expect(await envelopeOf(answer)).toMatchObject({
      event_type: 'coverage_requirements_answered',
      outcome: 'recorded',
      member_id: 'fhir|p1',
      source_record_id: 'CDSHooks/a1b2/response',
      payload: {
        cards: [{ id: 'k1', summary: 'Authorization needed', indicator: 'warning', source: 'Synthetic Plan' }],
        procedure_codes: ['72148'],
        coverage_information: [
          { covered: 'conditional', pa_needed: 'auth-needed', doc_needed: ['clinical'], assertion_id: 'ASSERT-1' },
        ],
      },
    });
  });

  it('names no member where it changes no order, and says so', async () => {
    const items = await readBody('{"cards":[]}');
    expect(eventsOf(items)[0]?.envelope.member_id).toBeUndefined();
    expect(codesOf(items)).toContain('MEMBER_MISSING');
    expect(sniffFormat(Buffer.from('{"cards":[]}'))).toBe('fhir');
  });
});

const feedback = {
  feedback: [
    {
      card: 'k1',
      outcome: 'overridden',
      overrideReason: {
        reason: { code: 'not-needed', system: 'https://plan.example/reasons', display: 'Not needed' },
        userComment: 'The scan was done elsewhere.',
      },
      outcomeTimestamp: '2026-03-02T10:00:00Z',
    },
    { card: 'k2', outcome: 'accepted', acceptedSuggestions: [{ id: 's1' }], outcomeTimestamp: '2026-03-02T10:05:00Z' },
  ],
};

describe('CDS Hooks feedback', () => {
  it('is an event with what users did with each card, dated by the latest of them', async () => {
    const items = await readBody(JSON.stringify(feedback));
    const [event] = eventsOf(items);
    expect(event?.envelope).toMatchObject({
      event_family: 'prior_authorization',
      event_type: 'coverage_requirements_feedback',
      outcome: 'recorded',
      event_effective_timestamp: '2026-03-02T10:05:00.000Z',
      payload: {
        card_ids: ['k1', 'k2'],
        feedback: [
          { card: 'k1', outcome: 'overridden', override_code: 'not-needed', override_reason: 'Not needed' },
          { card: 'k2', outcome: 'accepted', accepted_suggestions: ['s1'] },
        ],
        rationale: 'The scan was done elsewhere.',
      },
    });
    expect(event?.envelope.member_id).toBeUndefined();
    expect(codesOf(items)).toContain('MEMBER_MISSING');
  });

  it('is detected by its bytes, and is no event without a card', async () => {
    expect(sniffFormat(Buffer.from(JSON.stringify(feedback)))).toBe('fhir');
    const items = await readBody('{"feedback":[{"outcome":"accepted"}]}');
    expect(eventsOf(items)).toEqual([]);
    expect(refusedOf(items).map(({ code }) => code)).toEqual(['RESOURCE_TYPE_MISSING']);
  });
});

describe('POST /v1/ingest/raw with CDS Hooks', () => {
  let service: WholeService;
  beforeAll(async () => {
    service = await startWholeService();
  }, 240_000);
  afterAll(() => service.stop());

  it('accepts requests and responses as application/json, once', async () => {
    const { http } = await freshTenant(service.operator);
    for (const message of [full, answer]) {
      const { json } = await http.post('/v1/ingest/raw', message);
      expect(json).toMatchObject({ format: 'fhir', accepted: 1, rejected: 0 });
      expect((await http.post('/v1/ingest/raw', message)).json).toMatchObject({ accepted: 0, duplicated: 1 });
    }
    const { results } = (await http.post('/v1/ingest/raw', feedback)).json;
    const links = async () => (await http.get(`/v1/events/${results[0].event_id}/links`)).json.items as object[];
    // The feedback answers the response, by its card; the response answers the request, by the instance of the hook.
    const [toAnswer] = await eventually(links, (items) => items.length === 1);
    expect(toAnswer).toMatchObject({ kind: 'ANSWERS', event_type: 'coverage_requirements_answered', via: 'CARD' });
    const answered = await http.get(`/v1/events/${Reflect.get(Object(toAnswer), 'event_id')}/links`);
    expect(answered.json.items).toMatchObject(
      expect.arrayContaining([
        expect.objectContaining({ kind: 'ANSWERS', event_type: 'coverage_requirements_asked', via: 'HOOK' }),
        expect.objectContaining({ kind: 'ANSWERED_BY', event_type: 'coverage_requirements_feedback', via: 'CARD' }),
      ]),
    );
    const found = async () => (await http.get('/v1/events?code=cpt:72148')).json.items as unknown[];
    expect(await eventually(found, (items) => items.length === 2)).toHaveLength(2);
  });
});

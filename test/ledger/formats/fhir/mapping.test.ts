import { describe, expect, it } from '@jest/globals';
import type { EnvelopeDraft } from '../../../../subgraphs/ledger/formats/format-adapter.js';
import { codesOf, eventsOf, fixture, readBody, refusedOf } from './reading.js';

async function envelopesOf(body: string | Buffer): Promise<EnvelopeDraft[]> {
  return eventsOf(await readBody(body)).map(({ envelope }) => envelope);
}

async function outcomeOf(resource: Record<string, unknown>): Promise<string | undefined> {
  return (await envelopesOf(JSON.stringify(resource)))[0]?.outcome;
}

const review = (code: string): Record<string, unknown> => ({
  adjudication: [
    {
      extension: [
        {
          url: 'http://hl7.org/fhir/us/davinci-pas/StructureDefinition/extension-reviewAction',
          extension: [
            {
              url: 'http://hl7.org/fhir/us/davinci-pas/StructureDefinition/extension-reviewActionCode',
              valueCodeableConcept: { coding: [{ code }] },
            },
          ],
        },
      ],
    },
  ],
});

describe('an answer to an authorization request', () => {
  it('takes the decision of its review actions and the member of its coverage', async () => {
    const items = await readBody(fixture('authorization-answer.json'));
    const [answer, patient, ...others] = eventsOf(items).map(({ envelope }) => envelope);
    expect(others).toEqual([]);
    expect(patient).toMatchObject({ event_type: 'member_updated', member_id: 'SYN-MB-1' });
    expect(answer).toMatchObject({
      event_family: 'prior_authorization',
      event_type: 'authorization_decided',
      outcome: 'partially_approved',
      member_id: 'SYN-1001',
      source_system: 'synthetic-um',
      source_record_id: 'ClaimResponse/cr1',
      event_effective_timestamp: '2026-03-01T15:00:00.000Z',
      payload: {
        human_reviewed: true,
        authorization_number: 'AUTH-7',
        prior_authorizations: ['AUTH-7', 'AUTH-8'],
        review_actions: ['A3', 'A1'],
        decision_reason: '0X',
        rationale: 'Conservative care is not documented.',
        program: 'Medicare',
        jurisdiction: 'US-IL',
        payer: { name: 'SYNTHETIC HEALTH', npi: '1999999984' },
        coverage: { subscriber_id: 'SYN-1001', dependent: '02' },
        relates_to: 'Claim/c1',
        raw: { transaction: 'ClaimResponse', control_numbers: { bundle: 'syn-pas' } },
      },
    });
    expect(refusedOf(items)).toEqual([]);
  });

  const answer = { resourceType: 'ClaimResponse', use: 'preauthorization', status: 'active', outcome: 'complete' };
  it.each([
    ['A1', 'approved'],
    ['A2', 'partially_approved'],
    ['A3', 'denied'],
    ['A4', 'pended'],
    ['A6', 'partially_approved'],
    ['CT', 'pended'],
    ['C', 'cancelled'],
    ['NA', 'no_action_required'],
    ['ZZ', 'unknown'],
  ])('with %s is %s', async (code, outcome) => {
    expect(await outcomeOf({ ...answer, item: [review(code)] })).toBe(outcome);
    expect(await outcomeOf({ ...answer, ...review(code), item: [review('A1')] })).toBe(outcome);
  });

  it.each([
    ['The service is not medically necessary and is denied.', 'denied'],
    ['Not certified', 'denied'],
    ['The enclosed services are authorized.', 'approved'],
    ['', 'unknown'],
  ])('uses its disposition without review actions: %s', async (disposition, outcome) => {
    expect(await outcomeOf({ ...answer, disposition })).toBe(outcome);
  });

  it.each([
    ['queued', 'pended'],
    ['partial', 'pended'],
    ['error', 'error'],
  ])('uses its processing outcome without a disposition: %s', async (outcome, expected) => {
    expect(await outcomeOf({ ...answer, outcome })).toBe(expected);
  });
});

describe('resources, one per line', () => {
  it('each yields its event; types without an event give a warning', async () => {
    const items = await readBody(fixture('lines.ndjson'));
    const [claim, explanation, eligibility, ...others] = eventsOf(items).map(({ envelope }) => envelope);
    expect(others).toEqual([]);
    expect(claim).toMatchObject({
      event_type: 'claim_submitted',
      member_id: 'SYN-2002',
      source_system: 'synthetic-clinic',
      source_record_id: 'Claim/c9/3',
      payload: {
        claim_id: 'CLM-9',
        diagnosis_codes: ['E11.9'],
        diagnoses: [{ code: 'E11.9', raw: 'E119', system: 'ICD-10-CM' }],
        procedure_codes: ['99284'],
        service: 'Emergency visit',
        authorization_number: 'AUTH-8',
        amounts: { charge: '510.50' },
        service_period: { from: '2026-02-27', to: '2026-02-28' },
        lines: [
          {
            line: 1,
            procedure_code: '99284',
            system: 'CPT',
            modifiers: ['25'],
            revenue_code: '0450',
            charge: '510.50',
          },
        ],
        providers: [{ role: 'billing', name: 'SYNTHETIC HOSPITAL', npi: '1999999976' }],
      },
    });
    expect(explanation).toMatchObject({
      event_type: 'claim_adjudicated',
      outcome: 'denied',
      member_id: 'SYN-2002',
      event_effective_timestamp: '2026-03-05T00:00:00.000Z',
      payload: {
        claim_id: 'c9',
        carc: ['50'],
        rarc: ['N130'],
        program: 'Medicaid',
        adjustments: [{ group: 'CO', reason: '50', amount: '510.50', level: 'line', line: 1 }],
        rationale: 'Not medically necessary.',
        timestamp_basis: 'meta.lastUpdated in UTC',
      },
    });
    expect(eligibility).toMatchObject({
      event_type: 'eligibility_reported',
      outcome: 'inactive',
      member_id: 'fhir|p2',
    });
    expect(codesOf(items)).toEqual(expect.arrayContaining(['DATE_UNREADABLE', 'NO_EVENT']));
  });
});

describe('the outcome of an explanation of benefits follows its money', () => {
  const total = (submitted: number, paid: number, ...more: [string, number][]): Record<string, unknown> => ({
    resourceType: 'ExplanationOfBenefit',
    use: 'claim',
    status: 'active',
    outcome: 'complete',
    total: [['submitted', submitted] as const, ['benefit', paid] as const, ...more].map(([code, value]) => ({
      category: { coding: [{ code }] },
      amount: { value },
    })),
  });
  it.each([
    ['paid', total(100, 80)],
    ['denied', total(100, 0)],
    ['applied_to_member', total(100, 0, ['deductible', 100])],
    ['denied', total(100, 0, ['deductible', 10], ['noncovered', 90])],
    ['unknown', total(0, 0)],
    ['pended', { ...total(100, 80), outcome: 'queued' }],
    ['error', { ...total(100, 80), outcome: 'error' }],
    ['partially_paid', { ...total(100, 80), outcome: 'partial' }],
    ['cancelled', { ...total(100, 80), status: 'cancelled' }],
    [
      'partially_paid',
      { ...total(100, 80), item: [{ adjudication: [{ category: { coding: [{ code: 'denied' }] } }] }] },
    ],
  ])('%s', async (outcome, resource) => {
    expect(await outcomeOf(resource)).toBe(outcome);
  });
});

describe('a CARIN explanation without money', () => {
  const profile = 'http://hl7.org/fhir/us/carin-bb/StructureDefinition/C4BB-ExplanationOfBenefit-Oral-Basis|2.1.0';
  const basis = {
    resourceType: 'ExplanationOfBenefit',
    meta: { profile: [profile] },
    use: 'claim',
    status: 'active',
    outcome: 'complete',
  };
  const status = (...codes: string[]): Record<string, unknown> => ({
    category: { coding: [{ code: 'benefitpaymentstatus' }] },
    reason: { coding: codes.map((code) => ({ code })) },
  });
  const line = (...codes: string[]): Record<string, unknown> => ({ adjudication: [status(...codes)] });
  const refused = { adjudication: [{ category: { coding: [{ code: 'denialreason' }] } }] };
  const zeros = { total: [{ category: { coding: [{ code: 'benefit' }] }, amount: { value: 0 } }] };

  it.each([
    ['recorded', 'the network only', { adjudication: [status('innetwork')] }],
    ['paid', 'a payment type', { payment: { type: { coding: [{ code: 'innetwork' }, { code: 'Paid' }] } } }],
    ['partially_paid', 'a payment type with a dash', { payment: { type: { coding: [{ code: 'partially-paid' }] } } }],
    ['denied', 'a payment type beside zeros', { ...zeros, payment: { type: { coding: [{ code: 'denied' }] } } }],
    ['recorded', 'zeros for money', zeros],
    ['paid', 'the status after the network', { adjudication: [status('innetwork', 'paid')] }],
    ['denied', 'a refused header', refused],
    [
      'partially_paid',
      'a paid header with a refused line',
      { adjudication: [status('paid')], item: [refused, line('innetwork')] },
    ],
    ['paid', 'paid lines', { item: [line('paid'), line('paid')] }],
    ['recorded', 'paid lines and others', { item: [line('paid'), line('innetwork')] }],
    ['partially_paid', 'a paid and a denied line', { item: [line('paid'), line('denied')] }],
    ['partially_paid', 'a partially paid line', { item: [line('partiallypaid'), line('innetwork')] }],
    ['denied', 'denied lines', { item: [line('denied'), refused] }],
  ])('is %s by %s', async (outcome, _, more) => {
    expect(await outcomeOf({ ...basis, ...more })).toBe(outcome);
  });

  it('by its lines alone, without the profile, is paid or partially paid', async () => {
    const { meta: _, ...plain } = basis;
    expect(await outcomeOf({ ...plain, item: [line('paid')] })).toBe('paid');
    expect(await outcomeOf({ ...plain, item: [line('paid'), line('denied')] })).toBe('partially_paid');
    expect(await outcomeOf(plain)).toBe('unknown');
  });
});

describe('reason codes', () => {
  it('that no list can contain give a warning on the event', async () => {
    const body = fixture('lines.ndjson').toString().replaceAll('"N130"', '"ZZZZ"');
    const items = await readBody(body);
    expect(codesOf(items)).toContain('RARC_IMPOSSIBLE');
    expect(codesOf(items)).not.toContain('CARC_IMPOSSIBLE');
    const answer = eventsOf(items).find(({ envelope }) => envelope.event_type === 'claim_adjudicated');
    expect(answer?.envelope.payload['raw']).toMatchObject({
      warnings: expect.arrayContaining([expect.objectContaining({ code: 'RARC_IMPOSSIBLE' })]),
    });
  });
});

describe('numbers', () => {
  const claim = (total: string): string => `{"resourceType":"Claim","id":"c","use":"claim","total":{"value":${total}}}`;
  const chargeOf = async (total: string): Promise<unknown> =>
    ((await envelopesOf(claim(total)))[0]?.payload['amounts'] as { charge?: string } | undefined)?.charge;

  it('are decimal strings as sent', async () => {
    expect(await chargeOf('75.7')).toBe('75.70');
    expect(await chargeOf('100')).toBe('100.00');
    expect(await chargeOf('1.005')).toBe('1.005');
    expect(await chargeOf('112.41600000000001')).toBe('112.41600000000001');
  });

  it('that a double cannot keep are left out with a warning', async () => {
    for (const odd of ['12345678901234567890', '0.12345678901234567891', '1e400', '1234567890123456.78']) {
      const items = await readBody(claim(odd));
      expect([odd, eventsOf(items)[0]?.envelope.payload['amounts']]).toEqual([odd, undefined]);
      expect(codesOf(items)).toContain('NUMBER_INEXACT');
    }
  });
});

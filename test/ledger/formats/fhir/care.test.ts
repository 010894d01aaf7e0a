import { describe, expect, it } from '@jest/globals';
import type { EventItem } from '../../../../subgraphs/ledger/formats/format-adapter.js';
import { codesOf, eventsOf, readBody, refusedOf } from './reading.js';

// Clinical resources of US Core and Da Vinci: what rules use as evidence.

type Resource = Record<string, unknown>;

const ICD10 = 'http://hl7.org/fhir/sid/icd-10-cm';
const coded = (code: string, system?: string, display?: string): Resource => ({
  coding: [{ code, ...(system && { system }), ...(display && { display }) }],
});
const subject = { identifier: { value: 'SYN-1' } };

const eventsIn = async (...resources: Resource[]): Promise<EventItem[]> =>
  eventsOf(await readBody(resources.map((one) => JSON.stringify(one)).join('\n')));

async function firstOf(...resources: Resource[]): Promise<EventItem['envelope'] | undefined> {
  return (await eventsIn(...resources))[0]?.envelope;
}

describe('security labels', () => {
  const label = (...codes: string[]): Resource => ({
    meta: { security: codes.map((code) => ({ system: 'http://terminology.hl7.org/CodeSystem/v3-ActCode', code })) },
  });
  const condition = { resourceType: 'Condition', id: 'k', subject, code: coded('M5416', ICD10) };

  it('of a resource and of the Bundle around it are in payload.sensitivity, where consent reads them', async () => {
    expect((await firstOf({ ...condition, ...label('42CFRPart2') }))?.payload['sensitivity']).toEqual(['42CFRPart2']);
    const entry = [{ fullUrl: 'urn:uuid:1', resource: { ...condition, ...label('R') } }];
    const bundle = { resourceType: 'Bundle', type: 'collection', ...label('42CFRPart2', 'R'), entry };
    expect((await firstOf(bundle))?.payload['sensitivity']).toEqual(['42CFRPart2', 'R']);
    expect((await firstOf(condition))?.payload).not.toHaveProperty('sensitivity');
  });
});

describe('a Condition', () => {
  const condition = { resourceType: 'Condition', id: 'k', subject, code: coded('M5416', ICD10, 'Radiculopathy') };

  it('yields its diagnosis, dotted, with system and words, at its onset', async () => {
    const found = await firstOf({
      ...condition,
      clinicalStatus: coded('active'),
      verificationStatus: coded('confirmed'),
      encounter: { reference: 'Encounter/e1' },
      onsetDateTime: '2025-11-02',
      recordedDate: '2026-01-05T10:00:00Z',
      note: [{ text: 'Left leg.' }],
    });
    expect(found).toMatchObject({
      event_family: 'clinical',
      event_type: 'condition.active',
      outcome: 'active',
      member_id: 'SYN-1',
      event_effective_timestamp: '2025-11-02T00:00:00.000Z',
      payload: {
        diagnosis_codes: ['M54.16'],
        diagnoses: [{ code: 'M5416', system: 'ICD-10-CM', display: 'Radiculopathy' }],
        encounter: 'Encounter/e1',
        recorded_on: '2026-01-05',
        rationale: 'Left leg.',
        timestamp_basis: 'onsetDateTime read as UTC',
      },
    });
  });

  it.each([
    ['refuted', 'cancelled'],
    ['entered-in-error', 'cancelled'],
    ['differential', 'pended'],
  ])('that is %s is %s, whatever its clinical status', async (verification, outcome) => {
    const stated = { ...condition, clinicalStatus: coded('active'), verificationStatus: coded(verification) };
    expect(await firstOf(stated)).toMatchObject({ event_type: `condition.${verification}`, outcome });
  });

  it('without a status is unknown with a warning, and its words never reach the event type', async () => {
    const items = await readBody(JSON.stringify({ ...condition, clinicalStatus: coded('Jane Roe') }));
    expect(eventsOf(items)[0]?.envelope).toMatchObject({ event_type: 'condition.unknown', outcome: 'unknown' });
    expect(codesOf(items)).toContain('STATUS_UNKNOWN');
  });
});

describe('a Procedure', () => {
  it('yields its codes, its reasons and its days', async () => {
    const found = await firstOf(
      {
        resourceType: 'Procedure',
        id: 'k',
        status: 'completed',
        subject,
        code: coded('97110', 'http://www.ama-assn.org/go/cpt', 'Exercises'),
        performedPeriod: { start: '2026-02-01T09:00:00Z', end: '2026-02-14T10:00:00Z' },
        reasonReference: [{ reference: 'Condition/c' }],
        basedOn: [{ reference: 'ServiceRequest/s' }],
      },
      { resourceType: 'Condition', id: 'c', subject, clinicalStatus: coded('active'), code: coded('M54.16', ICD10) },
    );
    expect(found).toMatchObject({
      event_type: 'procedure.completed',
      outcome: 'recorded',
      event_effective_timestamp: '2026-02-01T09:00:00.000Z',
      payload: {
        procedure_codes: ['97110'],
        procedures: [{ code: '97110', system: 'CPT', display: 'Exercises' }],
        diagnosis_codes: ['M54.16'],
        service_period: { from: '2026-02-01', to: '2026-02-14' },
        based_on: ['ServiceRequest/s'],
      },
    });
  });
});

describe('a MedicationRequest', () => {
  const request = { resourceType: 'MedicationRequest', id: 'k', status: 'stopped', intent: 'order', subject };
  const rxnorm = 'http://www.nlm.nih.gov/research/umls/rxnorm';

  it('yields the drug of a contained Medication, its dose and its supply', async () => {
    const found = await firstOf({
      ...request,
      contained: [{ resourceType: 'Medication', id: 'm', code: coded('860975', rxnorm, 'Metformin 500 mg') }],
      medicationReference: { reference: '#m' },
      authoredOn: '2026-03-01T10:00:00Z',
      dosageInstruction: [{ text: 'Twice a day' }],
      dispenseRequest: { quantity: { value: 60, unit: 'tablet' }, expectedSupplyDuration: { value: 30 } },
    });
    expect(found).toMatchObject({
      event_type: 'medication_request.stopped',
      outcome: 'inactive',
      payload: {
        procedures: [{ code: '860975', system: 'RxNorm', display: 'Metformin 500 mg' }],
        service: 'Metformin 500 mg',
        dosage: ['Twice a day'],
        quantity: '60',
        quantity_unit: 'tablet',
        days_supply: '30',
      },
    });
  });

  it('not to give a drug is cancelled: it is no evidence of the drug', async () => {
    const not = { ...request, status: 'active', doNotPerform: true, medicationCodeableConcept: coded('860975') };
    expect(await firstOf(not)).toMatchObject({ outcome: 'cancelled', payload: { do_not_perform: true } });
  });
});

describe('a DiagnosticReport', () => {
  it('yields its conclusion, the values of contained observations and links to the others', async () => {
    const found = await firstOf({
      resourceType: 'DiagnosticReport',
      id: 'k',
      status: 'final',
      subject,
      code: coded('24356-8', 'http://loinc.org'),
      effectiveDateTime: '2026-03-01T10:00:00Z',
      contained: [
        {
          resourceType: 'Observation',
          id: 'o',
          code: coded('4548-4', 'http://loinc.org', 'HbA1c'),
          valueQuantity: { value: 8.1, unit: '%' },
        },
      ],
      result: [{ reference: '#o' }, { reference: 'Observation/o2' }],
      conclusion: 'Poor control.',
      conclusionCode: [coded('E1165', ICD10)],
    });
    expect(found).toMatchObject({
      event_type: 'diagnostic_report.final',
      outcome: 'recorded',
      payload: {
        diagnosis_codes: ['E11.65'],
        results: [{ code: '4548-4', name: 'HbA1c', value: '8.1', unit: '%' }],
        result_references: ['#o', 'Observation/o2'],
        rationale: 'Poor control.',
      },
    });
  });
});

describe('an Observation', () => {
  it('yields its codes with system and words, its value with unit, and coded values', async () => {
    const found = await firstOf({
      resourceType: 'Observation',
      id: 'k',
      status: 'final',
      subject,
      focus: [{ reference: 'Device/d' }],
      code: coded('39156-5', 'http://loinc.org', 'BMI'),
      effectiveDateTime: '2026-03-01T10:00:00Z',
      valueQuantity: { value: 41.5, unit: 'kg/m2' },
      component: [{ code: coded('72166-2', 'http://loinc.org'), valueCodeableConcept: coded('266919005', 'snomed') }],
    });
    expect(found?.payload).toMatchObject({
      procedures: [{ code: '39156-5', system: 'LOINC', display: 'BMI' }],
      focus: ['Device/d'],
      results: [
        { value: '41.5', unit: 'kg/m2', codes: [{ code: '39156-5', system: 'LOINC', display: 'BMI' }] },
        { value_codes: [{ code: '266919005', system: 'SNOMED' }] },
      ],
    });
  });
});

describe('a QuestionnaireResponse', () => {
  it('yields its answers in order, nested ones as well', async () => {
    const found = await firstOf({
      resourceType: 'QuestionnaireResponse',
      id: 'k',
      status: 'completed',
      subject,
      questionnaire: 'http://payer.example/Questionnaire/mri',
      authored: '2026-03-01T10:00:00Z',
      item: [
        {
          linkId: '1',
          text: 'Conservative care?',
          answer: [{ valueBoolean: true, item: [{ linkId: '1.1', answer: [{ valueInteger: 6 }] }] }],
        },
        { linkId: '2', item: [{ linkId: '2.1', answer: [{ valueQuantity: { value: 80.5, unit: 'kg' } }] }] },
        { linkId: '3', answer: [{ valueCoding: { code: 'L', system: 'http://x', display: 'Left' } }] },
      ],
    });
    expect(found).toMatchObject({
      event_type: 'questionnaire_response.completed',
      payload: {
        questionnaire: 'http://payer.example/Questionnaire/mri',
        answers: [
          { link_id: '1', question: 'Conservative care?', value: 'true' },
          { link_id: '1.1', value: '6' },
          { link_id: '2.1', value: '80.5', unit: 'kg' },
          { link_id: '3', value: 'Left', codes: [{ code: 'L', system: 'http://x' }] },
        ],
      },
    });
  });
});

describe('a QuestionnaireResponse of Da Vinci DTR', () => {
  it('says which order and coverage it is for, and why it was asked', async () => {
    const dtr = 'http://hl7.org/fhir/us/davinci-dtr/StructureDefinition';
    const found = await firstOf({
      resourceType: 'QuestionnaireResponse',
      status: 'completed',
      subject,
      extension: [
        { url: `${dtr}/qr-context`, valueReference: { reference: 'ServiceRequest/o1' } },
        { url: `${dtr}/qr-context`, valueReference: { reference: 'Coverage/c1' } },
        { url: `${dtr}/intendedUse`, valueCodeableConcept: { coding: [{ code: 'withpa' }] } },
      ],
    });
    expect(found).toMatchObject({ payload: { about: ['ServiceRequest/o1', 'Coverage/c1'], intended_use: 'withpa' } });
  });
});

describe('a CarePlan', () => {
  it('yields its activities and the conditions that it addresses', async () => {
    const found = await firstOf({
      resourceType: 'CarePlan',
      id: 'k',
      status: 'active',
      intent: 'plan',
      subject,
      title: 'Back pain',
      period: { start: '2026-03-01' },
      contained: [{ resourceType: 'Condition', id: 'c', code: coded('M54.16', ICD10) }],
      addresses: [{ reference: '#c' }],
      activity: [{ detail: { status: 'in-progress', code: coded('97110') } }],
    });
    expect(found).toMatchObject({
      event_type: 'care_plan.active',
      event_effective_timestamp: '2026-03-01T00:00:00.000Z',
      payload: { service: 'Back pain', diagnosis_codes: ['M54.16'], procedure_codes: ['97110'] },
    });
  });
});

describe('a Task', () => {
  it('yields its status at its last change, with its focus and its member', async () => {
    const found = await firstOf({
      resourceType: 'Task',
      id: 'k',
      status: 'completed',
      intent: 'order',
      code: coded('attachment-request-code'),
      focus: { reference: 'Claim/c1' },
      for: subject,
      authoredOn: '2026-03-01T10:00:00Z',
      lastModified: '2026-03-04T10:00:00Z',
      restriction: { period: { end: '2026-03-05' } },
    });
    expect(found).toMatchObject({
      event_type: 'task.completed',
      outcome: 'recorded',
      member_id: 'SYN-1',
      event_effective_timestamp: '2026-03-04T10:00:00.000Z',
      payload: { focus: ['Claim/c1'], due: '2026-03-05', procedure_codes: ['attachment-request-code'] },
    });
  });
});

describe('a CommunicationRequest', () => {
  it('yields what the payer asks for, and about what', async () => {
    const found = await firstOf({
      resourceType: 'CommunicationRequest',
      id: 'k',
      status: 'active',
      subject,
      about: [{ reference: 'Claim/c1' }],
      payload: [{ contentString: 'Send the imaging report.' }],
      authoredOn: '2026-03-01T10:00:00Z',
    });
    expect(found).toMatchObject({
      event_type: 'communication_request.active',
      payload: { about: ['Claim/c1'], rationale: 'Send the imaging report.' },
    });
  });
});

describe('a Communication', () => {
  const data = Buffer.from('an answer').toString('base64');

  it('yields the sent members, and passes its attachments on for the vault', async () => {
    const found = await firstOf({
      resourceType: 'Communication',
      id: 'k',
      status: 'completed',
      subject,
      inResponseTo: [{ reference: 'CommunicationRequest/k0' }],
      about: [{ reference: 'Claim/c1' }],
      sent: '2026-03-01T10:00:00Z',
      payload: [
        { contentString: 'The report is attached.' },
        { contentAttachment: { contentType: 'text/plain', title: 'report', data } },
        { contentReference: { reference: 'DocumentReference/d1' } },
      ],
    });
    expect(found).toMatchObject({
      event_type: 'communication.completed',
      outcome: 'recorded',
      event_effective_timestamp: '2026-03-01T10:00:00.000Z',
      payload: {
        about: ['Claim/c1'],
        in_response_to: ['CommunicationRequest/k0'],
        rationale: 'The report is attached.',
        contents: [{ media_type: 'text/plain', title: 'report', size_bytes: 9 }],
        content_references: ['DocumentReference/d1'],
      },
    });
  });
});

describe('the subject', () => {
  const task = { resourceType: 'Task', id: 'k', status: 'requested', intent: 'order' };
  it.each([
    ['a group in the body', { for: { reference: '#g' }, contained: [{ resourceType: 'Group', id: 'g' }] }],
    [
      'an organization with a member number',
      {
        for: { reference: '#g' },
        contained: [{ resourceType: 'Organization', id: 'g', identifier: [{ type: coded('MB'), value: 'M-9' }] }],
      },
    ],
    ['a logical reference to a device', { for: { type: 'Device', identifier: { value: 'SN-9' } } }],
    ['a device on the server', { for: { reference: 'Device/9' } }],
    ['a contained patient', { for: { reference: '#p' }, contained: [{ resourceType: 'Patient', id: 'p' }] }],
  ])('names no member: %s', async (_, more) => {
    expect((await firstOf({ ...task, ...more }))?.member_id).toBeUndefined();
  });

  it('on the sender’s server is named under the sender', async () => {
    const found = await firstOf({ ...task, meta: { source: 'clinic-a' }, for: { reference: 'Patient/1' } });
    expect(found?.member_id).toBe('clinic-a|1');
  });
});

describe('an authorization request', () => {
  it('keeps the orders that it asks for as context, and its evidence as events', async () => {
    const claim = { resourceType: 'Claim', id: 'c', status: 'active', use: 'preauthorization', patient: subject };
    const drug = { resourceType: 'MedicationRequest', id: 'm', status: 'active', intent: 'order', subject };
    const condition = { resourceType: 'Condition', id: 'k', clinicalStatus: coded('active'), subject };
    const entry = [claim, drug, condition].map((resource) => ({ resource }));
    const body = JSON.stringify({ resourceType: 'Bundle', type: 'collection', entry });
    expect(eventsOf(await readBody(body)).map(({ envelope }) => envelope.event_type)).toEqual([
      'authorization_requested',
      'condition.active',
    ]);
  });
});

describe('strict reading', () => {
  it.each([
    [{ resourceType: 'Procedure', status: 'done', subject }, 'status'],
    [{ resourceType: 'Condition' }, 'subject'],
    [{ resourceType: 'Task', status: 'requested' }, 'intent'],
    [{ resourceType: 'QuestionnaireResponse', status: 'completed', item: [{}] }, 'item[0].linkId'],
  ])('rejects what breaks a mapped element: %j', async (resource, segment) => {
    const items = await readBody(JSON.stringify(resource), { strict: true });
    expect(refusedOf(items)).toMatchObject([{ code: 'RESOURCE_INVALID', segment }]);
  });
});

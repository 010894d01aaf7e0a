import { describe, expect, it } from '@jest/globals';
import { codesOf, eventsOf, readBody } from './reading.js';

// Who a resource is about: every member id names one person, from any sender.

type Resource = Record<string, unknown>;

const claim = (patient: Resource, more: Resource = {}): Resource => ({
  resourceType: 'Claim',
  id: 'c',
  use: 'claim',
  patient,
  ...more,
});
const patient = (id: string, identifier: Resource[] = [], more: Resource = {}): Resource => ({
  resourceType: 'Patient',
  id,
  identifier,
  ...more,
});
const bundle = (type: string, entry: Resource[], more: Resource = {}): Resource => ({
  resourceType: 'Bundle',
  type,
  entry,
  ...more,
});
const typed = (code: string): Resource => ({ type: { coding: [{ code }] } });
const MBI = { system: 'http://hl7.org/fhir/sid/us-mbi', value: '1EG4-TE5-MK73' };

async function membersOf(
  resources: Resource | readonly Resource[],
  sourceSystem?: string,
): Promise<(string | undefined)[]> {
  const list = Array.isArray(resources) ? resources : [resources];
  const body = list.map((one) => JSON.stringify(one)).join('\n');
  const items = await readBody(body, sourceSystem === undefined ? {} : { sourceSystem });
  return eventsOf(items).map(({ envelope }) => envelope.member_id);
}

describe('the id of a resource that is valid in one document', () => {
  it.each([
    ['a contained patient', claim({ reference: '#patient' }, { contained: [patient('patient')] })],
    [
      'an entry with a urn:uuid',
      bundle('transaction', [
        { fullUrl: 'urn:uuid:7', resource: patient('7') },
        { fullUrl: 'urn:uuid:8', resource: claim({ reference: 'urn:uuid:7' }) },
        { fullUrl: 'urn:uuid:9', resource: claim({ reference: 'Patient/7' }) },
      ]),
    ],
    [
      'an entry without an address',
      bundle('collection', [{ resource: patient('p') }, { resource: claim({ reference: 'Patient/p' }) }]),
    ],
    [
      'an entry to be created',
      bundle('batch', [
        { fullUrl: 'http://ehr/fhir/Patient/1', request: { method: 'POST' }, resource: patient('1') },
        { fullUrl: 'http://ehr/fhir/Claim/2', resource: claim({ reference: 'Patient/1' }) },
      ]),
    ],
    [
      'the later of two entries of one name',
      bundle('collection', [
        { resource: patient('p', [], { gender: 'male' }) },
        { resource: patient('p', [], { gender: 'female' }) },
        { resource: claim({ reference: 'Patient/p' }) },
      ]),
    ],
    ['a urn:uuid of nothing in the body', claim({ reference: 'urn:uuid:1b671a64-40d5-491e-99b0-da01ff1f3341' })],
  ])('names no member, and says so: %s', async (_, body) => {
    const items = await readBody(JSON.stringify(body), { sourceSystem: 'clinic-a' });
    for (const { envelope } of eventsOf(items)) expect(envelope.member_id).toBeUndefined();
    expect(codesOf(items)).toContain('MEMBER_MISSING');
  });

  it('gives way to the identifiers of that resource', async () => {
    const contained = [patient('patient', [MBI])];
    expect(await membersOf(claim({ reference: '#patient' }, { contained }))).toEqual(['1EG4TE5MK73']);
  });
});

describe('the id of a resource on a server', () => {
  it('is named under its sender, so that ten senders have ten members', async () => {
    const body = claim({ reference: 'Patient/1' });
    expect(await membersOf(body, 'clinic-a')).toEqual(['clinic-a|1']);
    expect(await membersOf(body, 'clinic-b')).toEqual(['clinic-b|1']);
    expect(await membersOf([patient('1'), body], 'clinic-a')).toEqual(['clinic-a|1', 'clinic-a|1']);
  });

  it('takes the sender of the Bundle, else of the resource, before that of the request; never its fragment', async () => {
    const meta = { source: 'http://ehr/#f3a9' };
    expect(await membersOf(claim({ reference: 'Patient/1' }, { meta }), 'x')).toEqual(['http://ehr|1']);
    const entry = [
      { fullUrl: 'http://s/Patient/1', resource: patient('1') },
      { fullUrl: 'http://s/Claim/2', resource: claim({ reference: 'Patient/1' }) },
    ];
    expect(await membersOf(bundle('searchset', entry, { meta: { source: 'hie' } }), 'x')).toEqual(['hie|1', 'hie|1']);
    expect(await membersOf(bundle('searchset', entry), 'x')).toEqual(['x|1', 'x|1']);
  });

  it('on another server than the sender is named under that server', async () => {
    const entry = [
      { fullUrl: 'http://a/fhir/Patient/1', resource: patient('1') },
      { fullUrl: 'http://b/fhir/Patient/1', resource: patient('1') },
    ];
    expect(await membersOf(bundle('searchset', entry), 'x')).toEqual(['x|1', 'http://b/fhir|1']);
    expect(await membersOf(claim({ reference: 'https://b/fhir/Patient/1' }), 'x')).toEqual(['https://b/fhir|1']);
  });
});

describe('identifiers', () => {
  it.each([
    ['a Medicare number without a type', [MBI], '1EG4TE5MK73'],
    [
      'a Medicare number by its OID',
      [{ system: 'urn:oid:2.16.840.1.113883.4.927', value: '1EG4TE5MK73' }],
      '1EG4TE5MK73',
    ],
    [
      'an older Medicare number',
      [{ system: 'http://hl7.org/fhir/sid/us-medicare', value: '123456789A' }],
      '123456789A',
    ],
    ['a Medicaid number', [{ system: 'http://hl7.org/fhir/sid/us-medicaid', value: 'IL-77' }], 'IL-77'],
    ["a payer's number", [{ system: 'https://payer.example/fhir/member-id', value: 'W-1' }], 'W-1'],
    ['a typed number of any system', [{ system: 'urn:oid:1.2.3', value: 'M-9', ...typed('MB') }], 'M-9'],
    ['a member number before a Medicare number', [MBI, { value: 'M-9', ...typed('MB') }], 'M-9'],
    ['no social security number', [{ system: 'http://hl7.org/fhir/sid/us-ssn', value: '999-12-3456' }], 'clinic|1'],
    ['no social security number by OID', [{ system: 'urn:oid:2.16.840.1.113883.4.1', value: '999123456' }], 'clinic|1'],
    [
      'no social security number of a wrong type',
      [{ system: 'http://hl7.org/fhir/sid/us-ssn', value: '9', ...typed('MB') }],
      'clinic|1',
    ],
    ['no medical record number', [{ system: 'http://medicare-hospital/mrn', value: '5', ...typed('MR') }], 'clinic|1'],
  ])('of a patient: %s', async (_, identifier, expected) => {
    expect(await membersOf(patient('1', identifier), 'clinic')).toEqual([expected]);
    expect((await membersOf([claim({ reference: 'Patient/1' }), patient('1', identifier)], 'clinic'))[0]).toBe(
      expected,
    );
  });

  it('of a facility name the member of a document under their system', async () => {
    const mrn = { system: 'http://hospital-a/mrn', value: '5', ...typed('MR') };
    const contained = [patient('p', [mrn])];
    expect(await membersOf(claim({ reference: '#p' }, { contained }))).toEqual(['http://hospital-a/mrn|5']);
  });

  it('in the reference count as those of the patient', async () => {
    expect(await membersOf(claim({ identifier: MBI }))).toEqual(['1EG4TE5MK73']);
    expect(await membersOf(claim({ reference: `Patient?identifier=${MBI.system}|1EG4TE5MK73` }))).toEqual([
      '1EG4TE5MK73',
    ]);
    expect(await membersOf(claim({ identifier: { system: 'http://hl7.org/fhir/sid/us-ssn', value: '9' } }))).toEqual([
      undefined,
    ]);
    expect(await membersOf(claim({ identifier: { value: '5', ...typed('MR') } }), 'a')).toEqual(['a|5']);
  });
});

describe('references across lines', () => {
  it('are joined, in any order, with the evidence in the payload', async () => {
    const body = [claim({ reference: 'Patient/p1' }), patient('p1', [{ value: 'M-1', ...typed('MB') }])];
    expect(await membersOf(body)).toEqual(['M-1', 'M-1']);
    const [event] = eventsOf(await readBody(body.map((one) => JSON.stringify(one)).join('\n')));
    expect(event?.envelope.payload['member_basis']).toEqual({ from: 'patient.identifier', joined_by: 'type and id' });
  });

  it('by urn:uuid are joined with the line of that id', async () => {
    const id = '1b671a64-40d5-491e-99b0-da01ff1f3341';
    const body = [claim({ reference: `urn:uuid:${id}` }), patient(id, [MBI])];
    expect(await membersOf(body)).toEqual(['1EG4TE5MK73', '1EG4TE5MK73']);
  });
});

describe('what a resource says besides its member', () => {
  it('an inquiry of Da Vinci PAS requests nothing', async () => {
    const profile = ['http://hl7.org/fhir/us/davinci-pas/StructureDefinition/profile-claim-inquiry'];
    const body = claim({ reference: 'Patient/1' }, { use: 'preauthorization', meta: { profile } });
    const [event] = eventsOf(await readBody(JSON.stringify(body)));
    expect(event?.envelope).toMatchObject({ event_type: 'authorization_inquired', outcome: 'submitted' });
  });

  it.each([
    ['recorded', {}],
    ['paid', { payment: { type: { coding: [{ code: 'paid' }] } } }],
    ['denied', { payment: { type: { coding: [{ code: 'denied' }] } } }],
    ['denied', { item: [{ adjudication: [{ category: { coding: [{ code: 'denialreason' }] } }] }] }],
  ])('an explanation of CARIN without money is %s', async (outcome, more) => {
    const profile = [
      'http://hl7.org/fhir/us/carin-bb/StructureDefinition/C4BB-ExplanationOfBenefit-Inpatient-NonFinancial',
    ];
    const body = {
      resourceType: 'ExplanationOfBenefit',
      use: 'claim',
      outcome: 'complete',
      meta: { profile },
      ...more,
    };
    const [event] = eventsOf(await readBody(JSON.stringify(body)));
    expect(event?.envelope.outcome).toBe(outcome);
  });

  it('a Bundle with entries that give nothing warns', async () => {
    const empty = bundle('collection', [{ resource: { resourceType: 'Organization', id: 'o' } }]);
    expect(codesOf(await readBody(JSON.stringify(empty)))).toContain('BUNDLE_WITHOUT_EVENTS');
    expect(codesOf(await readBody(JSON.stringify(bundle('collection', []))))).toContain('BUNDLE_WITHOUT_EVENTS');
  });
});

/** Synthetic FHIR for the bench: invented people, in the shapes and lengths that payers exchange. */
const narrative = (about: string): Record<string, string> => ({
  status: 'generated',
  div: `<div xmlns="http://www.w3.org/1999/xhtml"><p><b>Generated narrative</b></p><p>${about}</p><table class="grid"><tr><td>status</td><td>active</td></tr></table></div>`,
});

const coding = (system: string, code: string, display: string): Record<string, unknown> => ({
  coding: [{ system: `http://terminology.hl7.org/CodeSystem/${system}`, code, display }],
});

const cpt = (code: string): Record<string, unknown> => ({
  coding: [{ system: 'http://www.ama-assn.org/go/cpt', code, display: `Synthetic service ${code}` }],
});

/** Makes resource n, alternately a claim, an explanation of benefits, an observation or a patient. */
export function syntheticResource(n: number): Record<string, unknown> {
  const shapes = [claim, explanation, observation, patient] as const;
  return (shapes[n % shapes.length] ?? claim)(n);
}

function common(type: string, n: number): Record<string, unknown> {
  return {
    resourceType: type,
    id: `${type.toLowerCase()}-${n}`,
    meta: { versionId: '1', lastUpdated: '2026-03-01T10:15:00.000Z', source: 'synthetic-plan' },
    text: narrative(`${type} ${n} of a synthetic member`),
    identifier: [{ system: 'https://plan.example/ids', value: `${type}-${n}` }],
    status: 'active',
  };
}

function claimBody(n: number): Record<string, unknown> {
  return {
    type: coding('claim-type', 'professional', 'Professional'),
    use: 'claim',
    patient: { reference: `Patient/patient-${n % 5000}`, display: 'Tessa Alderbrook' },
    billablePeriod: { start: '2026-02-01', end: '2026-02-03' },
    created: '2026-02-10T09:00:00-05:00',
    insurer: { reference: 'Organization/payer-1', display: 'Synthetic Health' },
    provider: { reference: 'Organization/provider-1', display: 'Synthetic Clinic' },
    priority: coding('processpriority', 'normal', 'Normal'),
    careTeam: [
      {
        sequence: 1,
        provider: { reference: 'Practitioner/p-1', display: 'Dr. Robin Rowan' },
        role: coding('claimcareteamrole', 'primary', 'Primary provider'),
      },
    ],
    diagnosis: ['E11.9', 'I10', 'E78.5'].map((code, at) => ({
      sequence: at + 1,
      diagnosisCodeableConcept: { coding: [{ system: 'http://hl7.org/fhir/sid/icd-10-cm', code }] },
    })),
    insurance: [{ sequence: 1, focal: true, coverage: { reference: `Coverage/coverage-${n % 5000}`, display: 'PPO' } }],
  };
}

function line(n: number, at: number): Record<string, unknown> {
  return {
    sequence: at + 1,
    diagnosisSequence: [1, 2],
    productOrService: cpt(`992${10 + ((n + at) % 6)}`),
    servicedDate: `2026-02-0${1 + (at % 3)}`,
    locationCodeableConcept: {
      coding: [
        {
          system: 'https://www.cms.gov/Medicare/Coding/place-of-service-codes/Place_of_Service_Code_Set',
          code: '11',
          display: 'Office',
        },
      ],
    },
    quantity: { value: 1 },
    unitPrice: { value: 125.5, currency: 'USD' },
    net: { value: 125.5, currency: 'USD' },
  };
}

function claim(n: number): Record<string, unknown> {
  const item = Array.from({ length: 4 }, (_, at) => line(n, at));
  return { ...common('Claim', n), ...claimBody(n), item, total: { value: 502, currency: 'USD' } };
}

function explanation(n: number): Record<string, unknown> {
  const amount = (category: string, value: number): Record<string, unknown> => ({
    category: coding('adjudication', category, category),
    amount: { value, currency: 'USD' },
  });
  const item = Array.from({ length: 4 }, (_, at) => ({
    ...line(n, at),
    adjudication: [amount('submitted', 125.5), amount('eligible', 100), amount('copay', 20), amount('benefit', 80)],
  }));
  return {
    ...common('ExplanationOfBenefit', n),
    ...claimBody(n),
    outcome: 'complete',
    claim: { reference: `Claim/claim-${n - 1}` },
    item,
    total: [amount('submitted', 502), amount('benefit', 320)],
    payment: { date: '2026-02-20', amount: { value: 320, currency: 'USD' } },
  };
}

function observation(n: number): Record<string, unknown> {
  return {
    ...common('Observation', n),
    status: 'final',
    category: [coding('observation-category', 'laboratory', 'Laboratory')],
    code: {
      coding: [{ system: 'http://loinc.org', code: '718-7', display: 'Hemoglobin [Mass/volume] in Blood' }],
      text: 'Hemoglobin',
    },
    subject: { reference: `Patient/patient-${n % 5000}` },
    effectiveDateTime: '2026-02-11T08:30:00-05:00',
    valueQuantity: { value: 13.2, unit: 'g/dL', system: 'http://unitsofmeasure.org', code: 'g/dL' },
    referenceRange: [{ low: { value: 11.6, unit: 'g/dL' }, high: { value: 15, unit: 'g/dL' } }],
  };
}

function patient(n: number): Record<string, unknown> {
  return {
    ...common('Patient', n),
    identifier: [
      { type: coding('v2-0203', 'MB', 'Member Number'), system: 'https://plan.example/members', value: `SYN${n}` },
    ],
    active: true,
    name: [{ use: 'official', family: 'Alderbrook', given: ['Tessa', 'Q'] }],
    telecom: [{ system: 'phone', value: '555-0100', use: 'home' }],
    gender: 'female',
    birthDate: '1980-01-15',
    address: [{ line: ['1 Test Way'], city: 'Springfield', state: 'IL', postalCode: '62701', country: 'US' }],
  };
}

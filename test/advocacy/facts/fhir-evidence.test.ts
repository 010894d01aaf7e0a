import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import { diagnosisCodes } from '../../../subgraphs/advocacy/facts/domain/coded-facts.js';
import { observation } from '../../../subgraphs/advocacy/facts/domain/observation-facts.js';
import { eventsOf, readBody } from '../../ledger/formats/fhir/reading.js';
import { recordFrom, type Written } from '../record-kit.js';

// Clinical FHIR resources as a guideline reads them: from the raw bytes to the facts.

type Resource = Record<string, unknown>;

const LOINC = 'http://loinc.org';
const ICD10 = 'http://hl7.org/fhir/sid/icd-10-cm';
const subject = { identifier: { value: 'M-1' } };
const coded = (code: string, system: string): Resource => ({ coding: [{ code, system }] });
const bmi = { resourceType: 'Observation', id: 'o', code: coded('39156-5', LOINC) };
const measured = { ...bmi, valueQuantity: { value: 41.5, unit: 'kg/m2' } };

async function recordOfResource(resource: Resource): Promise<ReturnType<typeof recordFrom>> {
  const [event] = eventsOf(await readBody(JSON.stringify({ subject, ...resource })));
  if (event === undefined) throw new Error('the resource yields no event');
  const { payload, outcome, event_type, event_family, event_effective_timestamp } = event.envelope;
  const written: Written = {
    // The envelope's payload is parsed JSON.
    payload: JSON.parse(JSON.stringify(payload)) as JsonObject,
    day: event_effective_timestamp.slice(0, 10),
    family: event_family,
    type: event_type,
    outcome: outcome ?? null,
  };
  return recordFrom({ payload: {}, record: [written] });
}

describe('a body-mass index', () => {
  it.each([
    ['an Observation', { ...measured, status: 'final', effectiveDateTime: '2024-05-01' }],
    [
      'a DiagnosticReport with a contained Observation',
      {
        resourceType: 'DiagnosticReport',
        status: 'final',
        code: coded('24323-8', LOINC),
        effectiveDateTime: '2024-05-01',
        contained: [measured],
        result: [{ reference: '#o' }],
      },
    ],
  ])('is read from %s', async (_, resource) => {
    expect(observation('bmi', await recordOfResource(resource))).toMatchObject({ min: 41.5, max: 41.5 });
  });

  it('is not read from a cancelled report', async () => {
    const cancelled = { ...measured, status: 'cancelled', effectiveDateTime: '2024-05-01' };
    expect(observation('bmi', await recordOfResource(cancelled))).toMatchObject({ kind: 'unknown' });
  });
});

describe('a diagnosis', () => {
  const condition = {
    resourceType: 'Condition',
    clinicalStatus: coded('active', 'http://terminology.hl7.org/CodeSystem/condition-clinical'),
    code: coded('E1165', ICD10),
    onsetDateTime: '2024-01-02',
  };
  const codesIn = async (resource: Resource): Promise<string[]> => {
    const found = diagnosisCodes(await recordOfResource(resource));
    return found.kind === 'codes' ? [...found.codes.keys()] : [];
  };

  it.each([
    ['a Condition', condition],
    [
      'the reason of a Procedure',
      { resourceType: 'Procedure', status: 'completed', performedDateTime: '2024-01-02', reasonCode: [condition.code] },
    ],
  ])('is read from %s', async (_, resource) => {
    expect(await codesIn(resource)).toEqual(['E11.65']);
  });

  it.each(['refuted', 'entered-in-error'])('that is %s is not read', async (verification) => {
    expect(await codesIn({ ...condition, verificationStatus: coded(verification, 'ver-status') })).toEqual([]);
  });
});

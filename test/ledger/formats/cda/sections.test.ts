import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { repositoryFile } from '../../../../app/repository.js';
import { cdaAdapter } from '../../../../subgraphs/ledger/formats/cda/index.js';
import {
  type AdapterItem,
  DEFAULT_ADAPTER_LIMITS,
  type EventItem,
} from '../../../../subgraphs/ledger/formats/format-adapter.js';
import { eventsOf, receivedAt } from '../x12/reading.js';

const summary = readFileSync(repositoryFile('test/ledger/formats/cda/fixtures/summary.xml')).toString();

/** The events of the summary with this section alone. */
async function eventsOfSection(loinc: string, entries: string): Promise<readonly EventItem[]> {
  const section = `<component><section><code code="${loinc}" codeSystem="2.16.840.1.113883.6.1"/>${entries}</section></component>`;
  const body = summary.replace(
    /<structuredBody>[\s\S]*<\/structuredBody>/,
    `<structuredBody>${section}</structuredBody>`,
  );
  const items: AdapterItem[] = [];
  const settings = { strict: false, receivedAt, limits: DEFAULT_ADAPTER_LIMITS };
  async function* stream(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(body);
  }
  for await (const item of cdaAdapter.read(stream(), settings)) items.push(item);
  return eventsOf(items).slice(1);
}
const kinds = (events: readonly EventItem[]): readonly unknown[] =>
  events.map(({ envelope: { event_family, event_type, outcome } }) => [event_family, event_type, outcome]);

const allergy = (inside: string, attributes = ''): string =>
  `<entry><act classCode="ACT" moodCode="EVN"><statusCode code="active"/><entryRelationship typeCode="SUBJ">
   <observation classCode="OBS" moodCode="EVN" ${attributes}><id root="2.999.8" extension="AL1"/><statusCode code="completed"/>${inside}</observation></entryRelationship></act></entry>`;
const PENICILLIN = `<participant typeCode="CSM"><participantRole classCode="MANU"><playingEntity classCode="MMAT">
  <code code="7980" codeSystem="2.16.840.1.113883.6.88" displayName="Penicillin G"/></playingEntity></participantRole></participant>`;
const DRUG_ALLERGY = `<value xsi:type="CD" code="416098002" codeSystem="2.16.840.1.113883.6.96" displayName="Allergy to drug"/>`;

describe('allergies of a C-CDA document', () => {
  it('name the substance, the reactions with their severity, and the criticality', async () => {
    const [event] = await eventsOfSection(
      '48765-2',
      allergy(`<effectiveTime><low value="20190301"/></effectiveTime>${DRUG_ALLERGY}${PENICILLIN}
        <entryRelationship typeCode="MFST" inversionInd="true"><observation><value xsi:type="CD" code="247472004" codeSystem="2.16.840.1.113883.6.96" displayName="Hives"/>
          <entryRelationship typeCode="SUBJ"><observation><code code="SEV" codeSystem="2.16.840.1.113883.5.4"/><value xsi:type="CD" code="6736007" codeSystem="2.16.840.1.113883.6.96" displayName="Moderate"/></observation></entryRelationship></observation></entryRelationship>
        <entryRelationship typeCode="SUBJ"><observation><code code="82606-5" codeSystem="2.16.840.1.113883.6.1"/><value xsi:type="CD" code="CRITH" codeSystem="2.16.840.1.113883.5.1063" displayName="high criticality"/></observation></entryRelationship>`),
    );
    expect(event?.envelope).toMatchObject({
      event_family: 'clinical',
      event_type: 'allergy.active',
      outcome: 'active',
      event_effective_timestamp: '2019-03-01T00:00:00.000Z',
      payload: {
        section: 'allergies',
        service: 'Penicillin G',
        category: '416098002',
        allergens: [{ code: '7980', system: 'RxNorm', display: 'Penicillin G' }],
        reactions: [{ name: 'Hives', codes: [{ code: '247472004', system: 'SNOMED' }], severity: 'Moderate' }],
        criticality: 'high criticality',
      },
    });
  });

  it('are inactive with an end, and refuted where the document denies them', async () => {
    const ended = allergy(
      `<effectiveTime><low value="20190301"/><high value="20200301"/></effectiveTime>${DRUG_ALLERGY}${PENICILLIN}`,
    );
    const none = allergy(DRUG_ALLERGY, 'negationInd="true"');
    const empty = allergy('<value xsi:type="CD" nullFlavor="UNK"/>');
    expect(kinds(await eventsOfSection('48765-2', ended + none + empty))).toEqual([
      ['clinical', 'allergy.inactive', 'inactive'],
      ['clinical', 'allergy.refuted', 'cancelled'],
    ]);
  });
});

describe('immunizations of a C-CDA document', () => {
  const given = (attributes: string, more = ''): string =>
    `<entry><substanceAdministration classCode="SBADM" moodCode="EVN" ${attributes}><id root="2.999.4" extension="V1"/><statusCode code="completed"/>
     <effectiveTime value="20251001"/><doseQuantity value="0.5" unit="mL"/><consumable><manufacturedProduct><manufacturedMaterial>
     <code code="140" codeSystem="2.16.840.1.113883.12.292" displayName="influenza, preservative free"/><lotNumberText>L-1</lotNumberText></manufacturedMaterial>
     <manufacturerOrganization><name>Maker</name></manufacturerOrganization></manufacturedProduct></consumable>${more}</substanceAdministration></entry>`;
  const REFUSED = `<entryRelationship typeCode="RSON"><observation><code code="PATOBJ" codeSystem="2.16.840.1.113883.5.8" displayName="patient objection"/></observation></entryRelationship>`;

  it('are given, refused with the reason, or not given, as those of HL7 v2', async () => {
    const events = await eventsOfSection(
      '11369-6',
      given('negationInd="false"') + given('negationInd="true"', REFUSED) + given('negationInd="true"'),
    );
    expect(kinds(events)).toEqual([
      ['clinical', 'immunization_given', 'recorded'],
      ['clinical', 'immunization_refused', 'recorded'],
      ['clinical', 'immunization_not_given', 'recorded'],
    ]);
    expect(events[0]?.envelope.payload).toMatchObject({
      procedure_codes: ['140'],
      immunizations: [
        {
          code: '140',
          name: 'influenza, preservative free',
          administered_at: '2025-10-01',
          amount: '0.5',
          unit: 'mL',
          lot_number: 'L-1',
          manufacturer: 'Maker',
        },
      ],
    });
    expect(events[1]?.envelope.payload).toMatchObject({ immunizations: [{ refusal_reason: 'patient objection' }] });
  });
});

describe('payers and social history of a C-CDA document', () => {
  it('name the payer, the policy and the number of the person in it', async () => {
    const [event] = await eventsOfSection(
      '48768-6',
      `<entry><act classCode="ACT" moodCode="EVN"><id root="2.999.10"/><statusCode code="completed"/><entryRelationship typeCode="COMP">
        <act classCode="ACT" moodCode="EVN"><id root="2.999.11" extension="GRP-7"/><code code="47" codeSystem="2.16.840.1.113883.6.255.1336" displayName="Medicare Secondary"/>
        <performer typeCode="PRF"><assignedEntity><id root="2.999.12" extension="PAYER-1"/><code code="PAYOR" codeSystem="2.16.840.1.113883.5.110"/>
          <representedOrganization><name>Synthetic Plan</name></representedOrganization></assignedEntity></performer>
        <participant typeCode="COV"><time><low value="20260101"/><high value="20261231"/></time><participantRole><id root="2.999.13" extension="MEM-1"/><code code="SELF" codeSystem="2.16.840.1.113883.5.111"/></participantRole></participant></act></entryRelationship></act></entry>`,
    );
    expect(event?.envelope).toMatchObject({
      event_family: 'eligibility',
      event_type: 'coverage_reported',
      event_effective_timestamp: '2026-01-01T00:00:00.000Z',
      payload: {
        payer: { name: 'Synthetic Plan', id: 'PAYER-1' },
        plan: 'Medicare Secondary',
        policy_number: 'GRP-7',
        member_number: 'MEM-1',
        relationship: 'SELF',
        coverage_period: { from: '2026-01-01', to: '2026-12-31' },
      },
    });
  });

  it('give the observations of the social history, such as the smoking status', async () => {
    const [event] = await eventsOfSection(
      '29762-2',
      `<entry><observation classCode="OBS" moodCode="EVN"><id root="2.999.14"/><code code="72166-2" codeSystem="2.16.840.1.113883.6.1" displayName="Tobacco smoking status"/>
        <statusCode code="completed"/><effectiveTime value="20260101"/><value xsi:type="CD" code="8517006" codeSystem="2.16.840.1.113883.6.96" displayName="Former smoker"/></observation></entry>`,
    );
    expect(event?.envelope).toMatchObject({
      event_type: 'observation_recorded',
      payload: {
        section: 'social_history',
        results: [{ code: '72166-2', value: 'Former smoker', value_codes: [{ code: '8517006', system: 'SNOMED' }] }],
      },
    });
  });
});

describe('plans of a C-CDA document', () => {
  const MRI = '<code code="72148" codeSystem="2.16.840.1.113883.6.12" displayName="MRI of the lumbar spine"/>';
  const planned = (element: string, mood: string, status: string, code = MRI): string =>
    `<entry><${element} moodCode="${mood}"><id root="2.999.15" extension="${mood}"/>${code}<statusCode code="${status}"/>
     <effectiveTime value="20260401"/></${element}></entry>`;
  const drug = `<consumable><manufacturedProduct><manufacturedMaterial><code code="197361" codeSystem="2.16.840.1.113883.6.88" displayName="amlodipine 5 MG"/></manufacturedMaterial></manufacturedProduct></consumable>`;

  it('are events with their plan, mood and time', async () => {
    const [event] = await eventsOfSection('18776-5', planned('procedure', 'RQO', 'active'));
    expect(event?.envelope).toMatchObject({
      event_family: 'clinical',
      event_type: 'care_planned',
      outcome: 'active',
      event_effective_timestamp: '2026-04-01T00:00:00.000Z',
      payload: {
        section: 'plan_of_treatment',
        planned: 'procedure',
        mood: 'requested',
        status: 'active',
        procedure_codes: ['72148'],
        service: 'MRI of the lumbar spine',
        service_period: { from: '2026-04-01', to: '2026-04-01' },
      },
    });
  });

  it.each([
    ['procedure', 'INT', 'active', MRI, 'procedure', 'intended', 'active'],
    ['encounter', 'APT', 'new', MRI, 'encounter', 'appointment', 'pended'],
    ['observation', 'RQO', 'cancelled', MRI, 'observation', 'requested', 'cancelled'],
    ['act', 'PRP', 'completed', MRI, 'service', 'proposed', 'recorded'],
    ['substanceAdministration', 'PRMS', 'active', drug, 'medication', 'promised', 'active'],
    ['supply', 'INT', 'odd', MRI, 'supply', 'intended', 'unknown'],
  ])('of %s in the mood %s with the status %s', async (element, mood, status, code, kind, word, outcome) => {
    const [event] = await eventsOfSection('18776-5', planned(element, mood, status, code));
    expect(event?.envelope).toMatchObject({ outcome, payload: { planned: kind, mood: word } });
  });

  it('give goals their own type, and nothing for what has happened or has no code', async () => {
    const entries = [
      planned('observation', 'GOL', 'active'),
      planned('procedure', 'EVN', 'completed'),
      planned('procedure', 'RQO', 'active', '<code nullFlavor="UNK"/>'),
    ];
    expect(kinds(await eventsOfSection('61146-7', entries.join('')))).toEqual([['clinical', 'goal_set', 'active']]);
  });

  it.each([
    ['47519-4', 'procedure'],
    ['46240-8', 'encounter'],
    ['30954-2', 'observation'],
  ])('in a section of what has happened (%s) are plans all the same', async (loinc, element) => {
    const entries = planned(element, 'RQO', 'active') + planned(element, 'EVN', 'completed');
    const types = (await eventsOfSection(loinc, entries)).map(({ envelope }) => envelope.event_type);
    expect(types).toHaveLength(2);
    expect(types[0]).toBe('care_planned');
    expect(types[1]).not.toBe('care_planned');
  });
});

describe('results between bounds', () => {
  it.each([
    ['<low value="2" unit="mg/dL"/><high value="4" unit="mg/dL"/>', '2-4'],
    ['<low value="2" unit="mg/dL" inclusive="false"/>', '>2'],
    ['<low value="2" unit="mg/dL"/>', '>=2'],
    ['<high value="4" unit="mg/dL" inclusive="false"/>', '<4'],
  ])('%s are %s with their unit', async (bounds, value) => {
    const [event] = await eventsOfSection(
      '30954-2',
      `<entry><observation classCode="OBS" moodCode="EVN"><code code="2345-7" codeSystem="2.16.840.1.113883.6.1"/><statusCode code="completed"/>
        <effectiveTime value="20260101"/><value xsi:type="IVL_PQ">${bounds}</value></observation></entry>`,
    );
    expect(event?.envelope.payload).toMatchObject({ results: [{ code: '2345-7', value, unit: 'mg/dL' }] });
  });
});

describe('results in an organizer', () => {
  it('have the time of the organizer where they have none of their own', async () => {
    const observation = (time: string): string =>
      `<component><observation classCode="OBS" moodCode="EVN"><code code="8480-6" codeSystem="2.16.840.1.113883.6.1"/><statusCode code="completed"/>${time}
        <value xsi:type="PQ" value="120" unit="mm[Hg]"/></observation></component>`;
    const events = await eventsOfSection(
      '8716-3',
      `<entry><organizer classCode="CLUSTER" moodCode="EVN"><statusCode code="completed"/><effectiveTime value="20260115"/>
        ${observation('')}${observation('<effectiveTime value="20260116"/>')}</organizer></entry>`,
    );
    expect(events.map(({ envelope }) => envelope.event_effective_timestamp)).toEqual([
      '2026-01-15T00:00:00.000Z',
      '2026-01-16T00:00:00.000Z',
    ]);
  });
});

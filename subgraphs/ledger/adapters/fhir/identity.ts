import { stateOf } from '../x12/codes.js';
import { compact } from '../x12/compact.js';
import { codeOf, describeIdentifier, hasCode } from './codes.js';
import { type Fields, fieldsAt, holdsControl, listAt, textAt, textsAt } from './json.js';
import type { MappingContext } from './mapping-context.js';
import { logicalId, type References } from './references.js';

const memberIdLimit = 128;
const memberTypes = ['MB', 'SN', 'MA', 'MC'] as const;

/** Whose a resource is: the member id, and the patient as far as the body tells. */
export interface Identity {
  readonly memberId: string;
  readonly patient: Fields | null;
  /** The focal coverage, where the body holds it. */
  readonly coverage: Fields | null;
}

/**
 * The subscriber's number of the focal coverage, else the patient's number of type MB, SN, MA or MC, else the identifier of
 * the reference, else the id that it names. Where a Bundle was cut and a reference may lead into the lost part, nobody.
 */
export function identityOf(resource: Fields, patientName: string, context: MappingContext): Identity {
  const { references } = context;
  const patientReference = fieldsAt(resource, patientName);
  const coverageReference = focalCoverage(resource);
  const coverage = references.resolve(coverageReference).resource;
  const { resource: patient, type, id } = references.resolve(patientReference);
  const identity = { patient, coverage };
  if (references.isLost(coverageReference) || references.isLost(patientReference)) {
    context.warn(
      'REFERENCE_LOST',
      'the body was cut: what the reference to the member leads to may be lost',
      patientName,
    );
    return { ...identity, memberId: '' };
  }
  const found =
    usable(textAt(coverage, 'subscriberId')) ||
    memberNumber(patient) ||
    usable(logicalId(patientReference)) ||
    (type === 'Patient' ? usable(id) : '');
  return { ...identity, memberId: found };
}

/** The member that a Patient resource is. */
export const memberOfPatient = (patient: Fields): string => memberNumber(patient) || usable(textAt(patient, 'id'));

/** The coverage of the insurance marked as focal, else of the only one. */
function focalCoverage(resource: Fields): Fields {
  const insurance = listAt(resource, 'insurance');
  const focal = insurance.find((one) => one['focal'] === true) ?? (insurance.length === 1 ? insurance[0] : undefined);
  return fieldsAt(focal, 'coverage');
}

/** Among several numbers of one type the one in use: without an end, else the one that ended last. */
function memberNumber(patient: Fields | null): string {
  const identifiers = listAt(patient, 'identifier').filter((one) => usable(textAt(one, 'value')) !== '');
  for (const type of memberTypes) {
    let best: Fields | undefined;
    for (const one of identifiers) {
      if (hasCode(fieldsAt(one, 'type'), type) && (best === undefined || endOf(one) > endOf(best))) best = one;
    }
    if (best !== undefined) return textAt(best, 'value');
  }
  return '';
}

/** When an identifier went out of use, in an order of texts; those in use come last. */
function endOf(identifier: Fields): string {
  const end = textAt(identifier, 'period', 'end');
  if (end !== '') return end;
  return textAt(identifier, 'use') === 'old' ? '' : '~';
}

/** A number that can be a member id: printable, and not too long for the envelope. */
function usable(value: string): string {
  return value.length <= memberIdLimit && !holdsControl(value) ? value : '';
}

/** A Patient (or Practitioner) in a payload. */
export function describePerson(person: Fields | null): Record<string, unknown> {
  if (person === null) return {};
  const names = listAt(person, 'name');
  const name = names.find((one) => textAt(one, 'use') === 'official') ?? names[0] ?? {};
  const given = textsAt(name, 'given');
  return compact({
    last_name: textAt(name, 'family'),
    first_name: given[0],
    middle_name: given.slice(1).join(' '),
    name: textAt(name, 'family') === '' ? textAt(name, 'text') : '',
    birth_date: textAt(person, 'birthDate'),
    gender: textAt(person, 'gender'),
    state: stateIn(person),
  });
}

/** Every identifier of a resource, with its system and type. */
export const describeIdentifiers = (resource: Fields | null): Fields[] =>
  listAt(resource, 'identifier')
    .slice(0, 50)
    .map(describeIdentifier)
    .filter((one) => 'value' in one);

/** The state of the first address that names one of the United States. */
export function stateIn(resource: Fields | null): string {
  for (const address of listAt(resource, 'address')) {
    const state = stateOf(textAt(address, 'state'), textAt(address, 'country'));
    if (state !== '') return state;
  }
  return '';
}

/** `US-XX` of the member, else the service place, else the payer. */
export function jurisdictionOf(...resources: readonly (Fields | null)[]): string {
  for (const resource of resources) {
    const state = stateIn(resource);
    if (state !== '') return `US-${state}`;
  }
  return 'US';
}

/** A provider or payer: what the reference shows, and what it leads to. */
export function describeParty(reference: Fields, references: References, role = ''): Record<string, unknown> {
  const { resource, type, id } = references.resolve(reference);
  const practitioner = type === 'PractitionerRole' ? fieldsAt(resource, 'practitioner') : reference;
  const party = practitioner === reference ? resource : references.resolve(practitioner).resource;
  const identifiers = [...listAt(party, 'identifier'), ...listAt(reference, 'identifier')];
  const npi = identifiers.find(isNpi);
  const other = identifiers.find((one) => textAt(one, 'value') !== '');
  const described = compact({
    role,
    name: nameOf(party) || textAt(reference, 'display'),
    npi: npi && textAt(npi, 'value'),
    id: npi === undefined ? (other && textAt(other, 'value')) || id : undefined,
  });
  return Object.keys(described).length > (role === '' ? 0 : 1) ? described : {};
}

const isNpi = (identifier: Fields): boolean =>
  textAt(identifier, 'system').includes('us-npi') || codeOf(fieldsAt(identifier, 'type')) === 'NPI';

function nameOf(party: Fields | null): string {
  if (party === null) return '';
  const plain = textAt(party, 'name');
  if (plain !== '') return plain;
  const { last_name: last, first_name: first, name } = describePerson(party);
  return [last, first].filter((part) => typeof part === 'string').join(', ') || String(name ?? '');
}

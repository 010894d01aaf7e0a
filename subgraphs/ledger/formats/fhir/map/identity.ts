import { stateOf } from '../../values/codes.js';
import { compact } from '../../values/payload.js';
import { type Fields, fieldsAt, holdsControl, listAt, textAt, textsAt } from '../json/objects.js';
import { codeOf, describeIdentifier, hasCode } from './codes.js';
import type { MappingContext } from './context.js';
import { logicalId, type References } from './references.js';

const MEMBER_ID_LIMIT = 128;
const MEMBER_TYPES = ['MB', 'SN', 'MA', 'MC'] as const;

/** The member id of a resource, and the patient if the body contains it. */
interface Identity {
  readonly memberId: string;
  readonly patient: Fields | null;
  /** The focal coverage, if the body contains it. */
  readonly coverage: Fields | null;
}

/**
 * Finds the member: the subscriber number of the focal coverage, else the patient's number of type MB, SN, MA or MC,
 * else the identifier of the reference, else its id. Finds none if the Bundle was cut and a reference may lead to a
 * lost entry.
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
      'the body was cut: the target of the reference to the member may be lost',
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

/** The member id of a Patient resource. */
export const memberOfPatient = (patient: Fields): string => memberNumber(patient) || usable(textAt(patient, 'id'));

/** The coverage of the focal insurance, else of the only one. */
function focalCoverage(resource: Fields): Fields {
  const insurance = listAt(resource, 'insurance');
  const focal = insurance.find((one) => one['focal'] === true) ?? (insurance.length === 1 ? insurance[0] : undefined);
  return fieldsAt(focal, 'coverage');
}

/** Among several numbers of one type, the current one: without an end, else with the latest end. */
function memberNumber(patient: Fields | null): string {
  const identifiers = listAt(patient, 'identifier').filter((one) => usable(textAt(one, 'value')) !== '');
  for (const type of MEMBER_TYPES) {
    let best: Fields | undefined;
    for (const one of identifiers) {
      if (hasCode(fieldsAt(one, 'type'), type) && (best === undefined || endOf(one) > endOf(best))) best = one;
    }
    if (best !== undefined) return textAt(best, 'value');
  }
  return '';
}

/** A sortable end of use; current identifiers sort last. */
function endOf(identifier: Fields): string {
  const end = textAt(identifier, 'period', 'end');
  if (end !== '') return end;
  return textAt(identifier, 'use') === 'old' ? '' : '~';
}

/** The value if it can be a member id (printable and short enough for the envelope), else ''. */
function usable(value: string): string {
  return value.length <= MEMBER_ID_LIMIT && !holdsControl(value) ? value : '';
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

/** The state of the first address in the United States. */
function stateIn(resource: Fields | null): string {
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

/** A provider or payer: the reference's own members and those of its target. */
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

/** Several providers, at most `limit`. */
export const describeParties = (
  list: readonly Fields[],
  references: References,
  role = '',
  limit = 20,
): Record<string, unknown>[] => list.slice(0, limit).map((one) => describeParty(one, references, role));

const isNpi = (identifier: Fields): boolean =>
  textAt(identifier, 'system').includes('us-npi') || codeOf(fieldsAt(identifier, 'type')) === 'NPI';

function nameOf(party: Fields | null): string {
  if (party === null) return '';
  const plain = textAt(party, 'name');
  if (plain !== '') return plain;
  const { last_name: last, first_name: first, name } = describePerson(party);
  return [last, first].filter((part) => typeof part === 'string').join(', ') || String(name ?? '');
}

import { stateOf } from '../../values/codes.js';
import { bestMember, memberValue, type NamedIdentifier, namespaced, roleOf } from '../../values/identity.js';
import { compact } from '../../values/payload.js';
import { type Fields, fieldsAt, holdsControl, listAt, textAt, textsAt } from '../json/objects.js';
import { codeOf, codingsOf, describeIdentifier } from './codes.js';
import type { MappingContext } from './context.js';
import { type JoinedBy, logicalIdentifier, type References } from './references.js';

const MEMBER_ID_LIMIT = 128;

/** How a resource names its member. */
interface MemberName {
  /** '' if nothing names the member. */
  readonly memberId: string;
  /** The element that names the member, and how its reference was joined; absent without a member. */
  readonly memberBasis?: Readonly<Record<string, string>>;
}

/** The member of a resource, and the patient if the body contains it. */
interface Identity extends MemberName {
  readonly patient: Fields | null;
  /** The focal coverage, if the body contains it. */
  readonly coverage: Fields | null;
}

/**
 * Finds the member: the member number of the focal coverage, else of the patient, else the identifier of the reference,
 * else the member of the submission, else the id on the sender's server under the sender's namespace, else another identifier of the patient under its
 * system. Finds none if the body was cut and a reference may lead to a lost entry.
 */
export function identityOf(resource: Fields, patientName: string, context: MappingContext): Identity {
  const { references } = context;
  const patientReference = fieldsAt(resource, patientName);
  const coverageReference = focalCoverage(resource);
  const { resource: coverage, joinedBy: coverageBy } = references.resolve(coverageReference);
  const target = references.resolve(patientReference);
  const { joinedBy } = target;
  // A subject may be a group, a device or a place: its numbers name no member.
  const isPatient = ['', 'Patient'].includes(target.type || textAt(patientReference, 'type'));
  const patient = isPatient ? target.resource : null;
  const identity = { patient, coverage };
  if (references.isLost(coverageReference) || references.isLost(patientReference)) {
    const message = 'the target of the reference to the member may be lost, or may follow in the body';
    context.warn('REFERENCE_LOST', message, patientName);
    return { ...identity, memberId: '' };
  }
  const name =
    named(coverageNumber(coverage), 'coverage', coverageBy) ??
    named(numberOf(patient), 'patient.identifier', joinedBy) ??
    named(
      isPatient ? numberOfReference(patientReference, references.senderOf(patient)) : '',
      `${patientName}.identifier`,
      null,
    ) ??
    named(isPatient ? numberOfSubmission(references) : '', 'Parameters.MemberId', null) ??
    (target.type === 'Patient'
      ? named(idOnServer(target, references), `${patientName}.reference`, joinedBy)
      : undefined) ??
    named(otherNumber(patient), 'patient.identifier', joinedBy);
  return { ...identity, ...(name ?? { memberId: '' }) };
}

/** The member of a Patient resource. */
export function memberOfPatient(patient: Fields, { references }: MappingContext): MemberName {
  const id = idOnServer({ id: textAt(patient, 'id'), scope: references.scope, resource: patient }, references);
  return (
    named(numberOf(patient), 'identifier', null) ??
    named(id, 'id', null) ??
    named(otherNumber(patient), 'identifier', null) ?? { memberId: '' }
  );
}

function named(id: string, from: string, joinedBy: JoinedBy | null): MemberName | undefined {
  const memberId = usable(id);
  if (memberId === '') return undefined;
  return { memberId, memberBasis: { from, ...(joinedBy !== null && { joined_by: joinedBy }) } };
}

/** The coverage of the focal insurance, else of the only one. */
function focalCoverage(resource: Fields): Fields {
  const insurance = listAt(resource, 'insurance');
  const focal = insurance.find((one) => one['focal'] === true) ?? (insurance.length === 1 ? insurance[0] : undefined);
  return fieldsAt(focal, 'coverage');
}

const coverageNumber = (coverage: Fields | null): string => textAt(coverage, 'subscriberId') || numberOf(coverage);

/** The member number among the identifiers of a resource, the current one first. */
function numberOf(resource: Fields | null): string {
  const best = bestMember(currentFirst(resource));
  return best === null ? '' : memberValue(best);
}

/** An identifier that only its issuer knows, under its system: never the number of a person or a provider. */
function otherNumber(resource: Fields | null): string {
  for (const one of currentFirst(resource)) {
    if (roleOf(one) !== 'LOCAL') continue;
    const id = usable(namespaced(one.system, one.value));
    if (id !== '') return id;
  }
  return '';
}

/** The identifier in a reference. */
function numberOfReference(reference: Fields, sender: string): string {
  const identifier = logicalIdentifier(reference);
  if (identifier === null) return '';
  const one = asNamed(identifier);
  const role = roleOf(one);
  if (role === 'MEMBER') return memberValue(one);
  if (role !== 'LOCAL') return '';
  // A medical record number is its facility's own.
  return one.types.length === 0 ? one.value : namespaced(one.system || sender, one.value);
}

/** The member whom the attachments of a submission are about: never the number of a person or a provider. */
function numberOfSubmission({ submission }: References): string {
  const member = submission?.member ?? null;
  if (member === null) return '';
  const one = asNamed(member);
  return ['MEMBER', 'LOCAL'].includes(roleOf(one)) ? memberValue(one) : '';
}

/** The id of a Patient under the namespace of the server that gave it; '' for an id of the body alone. */
function idOnServer(
  { id, scope, resource }: Pick<ReturnType<References['resolve']>, 'id' | 'scope' | 'resource'>,
  references: References,
): string {
  if (scope === 'DOCUMENT') return '';
  return namespaced(scope === 'SENDER' ? references.senderOf(resource) : scope.server.replace(/\/$/, ''), id);
}

function currentFirst(resource: Fields | null): NamedIdentifier[] {
  const usableOnes = listAt(resource, 'identifier').filter((one) => usable(textAt(one, 'value')) !== '');
  return usableOnes.sort((a, b) => (endOf(a) === endOf(b) ? 0 : endOf(a) > endOf(b) ? -1 : 1)).map(asNamed);
}

const asNamed = (identifier: Fields): NamedIdentifier => ({
  value: textAt(identifier, 'value'),
  system: textAt(identifier, 'system'),
  types: codingsOf(identifier['type']).map(({ code }) => code),
});

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

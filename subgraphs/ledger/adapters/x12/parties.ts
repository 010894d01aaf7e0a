import { type Segment, segmentKey } from './segment.js';

/** A person or organisation of an NM1 or N1, with what the segments after it add. */
export interface Party {
  entity: string;
  /** As `payload.providers` names it; '' when the party is no provider of the claim. */
  role: string;
  lastName: string;
  firstName: string;
  middleName: string;
  isOrganization: boolean;
  idQualifier: string;
  id: string;
  state: string;
  birthDate: string;
  gender: string;
  taxonomy: string;
}

/** NM101 to the role named in `payload.providers`. Others (pay-to, pick-up place …) are not providers of the claim. */
const providerRoles: ReadonlyMap<number, string> = new Map(
  Object.entries({
    '85': 'billing',
    '82': 'rendering',
    DN: 'referring',
    P3: 'primary_care',
    DQ: 'supervising',
    DK: 'ordering',
    '77': 'facility',
    FA: 'facility',
    '71': 'attending',
    '72': 'operating',
    '73': 'other_physician',
    ZZ: 'other_operating',
  }).map(([entity, role]) => [segmentKey(entity), role]),
);

/** The last element of an NM1 that the guides use. */
const lastNameElement = 9;

/**
 * True when a segment goes on after its last element (an NM1 after its id): a terminator is missing, and what follows it has
 * run into that element.
 */
export function hasRunOn(segment: Segment, lastElement = lastNameElement): boolean {
  for (let at = lastElement + 1; at <= segment.elementCount; at += 1) if (segment.at(at) !== '') return true;
  return false;
}

/** Reads an NM1. */
export function partyOf(segment: Segment): Party {
  return {
    entity: segment.value(1),
    role: providerRoles.get(segment.qualifier(1)) ?? '',
    lastName: segment.value(3),
    firstName: segment.value(4),
    middleName: segment.value(5),
    isOrganization: segment.value(2) === '2',
    idQualifier: segment.value(8),
    id: segment.value(9),
    state: '',
    birthDate: '',
    gender: '',
    taxonomy: '',
  };
}

/** Reads an N1 (835: payer and payee). */
export function organizationOf(segment: Segment): Party {
  const entity = segment.value(1);
  const base = {
    firstName: '',
    middleName: '',
    isOrganization: true,
    state: '',
    birthDate: '',
    gender: '',
    taxonomy: '',
  };
  return { ...base, entity, role: '', lastName: segment.value(2), idQualifier: segment.value(3), id: segment.value(4) };
}

/** A provider or payer in a payload: name, and its NPI where the qualifier says it is one. */
export function describeOrganization(party: Party, role = ''): Record<string, unknown> {
  const described: Record<string, unknown> = role === '' ? {} : { role };
  const { lastName, firstName } = party;
  const name = firstName === '' ? lastName : `${lastName}, ${firstName}`;
  if (name !== '') described.name = name;
  if (party.id !== '') {
    if (party.idQualifier === 'XX') described.npi = party.id;
    else {
      described.id = party.id;
      if (party.idQualifier !== '') described.id_qualifier = party.idQualifier;
    }
  }
  if (party.taxonomy !== '') described.taxonomy = party.taxonomy;
  return described;
}

/** A member or patient in a payload. */
export function describePerson(party: Party): Record<string, unknown> {
  const described: Record<string, unknown> = {};
  if (party.lastName !== '') described.last_name = party.lastName;
  if (party.firstName !== '') described.first_name = party.firstName;
  if (party.middleName !== '') described.middle_name = party.middleName;
  if (party.birthDate !== '') described.birth_date = party.birthDate;
  if (party.gender !== '') described.gender = party.gender;
  if (party.state !== '') described.state = party.state;
  if (party.id !== '') described.id = party.id;
  if (party.idQualifier !== '') described.id_qualifier = party.idQualifier;
  return described;
}

import { byCode, stateOf } from '../values/codes.js';
import { parseDate } from '../values/dates.js';
import { setBounded } from '../values/payload.js';
import { type Segment, segmentKey } from './envelope/segment.js';

/** NM101 to the role in `payload.providers`. Others (pay-to, pick-up place …) are no providers of the claim. */
const PROVIDER_ROLES = byCode({
  billing: '85',
  rendering: '82',
  referring: 'DN',
  primary_care: 'P3',
  supervising: 'DQ',
  ordering: 'DK',
  facility: '77 FA',
  attending: '71',
  operating: '72',
  other_physician: '73',
  other_operating: 'ZZ',
});

const roleOf = (entity: string): string => PROVIDER_ROLES.get(entity) ?? '';

/** A person or organisation of an NM1 or N1, with the details of the segments after it. */
export type Party = ReturnType<typeof partyOf>;

/** Reads an NM1. */
export function partyOf(segment: Segment) {
  return {
    entity: segment.value(1),
    /** The role in `payload.providers`; '' if the party is no provider of the claim. */
    role: roleOf(segment.at(1)),
    lastName: segment.value(3),
    firstName: segment.value(4),
    middleName: segment.value(5),
    idQualifier: segment.value(8),
    id: segment.value(9),
    state: '',
    birthDate: '',
    gender: '',
    taxonomy: '',
  };
}

/** Reads an N1, such as payer and payee of an 835 or 820. */
export function organizationOf(segment: Segment): Party {
  const [lastName, idQualifier, id] = [segment.value(2), segment.value(3), segment.value(4)];
  return { ...partyOf(segment), role: '', lastName, firstName: '', middleName: '', idQualifier, id };
}

/**
 * A provider or payer in a payload: name, and NPI if the qualifier says so. Sets fields one by one, without `compact`,
 * because it runs several times for every claim.
 */
export function describeOrganization(party: Party, role = ''): Record<string, unknown> {
  const described: Record<string, unknown> = role === '' ? {} : { role };
  const { lastName, firstName, id, idQualifier } = party;
  const name = firstName === '' ? lastName : `${lastName}, ${firstName}`;
  if (name !== '') described.name = name;
  if (id !== '' && idQualifier === 'XX') described.npi = id;
  else if (id !== '') {
    described.id = id;
    if (idQualifier !== '') described.id_qualifier = idQualifier;
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

/** NM108 of numbers by which a plan knows a member. */
const MEMBER_NUMBERS: ReadonlySet<string> = new Set(['MI', 'II', 'HN', 'ZZ', 'C1', 'N']);
/** NM108 of a social security number, which never names a member. */
const SOCIAL_SECURITY = '34';
const NINE_DIGITS = /^\d{3}-?\d{2}-?\d{4}$/;

/** NM109 of a person in a set that also identifies persons otherwise (820, 834); '' if the plan did not give it. */
export const memberNumberOf = (person: Party | null): string =>
  person !== null && MEMBER_NUMBERS.has(person.idQualifier) ? person.id : '';

/** NM109 of a person, unless it is a social security number, which never names a member. Some senders put others under 34. */
export const personNumberOf = (person: Party | null | undefined): string =>
  person == null || (person.idQualifier === SOCIAL_SECURITY && NINE_DIGITS.test(person.id)) ? '' : person.id;

export const socialSecurityOf = (person: Party | null): string =>
  person?.idQualifier === SOCIAL_SECURITY ? person.id : '';

/** A person under the given number, or without one. NM109 may be a social security number, which is in `identifiers`. */
export const describeMember = (person: Party, id: string): Record<string, unknown> =>
  describePerson({ ...person, id, idQualifier: id === person.id ? person.idQualifier : '' });

export function identifiersOf(person: Party | null): Record<string, unknown>[] {
  const id = socialSecurityOf(person);
  return id === '' ? [] : [{ type: 'SS', id }];
}

/** One HL of a hierarchy, with its person or organisation. */
export interface Level {
  id: string;
  /** HL03: 20 payer, 21 receiver, 19 provider, 22 subscriber, 23 dependent, PT patient, EV event, SS service. */
  code: string;
  parent: Level | null;
  party: Party | null;
  /** False if a segment of it was lost: then neither it nor the levels below name a member. */
  trusted: boolean;
}

/** Levels kept as possible parents. Guides need few; the limit keeps other orders in constant memory. */
const REMEMBERED_LEVELS = 1000;

const N4 = segmentKey('N4');
const DMG = segmentKey('DMG');
const PRV = segmentKey('PRV');

/** The HL levels of a transaction, linked by HL02. An item below an unclear level has no member. */
export class Hierarchy {
  current: Level | null = null;
  readonly #known = new Map<string, Level>();

  open(segment: Segment): Level {
    const id = segment.value(1);
    const parentId = segment.value(2);
    const parent = parentId === '' ? null : (this.#known.get(parentId) ?? null);
    // A missing or forgotten parent leaves the member unknown.
    const level = { id, code: segment.value(3), parent, party: null, trusted: parentId === '' || parent !== null };
    // A repeated HL id names only the later level.
    this.#known.delete(id);
    if (segment.value(4) !== '0') setBounded(this.#known, id, level, REMEMBERED_LEVELS);
    this.current = level;
    return level;
  }

  /** A segment was lost: neither this level nor the levels below name a member. */
  distrust(): void {
    for (let level = this.current; level !== null; level = level.parent) level.trusted = false;
    this.current = null;
  }
}

/** The level itself or the nearest one above it with one of these codes. */
export function levelAbove(level: Level | null, ...codes: string[]): Level | null {
  for (let at = level; at !== null; at = at.parent) if (codes.includes(at.code)) return at;
  return null;
}

/** The member of an item at this level: the dependent's id, else the subscriber's; '' if not certain. */
export function memberOf(level: Level | null): { memberId: string; subscriber: Party | null; patient: Party | null } {
  for (let at = level; at !== null; at = at.parent) {
    if (!at.trusted) return { memberId: '', subscriber: null, patient: null };
  }
  const patient = levelAbove(level, '23')?.party ?? null;
  const subscriber = levelAbove(level, '22', 'PT')?.party ?? null;
  return { memberId: personNumberOf(patient) || personNumberOf(subscriber), subscriber, patient };
}

/** Reads N4, DMG and PRV into the party before them. */
export function readPartyDetail(party: Party, segment: Segment): void {
  if (segment.key === N4) party.state = stateOf(segment.value(2), segment.value(4));
  else if (segment.key === DMG) {
    party.birthDate = parseDate(segment.value(2)) ?? '';
    party.gender = segment.value(3);
  } else if (segment.key === PRV) party.taxonomy = segment.value(3);
}

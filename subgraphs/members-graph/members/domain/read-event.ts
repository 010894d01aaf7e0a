import { isJsonObject, type JsonObject, type JsonValue } from '../../../../shared/json/strict-json.js';
import type { PersonIdentifier } from '../../matching/domain/index.js';
import { type DemographicsPatch, isPartialDate, type Sex } from './member.js';

// Reads the data of an event about its member: FHIR Patient, ADT, claims and enrolment with the payload members of mapping.md
// (`patient`, `subscriber`, `identifiers`, `program`, `jurisdiction`).

interface LedgerEvent {
  readonly event_id: string;
  readonly member_id: string | null;
  readonly source_record_id: string;
  readonly effectiveMs: number;
  readonly payload: JsonObject;
}

/** The data of an event about its member. */
export interface Mention {
  readonly memberId: string;
  readonly eventId: string;
  readonly atMs: number;
  /** Null for an event that only names the member. */
  readonly person: DemographicsPatch | null;
}

const MAX_IDENTIFIERS = 50;
const MAX_TEXT = 256;

/** @returns null for an event without a member */
export function readMention(event: LedgerEvent): Mention | null {
  const { member_id, payload } = event;
  if (member_id === null || member_id === '') return null;
  const mention = { memberId: member_id, eventId: event.event_id, atMs: event.effectiveMs };
  const described = personOf(event, member_id);
  if (described === null) return { ...mention, person: null };
  const identifiers = identifiersOf(payload['identifiers']);
  const program = textOf(payload['program']);
  const jurisdiction = textOf(payload['jurisdiction']);
  const person: DemographicsPatch = {
    ...demographicsOf(described),
    ...(described === payload['patient'] && identifiers !== undefined ? { identifiers } : {}),
    ...(program === '' ? {} : { program }),
    // `US` means that the source named no state.
    ...(jurisdiction === '' || jurisdiction === 'US' ? {} : { jurisdiction }),
  };
  const isDescribed = ['name', 'birth_date', 'identifiers'].some((name) => name in person);
  return { ...mention, person: isDescribed ? person : null };
}

/**
 * Returns the person of the payload with this id. Dependants use the subscriber's number, so the patient of a claim is the
 * member only if the number is the patient's own or the only one.
 */
function personOf({ payload, source_record_id }: LedgerEvent, memberId: string): JsonObject | null {
  const { patient, subscriber } = payload;
  const named = [patient, subscriber].filter(isJsonObject).find(({ id }) => id === memberId);
  if (named) return named;
  if (!isJsonObject(patient) || isJsonObject(subscriber) || typeof patient['id'] === 'string') return null;
  const identifiers = identifiersOf(payload['identifiers']) ?? [];
  const isTheirs = identifiers.length === 0 || identifiers.some(({ value }) => value === memberId);
  return isTheirs || source_record_id.startsWith('Patient/') ? patient : null;
}

function demographicsOf(person: JsonObject): DemographicsPatch {
  const family = textOf(person['last_name']);
  const given = [textOf(person['first_name']), ...textOf(person['middle_name']).split(' ')].filter(
    (each) => each !== '',
  );
  const suffix = textOf(person['suffix']);
  const birthDate = textOf(person['birth_date']).slice(0, 10);
  const state = textOf(person['state']);
  const sex = SEX_WORDS[textOf(person['gender']).toUpperCase()];
  const name = { family: family === '' ? null : family, given, suffix: suffix === '' ? null : suffix };
  return {
    ...(family === '' && given.length === 0 ? {} : { name }),
    ...(isPartialDate(birthDate) ? { birth_date: birthDate } : {}),
    ...(sex === undefined ? {} : { sex }),
    ...(state === '' ? {} : { addresses: [{ state }] }),
  };
}

const SEX_WORDS: Readonly<Record<string, Sex>> = {
  F: 'FEMALE',
  FEMALE: 'FEMALE',
  '2': 'FEMALE',
  M: 'MALE',
  MALE: 'MALE',
  '1': 'MALE',
  O: 'OTHER',
  OTHER: 'OTHER',
};

/** FHIR: `{ system, value, type }`; HL7: `{ authority, id, type }`. */
function identifiersOf(given: JsonValue | undefined): readonly PersonIdentifier[] | undefined {
  if (!Array.isArray(given)) return undefined;
  return given.slice(0, MAX_IDENTIFIERS).flatMap((each) => {
    if (!isJsonObject(each)) return [];
    const value = textOf(each['value']) || textOf(each['id']);
    const type = textOf(each['type']);
    const system = type.toUpperCase() === 'SS' ? 'ssn' : textOf(each['system']) || textOf(each['authority']) || type;
    return value === '' || system === '' ? [] : [{ system, value }];
  });
}

const textOf = (value: JsonValue | undefined): string =>
  typeof value === 'string' ? value.trim().slice(0, MAX_TEXT) : '';

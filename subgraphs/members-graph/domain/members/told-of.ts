import { isJsonObject, type JsonObject, type JsonValue } from '../../../../shared/json/strict-json.js';
import type { PersonIdentifier } from '../matching/person-record.js';
import { type DemographicsPatch, isPartialDate } from './demographics.js';
import type { Sex } from './member.js';

// What an event of the ledger tells of the member that it names: FHIR Patient, ADT, claims and enrolment as mapping.md puts them
// into payloads (`patient`, `subscriber`, `identifiers`, `program`, `jurisdiction`), and whoever sends the same members.

export interface LedgerEvent {
  readonly event_id: string;
  readonly member_id: string | null;
  readonly source_record_id: string;
  readonly effectiveMs: number;
  readonly payload: JsonObject;
}

export interface Told {
  readonly memberId: string;
  readonly eventId: string;
  readonly atMs: number;
  /** Null where the event names the member and says nothing of the person. */
  readonly person: DemographicsPatch | null;
}

const MAX_IDENTIFIERS = 50;
const MAX_TEXT = 256;

/** Null for an event that names nobody. */
export function toldBy(event: LedgerEvent): Told | null {
  const { member_id, payload } = event;
  if (member_id === null || member_id === '') return null;
  const told = { memberId: member_id, eventId: event.event_id, atMs: event.effectiveMs };
  const described = personOf(event, member_id);
  if (described === null) return { ...told, person: null };
  const program = textOf(payload['program']);
  const jurisdiction = textOf(payload['jurisdiction']);
  const person: DemographicsPatch = {
    ...demographicsOf(described),
    ...(described === payload['patient'] ? present({ identifiers: identifiersOf(payload['identifiers']) }) : {}),
    ...(program === '' ? {} : { program }),
    // `US` alone says that no state was told.
    ...(jurisdiction === '' || jurisdiction === 'US' ? {} : { jurisdiction }),
  };
  const isSaid = ['name', 'birth_date', 'identifiers'].some((name) => name in person);
  return { ...told, person: isSaid ? person : null };
}

/**
 * Whom the payload describes under this id. A dependant goes under the subscriber's number: the patient of a claim is the member
 * only where the number is said to be theirs, or nobody else's is told.
 */
function personOf({ payload, source_record_id }: LedgerEvent, memberId: string): JsonObject | null {
  const { patient, subscriber } = payload;
  const people = [patient, subscriber].filter((each) => isJsonObject(each ?? null)) as JsonObject[];
  const named = people.find(({ id }) => id === memberId);
  if (named) return named;
  if (!isJsonObject(patient ?? null) || isJsonObject(subscriber ?? null)) return null;
  const described = patient as JsonObject;
  if (typeof described['id'] === 'string') return null;
  const identifiers = identifiersOf(payload['identifiers']) ?? [];
  const isTheirs = identifiers.length === 0 || identifiers.some(({ value }) => value === memberId);
  return isTheirs || source_record_id.startsWith('Patient/') ? described : null;
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

const present = <T extends object>(value: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };

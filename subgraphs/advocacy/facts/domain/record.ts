import type { Withheld } from '../../../../shared/consent/withheld.js';
import type { LedgerEventView } from '../../../../shared/contracts/event-reads.js';
import { statedServiceDay } from '../../../../shared/event-keys/service-day.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../../shared/json/strict-json.js';
import type { Evidence } from './value.js';

/** An event and the other events of its member. */
export interface MemberRecord {
  readonly event: LedgerEventView;
  /** Other events of the same person, newest first. */
  readonly others: readonly LedgerEventView[];
  /** True if older events exist that were not read. */
  readonly capped: boolean;
  /** Events that consent withholds. A record with such gaps proves no absence. */
  readonly consentWithheld: Withheld | null;
}

/** Builds the record. Events with another birth date belong to another person, such as a dependent under the subscriber's id. */
export function recordOf(
  event: LedgerEventView,
  ofMember: readonly LedgerEventView[],
  capped: boolean,
  consentWithheld: Withheld | null = null,
): MemberRecord {
  const born = birthDateOf(event.payload)?.value;
  const others = ofMember.filter((one) => {
    if (one.event_id === event.event_id) return false;
    const other = birthDateOf(one.payload)?.value;
    return born === undefined || other === undefined || other === born;
  });
  return { event, others, capped, consentWithheld };
}

/** Returns whether an event is void; void events state no facts. */
export const isVoid = ({ outcome, event_type }: LedgerEventView): boolean =>
  ['cancelled', 'error'].includes(outcome?.toLowerCase() ?? '') || event_type?.toLowerCase() === 'claim_voided';

export interface StatedValue {
  readonly field: string;
  readonly value: string;
}

/** Returns the treated person: `patient` if the message names one, else the subscriber (mapping.md section 3.1). */
function personOf(payload: JsonObject): readonly [field: string, person: JsonObject] | null {
  for (const name of ['patient', 'subscriber', 'member']) {
    const person = payload[name];
    if (isJsonObject(person)) return [`/payload/${name}`, person];
  }
  return null;
}

const DATE = /^\d{4}(?:-\d{2}(?:-\d{2})?)?$/;

/** A year, a month or a day. */
export function birthDateOf(payload: JsonObject): StatedValue | undefined {
  const [field, person] = personOf(payload) ?? [];
  const value = person?.['birth_date'];
  if (typeof value !== 'string' || !DATE.test(value)) return undefined;
  return { field: `${field}/birth_date`, value };
}

const SEXES: Readonly<Partial<Record<string, 'F' | 'M'>>> = { f: 'F', female: 'F', m: 'M', male: 'M' };

/** Returns F or M; no criterion uses another value. */
export function sexOf(payload: JsonObject): StatedValue | undefined {
  const [field, person] = personOf(payload) ?? [];
  for (const name of ['gender', 'sex']) {
    const value = person?.[name];
    const sex = typeof value === 'string' ? SEXES[value.trim().toLowerCase()] : undefined;
    if (sex !== undefined) return { field: `${field}/${name}`, value: sex };
  }
  return undefined;
}

/** Returns the first day of the service, else the day of the event; null for an event without a time. */
export function serviceDay({ payload, effective_at }: LedgerEventView): StatedValue | null {
  const stated = statedServiceDay(payload);
  if (stated !== null || effective_at === null) return stated;
  return { field: '/event_effective_timestamp', value: effective_at.slice(0, 10) };
}

/** Returns the calendar months from one day to a later one; January to January is 12 (42 CFR 410.37). */
export function monthsBetween(from: string, to: string): number {
  const months = (day: string): number => Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7));
  return months(to) - months(from);
}

export const evidence = ({ event_id }: LedgerEventView, field: string, value: JsonValue): Evidence => ({
  event_id,
  field,
  value,
});

import type { Withheld } from '../../../../shared/consent/withheld.js';
import type { LedgerEventView } from '../../../../shared/contracts/event-reads.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../../shared/json/strict-json.js';
import type { Evidence } from './fact-value.js';

/** The event that is judged, and what else the ledger has of its member. */
export interface MemberRecord {
  readonly event: LedgerEventView;
  /** Without the event itself, newest first; only of the same person. */
  readonly others: readonly LedgerEventView[];
  /** There are older ones that were not read. */
  readonly capped: boolean;
  /** What consent keeps out of `others`: from a record with such gaps no absence is concluded. */
  readonly consentWithheld: Withheld | null;
}

/** Someone whose birth date differs is somebody else under the same identifier: a dependent, under the subscriber's. */
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

/** What is void says nothing of the member. */
export const isVoid = ({ outcome, event_type }: LedgerEventView): boolean =>
  ['cancelled', 'error'].includes(outcome?.toLowerCase() ?? '') || event_type?.toLowerCase() === 'claim_voided';

export interface Told {
  readonly field: string;
  readonly value: string;
}

/** The one who is treated: `patient` where the message names one, else the subscriber (mapping.md section 3.1). */
function personOf(payload: JsonObject): readonly [field: string, person: JsonObject] | null {
  for (const name of ['patient', 'subscriber', 'member']) {
    const person = payload[name];
    if (isJsonObject(person)) return [`/payload/${name}`, person];
  }
  return null;
}

const DATE = /^\d{4}(?:-\d{2}(?:-\d{2})?)?$/;

/** A year, a month or a day. */
export function birthDateOf(payload: JsonObject): Told | undefined {
  const [field, person] = personOf(payload) ?? [];
  const value = person?.['birth_date'];
  if (typeof value !== 'string' || !DATE.test(value)) return undefined;
  return { field: `${field}/birth_date`, value };
}

const SEXES: Readonly<Partial<Record<string, 'F' | 'M'>>> = { f: 'F', female: 'F', m: 'M', male: 'M' };

/** F or M; what is neither is not asked for by any criterion. */
export function sexOf(payload: JsonObject): Told | undefined {
  const [field, person] = personOf(payload) ?? [];
  for (const name of ['gender', 'sex']) {
    const value = person?.[name];
    const sex = typeof value === 'string' ? SEXES[value.trim().toLowerCase()] : undefined;
    if (sex !== undefined) return { field: `${field}/${name}`, value: sex };
  }
  return undefined;
}

const DAY = /^\d{4}-\d{2}-\d{2}/;

/** First day of the service, else the day of the event; null for an event that tells no time. */
export function serviceDay({ payload, effective_at }: LedgerEventView): Told | null {
  const period = payload['service_period'];
  const from = isJsonObject(period) ? period['from'] : undefined;
  if (typeof from === 'string' && DAY.test(from))
    return { field: '/payload/service_period/from', value: from.slice(0, 10) };
  const stated = payload['service_date'];
  if (typeof stated === 'string' && DAY.test(stated))
    return { field: '/payload/service_date', value: stated.slice(0, 10) };
  if (effective_at === null) return null;
  return { field: '/event_effective_timestamp', value: effective_at.slice(0, 10) };
}

/** Calendar months from one day to a later one: January to January is 12 (42 CFR 410.37 counts months so). */
export function monthsBetween(from: string, to: string): number {
  const months = (day: string): number => Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7));
  return months(to) - months(from);
}

export const evidence = ({ event_id }: LedgerEventView, field: string, value: JsonValue): Evidence => ({
  event_id,
  field,
  value,
});

/** A member of a payload that is a list of objects; anything else is an empty list. */
export const objectsAt = (payload: JsonObject, name: string): readonly JsonObject[] => {
  const list = payload[name];
  return Array.isArray(list) ? list.map((one) => (isJsonObject(one) ? one : {})) : [];
};

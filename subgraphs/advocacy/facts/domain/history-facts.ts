import type { LedgerEventView } from '../../../../shared/contracts/event-reads.js';
import { isJsonObject } from '../../../../shared/json/strict-json.js';
import { proceduresOf } from './coded-facts.js';
import { objectsOf } from './payload-values.js';
import { evidence, isVoid, type MemberRecord, monthsBetween, serviceDay } from './record.js';
import type { Evidence, FactValue } from './value.js';
import { UNKNOWN } from './value.js';

// Earlier services. The record covers the time since the oldest event read, or since the newest event with hidden fields. In
// that time a missing service was not recorded with this plan. Before it, silence is unknown, so the result is a bound.

const SERVICE_FAMILIES = ['claim', 'remittance', 'encounter', 'pharmacy'];
/** Outcomes of services that did not take place or were not paid; they do not count. */
const WITHOUT_SERVICE = ['denied', 'rejected', 'reversed', 'cancelled', 'error', 'duplicate', 'estimated', 'scheduled'];

interface Service {
  readonly day: string;
  readonly found: Evidence;
}

export class History {
  readonly #record: MemberRecord;
  readonly #day: string | null;
  readonly #byCode = new Map<string, Service[]>();
  readonly #coveredFrom: { readonly day: string; readonly found: Evidence } | null;

  constructor(record: MemberRecord) {
    this.#record = record;
    this.#day = serviceDay(record.event)?.value ?? null;
    this.#coveredFrom = coveredFrom(record, this.#day);
    if (this.#day !== null) this.#read(this.#day);
  }

  /** Returns the codes of services before the day of service. */
  procedures(): FactValue {
    const codes = new Map([...this.#byCode].flatMap(([code, [last]]) => (last ? [[code, last.found] as const] : [])));
    return { kind: 'codes', codes, complete: false };
  }

  monthsSince(code: string): FactValue {
    if (this.#day === null) return UNKNOWN;
    const covered = this.#coveredMonths(this.#day);
    const [last] = this.#byCode.get(code) ?? [];
    if (!last)
      return { kind: 'number', min: covered.months, max: Number.POSITIVE_INFINITY, evidence: covered.evidence };
    const months = monthsBetween(last.day, this.#day);
    return { kind: 'number', min: Math.min(months, covered.months), max: months, evidence: [last.found] };
  }

  /** Returns the number of days with this service in the twelve calendar months before. */
  countIn12Months(code: string): FactValue {
    const day = this.#day;
    if (day === null) return UNKNOWN;
    const within = (this.#byCode.get(code) ?? []).filter((one) => monthsBetween(one.day, day) < 12);
    const covered = this.#coveredMonths(day);
    return {
      kind: 'number',
      min: within.length,
      max: covered.months >= 12 ? within.length : Number.POSITIVE_INFINITY,
      evidence: within.length > 0 ? within.slice(0, 10).map(({ found }) => found) : covered.evidence,
    };
  }

  #coveredMonths(day: string): { readonly months: number; readonly evidence: readonly Evidence[] } {
    const from = this.#coveredFrom;
    if (from === null || from.day >= day) return { months: 0, evidence: [] };
    return { months: monthsBetween(from.day, day), evidence: [from.found] };
  }

  #read(day: string): void {
    const undone = new Set(this.#record.others.filter(hasNoService).flatMap(claimIdOf));
    for (const other of this.#record.others) {
      if (!SERVICE_FAMILIES.includes(other.event_family?.toLowerCase() ?? '')) continue;
      if (isVoid(other) || hasNoService(other) || claimIdOf(other).some((id) => undone.has(id))) continue;
      for (const [code, found] of proceduresOf(other)) this.#add(code, dayOf(other, code), found, day);
    }
    for (const services of this.#byCode.values()) services.sort((a, b) => (a.day < b.day ? 1 : -1));
  }

  /** A claim and its remittance report the same service, so each day counts once. */
  #add(code: string, on: string | null, found: Evidence, before: string): void {
    if (on === null || on >= before) return;
    const services = this.#byCode.get(code) ?? [];
    if (!services.some((one) => one.day === on)) services.push({ day: on, found });
    this.#byCode.set(code, services);
  }
}

const hasNoService = ({ outcome, event_type }: LedgerEventView): boolean =>
  WITHOUT_SERVICE.includes(outcome?.toLowerCase() ?? '') || event_type?.toLowerCase() === 'claim_voided';

function claimIdOf({ payload }: LedgerEventView): string[] {
  const id = payload['claim_id'];
  return typeof id === 'string' && id !== '' ? [id] : [];
}

/** Returns the day of the line with this code, or of the event. */
function dayOf(event: LedgerEventView, code: string): string | null {
  for (const line of objectsOf(event.payload['lines'])) {
    const period = line['service_period'];
    if (line['procedure_code'] !== code || !isJsonObject(period)) continue;
    if (typeof period['from'] === 'string') return period['from'].slice(0, 10);
  }
  return serviceDay(event)?.value ?? null;
}

function coveredFrom(
  { others, consentWithheld }: MemberRecord,
  before: string | null,
): { readonly day: string; readonly found: Evidence } | null {
  if (consentWithheld !== null) return null;
  let from: { readonly day: string; readonly found: Evidence } | null = null;
  for (const other of others) {
    const day = other.effective_at?.slice(0, 10);
    if (day === undefined || before === null || day >= before) continue;
    if (other.state !== 'INCLUDED') break;
    from = { day, found: evidence(other, '/event_effective_timestamp', other.effective_at) };
  }
  return from;
}

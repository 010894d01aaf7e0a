import { isJsonObject, type JsonObject } from '../../../../shared/json/strict-json.js';
import type { AuthorizationClock } from './linked-event.js';

const HOUR_MS = 3_600_000;
const DAY_HOURS = 24;

/** Times to decide a request, from its receipt. A calendar day counts as 24 hours, the stricter reading. */
interface Rule {
  /** Programs in lower case; null: a request without a program. */
  readonly programs: readonly (string | null)[];
  /** For requests received from then on, and before. */
  readonly from: string;
  readonly before: string;
  readonly expeditedHours: number;
  readonly standardHours: number;
  readonly source: string;
}

const EVER = '0001-01-01';
const NEVER = '9999-12-31';
/** The start of CMS-0057-F's times (89 FR 8758). */
const CMS_0057_F_FROM = '2026-01-01';

/**
 * Times by program. A 278 names none: the impacted payers' times apply, and the result has `program: null`. TRICARE,
 * VA, workers' compensation and others have other or no times and are not checked.
 */
const RULES: readonly Rule[] = [
  {
    // 42 CFR 422.568(b)(1), 422.572(a)(1), as amended: items and services (422.122) other than drugs.
    programs: ['medicare', null],
    from: CMS_0057_F_FROM,
    before: NEVER,
    expeditedHours: 72,
    standardHours: 7 * DAY_HOURS,
    source: '42 CFR 422.568(b)(1), 422.572(a) (CMS-0057-F)',
  },
  {
    // 42 CFR 422.568(b)(1), 422.572(a) before the amendment: 14 calendar days.
    programs: ['medicare', null],
    from: EVER,
    before: CMS_0057_F_FROM,
    expeditedHours: 72,
    standardHours: 14 * DAY_HOURS,
    source: '42 CFR 422.568(b)(1), 422.572(a)',
  },
  {
    // Fee for service 440.230(e), managed care 438.210(d); CHIP follows by 457.495(d) and 457.1230(d).
    programs: ['medicaid', 'chip'],
    from: CMS_0057_F_FROM,
    before: NEVER,
    expeditedHours: 72,
    standardHours: 7 * DAY_HOURS,
    source: '42 CFR 438.210(d), 440.230(e), 457.495(d) (CMS-0057-F)',
  },
  {
    // 42 CFR 438.210(d) before the amendment; fee for service had no federal time.
    programs: ['medicaid', 'chip'],
    from: EVER,
    before: CMS_0057_F_FROM,
    expeditedHours: 72,
    standardHours: 14 * DAY_HOURS,
    source: '42 CFR 438.210(d)',
  },
  {
    // Urgent care and pre-service claims of group plans; 45 CFR 147.136 extends it to individual coverage. CMS-0057-F
    // sets issuers on the exchanges (45 CFR 156.223) no times.
    programs: ['commercial'],
    from: EVER,
    before: NEVER,
    expeditedHours: 72,
    standardHours: 15 * DAY_HOURS,
    source: '29 CFR 2560.503-1(f)(2)',
  },
];

/** Events that request a decision. Appeals have other times; cancellations, notices and inquiries have none. */
const ASKING: ReadonlySet<string> = new Set([
  'authorization_requested',
  'authorization_renewal',
  'authorization_revision',
  'authorization_extension',
]);

/** UM06 and PAS levelOfServiceCode: 03 emergency, U urgent. */
const EXPEDITED_LEVELS: ReadonlySet<string> = new Set(['03', 'u', 'urgent', 'emergency', 'expedited']);
/** http://terminology.hl7.org/CodeSystem/processpriority. */
const EXPEDITED_PRIORITIES: ReadonlySet<string> = new Set(['stat']);

/** Service types (UM03, code list 1365) for drugs, which CMS-0057-F excludes. */
const DRUG_SERVICE_TYPES: ReadonlySet<string> = new Set(['88', '89', '90', '91', '92', 'B2', 'B3']);
/**
 * HCPCS J codes and Q51 (biosimilars) are drugs; an NDC has eleven digits, in FHIR also ten or eleven in three groups.
 */
const DRUG_CODE = /^(?:J\d{4}|Q51\d{2}|\d{11}|\d{4,5}-\d{3,4}-\d{1,2})$/;

/** The clock of a prior authorization request; null if no rule sets one. */
export function authorizationClock(request: {
  readonly eventType: string;
  readonly requestedAt: Date;
  readonly payload: JsonObject;
}): AuthorizationClock | null {
  const { eventType, requestedAt, payload } = request;
  if (!ASKING.has(eventType) || isForDrugs(payload)) return null;
  const program = textAt(payload, 'program') || null;
  const day = requestedAt.toISOString().slice(0, 10);
  const rule = RULES.find(
    ({ programs, from, before }) => programs.includes(program?.toLowerCase() ?? null) && from <= day && day < before,
  );
  if (rule === undefined) return null;
  const pace = isExpedited(payload) ? 'EXPEDITED' : 'STANDARD';
  const limit_hours = pace === 'EXPEDITED' ? rule.expeditedHours : rule.standardHours;
  return {
    pace,
    requested_at: requestedAt,
    due_at: new Date(requestedAt.getTime() + limit_hours * HOUR_MS),
    limit_hours,
    rule: rule.source,
    program,
  };
}

const isExpedited = (payload: JsonObject): boolean =>
  EXPEDITED_LEVELS.has(textAt(payload, 'urgency').toLowerCase()) ||
  EXPEDITED_PRIORITIES.has(textAt(payload, 'priority').toLowerCase());

/** True only if all requested services are drugs. */
function isForDrugs(payload: JsonObject): boolean {
  if (textAt(payload, 'claim_kind').toLowerCase() === 'pharmacy') return true;
  if (DRUG_SERVICE_TYPES.has(textAt(payload, 'service_type'))) return true;
  const codes = payload['procedure_codes'];
  if (!Array.isArray(codes) || codes.length === 0) return false;
  return codes.every((code) => typeof code === 'string' && DRUG_CODE.test(code));
}

function textAt(payload: JsonObject, name: string): string {
  const value = isJsonObject(payload) ? payload[name] : undefined;
  return typeof value === 'string' ? value : '';
}

/** Outcomes that end the wait; pended, error and unknown outcomes do not. */
const DECIDED: ReadonlySet<string> = new Set([
  'approved',
  'partially_approved',
  'denied',
  'rejected',
  'cancelled',
  'no_action_required',
]);

/** Event types that may answer a request. */
interface ClockAnswer {
  readonly event_id: string;
  readonly event_type: string;
  readonly outcome: string | null;
  readonly at: Date;
}

/** The first answer that decides or withdraws the request. */
export function decisionOf<A extends ClockAnswer>(clock: AuthorizationClock, answers: readonly A[]): A | undefined {
  // A date without a time is at midnight, so an answer of the same day must not count as earlier.
  const day = clock.requested_at.toISOString().slice(0, 10);
  const deciding = answers.filter(
    ({ event_type, outcome, at }) =>
      at.toISOString().slice(0, 10) >= day &&
      (event_type === 'authorization_cancellation' ||
        (event_type.startsWith('authorization_') && outcome !== null && DECIDED.has(outcome))),
  );
  return deciding.sort((a, b) => a.at.getTime() - b.at.getTime())[0];
}

type ClockVerdict = 'IN_TIME' | 'LATE' | 'WAITING' | 'OVERDUE';

/** The state of a request: answered or open. The due time itself is still in time. */
export function clockVerdict(clock: AuthorizationClock, answeredMs: number | null, nowMs: number): ClockVerdict {
  const dueMs = clock.due_at.getTime();
  if (answeredMs !== null) return answeredMs <= dueMs ? 'IN_TIME' : 'LATE';
  return nowMs <= dueMs ? 'WAITING' : 'OVERDUE';
}

/** The time taken so far, to a tenth of an hour. */
export const hoursSince = (clock: AuthorizationClock, untilMs: number): number =>
  Math.round(Math.max(0, untilMs - clock.requested_at.getTime()) / (HOUR_MS / 10)) / 10;

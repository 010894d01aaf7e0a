import { fault, problem } from '../../../shared/errors/problem.js';
import { parseTime, requireOrder } from '../records/index.js';
import { type AppointmentStatus, MAX_APPOINTMENT_MS, type Practitioner, reservesTime, slotClaims } from './domain.js';
import type { StoredAppointment } from './ports.js';

/** Time, practitioner and location as a caller gives them; an absent member stays. */
export interface PlanInput {
  readonly start?: string;
  readonly end?: string;
  readonly timezone?: string;
  readonly practitioner?: { readonly npi?: string; readonly actor?: string; readonly name?: string };
  readonly location?: string;
}

type Plan = Pick<StoredAppointment, 'start' | 'end' | 'timezone' | 'practitioner' | 'location'>;

export const NO_PLAN: Plan = { start: null, end: null, timezone: null, practitioner: null, location: null };

/** @throws VALIDATION_ERROR for a start without an end, a wrong order, over 24 hours, or an unknown zone */
export function planned(before: Plan, given: PlanInput): Plan {
  const start = parseTime('/start', given.start);
  const end = parseTime('/end', given.end);
  if ((start === null) !== (end === null)) refuse(start === null ? '/start' : '/end', 'Give start and end together.');
  requireOrder('/end', start, end);
  if (start !== null && end !== null && end.getTime() - start.getTime() > MAX_APPOINTMENT_MS) {
    refuse('/end', 'Must be at most 24 hours after the start.');
  }
  if (given.timezone !== undefined && !isZone(given.timezone)) refuse('/timezone', 'Must be an IANA time zone.');
  return {
    start: start ?? before.start,
    end: end ?? before.end,
    timezone: given.timezone ?? before.timezone,
    practitioner: given.practitioner === undefined ? before.practitioner : practitionerOf(given.practitioner),
    location: given.location ?? before.location,
  };
}

function practitionerOf(given: NonNullable<PlanInput['practitioner']>): Practitioner {
  const { npi, actor, name } = given;
  if ((npi ?? actor ?? name) === undefined) refuse('/practitioner', 'Needs npi, actor or name.');
  return { npi: npi ?? null, actor: actor ?? null, name: name ?? null };
}

/** Returns the members that follow from status and plan: the time in lists and the reserved minutes. */
export function placed(
  status: AppointmentStatus,
  { start, end, practitioner }: Plan,
  created_at: Date,
): Pick<StoredAppointment, 'takes_place' | 'claims' | 'is_claiming'> {
  const takes_place = start ?? created_at;
  if (!reservesTime(status)) return { takes_place, claims: [], is_claiming: false };
  if (start === null || end === null) return refuse('/start', 'A booked appointment needs start and end.');
  const claims = practitioner === null ? [] : slotClaims(practitioner, start, end);
  return { takes_place, claims, is_claiming: claims.length > 0 };
}

function isZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch (error) {
    // ECMA-402 throws RangeError for an unknown zone.
    if (error instanceof RangeError) return false;
    throw error;
  }
}

export function refuse(path: string, message: string): never {
  throw problem('VALIDATION_ERROR', { errors: [fault(path, 'plan', message)] });
}

import { fault, problem } from '../../../../shared/errors/problem.js';
import { type AppointmentStatus, takesTime } from '../../domain/appointments/appointment.js';
import { MAX_APPOINTMENT_MS, type Practitioner, slotClaims } from '../../domain/appointments/slot-claims.js';
import type { StoredAppointment } from '../ports/appointment-store.js';
import { inOrder, timeAt } from '../records/given-times.js';

/** When, with whom and where; what is absent stays as it was. */
export interface PlanGiven {
  readonly start?: string;
  readonly end?: string;
  readonly timezone?: string;
  readonly practitioner?: { readonly npi?: string; readonly actor?: string; readonly name?: string };
  readonly location?: string;
}

export type Plan = Pick<StoredAppointment, 'start' | 'end' | 'timezone' | 'practitioner' | 'location'>;

export const NO_PLAN: Plan = { start: null, end: null, timezone: null, practitioner: null, location: null };

/** @throws VALIDATION_ERROR for a start without an end, an end before it, a length that no appointment has, an unknown zone */
export function planned(before: Plan, given: PlanGiven): Plan {
  const start = timeAt('/start', given.start);
  const end = timeAt('/end', given.end);
  if ((start === null) !== (end === null)) refuse(start === null ? '/start' : '/end', 'Start and end go together.');
  inOrder('/end', start, end);
  if (start !== null && end !== null && end.getTime() - start.getTime() > MAX_APPOINTMENT_MS) {
    refuse('/end', 'An appointment lasts 24 hours at most.');
  }
  if (given.timezone !== undefined && !isZone(given.timezone)) refuse('/timezone', 'Must be a zone of IANA.');
  return {
    start: start ?? before.start,
    end: end ?? before.end,
    timezone: given.timezone ?? before.timezone,
    practitioner: given.practitioner === undefined ? before.practitioner : practitionerOf(given.practitioner),
    location: given.location ?? before.location,
  };
}

function practitionerOf(given: NonNullable<PlanGiven['practitioner']>): Practitioner {
  const { npi = null, actor = null, name = null } = given;
  if (npi === null && actor === null && name === null) refuse('/practitioner', 'Needs npi, actor or name.');
  return { npi, actor, name };
}

/** What follows from plan and status: its place in time, and the minutes that it takes. */
export function placed(
  status: AppointmentStatus,
  { start, end, practitioner }: Plan,
  created_at: Date,
): Pick<StoredAppointment, 'takes_place' | 'claims' | 'is_claiming'> {
  const takes_place = start ?? created_at;
  if (!takesTime(status)) return { takes_place, claims: [], is_claiming: false };
  if (start === null || end === null) return refuse('/start', 'What is booked has a start and an end.');
  const claims = practitioner === null ? [] : slotClaims(practitioner, start, end);
  return { takes_place, claims, is_claiming: claims.length > 0 };
}

function isZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch (error) {
    // ECMA-402: the one thing that it throws for a zone.
    if (error instanceof RangeError) return false;
    throw error;
  }
}

export function refuse(path: string, message: string): never {
  throw problem('VALIDATION_ERROR', { errors: [fault(path, 'plan', message)] });
}

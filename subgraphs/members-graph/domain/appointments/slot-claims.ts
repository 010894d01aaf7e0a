const MINUTE_MS = 60_000;

/** Longer ones are several appointments: each minute is a key of the index that keeps two from being booked at once. */
export const MAX_APPOINTMENT_MS = 24 * 60 * MINUTE_MS;

/** Who is seen: an NPI, or an actor of the tenant. */
export interface Practitioner {
  readonly npi: string | null;
  readonly actor: string | null;
  readonly name: string | null;
}

/** Names of a practitioner, each of which two appointments must not share at one time. */
export const practitionerKeys = ({ npi, actor }: Practitioner): string[] => [
  ...(npi === null ? [] : [`npi:${npi}`]),
  ...(actor === null ? [] : [`actor:${actor}`]),
];

/**
 * A key for every minute of a practitioner's time. Two intervals overlap exactly where they share a minute, so one unique index
 * over these keys refuses overlaps, whoever writes them. From the minute of `start` on and before that of `end`; at least one.
 */
export function slotClaims(practitioner: Practitioner, start: Date, end: Date): string[] {
  const first = Math.floor(start.getTime() / MINUTE_MS);
  const last = Math.max(first + 1, Math.floor(end.getTime() / MINUTE_MS));
  const minutes = Array.from({ length: last - first }, (_, n) => first + n);
  return practitionerKeys(practitioner).flatMap((key) => minutes.map((minute) => `${key}@${minute}`));
}

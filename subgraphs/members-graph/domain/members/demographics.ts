import { isDeepStrictEqual } from 'node:util';
import { DEMOGRAPHIC_MEMBERS, type Demographics } from './member.js';

export type DemographicsPatch = Partial<Demographics>;

/** The members in which two differ, with what the first one says. */
export function differing(before: Demographics, after: Demographics): Readonly<Record<string, unknown>> {
  const names = DEMOGRAPHIC_MEMBERS.filter((name) => !isDeepStrictEqual(before[name], after[name]));
  return Object.fromEntries(names.map((name) => [name, before[name]]));
}

/** YYYY, YYYY-MM or YYYY-MM-DD that is a date of the calendar. */
export function isPartialDate(text: string): boolean {
  const [, year, month = '01', day = '01'] = /^(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?$/.exec(text) ?? [];
  if (year === undefined) return false;
  const whole = `${year}-${month}-${day}`;
  const at = new Date(`${whole}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(whole);
}

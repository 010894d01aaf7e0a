import { type EffectiveTime, parseDate, toInstant } from '../../values/dates.js';
import { type Fields, textAt } from '../json/objects.js';

/** FHIR date, dateTime and instant; some senders write a space for the T. */
const PATTERN =
  /^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[T ](([01]\d|2[0-3]):[0-5]\d(?::[0-5]\d)?)(?:\.(\d{1,9}))?(Z|[+-](?:0\d|1[0-4]):[0-5]\d)?)?)?)?$/;

interface Moment {
  readonly date: string;
  readonly time: string;
  /** '' if absent. */
  readonly zone: string;
  readonly precision: '' | 'year' | 'month';
}

function parseMoment(text: string): Moment | null {
  const found = PATTERN.exec(text.trim());
  if (found === null) return null;
  const [, year = '', month = '', day = '', clock = '', , fraction = '', zone = ''] = found;
  const date = parseDate(`${year}${month || '01'}${day || '01'}`);
  if (date === null) return null;
  const time = clock === '' ? '00:00:00.000' : `${clock.padEnd(8, ':00')}.${fraction.slice(0, 3).padEnd(3, '0')}`;
  return { date, time, zone, precision: month === '' ? 'year' : day === '' ? 'month' : '' };
}

/** The day of a date or dateTime as sent; '' if unreadable. */
export function dayOf(text: string): string {
  if (text === '') return '';
  const known = KNOWN_DAYS.get(text);
  if (known !== undefined) return known;
  const day = parseMoment(text)?.date ?? '';
  if (KNOWN_DAYS.size >= KNOWN_LIMIT) KNOWN_DAYS.clear();
  if (text.length <= LONGEST_KNOWN) KNOWN_DAYS.set(text, day);
  return day;
}

/** Cached, because a body repeats few days. */
const KNOWN_DAYS = new Map<string, string>();
const KNOWN_LIMIT = 512;
const LONGEST_KNOWN = 32;

/** An element that can date an event. */
export interface TimeSource {
  readonly name: string;
  readonly text: string;
}

interface DatedBy extends Omit<EffectiveTime, 'unreadable'> {
  /** Elements with unreadable dates. */
  readonly unreadable: readonly string[];
}

/** The instant of the first readable source: by its offset, else in the tenant's zone; else the time of receipt. */
export function effectiveTime(
  sources: readonly TimeSource[],
  options: { readonly receivedAt: string; readonly zone: string },
): DatedBy {
  const unreadable: string[] = [];
  for (const { name, text } of sources) {
    if (text === '') continue;
    const moment = parseMoment(text);
    if (moment === null) {
      unreadable.push(name);
      continue;
    }
    const { date, time, zone, precision } = moment;
    const about = precision === '' ? '' : `, to the ${precision}`;
    if (zone === '') {
      const timestamp = toInstant(date, time, options.zone);
      return { timestamp, basis: `${name} read as ${options.zone}${about}`, received: false, unreadable };
    }
    // In UTC the parts already form the instant.
    const timestamp = zone === 'Z' ? `${date}T${time}Z` : new Date(`${date}T${time}${zone}`).toISOString();
    return {
      timestamp,
      basis: zone === 'Z' ? `${name} in UTC` : `${name} with offset ${zone}`,
      received: false,
      unreadable,
    };
  }
  return { timestamp: options.receivedAt, basis: 'received', received: true, unreadable };
}

/** A Period as days; undefined if neither end is readable. */
export function periodOf(start: string, end: string): { from: string; to: string } | undefined {
  const [from, to] = [dayOf(start), dayOf(end)];
  const first = from || to;
  if (first === '') return undefined;
  return { from: first, to: to === '' || to < first ? first : to };
}

/** The days of a Period element. */
export const periodIn = (period: Fields): { from: string; to: string } | undefined =>
  periodOf(textAt(period, 'start'), textAt(period, 'end'));

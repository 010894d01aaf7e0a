import { parseDate, toInstant } from '../x12/dates.js';
import type { EffectiveTime } from '../x12/effective-time.js';

/** FHIR date, dateTime and instant; a space for the T is met. */
const pattern =
  /^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[T ](([01]\d|2[0-3]):[0-5]\d(?::[0-5]\d)?)(?:\.(\d{1,9}))?(Z|[+-](?:0\d|1[0-4]):[0-5]\d)?)?)?)?$/;

interface Moment {
  readonly date: string;
  readonly time: string;
  /** '' when none was sent. */
  readonly zone: string;
  readonly precision: '' | 'year' | 'month';
}

function parseMoment(text: string): Moment | null {
  const found = pattern.exec(text.trim());
  if (found === null) return null;
  const [, year = '', month = '', day = '', clock = '', , fraction = '', zone = ''] = found;
  const date = parseDate(`${year}${month || '01'}${day || '01'}`);
  if (date === null) return null;
  const time = clock === '' ? '00:00:00.000' : `${clock.padEnd(8, ':00')}.${fraction.slice(0, 3).padEnd(3, '0')}`;
  return { date, time, zone, precision: month === '' ? 'year' : day === '' ? 'month' : '' };
}

/** The day that a date or dateTime names, as its sender wrote it; '' when unreadable. */
export function dayOf(text: string): string {
  if (text === '') return '';
  const known = knownDays.get(text);
  if (known !== undefined) return known;
  const day = parseMoment(text)?.date ?? '';
  if (knownDays.size >= knownLimit) knownDays.clear();
  if (text.length <= longestKnown) knownDays.set(text, day);
  return day;
}

/** A body names few days, over and over. */
const knownDays = new Map<string, string>();
const knownLimit = 512;
const longestKnown = 32;

/** An element that an event may be dated from. */
export interface TimeSource {
  readonly name: string;
  readonly text: string;
}

export interface DatedBy extends EffectiveTime {
  /** Elements that hold something else than a date. */
  readonly unreadable: readonly string[];
}

/** The instant of the first source that can be read: by its own offset, else in the tenant's zone; else the time of receipt. */
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
    // In UTC the parts are what the instant is written with already.
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

/** A Period as days; undefined when neither end can be read. */
export function periodOf(start: string, end: string): { from: string; to: string } | undefined {
  const [from, to] = [dayOf(start), dayOf(end)];
  const first = from || to;
  if (first === '') return undefined;
  return { from: first, to: to === '' || to < first ? first : to };
}

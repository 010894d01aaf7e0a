import { type EffectiveTime, parseDate, toInstant } from './dates.js';

/** A DTM (TS before 2.6): YYYY[MM[DD[HH[MM[SS[.S[S[S[S]]]]]]]]] and an offset. */
const PATTERN =
  /^(\d{4})(?:(\d\d)(?:(\d\d)(?:([01]\d|2[0-3])(?:([0-5]\d)(?:([0-5]\d)(?:\.(\d{1,4}))?)?)?)?)?)?([+-](?:0\d|1[0-4])[0-5]\d)?$/;
/** ISO 8601, a blank or T before the time, `Z`, and fractions without a point, as engines send them. */
const ISO_PATTERN =
  /^(\d{4})-?(\d\d)-?(\d\d)(?:[T ]*([01]\d|2[0-3]):?([0-5]\d)(?::?([0-5]\d)(?:[.,]?(\d{1,9}))?)?)?\s*(Z|[+-](?:0\d|1[0-4]):?[0-5]\d)?$/i;
/** A form that no version defines, accepted only if day and month cannot be confused. */
const SLASHED = /^(\d\d)\/(\d\d)\/(\d{4})(?: (([01]\d|2[0-3]):[0-5]\d(?::[0-5]\d)?))?$/;

interface Moment {
  readonly date: string;
  /** `HH:MM:SS.mmm`; '' for a day only. */
  readonly time: string;
  /** `+02:15`; '' if absent. */
  readonly offset: string;
}

/** Remembers the last time read: the segments of a message mostly share one. */
let last: { text: string; moment: Moment | null } = { text: '', moment: null };

/** The day and time of a value with at least a day; null if unreadable. */
export function parseMoment(text: string): Moment | null {
  if (text !== last.text) last = { text, moment: readMoment(text) };
  return last.moment;
}

function readMoment(text: string): Moment | null {
  const found = PATTERN.exec(text) ?? ISO_PATTERN.exec(text);
  if (found === null) return parseSlashed(text);
  const [, year = '', month = '', day = '', hour = '', minute = '00', second = '00', fraction = '', zone = ''] = found;
  const date = parseDate(year + month + day);
  if (date === null) return null;
  const time = hour === '' ? '' : `${hour}:${minute}:${second}.${fraction.slice(0, 3).padEnd(3, '0')}`;
  return { date, time, offset: offsetOf(zone) };
}

function offsetOf(zone: string): string {
  if (zone === '') return '';
  if (zone === 'Z' || zone === 'z') return '+00:00';
  return `${zone.slice(0, 3)}:${zone.slice(-2)}`;
}

function parseSlashed(text: string): Moment | null {
  const found = SLASHED.exec(text);
  if (found === null) return null;
  const [, month = '', day = '', year = '', clock = ''] = found;
  if (Number(day) <= 12 && month !== day) return null;
  const date = parseDate(year + month + day);
  if (date === null) return null;
  return { date, time: clock === '' ? '' : `${clock.padEnd(8, ':00')}.000`, offset: '' };
}

/** A moment in a payload: `2026-03-01`, `2026-03-01T10:15:00` or `2026-03-01T10:15:00-05:00`; '' if unreadable. */
export function describeMoment(text: string): string {
  if (text === '') return '';
  const moment = parseMoment(text);
  if (moment === null) return '';
  return moment.time === '' ? moment.date : `${moment.date}T${moment.time.slice(0, 8)}${moment.offset}`;
}

/** The day only; '' if unreadable. */
export function describeDay(text: string): string {
  return text === '' ? '' : (parseMoment(text)?.date ?? '');
}

/** A field that can date an event. */
export interface TimeSource {
  readonly text: string;
  /** Such as `EVN-2`. */
  readonly name: string;
  /** The moment of the text, if it was read before. */
  readonly moment?: Moment | null;
}

/** The instant of the first readable source: by its offset, else in the tenant's zone; else the time of receipt. */
export function effectiveTime(
  sources: readonly TimeSource[],
  options: { receivedAt: string; zone: string },
): EffectiveTime {
  for (const { text, name, moment: known } of sources) {
    const moment = known !== undefined || text === '' ? (known ?? null) : parseMoment(text);
    if (moment === null) continue;
    const time = moment.time === '' ? '00:00:00.000' : moment.time;
    if (moment.offset === '') {
      const timestamp = toInstant(moment.date, time, options.zone);
      return { timestamp, basis: `${name} read as ${options.zone}`, received: false };
    }
    const timestamp = new Date(`${moment.date}T${time}${moment.offset}`).toISOString();
    return { timestamp, basis: `${name} with offset ${moment.offset}`, received: false };
  }
  const unreadable = sources.some(({ text }) => text !== '');
  return { timestamp: options.receivedAt, basis: 'received', received: true, unreadable };
}

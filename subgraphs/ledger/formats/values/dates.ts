/** Defaults for a message that states no time or zone: the time of receipt and an IANA zone. */
export interface ReadingOptions {
  receivedAt: string;
  zone: string;
}

/** X12 dates and times: `D8` CCYYMMDD, `RD8` a range of them, `DT` a date with HHMM, `TM` HHMM[SS[D[D]]], also with colons. */
const TIME_PATTERN = /^([01]\d|2[0-3]):?([0-5]\d)(?::?([0-5]\d)(\d{0,2}))?$/;
const EARLIEST_YEAR = 1800;
const LATEST_YEAR = 2200;

/** Remembers the last date read: the lines of a claim mostly share a day. */
let lastDate = { text: '', date: '' };

/** Reads CCYYMMDD as `YYYY-MM-DD`; null if there is no such day. */
export function parseDate(text: string): string | null {
  if (text.length !== 8) return null;
  if (text === lastDate.text) return lastDate.date;
  const year = digitsAt(text, 0, 4);
  const month = digitsAt(text, 4, 6);
  const day = digitsAt(text, 6, 8);
  if (year < EARLIEST_YEAR || year > LATEST_YEAR || month < 1 || month > 12 || day < 1) return null;
  if (day > 28 && day > daysInMonth(year, month)) return null;
  lastDate = { text, date: `${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6)}` };
  return lastDate.date;
}

/**
 * Reads the day of a header. YYMMDD, which versions before 4010 have, is in the century that puts it next before the
 * year after the receipt.
 */
function headerDate(text: string, receivedAt: string): string | null {
  if (text.length !== 6) return parseDate(text);
  const latestYear = Number(receivedAt.slice(0, 4)) + 1;
  const century = Math.floor(latestYear / 100);
  const year = digitsAt(text, 0, 2);
  if (year === -1) return null;
  return parseDate(`${century * 100 + year > latestYear ? century - 1 : century}${text}`);
}

/** Reads HHMM, HHMMSS, HHMMSSD or HHMMSSDD as `HH:MM:SS.mmm`; null if there is no such time. */
export function parseTime(text: string): string | null {
  const match = TIME_PATTERN.exec(text);
  if (match === null) return null;
  return `${match[1]}:${match[2]}:${match[3] ?? '00'}.${(match[4] ?? '').padEnd(3, '0')}`;
}

export interface Period {
  from: string;
  to: string;
}

/** The first to the last of several days; '' counts for none. */
export function spanOf(days: readonly string[]): Period | undefined {
  let [from, to] = ['', ''];
  for (const day of days) {
    if (day !== '' && (from === '' || day < from)) from = day;
    if (day > to) to = day;
  }
  return from === '' ? undefined : { from, to };
}

/** The days of a DTP (format in DTP02, value in DTP03); null if unreadable. */
export function parsePeriod(format: string, value: string): Period | null {
  if (format === 'RD8') {
    const dash = value.indexOf('-');
    const from = dash === -1 ? null : parseDate(value.slice(0, dash));
    const to = dash === -1 ? null : parseDate(value.slice(dash + 1));
    return from === null || to === null || to < from ? null : { from, to };
  }
  const day = parseDate(format === 'DT' ? value.slice(0, 8) : value);
  return day === null ? null : { from: day, to: day };
}

/** The moment of a DTP in format DT as `YYYY-MM-DD` or `YYYY-MM-DDTHH:MM` (X12 has no zone); null if unreadable. */
export function parseMoment(format: string, value: string): string | null {
  const day = parseDate(value.slice(0, 8));
  if (day === null || format !== 'DT') return day;
  const time = parseTime(value.slice(8));
  return time === null ? null : `${day}T${time.slice(0, 5)}`;
}

/** Converts a local day and time in an IANA zone to ISO 8601 UTC. */
export function toInstant(date: string, time: string, zone: string): string {
  const asUtc = `${date}T${time}Z`;
  if (zone === 'UTC') return asUtc;
  const localMs = Date.parse(asUtc);
  const firstGuessMs = localMs - zoneOffsetMs(zone, localMs);
  // Near a clock change the offset at the guess differs from the offset at the local reading; the guess wins.
  return new Date(localMs - zoneOffsetMs(zone, firstGuessMs)).toISOString();
}

const FORMATTERS = new Map<string, Intl.DateTimeFormat>();

function zoneOffsetMs(zone: string, instantMs: number): number {
  let formatter = FORMATTERS.get(zone);
  if (formatter === undefined) {
    formatter = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    FORMATTERS.set(zone, formatter);
  }
  const parts: Record<string, number> = {};
  for (const part of formatter.formatToParts(instantMs)) parts[part.type] = Number(part.value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(instantMs / 1000) * 1000;
}

/** The number written in digits in `text[start, end)`; -1 if it is not all digits. */
function digitsAt(text: string, start: number, end: number): number {
  let value = 0;
  for (let at = start; at < end; at += 1) {
    const digit = text.charCodeAt(at) - 48;
    if (digit < 0 || digit > 9) return -1;
    value = value * 10 + digit;
  }
  return value;
}

function daysInMonth(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

export interface EffectiveTime {
  timestamp: string;
  /** The source of the timestamp, for `payload.timestamp_basis`. */
  basis: string;
  /** True if it is the time of receipt. */
  received: boolean;
  /** True if a source has a date, and none is readable. */
  unreadable?: boolean;
}

/** One element that can date a transaction, in the order of preference. */
interface DateSource {
  date: string;
  time: string;
  /** Elements, such as `BHT04+BHT05`. */
  dateName: string;
  timeName?: string;
}

/** The instant of the first source with a date, in the tenant's zone (X12 has none); else the time of receipt. */
export function effectiveTime(sources: readonly DateSource[], options: ReadingOptions): EffectiveTime {
  for (const source of sources) {
    const date = headerDate(source.date, options.receivedAt);
    if (date === null) continue;
    const time = parseTime(source.time);
    const from =
      time === null || source.timeName === undefined ? source.dateName : `${source.dateName}+${source.timeName}`;
    const timestamp = toInstant(date, time ?? '00:00:00.000', options.zone);
    return { timestamp, basis: `${from} read as ${options.zone}`, received: false };
  }
  const unreadable = sources.some(({ date }) => /[^0\s]/.test(date));
  return { timestamp: options.receivedAt, basis: 'received', received: true, unreadable };
}

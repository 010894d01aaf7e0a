/** X12 dates and times: `D8` CCYYMMDD, `RD8` a range of them, `DT` a date with HHMM, `TM` HHMM[SS[D[D]]]. */
const timePattern = /^([01]\d|2[0-3])([0-5]\d)(?:([0-5]\d)(\d{0,2}))?$/;
const earliestYear = 1800;
const latestYear = 2200;

/** The lines of a claim mostly share a day, so the last one read is remembered. */
let lastDate = { text: '', date: '' };

/** `YYYY-MM-DD` of CCYYMMDD; null when there is no such day. */
export function parseDate(text: string): string | null {
  if (text.length !== 8) return null;
  if (text === lastDate.text) return lastDate.date;
  const year = digitsAt(text, 0, 4);
  const month = digitsAt(text, 4, 6);
  const day = digitsAt(text, 6, 8);
  if (year < earliestYear || year > latestYear || month < 1 || month > 12 || day < 1) return null;
  if (day > 28 && day > daysInMonth(year, month)) return null;
  lastDate = { text, date: `${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6)}` };
  return lastDate.date;
}

/** `HH:MM:SS.mmm` of HHMM, HHMMSS, HHMMSSD or HHMMSSDD; null when there is no such time. */
export function parseTime(text: string): string | null {
  const match = timePattern.exec(text);
  if (match === null) return null;
  return `${match[1]}:${match[2]}:${match[3] ?? '00'}.${(match[4] ?? '').padEnd(3, '0')}`;
}

export interface Period {
  from: string;
  to: string;
}

/** The days that a DTP names: format in DTP02, value in DTP03; null when they cannot be read. */
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

/** `YYYY-MM-DD`, or `YYYY-MM-DDTHH:MM` (no zone: X12 gives none) of a DTP in the format DT; null when unreadable. */
export function parseMoment(format: string, value: string): string | null {
  const day = parseDate(value.slice(0, 8));
  if (day === null || format !== 'DT') return day;
  const time = parseTime(value.slice(8));
  return time === null ? null : `${day}T${time.slice(0, 5)}`;
}

/** A local day and time in an IANA zone as ISO 8601 UTC. */
export function toInstant(date: string, time: string, zone: string): string {
  const asUtc = `${date}T${time}Z`;
  if (zone === 'UTC') return asUtc;
  const localMs = Date.parse(asUtc);
  const firstGuessMs = localMs - zoneOffsetMs(zone, localMs);
  // Near a change of the clocks the offset at the guess differs from the offset at the local reading; the guess's holds.
  return new Date(localMs - zoneOffsetMs(zone, firstGuessMs)).toISOString();
}

const formatters = new Map<string, Intl.DateTimeFormat>();

function zoneOffsetMs(zone: string, instantMs: number): number {
  let formatter = formatters.get(zone);
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
    formatters.set(zone, formatter);
  }
  const parts: Record<string, number> = {};
  for (const part of formatter.formatToParts(instantMs)) parts[part.type] = Number(part.value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(instantMs / 1000) * 1000;
}

/** The number that `text[start, end)` writes in digits; -1 when it does not. */
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

const RFC3339 = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?([Zz]|[+-]\d{2}:\d{2})$/;

const DAYS_IN_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

// 0000-01-01T00:00:00.000Z and 9999-12-31T23:59:59.999Z: an offset must not push the instant out of four-digit years.
const FIRST_INSTANT_MS = -62_167_219_200_000;
const LAST_INSTANT_MS = 253_402_300_799_999;

const isLeap = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;

/**
 * The instant of an RFC 3339 time with a zone, in epoch milliseconds (finer digits are cut), or undefined when the
 * text is no such time: without zone, impossible date, hour 24, second 60, a year of five digits in UTC.
 */
export function instantOf(text: string): number | undefined {
  const match = RFC3339.exec(text);
  if (!match) return undefined;
  const [, y, mo, d, h, mi, s, fraction = '', zone = ''] = match;
  const [year, month, day, hour, minute, second] = [Number(y), Number(mo), Number(d), Number(h), Number(mi), Number(s)];
  if (month < 1 || month > 12 || hour > 23 || minute > 59 || second > 59) return undefined;
  const days = (DAYS_IN_MONTH[month - 1] ?? 0) + (month === 2 && isLeap(year) ? 1 : 0);
  if (day < 1 || day > days) return undefined;
  const offsetMs = zoneOffsetMs(zone);
  if (offsetMs === undefined) return undefined;
  const utc = new Date(0);
  // setUTCFullYear, because Date.UTC reads the years 0–99 as 1900–1999.
  utc.setUTCFullYear(year, month - 1, day);
  utc.setUTCHours(hour, minute, second, Number(fraction.slice(0, 3).padEnd(3, '0')));
  const instantMs = utc.getTime() - offsetMs;
  return instantMs < FIRST_INSTANT_MS || instantMs > LAST_INSTANT_MS ? undefined : instantMs;
}

function zoneOffsetMs(zone: string): number | undefined {
  if (zone === 'Z' || zone === 'z') return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(4, 6));
  if (hours > 23 || minutes > 59) return undefined;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}

import { fail } from '../../errors.js';

/** The parts of a time in a zone; months and days count from 1. */
export interface DateParts {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly millisecond: number;
}

const DAY_MS = 86_400_000;
const FORMATS = new Map<string, Intl.DateTimeFormat>();

/** The offset of a zone at a moment: "UTC", "+01:30", or a name of the Olson database. */
function zoneOffsetMs(zone: string, atMs: number): number {
  if (zone === 'UTC' || zone === 'GMT' || zone === 'Z') return 0;
  const fixed = /^([+-])(\d{2}):?(\d{2})?$/.exec(zone);
  if (fixed) return (fixed[1] === '-' ? -1 : 1) * (Number(fixed[2]) * 60 + Number(fixed[3] ?? 0)) * 60_000;
  const found: Record<string, number> = {};
  for (const { type, value } of formatOf(zone).formatToParts(atMs)) found[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = found;
  const local = Date.UTC(year, month - 1, day, hour % 24, minute, second);
  return local - Math.floor(atMs / 1_000) * 1_000;
}

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = FORMATS.get(zone);
  if (known) return known;
  try {
    const format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    FORMATS.set(zone, format);
    return format;
  } catch {
    fail(40_485, `unrecognized time zone identifier: "${zone}"`);
  }
}

export function partsOf(ms: number, zone: string): DateParts {
  const local = new Date(ms + zoneOffsetMs(zone, ms));
  return {
    year: local.getUTCFullYear(),
    month: local.getUTCMonth() + 1,
    day: local.getUTCDate(),
    hour: local.getUTCHours(),
    minute: local.getUTCMinutes(),
    second: local.getUTCSeconds(),
    millisecond: local.getUTCMilliseconds(),
  };
}

/** The moment of local parts; parts beyond their range carry over. */
export function momentOf(parts: DateParts, zone: string): number {
  const local = utcMs(parts);
  const first = local - zoneOffsetMs(zone, local);
  // The offset in force there may differ from the one at the first guess.
  return local - zoneOffsetMs(zone, first);
}

function utcMs({ year, month, day, hour, minute, second, millisecond }: DateParts): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second, millisecond);
  return date.getTime();
}

export function formatIso(ms: bigint): string {
  const date = new Date(Number(ms));
  return Number.isNaN(date.getTime()) ? ms.toString() : date.toISOString();
}

/** Sunday 0 … Saturday 6. */
export function weekday({ year, month, day }: DateParts): number {
  return new Date(Date.UTC(year, month - 1, day)).getUTCDay();
}

export function dayOfYear({ year, month, day }: DateParts): number {
  return Math.round((Date.UTC(year, month - 1, day) - Date.UTC(year, 0, 1)) / DAY_MS) + 1;
}

/** ISO 8601: the week belongs to the year of its Thursday. */
export function isoWeek(parts: DateParts): { year: number; week: number } {
  const thursday = new Date(Date.UTC(parts.year, parts.month - 1, parts.day + 4 - (weekday(parts) || 7)));
  const year = thursday.getUTCFullYear();
  return { year, week: Math.floor((thursday.getTime() - Date.UTC(year, 0, 1)) / (7 * DAY_MS)) + 1 };
}

/** Weeks begin on Sunday, and days before the first Sunday are in week 0. */
export function weekOfYear(parts: DateParts): number {
  return Math.floor((dayOfYear(parts) + 6 - weekday(parts)) / 7);
}

const pad = (value: number, width: number): string => String(value).padStart(width, '0');
const MONTH_NAMES = 'January February March April May June July August September October November December'.split(' ');

/** `$dateToString`'s format. */
export function formatDate(format: string, ms: number, zone: string): string {
  const parts = partsOf(ms, zone);
  const offsetMinutes = Math.round(zoneOffsetMs(zone, ms) / 60_000);
  const sign = offsetMinutes < 0 ? '-' : '+';
  const absolute = Math.abs(offsetMinutes);
  const written: Record<string, () => string> = {
    Y: () => pad(parts.year, 4),
    m: () => pad(parts.month, 2),
    d: () => pad(parts.day, 2),
    H: () => pad(parts.hour, 2),
    M: () => pad(parts.minute, 2),
    S: () => pad(parts.second, 2),
    L: () => pad(parts.millisecond, 3),
    j: () => pad(dayOfYear(parts), 3),
    w: () => String(weekday(parts) + 1),
    u: () => String(weekday(parts) || 7),
    U: () => pad(weekOfYear(parts), 2),
    V: () => pad(isoWeek(parts).week, 2),
    G: () => pad(isoWeek(parts).year, 4),
    B: () => MONTH_NAMES[parts.month - 1] ?? '',
    b: () => (MONTH_NAMES[parts.month - 1] ?? '').slice(0, 3),
    z: () => `${sign}${pad(Math.floor(absolute / 60), 2)}${pad(absolute % 60, 2)}`,
    Z: () => String(offsetMinutes),
    '%': () => '%',
  };
  checkFormat(format, Object.keys(written).join(''));
  return format.replace(/%(.)/gs, (_, letter: string) => written[letter]?.() ?? '');
}

/** The letters that MongoDB reads by `$dateFromString`. */
export const READ_LETTERS = 'dGHjLmMSuVYzZbB%';

/** @throws for a letter that is not in `letters` */
export function checkFormat(format: string, letters: string): void {
  for (const [, letter = ''] of format.matchAll(/%(.?)/gs)) {
    if (letter === '') fail(18_535, "Unmatched '%' at end of format string");
    if (!letters.includes(letter)) fail(18_536, `Invalid format character '%${letter}' in format string`);
  }
}

/** The moment of an ISO week date. Weeks and days beyond their range carry over. */
export function momentOfWeek(
  { year, week, day, ...time }: { year: number; week: number; day: number } & Omit<DateParts, 'year' | 'month' | 'day'>,
  zone: string,
): number {
  // The fourth of January lies in the first week of each ISO year.
  const fourth = weekday({ year, month: 1, day: 4, ...time }) || 7;
  return momentOf({ year, month: 1, day: 4 - fourth + (week - 1) * 7 + day, ...time }, zone);
}

export type DateUnit = 'year' | 'quarter' | 'month' | 'week' | 'day' | 'hour' | 'minute' | 'second' | 'millisecond';
const UNIT_MS: Readonly<Partial<Record<DateUnit, number>>> = {
  hour: 3_600_000,
  minute: 60_000,
  second: 1_000,
  millisecond: 1,
};
const UNIT_NAMES = ['year', 'quarter', 'month', 'week', 'day', 'hour', 'minute', 'second', 'millisecond'];

export function isDateUnit(value: unknown): value is DateUnit {
  return typeof value === 'string' && UNIT_NAMES.includes(value);
}

/** Adds calendar units in local time (a month's end stays within its month), shorter ones as elapsed time. */
export function addUnits(ms: number, unit: DateUnit, amount: number, zone: string): number {
  const fixed = UNIT_MS[unit];
  if (fixed !== undefined) return ms + amount * fixed;
  const parts = partsOf(ms, zone);
  if (unit === 'day' || unit === 'week')
    return momentOf({ ...parts, day: parts.day + amount * (unit === 'week' ? 7 : 1) }, zone);
  const months = amount * (unit === 'year' ? 12 : unit === 'quarter' ? 3 : 1);
  const count = parts.year * 12 + parts.month - 1 + months;
  const [year, month] = [Math.floor(count / 12), (((count % 12) + 12) % 12) + 1];
  const lastDay = new Date(Date.UTC(year, month, 0)).getUTCDate();
  return momentOf({ ...parts, year, month, day: Math.min(parts.day, lastDay) }, zone);
}

/** How many borders of the unit lie between two moments. */
export function unitsBetween(fromMs: number, toMs: number, unit: DateUnit, zone: string, weekStart: number): number {
  const [from, to] = [partsOf(fromMs, zone), partsOf(toMs, zone)];
  if (unit === 'year') return to.year - from.year;
  if (unit === 'quarter' || unit === 'month') {
    const size = unit === 'month' ? 1 : 3;
    return Math.floor((to.year * 12 + to.month - 1) / size) - Math.floor((from.year * 12 + from.month - 1) / size);
  }
  const localFrom = utcMs(from);
  const localTo = utcMs(to);
  const size = unit === 'week' ? 7 * DAY_MS : unit === 'day' ? DAY_MS : (UNIT_MS[unit] ?? 1);
  // 1970-01-01 was a Thursday: shift so that weeks begin on the chosen day (Sunday 0).
  const shift = unit === 'week' ? ((4 - weekStart + 7) % 7) * DAY_MS : 0;
  return Math.floor((localTo + shift) / size) - Math.floor((localFrom + shift) / size);
}

/** The beginning of the bin of `size` units around a moment; bins are counted from 2000-01-01. */
export function truncate(ms: number, unit: DateUnit, size: number, zone: string, weekStart: number): number {
  const parts = partsOf(ms, zone);
  const origin = { year: 2000, month: 1, day: 1, hour: 0, minute: 0, second: 0, millisecond: 0 };
  if (unit === 'year' || unit === 'quarter' || unit === 'month') {
    const monthsPerBin = size * (unit === 'year' ? 12 : unit === 'quarter' ? 3 : 1);
    const months = (parts.year - 2000) * 12 + parts.month - 1;
    const start = Math.floor(months / monthsPerBin) * monthsPerBin;
    return momentOf({ ...origin, month: 1 + start }, zone);
  }
  const local = utcMs(parts);
  // The first chosen weekday of 2000: January 1st was a Saturday (6).
  const first = unit === 'week' ? ((weekStart - 6 + 7) % 7) * DAY_MS : 0;
  const base = utcMs(origin) + first;
  const width = size * (unit === 'week' ? 7 * DAY_MS : unit === 'day' ? DAY_MS : (UNIT_MS[unit] ?? 1));
  const start = base + Math.floor((local - base) / width) * width;
  const date = new Date(start);
  return momentOf(
    {
      year: date.getUTCFullYear(),
      month: date.getUTCMonth() + 1,
      day: date.getUTCDate(),
      hour: date.getUTCHours(),
      minute: date.getUTCMinutes(),
      second: date.getUTCSeconds(),
      millisecond: date.getUTCMilliseconds(),
    },
    zone,
  );
}

const ISO =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?)?\s*(Z|[+-]\d{2}:?\d{2}|[+-]\d{2})?$/;

/** Text as a moment: ISO 8601, or by a `$dateFromString` format; undefined where it does not fit. */
export function parseDate(text: string, format: string | undefined, zone: string | undefined): number | undefined {
  if (format !== undefined) return parseByFormat(text, format, zone);
  const match = ISO.exec(text.trim());
  if (!match) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  const millisecond = Number((match[7] ?? '').padEnd(3, '0').slice(0, 3));
  return checkedMoment({ year, month, day, hour, minute, second, millisecond }, match[8], zone);
}

interface Found {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
  millisecond: number;
}

function checkedMoment(parts: Found, offset: string | undefined, zone: string | undefined): number | undefined {
  const { year, month, day, hour, minute, second } = parts;
  const lastDay = new Date(Date.UTC(year, month, 0)).getUTCDate();
  if (month < 1 || month > 12 || day < 1 || day > lastDay || hour > 23 || minute > 59 || second > 59) return undefined;
  // A zone in the text contradicts the `timezone` argument.
  if (offset !== undefined && zone !== undefined) return undefined;
  if (offset !== undefined) return momentOf(parts, 'UTC') - zoneOffsetMs(offset, 0);
  return momentOf(parts, zone ?? 'UTC');
}

const PATTERNS: Readonly<Record<string, readonly [string, keyof Found | 'zone' | undefined]>> = {
  Y: ['(\\d{4})', 'year'],
  m: ['(\\d{1,2})', 'month'],
  d: ['(\\d{1,2})', 'day'],
  H: ['(\\d{1,2})', 'hour'],
  M: ['(\\d{1,2})', 'minute'],
  S: ['(\\d{1,2})', 'second'],
  L: ['(\\d{1,3})', 'millisecond'],
  z: ['(Z|[+-]\\d{2}:?\\d{2})', 'zone'],
  '%': ['%', undefined],
};

function parseByFormat(text: string, format: string, zone: string | undefined): number | undefined {
  const keys: (keyof Found | 'zone')[] = [];
  let known = true;
  const source = format.replace(/%(.?)|[\\^$.*+?()[\]{}|/]/gs, (part, letter: string | undefined) => {
    if (!part.startsWith('%')) return `\\${part}`;
    const pattern = PATTERNS[letter ?? ''];
    if (!pattern) known = false;
    if (pattern?.[1]) keys.push(pattern[1]);
    return pattern?.[0] ?? '';
  });
  const match = known ? new RegExp(`^${source}$`).exec(text) : null;
  if (!match) return undefined;
  const parts: Found = { year: 1970, month: 1, day: 1, hour: 0, minute: 0, second: 0, millisecond: 0 };
  let offset: string | undefined;
  for (const [at, key] of keys.entries()) {
    const value = match[at + 1] ?? '';
    if (key === 'zone') offset = value;
    else parts[key] = Number(value);
  }
  return checkedMoment(parts, offset, zone);
}

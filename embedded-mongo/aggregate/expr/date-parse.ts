import { momentOf, zoneOffsetMs } from './date-parts.js';

const iso =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?)?\s*(Z|[+-]\d{2}:?\d{2}|[+-]\d{2})?$/;

/** Text as a moment: ISO 8601, or by a `$dateFromString` format; undefined where it does not fit. */
export function parseDate(text: string, format: string | undefined, zone: string | undefined): number | undefined {
  if (format !== undefined) return parseByFormat(text, format, zone);
  const match = iso.exec(text.trim());
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
  // A zone in the text and one beside it contradict each other.
  if (offset !== undefined && zone !== undefined) return undefined;
  if (offset !== undefined) return momentOf(parts, 'UTC') - zoneOffsetMs(offset, 0);
  return momentOf(parts, zone ?? 'UTC');
}

const patterns: Readonly<Record<string, readonly [string, keyof Found | 'zone' | undefined]>> = {
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
    const pattern = patterns[letter ?? ''];
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

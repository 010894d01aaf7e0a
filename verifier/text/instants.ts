import { DIGIT, unitsAre } from './units.js';

// Times of the service: UTC, three decimals, `Z` (evidence.md section 2). The form alone would accept February 30.

const FORM = '0000-00-00T00:00:00.000Z';
export const INSTANT_LENGTH = FORM.length;
const ZERO = 0x30;
const DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

type UnitAt = (i: number) => number;

const pair = (unitAt: UnitAt, i: number): number => (unitAt(i) - ZERO) * 10 + unitAt(i + 1) - ZERO;

/** Returns true for a time that exists. @param unitAt digits at the places of digits */
function isDated(unitAt: UnitAt): boolean {
  const month = pair(unitAt, 5);
  const day = pair(unitAt, 8);
  if (month < 1 || month > 12 || day < 1 || day > (DAYS[month - 1] ?? 0)) return false;
  if (pair(unitAt, 11) > 23 || pair(unitAt, 14) > 59 || pair(unitAt, 17) > 59) return false;
  if (month !== 2 || day < 29) return true;
  const year = pair(unitAt, 0) * 100 + pair(unitAt, 2);
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

/** Returns true if such a time begins at `at`. */
export function isInstantAt(bytes: Uint8Array, at: number): boolean {
  for (let i = 0; i < INSTANT_LENGTH; i++) {
    const expected = FORM.charCodeAt(i);
    if (expected === ZERO ? !unitsAre(bytes, at + i, at + i + 1, DIGIT) : bytes[at + i] !== expected) return false;
  }
  return isDated((i) => bytes[at + i] ?? 0);
}

const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

export const isInstant = (text: unknown): text is string =>
  typeof text === 'string' && INSTANT.test(text) && isDated((i) => text.charCodeAt(i));

const ZONED = /^(\d{4}-\d{2}-\d{2})[Tt](\d{2}:\d{2}:\d{2})(?:\.\d{1,9})?(?:[Zz]|[+-](\d{2}):(\d{2}))$/;

/** Returns true for an RFC 3339 time with a zone, as callers state windows. */
export function isZonedTime(text: unknown): text is string {
  const [, date, time, hours = '00', minutes = '00'] = (typeof text === 'string' && ZONED.exec(text)) || [];
  return isInstant(`${date}T${time}.000Z`) && Number(hours) <= 23 && Number(minutes) <= 59;
}

import type { Span } from './explain-data.js';
import type { Language } from './sentences.js';

// Calendar days as YYYY-MM-DD, without a time of day: a deadline is a day.

const DAY_MS = 86_400_000;
const DAY = /^(\d{4})-(\d{2})-(\d{2})$/;

/** Returns whether the text is an existing day. */
export function isDay(text: string): boolean {
  const atMs = DAY.test(text) ? Date.parse(`${text}T00:00:00.000Z`) : Number.NaN;
  return !Number.isNaN(atMs) && dayOf(atMs) === text;
}

const dayOf = (atMs: number): string => new Date(atMs).toISOString().slice(0, 10);

/** Adds a span to a day. Months end on the same day of the month, or on the last day of a shorter month. */
export function dayAfter(day: string, span: Span): string {
  const start = new Date(`${day}T00:00:00.000Z`);
  if ('days' in span) return dayOf(start.getTime() + span.days * DAY_MS);
  const [year, month] = [start.getUTCFullYear(), start.getUTCMonth() + span.months];
  const last = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return dayOf(Date.UTC(year, month, Math.min(start.getUTCDate(), last)));
}

// Not by Intl: answers must have the same bytes under every version of Node's locale data.
const MONTHS: Readonly<Record<Language, readonly string[]>> = {
  en: 'January February March April May June July August September October November December'.split(' '),
  es: 'enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre'.split(' '),
};

/** June 1, 2026; 1 de junio de 2026. */
export function dayInWords(day: string, language: Language): string {
  const [, year, month = '1', date] = DAY.exec(day) ?? [];
  const name = MONTHS[language][Number(month) - 1];
  return language === 'en' ? `${name} ${Number(date)}, ${year}` : `${Number(date)} de ${name} de ${year}`;
}

import type { PersonRecord } from './comparable.js';
import { digitsOf } from './names.js';

/** Typed text, parsed into parts of a person. */
interface TypedQuery {
  readonly record: PersonRecord;
  /** Possible identifiers of any system: `M-1000042`, a card number. */
  readonly identifierTexts: readonly string[];
}

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');

/** 2024-03-01, 20240301, 3/1/2024, 03-01-2024, 1 Mar 2024, March 1 2024, and a year alone. */
const DATE_FORMS: readonly (readonly [RegExp, (groups: readonly string[]) => string])[] = [
  [/\b((?:18|19|20)\d\d)[-/.](\d{1,2})[-/.](\d{1,2})\b/, ([y = '', m = '', d = '']) => ymd(y, m, d)],
  [/\b((?:18|19|20)\d\d)(0[1-9]|1[0-2])([0-2]\d|3[01])\b/, ([y = '', m = '', d = '']) => ymd(y, m, d)],
  // The order of the United States, unless the first number cannot be a month.
  [
    /\b(\d{1,2})[-/.](\d{1,2})[-/.]((?:18|19|20)\d\d)\b/,
    ([a = '', b = '', y = '']) => (Number(a) > 12 ? ymd(y, b, a) : ymd(y, a, b)),
  ],
  [
    /\b(\d{1,2})(?:st|nd|rd|th)?[ .]([a-z]{3,9})[ .,]+((?:18|19|20)\d\d)\b/i,
    ([d = '', m = '', y = '']) => named(y, m, d),
  ],
  [
    /\b([a-z]{3,9})[ .](\d{1,2})(?:st|nd|rd|th)?[ ,]+((?:18|19|20)\d\d)\b/i,
    ([m = '', d = '', y = '']) => named(y, m, d),
  ],
  [/(?:^|\s)((?:18|19|20)\d\d)(?=$|\s)/, ([y = '']) => y],
];

const two = (digits: string): string => digits.padStart(2, '0');

function ymd(year: string, month: string, day: string): string {
  const isDay = Number(month) >= 1 && Number(month) <= 12 && Number(day) >= 1 && Number(day) <= 31;
  return isDay ? `${year}-${two(month)}-${two(day)}` : '';
}

function named(year: string, month: string, day: string): string {
  const number = MONTHS.indexOf(month.slice(0, 3).toLowerCase()) + 1;
  return number === 0 ? '' : ymd(year, String(number), day);
}

/**
 * Parses typed text such as `smith, john 1970-01-31`, `Jon Smth 555-0100`, `123-45-6789` or `M-1000042`. Reads dates first,
 * then numbers, e-mail addresses and identifiers; the rest is a name. A comma means "family, given"; otherwise the last word
 * is the family name.
 */
export function readTypedQuery(text: string): TypedQuery {
  const { rest: dateless, date } = withoutDate(text.normalize('NFKC').trim());
  const words = dateless.split(/\s+/).filter((word) => word !== '');
  const emails = words.filter((word) => /^[^@\s,]+@[^@\s,]+$/.test(word));
  const isNumber = (word: string): boolean => /\d/.test(word) && !emails.includes(word);
  const numbers = words.filter(isNumber);
  const names = words.filter((word) => !emails.includes(word) && !isNumber(word)).join(' ');
  const digits = digitsOf(numbers.join(''));
  const looksLikePhone =
    digits.length >= 7 && digits.length <= 15 && numbers.every((word) => /^[-+().\d]+$/.test(word));
  const ssn = numbers.filter((word) => /^\d{3}-?\d{2}-?\d{4}$/.test(word));
  return {
    record: {
      ...nameOf(names),
      ...(date === '' ? {} : { birthDate: date }),
      ...(looksLikePhone ? { phones: [numbers.join(' ')] } : {}),
      ...(emails.length === 0 ? {} : { emails }),
      identifiers: ssn.map((value) => ({ system: 'ssn', value })),
    },
    identifierTexts: numbers,
  };
}

function withoutDate(text: string): { readonly rest: string; readonly date: string } {
  for (const [pattern, read] of DATE_FORMS) {
    const found = pattern.exec(text);
    if (!found) continue;
    const date = read(found.slice(1));
    if (date === '') continue;
    return { rest: `${text.slice(0, found.index)} ${text.slice(found.index + found[0].length)}`, date };
  }
  return { rest: text, date: '' };
}

function nameOf(text: string): Pick<PersonRecord, 'family' | 'given'> {
  const trimmed = text.replace(/^[\s,;]+|[\s,;]+$/g, '');
  if (trimmed === '') return {};
  const [before = '', after] = trimmed.split(/\s*,\s*/, 2);
  if (after !== undefined && after !== '') return { family: before, given: after.split(/\s+/) };
  const words = before.split(/\s+/);
  const family = words.pop() ?? '';
  return words.length === 0 ? { family } : { family, given: words };
}

import { stateOf } from '../../values/codes.js';
import { parseDate } from '../../values/dates.js';
import { formatCents, parseCents } from '../../values/money.js';
import { type FieldTable, fieldTable } from '../../values/payload.js';
import type { Segment, Warn } from './segment.js';

const POSITIVE = '{ABCDEFGHI';
const NEGATIVE = '}JKLMNOPQR';
const DIGITS_PATTERN = /^\d{1,11}$/;

/**
 * The decimal string of a dollar field (s9(6)v99): two implied decimals, the sign in the last character (`557{` is
 * 55.70, `100}` is -10.00). A plain last digit is positive; a written decimal point is accepted. Null if malformed.
 */
export function readAmount(text: string): string | null {
  const last = text.slice(-1);
  if (text.includes('.')) {
    const cents = parseCents(text);
    return cents === null ? null : formatCents(cents);
  }
  const plus = POSITIVE.indexOf(last);
  const minus = NEGATIVE.indexOf(last);
  const sign = last !== '' && minus !== -1 ? -1 : 1;
  const digit = sign === -1 ? String(minus) : plus === -1 || last === '' ? last : String(plus);
  const digits = text.slice(0, -1) + digit;
  if (!DIGITS_PATTERN.test(digits)) return null;
  const cents = Number(digits) * sign;
  return formatCents(cents === 0 ? 0 : cents);
}

/** The decimal string of a quantity (9(7)v999): three implied decimals; null if malformed. */
export function readQuantity(text: string): string | null {
  if (/^\d{1,10}\.\d{1,3}$/.test(text)) return text;
  if (!/^\d{1,12}$/.test(text)) return null;
  const digits = text.padStart(4, '0');
  return `${String(Number(digits.slice(0, -3)))}.${digits.slice(-3)}`;
}

export type Payload = Record<string, unknown>;
export type Find = (id: string) => Segment | undefined;

interface FieldReader {
  readonly code: string;
  readonly what: string;
  read(text: string): string | null;
}

/** How a field is read, by the mark before its id in a table (`amount=$D9`); without a mark it is a text. */
const READERS: ReadonlyMap<string, FieldReader> = new Map([
  ['$', { code: 'AMOUNT_UNREADABLE', what: 'amount', read: readAmount }],
  ['#', { code: 'QUANTITY_UNREADABLE', what: 'quantity', read: readQuantity }],
  // All zeros means that the sender left out the date.
  ['@', { code: 'DATE_UNREADABLE', what: 'date', read: (text) => (/^0*$/.test(text) ? '' : parseDate(text)) }],
  ['^', { code: '', what: 'state', read: (text) => stateOf(text, '') }],
]);

/** The most repetitions in one payload. */
export const LIST_LIMIT = 100;

/** Describes the segments of one transaction by tables; a malformed value is left out with a warning. */
export class Describer {
  readonly find: Find;
  readonly warn: Warn;

  constructor(find: Find, warn: Warn) {
    this.find = find;
    this.warn = warn;
  }

  /** The fields of a segment by payload name, without empty ones. */
  fields(segmentId: string, names: FieldTable): Payload {
    const segment = this.find(segmentId);
    return segment === undefined ? {} : this.#read(segment, (id) => segment.value(id), names);
  }

  /** Fields that repeat together. `others`: ids of the group that are not described. */
  *groups(segmentId: string, names: FieldTable, others: readonly string[] = []): Generator<Payload> {
    const segment = this.find(segmentId);
    if (segment === undefined) return;
    const ids = [...names.map(([, field]) => idOf(field)), ...others];
    for (const group of segment.repetitions(ids).slice(0, LIST_LIMIT))
      yield this.#read(segment, (id) => group.get(id) ?? '', names);
  }

  #read(segment: Segment, textOf: (id: string) => string, names: FieldTable): Payload {
    const found: Payload = {};
    for (const [name, field] of names) {
      const id = idOf(field);
      const text = textOf(id);
      const reader = READERS.get(field.slice(0, -2));
      const value = reader === undefined || text === '' ? text : reader.read(text);
      if (value === null) this.warn(reader?.code ?? '', `${id} has no valid ${reader?.what}`, segment);
      else if (value !== '') found[name] = value;
    }
    return found;
  }
}

/** Field ids have two characters. */
const idOf = (field: string): string => field.slice(-2);

/** AM01 of a request, AM29 of a response. */
export const PATIENT = fieldTable(
  'last_name=CB first_name=CA birth_date=@C4 gender=C5 state=^CO id=CY id_qualifier=CX residence=4X place_of_service=C7',
);

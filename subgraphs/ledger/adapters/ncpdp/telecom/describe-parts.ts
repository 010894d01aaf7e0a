import { stateOf } from '../../x12/codes.js';
import { compact } from '../../x12/compact.js';
import { parseDate } from '../../x12/dates.js';
import { readAmount, readQuantity } from './amounts.js';
import type { Segment } from './segment.js';
import type { Warn } from './transmission.js';

export type Payload = Record<string, unknown>;

/** Field ids and the names they have in a payload. */
export type Names = readonly (readonly [id: string, name: string])[];

/** The texts of a segment's fields under their names. */
export function textsOf(segment: Segment | undefined, names: Names): Payload {
  const found: Payload = {};
  if (segment !== undefined) for (const [id, name] of names) found[name] = segment.value(id);
  return found;
}

/** The dollar fields of a segment as decimal strings; one that holds no amount is left out with a warning. */
export function amountsOf(segment: Segment | undefined, names: Names, warn: Warn): Payload {
  const found: Payload = {};
  if (segment === undefined) return found;
  for (const [id, name] of names) {
    const amount = amountIn(segment.value(id), id, segment, warn);
    if (amount !== undefined) found[name] = amount;
  }
  return found;
}

export function amountIn(text: string, id: string, segment: Segment, warn: Warn): string | undefined {
  if (text === '') return undefined;
  const amount = readAmount(text);
  if (amount !== null) return amount;
  warn('AMOUNT_UNREADABLE', `${id} holds no amount`, segment);
  return undefined;
}

export function quantityOf(segment: Segment | undefined, id: string, warn: Warn): string | undefined {
  const text = segment?.value(id) ?? '';
  if (segment === undefined || text === '') return undefined;
  const quantity = readQuantity(text);
  if (quantity !== null) return quantity;
  warn('QUANTITY_UNREADABLE', `${id} holds no quantity`, segment);
  return undefined;
}

/** `YYYY-MM-DD` of a date field; undefined, with a warning, where it is no day. */
export function dayOf(segment: Segment | undefined, id: string, warn: Warn): string | undefined {
  const text = segment?.value(id) ?? '';
  // All zeros is a date left out by a sender that fills its fields.
  if (segment === undefined || /^0*$/.test(text)) return undefined;
  const day = parseDate(text);
  if (day !== null) return day;
  warn('DATE_UNREADABLE', `${id} holds no day`, segment);
  return undefined;
}

/** AM01 of a request, AM29 of a response. */
export function describePatient(segment: Segment | undefined, warn: Warn): Payload | undefined {
  if (segment === undefined) return undefined;
  const patient = compact({
    last_name: segment.value('CB'),
    first_name: segment.value('CA'),
    birth_date: dayOf(segment, 'C4', warn),
    gender: segment.value('C5'),
    state: stateOf(segment.value('CO'), ''),
    id: segment.value('CY'),
    id_qualifier: segment.value('CX'),
    residence: segment.value('4X'),
    place_of_service: segment.value('C7'),
  });
  return Object.keys(patient).length === 0 ? undefined : patient;
}

import { compact, filled } from '../../values/payload.js';
import { booleanAt, type Fields, fieldsAt, listAt, numberAt, textAt } from '../json/objects.js';
import { type Coded, codeOf, codingsOf, describeCoding, textsIn, wordsOf } from './codes.js';
import type { MappingContext } from './context.js';
import { describeIdentifiers, describePerson, identityOf, jurisdictionOf } from './identity.js';
import type { TimeSource } from './moments.js';
import type { References } from './references.js';

const LINKS_LIMIT = 50;

/** The outcome of a status; `unknown` with a warning for an unlisted one. */
export function outcomeBy(
  table: ReadonlyMap<string, string>,
  resource: Fields,
  context: MappingContext,
  status = textAt(resource, 'status'),
): string {
  const outcome = table.get(status);
  if (outcome === undefined && status !== 'unknown') context.warn('STATUS_UNKNOWN', 'the status is unknown', 'status');
  return outcome ?? 'unknown';
}

/** The members that every clinical resource has. `patientName` is the element that refers to the patient. */
export function commonOf(
  resource: Fields,
  context: MappingContext,
  patientName = 'subject',
): { memberId: string; payload: Record<string, unknown> } {
  const { memberId, memberBasis, patient } = identityOf(resource, patientName, context);
  return {
    memberId,
    payload: {
      status: textAt(resource, 'status'),
      identifiers: describeIdentifiers(resource),
      jurisdiction: jurisdictionOf(patient),
      patient: describePerson(patient),
      encounter: textAt(resource, 'encounter', 'reference'),
      based_on: linksOf(resource, 'basedOn'),
      part_of: linksOf(resource, 'partOf'),
      focus: linksOf(resource, 'focus'),
      member_basis: memberBasis,
    },
  };
}

/** The references of an element, as sent. */
export const linksOf = (resource: Fields, name: string): string[] =>
  textsIn(listAt(resource, name).slice(0, LINKS_LIMIT), 'reference');

/** The codes of a resource's reasons, and of the conditions that it refers to. */
export const reasonsOf = (resource: Fields, references: References, from = 'reasonReference'): Coded[] => [
  ...listAt(resource, 'reasonCode').flatMap(codingsOf),
  ...listAt(resource, from).flatMap((one) => codingsOf(fieldsAt(references.resolve(one).resource, 'code'))),
];

/** An element of the resource as a source of its time. */
export const timeAt = (resource: Fields, name: string, part?: string): TimeSource => ({
  name: part === undefined ? name : `${name}.${part}`,
  text: textAt(resource, name, part),
});

/** effective[x], else issued. */
export function observationTimes(resource: Fields): TimeSource[] {
  const period = textAt(resource, 'effectivePeriod', 'start') || textAt(resource, 'effectivePeriod', 'end');
  const during = { name: 'effectivePeriod.start', text: period };
  const [moment, instant] = [timeAt(resource, 'effectiveDateTime'), timeAt(resource, 'effectiveInstant')];
  return [moment, during, instant, timeAt(resource, 'issued')];
}

/** A measured value with its unit, range and flags. */
export function describeResult(element: Fields, { amounts }: MappingContext): Record<string, unknown> {
  const [coded] = codingsOf(fieldsAt(element, 'code'));
  const range = listAt(element, 'referenceRange')[0];
  const limit = (name: string): string => amounts.plain(numberAt(range, name, 'value')) ?? '';
  const bounds = [limit('low'), limit('high')];
  return compact({
    code: coded?.code,
    codes: codingsOf(fieldsAt(element, 'code')).map(describeCoding),
    name: wordsOf(fieldsAt(element, 'code')),
    value: valueInWords(element, amounts.plain(numberAt(element, 'valueQuantity', 'value'))),
    comparator: textAt(element, 'valueQuantity', 'comparator'),
    unit: textAt(element, 'valueQuantity', 'unit') || textAt(element, 'valueQuantity', 'code'),
    range: textAt(range, 'text') || (bounds.join('') === '' ? '' : bounds.join('-')),
    flags: filled(listAt(element, 'interpretation').map(codeOf)),
    value_codes: codingsOf(fieldsAt(element, 'valueCodeableConcept')).map(describeCoding),
    absent: codeOf(fieldsAt(element, 'dataAbsentReason')),
  });
}

/** The value[x] of an element in words. */
export function valueInWords(element: Fields, quantity: string | undefined): string | undefined {
  if (quantity !== undefined) return quantity;
  const flag = booleanAt(element, 'valueBoolean');
  if (flag !== undefined) return String(flag);
  const whole = numberAt(element, 'valueInteger');
  if (whole !== undefined) return String(whole);
  return (
    textAt(element, 'valueString') ||
    wordsOf(element['valueCodeableConcept']) ||
    textAt(element, 'valueDateTime') ||
    textAt(element, 'valueTime')
  );
}

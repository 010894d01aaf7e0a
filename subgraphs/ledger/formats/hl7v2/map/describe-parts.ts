import { describeMoment } from '../../values/hl7-timestamps.js';
import { decimalAmount } from '../../values/money.js';
import { compact, cutText, filled, unique } from '../../values/payload.js';
import type { Message } from '../message/message.js';
import type { Segment } from '../message/segment.js';
import { describeFields, fieldsOf } from './fields.js';
import { describeIdentifier, identifiersOf } from './identity.js';

type Described = Record<string, unknown>;

const NOTES_LIMIT = 20_000;

/** NTE-3: the sender's notes. */
export function notesOf(segments: readonly Segment[]): string {
  const notes = segments
    .filter(({ id }) => id === 'NTE')
    .flatMap((segment) => segment.repetitions(3).map((repetition) => segment.plain(repetition)));
  return cutText(filled(notes).join('\n'), NOTES_LIMIT);
}

/** PV1: the visit. */
export const VISIT = fieldsOf(
  'class=2 location=3l facility=3.4 admission_type=4 prior_location=6 visit_number=19 discharge_disposition=36 ' +
    'admitted_at=44m discharged_at=45m',
);

/** The fields that name providers, with their roles. */
const PROVIDER_FIELDS: ReadonlyMap<string, readonly (readonly [field: number, role: string])[]> = new Map([
  ['PV1', Object.entries({ attending: 7, referring: 8, consulting: 9, admitting: 17 }).map(([role, at]) => [at, role])],
  ['ORC', [[12, 'ordering'] as const]],
  ['OBR', [[16, 'ordering'] as const]],
  ['FT1', [[20, 'rendering'] as const, [21, 'ordering'] as const]],
  ['TXA', [[5, 'author'] as const, [9, 'author'] as const]],
]);
const PROVIDERS_LIMIT = 50;

export function describeProviders(segments: readonly Segment[]): Described[] {
  const providers: Described[] = [];
  const seen = new Set<string>();
  for (const segment of segments) {
    for (const [field, role] of PROVIDER_FIELDS.get(segment.id) ?? []) {
      for (const raw of segment.repetitions(field)) {
        const key = `${role} ${raw}`;
        const provider =
          seen.has(key) || providers.length >= PROVIDERS_LIMIT ? null : describeProvider(segment, raw, role);
        if (provider !== null) providers.push(provider);
        seen.add(key);
      }
    }
  }
  return providers;
}

/** XCN: an id is an NPI if its type or authority says so. */
function describeProvider(segment: Segment, raw: string, role: string): Described | null {
  const [id, last, first] = [segment.valueOf(raw, 1), segment.valueOf(raw, 2), segment.valueOf(raw, 3)];
  if (id === '' && last === '') return null;
  const isNpi = segment.valueOf(raw, 13) === 'NPI' || segment.valueOf(raw, 9) === 'NPI';
  return compact({ role, name: first === '' ? last : `${last}, ${first}`, [isNpi ? 'npi' : 'id']: id });
}

/** ORC, or the OBR if there is none. */
export const ORDER = fieldsOf(
  'control=ORC-1 placer_number=ORC-2|OBR-2 filler_number=ORC-3|OBR-3 group_number=ORC-4 status=ORC-5 ' +
    'ordered_at=ORC-9m service_at=OBR-7m priority=OBR-5|OBR-27.6 reason=OBR-31.2t|OBR-31t quantity=RXE-10|RXD-4|RXO-11 ' +
    'dose=RXE-3|RXO-2 dose_unit=RXE-5|RXO-4 refills=RXE-12|RXO-13 prescription_number=RXE-15|RXD-7 dispensed_at=RXD-3m',
);

const CHARGE_LINE = fieldsOf(
  'line=1 charge_code=7 description=7.2t|8t procedure_code=25 modifiers=26r quantity=10 place_of_service=16 ' +
    'department=13 posted_at=5m ndc=29',
);

/** FT1: the charge with its amounts as decimal strings, and its line as in claims. */
export function describeCharge(charge: Segment, message: Message, payload: Described): void {
  const total = amountOf(charge, 11, message);
  const unitPrice = amountOf(charge, 12, message);
  const currency = charge.value(11, 1, 2) || charge.value(11, 2);
  payload['transaction_id'] = charge.value(2);
  payload['transaction_type'] = charge.value(6);
  payload['amounts'] = compact({
    charge: total ?? unitPrice,
    unit_price: unitPrice,
    insurance: amountOf(charge, 15, message),
    unit_cost: amountOf(charge, 22, message),
    currency,
  });
  payload['service_period'] = periodOf(charge);
  payload['lines'] = [describeFields(charge, CHARGE_LINE)];
}

function periodOf(charge: Segment): Described | undefined {
  const from = describeMoment(charge.value(4)).slice(0, 10);
  if (from === '') return undefined;
  const to = describeMoment(charge.value(4, 2)).slice(0, 10);
  return { from, to: to === '' || to < from ? from : to };
}

/** CP or MO: the number is the first subcomponent of the first component. */
function amountOf(charge: Segment, field: number, message: Message): string | undefined {
  const raw = charge.value(field);
  if (raw === '') return undefined;
  const amount = decimalAmount(raw);
  if (amount === null)
    message.warn('AMOUNT_UNREADABLE', 'the amount is not a number of whole cents', { segment: charge, field });
  return amount ?? undefined;
}

/** RF1: the referral, its status (table 0283) as sent. */
export const REFERRAL = fieldsOf(
  'status=1 status_text=1.2t priority=2 type=3 category=5 number=6 external_number=11 effective_at=7m expires_at=8m ' +
    'processed_at=9m reason=10.2t|10t',
);

/** MRG: the numbers that PID-3 replaces. */
export function describeMerge(merge: Segment, payload: Described): void {
  payload['prior_ids'] = [1, 4].flatMap((field) => identifiersOf(merge, field)).map(describeIdentifier);
  payload['prior_accounts'] = unique(filled([merge.value(3), merge.value(5)]));
}

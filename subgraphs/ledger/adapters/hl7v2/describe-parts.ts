import { compact, unique } from '../x12/compact.js';
import { decimalAmount } from '../x12/money.js';
import { codedField, describeCoded } from './clinical-codes.js';
import { describeIdentifier, identifiersOf } from './identity.js';
import type { Message } from './message.js';
import type { Segment } from './segment.js';
import { describeMoment } from './timestamps.js';

type Described = Record<string, unknown>;

const notesLimit = 20_000;

/** NTE-3: what the sender wrote beside the codes. */
export function notesOf(segments: readonly Segment[]): string {
  const notes: string[] = [];
  for (const segment of segments) {
    if (segment.id !== 'NTE') continue;
    for (const repetition of segment.repetitions(3)) notes.push(segment.plain(repetition));
  }
  return notes
    .filter((note) => note !== '')
    .join('\n')
    .slice(0, notesLimit)
    .replace(/[\ud800-\udbff]$/, '');
}

/** PV1: the visit. */
export function describeVisit(visit: Segment): Described {
  return compact({
    class: visit.value(2),
    location: visit.repetitions(3).map((raw) =>
      [1, 2, 3, 4]
        .map((n) => visit.valueOf(raw, n))
        .filter(Boolean)
        .join(' '),
    )[0],
    facility: visit.value(3, 4),
    admission_type: visit.value(4),
    prior_location: visit.value(6),
    visit_number: visit.value(19),
    discharge_disposition: visit.value(36),
    admitted_at: describeMoment(visit.value(44)),
    discharged_at: describeMoment(visit.value(45)),
  });
}

/** Where providers stand, and what they did there. */
const providerFields: ReadonlyMap<string, readonly (readonly [field: number, role: string])[]> = new Map([
  [
    'PV1',
    [
      [7, 'attending'],
      [8, 'referring'],
      [9, 'consulting'],
      [17, 'admitting'],
    ] as const,
  ],
  ['ORC', [[12, 'ordering']] as const],
  ['OBR', [[16, 'ordering']] as const],
  [
    'FT1',
    [
      [20, 'rendering'],
      [21, 'ordering'],
    ] as const,
  ],
  [
    'TXA',
    [
      [5, 'author'],
      [9, 'author'],
    ] as const,
  ],
]);
const providersLimit = 50;

export function describeProviders(segments: readonly Segment[]): Described[] {
  const providers: Described[] = [];
  const seen = new Set<string>();
  for (const segment of segments) {
    for (const [field, role] of providerFields.get(segment.id) ?? []) {
      for (const raw of segment.repetitions(field)) {
        const key = `${role} ${raw}`;
        const provider =
          seen.has(key) || providers.length >= providersLimit ? null : describeProvider(segment, raw, role);
        if (provider !== null) providers.push(provider);
        seen.add(key);
      }
    }
  }
  return providers;
}

/** XCN: an id is an NPI where its type or authority says so. */
function describeProvider(segment: Segment, raw: string, role: string): Described | null {
  const [id, last, first] = [segment.valueOf(raw, 1), segment.valueOf(raw, 2), segment.valueOf(raw, 3)];
  if (id === '' && last === '') return null;
  const isNpi = segment.valueOf(raw, 13) === 'NPI' || segment.valueOf(raw, 9) === 'NPI';
  const name = first === '' ? last : `${last}, ${first}`;
  const provider: Described = { role };
  if (name !== '') provider['name'] = name;
  if (id !== '') provider[isNpi ? 'npi' : 'id'] = id;
  return provider;
}

/** ORC, or the OBR that stands for it. */
export function describeOrder(own: readonly Segment[]): Described {
  const orc = own.find(({ id }) => id === 'ORC');
  const obr = own.find(({ id }) => id === 'OBR');
  const rxe = own.find(({ id }) => id === 'RXE');
  const rxd = own.find(({ id }) => id === 'RXD');
  return compact({
    control: orc?.value(1),
    placer_number: orc?.value(2) || obr?.value(2),
    filler_number: orc?.value(3) || obr?.value(3),
    group_number: orc?.value(4),
    status: orc?.value(5),
    ordered_at: describeMoment(orc?.value(9) ?? ''),
    service_at: describeMoment(obr?.value(7) ?? ''),
    priority: obr?.value(5) || obr?.value(27, 6),
    reason: obr?.text(31, 2) || obr?.text(31),
    quantity: rxe?.value(10) || rxd?.value(4),
    dose: rxe?.value(3),
    dose_unit: rxe?.value(5),
    refills: rxe?.value(12),
    prescription_number: rxe?.value(15) || rxd?.value(7),
    dispensed_at: describeMoment(rxd?.value(3) ?? ''),
  });
}

/** FT1: the charge, its amounts as decimal strings, its line beside them as claims have lines. */
export function describeCharge(charge: Segment, message: Message, payload: Described): void {
  const total = amountOf(charge, 11, message);
  const unitPrice = amountOf(charge, 12, message);
  payload['transaction_id'] = charge.value(2);
  payload['transaction_type'] = charge.value(6);
  payload['amounts'] = compact({
    charge: total ?? unitPrice,
    unit_price: unitPrice,
    currency: charge.value(11, 1, 2) || charge.value(11, 2),
  });
  payload['service_period'] = periodOf(charge);
  payload['lines'] = [
    compact({
      line: charge.value(1),
      charge_code: charge.value(7),
      description: charge.text(7, 2) || charge.text(8),
      procedure_code: charge.value(25),
      modifiers: charge.repetitions(26).map((raw) => charge.valueOf(raw)),
      quantity: charge.value(10),
      place_of_service: charge.value(16),
    }),
  ];
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
    message.warn('AMOUNT_UNREADABLE', 'the amount is no number with whole cents', { segment: charge, field });
  return amount ?? undefined;
}

/** TXA: the document told of; its unique number joins its notices, its parent's number the versions. */
export function describeDocumentNotice(notice: Segment): Described {
  return compact({
    type: notice.value(2),
    type_text: notice.text(2, 2),
    activity_at: describeMoment(notice.value(4)),
    originated_at: describeMoment(notice.value(6)),
    number: notice.value(12) || notice.value(12, 3),
    parent_number: notice.value(13) || notice.value(13, 3),
    file_name: notice.text(16),
    completion_status: notice.value(17),
    confidentiality: notice.value(18),
    availability: notice.value(19),
  });
}

/** SCH and the resources behind it. */
export function describeAppointment(schedule: Segment, segments: readonly Segment[]): Described {
  const resources = segments
    .filter(({ id }) => id === 'AIS' || id === 'AIG' || id === 'AIL' || id === 'AIP')
    .slice(0, 100);
  return compact({
    placer_number: schedule.value(1),
    filler_number: schedule.value(2),
    reason: schedule.text(7, 2) || schedule.text(7),
    event_reason: schedule.text(6, 2) || schedule.text(6),
    type: schedule.text(8, 2) || schedule.text(8),
    duration: schedule.value(9),
    duration_unit: schedule.value(10),
    starts_at: describeMoment(schedule.value(11, 4)),
    ends_at: describeMoment(schedule.value(11, 5)),
    status: schedule.value(25),
    resources: resources.map((resource) => {
      const coded =
        resource.id === 'AIS' || resource.id === 'AIG'
          ? describeCoded(codedField(resource, 3))
          : { code: resource.value(3) };
      return compact({
        kind: resourceKinds[resource.id],
        ...coded,
        starts_at: describeMoment(resource.value(resource.id === 'AIS' ? 4 : resource.id === 'AIG' ? 8 : 6)),
      });
    }),
  });
}

const resourceKinds: Readonly<Record<string, string>> = {
  AIS: 'service',
  AIG: 'equipment',
  AIL: 'location',
  AIP: 'person',
};

/** RF1: the referral, its status (table 0283) as sent. */
export function describeReferral(referral: Segment): Described {
  return compact({
    status: referral.value(1),
    status_text: referral.text(1, 2),
    priority: referral.value(2),
    type: referral.value(3),
    category: referral.value(5),
    number: referral.value(6),
    external_number: referral.value(11),
    effective_at: describeMoment(referral.value(7)),
    expires_at: describeMoment(referral.value(8)),
    processed_at: describeMoment(referral.value(9)),
    reason: referral.text(10, 2) || referral.text(10),
  });
}

/** MRG: the numbers that PID-3 replaces. */
export function describeMerge(merge: Segment, payload: Described): void {
  payload['prior_ids'] = [1, 4].flatMap((field) => identifiersOf(merge, field)).map(describeIdentifier);
  payload['prior_accounts'] = unique([merge.value(3), merge.value(5)].filter((id) => id !== ''));
}

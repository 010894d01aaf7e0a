import { jurisdictionOf, stateOf } from '../../x12/codes.js';
import { compact, unique } from '../../x12/compact.js';
import { dottedIcd10, normalizeNdc } from '../ndc.js';
import { readQuantity } from './amounts.js';
import {
  amountIn,
  amountsOf,
  dayOf,
  describePatient,
  type Names,
  type Payload,
  quantityOf,
  textsOf,
} from './describe-parts.js';
import type { Segment } from './segment.js';
import type { Warn } from './transmission.js';

const pricing: Names = [
  ['D9', 'ingredient_cost'],
  ['DC', 'dispensing_fee'],
  ['BE', 'professional_service'],
  ['E3', 'incentive'],
  ['DX', 'patient_paid'],
  ['HA', 'flat_tax'],
  ['GE', 'percentage_tax'],
  ['DQ', 'usual_and_customary'],
  ['DU', 'gross_due'],
];
const listLimit = 100;

type Find = (id: string) => Segment | undefined;

/** The payload of one transaction of a request. `find` looks in the transaction's own segments, then in the shared ones. */
export function describeRequest(find: Find, warn: Warn): Payload {
  const claim = find('AM07');
  const payload: Payload = {
    claim_id: claim?.value('D2'),
    prescription: describePrescription(claim, warn),
    patient: describePatient(find('AM01'), warn),
    ...describeInsurance(find),
    providers: describeProviders(find),
    rationale: [find('AM16')?.value('BM') ?? '', find('AM12')?.value('PP') ?? '']
      .filter((text) => text !== '')
      .join('\n'),
    amounts: { ...amountsOf(find('AM11'), pricing, warn), other: otherAmounts(find('AM11'), warn) },
    other_payers: describeOtherPayers(find('AM05'), warn),
    utilization_review: describeReview(find('AM08')),
    ...describeAuthorization(claim, find('AM12'), warn),
  };
  payload['amounts'] = compact(payload['amounts'] as Payload);
  describeProducts(claim, find('AM10'), payload, warn);
  describeDiagnoses(find('AM13'), payload);
  payload['jurisdiction'] = jurisdictionOf(stateIn(find('AM01'), 'CO'), stateIn(find('AM15'), '3V'));
  return payload;
}

function stateIn(segment: Segment | undefined, id: string): { state: string } | null {
  return segment === undefined ? null : { state: stateOf(segment.value(id), '') };
}

function describePrescription(claim: Segment | undefined, warn: Warn): Payload | undefined {
  if (claim === undefined) return undefined;
  return compact({
    ...textsOf(claim, [
      ['D2', 'number'],
      ['EM', 'qualifier'],
      ['D3', 'fill_number'],
      ['D5', 'days_supply'],
      ['D6', 'compound_code'],
      ['D8', 'dispense_as_written'],
      ['DF', 'refills_authorized'],
      ['DJ', 'origin_code'],
      ['C8', 'other_coverage_code'],
      ['28', 'unit_of_measure'],
      ['DI', 'level_of_service'],
      ['HD', 'dispensing_status'],
      ['EN', 'associated_number'],
      ['NV', 'delay_reason'],
      ['U7', 'pharmacy_service_type'],
    ]),
    quantity: quantityOf(claim, 'E7', warn),
    quantity_prescribed: quantityOf(claim, 'ET', warn),
    written_date: dayOf(claim, 'DE', warn),
    submission_clarification_codes: claim.values('DK').slice(0, listLimit),
    procedure_modifiers: claim.values('ER').slice(0, listLimit),
  });
}

function describeInsurance(find: Find): Payload {
  const insurance = find('AM04');
  if (insurance === undefined) return { program: programOf(undefined, find('AM06')) };
  return {
    cardholder: compact(
      textsOf(insurance, [
        ['C2', 'id'],
        ['CC', 'first_name'],
        ['CD', 'last_name'],
        ['C3', 'person_code'],
        ['C6', 'relationship'],
        ['FO', 'plan_id'],
        ['N5', 'medicaid_id'],
        ['2B', 'medicaid_indicator'],
      ]),
    ),
    person_code: insurance.value('C3'),
    group_number: insurance.value('C1'),
    program: programOf(insurance, find('AM06')),
  };
}

/** 360-2B and 115-N5 are sent for Medicaid alone, AM06 for workers' compensation alone; no other field tells a program. */
function programOf(insurance: Segment | undefined, compensation: Segment | undefined): string | undefined {
  if (compensation !== undefined) return 'WorkersComp';
  const medicaid = insurance?.value('2B') || insurance?.value('N5') || '';
  return medicaid === '' ? undefined : 'Medicaid';
}

function describeProviders(find: Find): Payload[] {
  const prescriber = find('AM03');
  const pharmacist = find('AM02');
  const found = [
    {
      role: 'prescriber',
      ...textsOf(prescriber, [
        ['DB', 'id'],
        ['EZ', 'id_qualifier'],
        ['DR', 'last_name'],
        ['2J', 'first_name'],
        ['2N', 'state'],
      ]),
    },
    {
      role: 'primary_care',
      ...textsOf(prescriber, [
        ['DL', 'id'],
        ['2E', 'id_qualifier'],
        ['4E', 'last_name'],
      ]),
    },
    {
      role: 'pharmacist',
      ...textsOf(pharmacist, [
        ['E9', 'id'],
        ['EY', 'id_qualifier'],
      ]),
    },
  ];
  return found.map(compact).filter((provider) => Object.keys(provider).length > 1);
}

function otherAmounts(segment: Segment | undefined, warn: Warn): Payload[] {
  if (segment === undefined) return [];
  return segment
    .repetitions(['H8', 'H9'])
    .slice(0, listLimit)
    .map((one) => compact({ qualifier: one.get('H8'), amount: amountIn(one.get('H9') ?? '', 'H9', segment, warn) }));
}

/** Another payer's decision: its rejects are never this payer's. */
function describeOtherPayers(segment: Segment | undefined, warn: Warn): Payload[] {
  if (segment === undefined) return [];
  return segment
    .repetitions(['5C', '6C', '7C', 'E8', 'DV', '6E', 'A7'])
    .slice(0, listLimit)
    .map((one) =>
      compact({
        coverage_type: one.get('5C'),
        id_qualifier: one.get('6C'),
        id: one.get('7C'),
        internal_control_number: one.get('A7'),
        amount_paid: amountIn(one.get('DV') ?? '', 'DV', segment, warn),
        reject_code: one.get('6E'),
      }),
    )
    .filter((payer) => Object.keys(payer).length > 0);
}

function describeReview(segment: Segment | undefined): Payload[] {
  if (segment === undefined) return [];
  return segment
    .repetitions(['E4', 'E5', 'E6', '8E'])
    .slice(0, listLimit)
    .map((one) =>
      compact({ reason: one.get('E4'), service: one.get('E5'), result: one.get('E6'), effort: one.get('8E') }),
    );
}

function describeAuthorization(claim: Segment | undefined, prior: Segment | undefined, warn: Warn): Payload {
  const number = prior?.value('PY') || claim?.value('EV') || '';
  const authorization = compact({
    type_code: claim?.value('EU'),
    submitted_number: claim?.value('EV'),
    ...textsOf(prior, [
      ['PA', 'request_type'],
      ['PD', 'basis'],
      ['PY', 'assigned_number'],
      ['F3', 'claim_number'],
    ]),
    period_from: dayOf(prior, 'PB', warn),
    period_to: dayOf(prior, 'PC', warn),
  });
  return { authorization, authorization_number: /^0*$/.test(number) ? '' : number };
}

/** 407-D7, or the ingredients of a compound (489-TE). */
function describeProducts(
  claim: Segment | undefined,
  compound: Segment | undefined,
  payload: Payload,
  warn: Warn,
): void {
  const lines: Payload[] = [];
  const take = (raw: string, qualifier: string, more: Payload, segment: Segment): void => {
    // A single 0 stands in 407-D7 where the ingredients follow.
    if (/^0*$/.test(raw)) return;
    const ndc = qualifier === '03' ? normalizeNdc(raw) : raw;
    if (ndc === null) warn('NDC_UNREADABLE', 'a product id said to be an NDC has not eleven digits', segment);
    const code = ndc ?? raw;
    lines.push(compact({ procedure_code: code, ...(code !== raw && { raw }), qualifier, ...more }));
  };
  const quantity = quantityOf(claim, 'E7', warn);
  if (claim !== undefined) take(claim.value('D7'), claim.value('E1'), { quantity }, claim);
  if (compound !== undefined) {
    for (const one of compound.repetitions(['RE', 'TE', 'ED', 'EE']).slice(0, listLimit)) {
      const cost = amountIn(one.get('EE') ?? '', 'EE', compound, warn);
      take(
        one.get('TE') ?? '',
        one.get('RE') ?? '',
        { quantity: readQuantity(one.get('ED') ?? '') ?? undefined, ingredient_cost: cost },
        compound,
      );
    }
  }
  payload['procedure_codes'] = unique(lines.map(({ procedure_code }) => String(procedure_code)));
  payload['lines'] = lines;
}

/** 424-DO under the qualifier before it (492-WE: 02 ICD-10, 01 ICD-9). */
function describeDiagnoses(clinical: Segment | undefined, payload: Payload): void {
  if (clinical === undefined) return;
  const diagnoses: Payload[] = [];
  let qualifier = '';
  for (const { id, value } of clinical.fields) {
    if (id === 'WE') qualifier = value.trim();
    const raw = id === 'DO' ? value.trim().toUpperCase() : '';
    if (raw === '' || diagnoses.length >= listLimit) continue;
    const code = qualifier === '02' || qualifier === '01' || qualifier === '' ? dottedIcd10(raw) : raw;
    diagnoses.push(compact({ code, ...(code !== raw && { raw }), qualifier }));
  }
  payload['diagnosis_codes'] = unique(diagnoses.map(({ code }) => String(code)));
  payload['diagnoses'] = diagnoses;
}

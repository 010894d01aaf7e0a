import { compact, unique } from '../../x12/compact.js';
import { normalizeNdc } from '../ndc.js';
import { amountIn, amountsOf, dayOf, describePatient, type Names, type Payload, textsOf } from './describe-parts.js';
import type { Segment } from './segment.js';
import type { Warn } from './transmission.js';

const pricing: Names = [
  ['F5', 'patient_pay'],
  ['F6', 'ingredient_cost'],
  ['F7', 'dispensing_fee'],
  ['FL', 'incentive'],
  ['J1', 'professional_service'],
  ['AW', 'flat_tax'],
  ['AX', 'percentage_tax'],
  ['F9', 'total_paid'],
  ['FI', 'copay'],
  ['4U', 'coinsurance'],
  ['FH', 'applied_to_deductible'],
  ['FK', 'exceeding_maximum'],
  ['FN', 'sales_tax_to_patient'],
  ['J5', 'other_payer_recognized'],
  ['FC', 'accumulated_deductible'],
  ['FD', 'remaining_deductible'],
  ['FE', 'remaining_benefit'],
  ['NZ', 'processor_fee_to_patient'],
  ['G3', 'generic_savings'],
  ['UC', 'spending_account_remaining'],
  ['UD', 'plan_funded_assistance'],
  ['UJ', 'network_selection'],
  ['UK', 'brand_selection'],
  ['UM', 'nonpreferred_selection'],
  ['UN', 'brand_nonpreferred_selection'],
  ['UP', 'coverage_gap'],
];
const listLimit = 100;
const rationaleLimit = 20_000;

type Find = (id: string) => Segment | undefined;

/** The payload of one transaction of a response. */
export function describeResponse(find: Find, warn: Warn): Payload {
  const status = find('AM21');
  const claim = find('AM22');
  const insurance = find('AM25');
  const prior = find('AM26');
  const assigned = prior?.value('PY') ?? '';
  const number = status?.value('F3') ?? '';
  return {
    claim_id: claim?.value('D2'),
    payer_claim_id: status?.value('A7') || claim?.value('A7'),
    // 503-F3 is the processor's authorization of what was asked; the claim's own number there is 993-A7.
    authorization_number: assigned || number,
    prescription: compact(
      textsOf(claim, [
        ['D2', 'number'],
        ['EM', 'qualifier'],
      ]),
    ),
    response_status: status?.value('AN'),
    ...describeRejects(status, warn),
    approved_message_codes: status?.values('6F').slice(0, listLimit),
    rationale: rationaleOf(status, find('AM20')),
    amounts: compact({ ...amountsOf(find('AM23'), pricing, warn), other: otherAmounts(find('AM23'), warn) }),
    basis_of_reimbursement: find('AM23')?.value('FM'),
    patient: describePatient(find('AM29'), warn),
    cardholder: compact({ id: insurance?.value('C2'), plan_id: insurance?.value('FO') }),
    group_number: insurance?.value('C1'),
    network_id: insurance?.value('2F'),
    preferred_products: describePreferred(claim),
    utilization_review: describeReview(find('AM24')),
    authorization: describeAuthorization(prior, warn),
    help_desk: status?.value('8F'),
    jurisdiction: 'US',
  };
}

/** 511-FB: not CARCs, so they stand in a field of their own. */
function describeRejects(status: Segment | undefined, warn: Warn): Payload {
  if (status === undefined) return {};
  const rejects = status
    .repetitions(['FB', '4F'])
    .slice(0, listLimit)
    .flatMap((one) => {
      const code = (one.get('FB') ?? '').toUpperCase();
      if (code === '') return [];
      if (!/^[0-9A-Z]{1,3}$/.test(code)) {
        warn('REJECT_UNREADABLE', '511-FB holds no reject code', status);
        return [];
      }
      return [compact({ code, occurrence: one.get('4F') })];
    });
  const declared = status.value('FA');
  if (declared !== '' && Number(declared) !== rejects.length) {
    warn('REJECT_COUNT_MISMATCH', `510-FA does not say the ${rejects.length} reject codes there are`, status);
  }
  const codes = unique(rejects.map(({ code }) => String(code)));
  return { reject_codes: codes, rejects: rejects.some(({ occurrence }) => occurrence !== undefined) ? rejects : [] };
}

/** 526-FQ in the order of 132-UH, where 131-UG says that a text goes on; then 504-F4. */
function rationaleOf(status: Segment | undefined, message: Segment | undefined): string {
  const pieces = status?.repetitions(['UH', 'FQ', 'UG']).slice(0, listLimit) ?? [];
  const ordered = pieces.toSorted((a, b) => Number(a.get('UH') ?? 0) - Number(b.get('UH') ?? 0) || 0);
  let text = '';
  let goesOn = false;
  for (const piece of ordered) {
    const words = piece.get('FQ') ?? '';
    if (words !== '') text += text === '' || goesOn ? words : `\n${words}`;
    goesOn = piece.get('UG') === '+';
  }
  const more = [status?.value('F4') ?? '', message?.value('F4') ?? ''];
  return [text, ...more]
    .filter((words) => words !== '')
    .join('\n')
    .slice(0, rationaleLimit)
    .replace(/[\ud800-\udbff]$/, '');
}

function otherAmounts(segment: Segment | undefined, warn: Warn): Payload[] {
  if (segment === undefined) return [];
  return segment
    .repetitions(['J3', 'J4'])
    .slice(0, listLimit)
    .map((one) => compact({ qualifier: one.get('J3'), amount: amountIn(one.get('J4') ?? '', 'J4', segment, warn) }));
}

function describePreferred(claim: Segment | undefined): Payload[] {
  if (claim === undefined) return [];
  return claim
    .repetitions(['AP', 'AR', 'AU'])
    .slice(0, listLimit)
    .map((one) => {
      const raw = one.get('AR') ?? '';
      const code = one.get('AP') === '03' ? (normalizeNdc(raw) ?? raw) : raw;
      return compact({ qualifier: one.get('AP'), code, description: one.get('AU') });
    });
}

function describeReview(segment: Segment | undefined): Payload[] {
  if (segment === undefined) return [];
  return segment
    .repetitions(['E4', 'FS', 'FW', 'FY', 'NS'])
    .slice(0, listLimit)
    .map((one) =>
      compact({ reason: one.get('E4'), significance: one.get('FS'), message: one.get('FY'), text: one.get('NS') }),
    );
}

function describeAuthorization(prior: Segment | undefined, warn: Warn): Payload | undefined {
  if (prior === undefined) return undefined;
  return compact({
    assigned_number: prior.value('PY'),
    processed_date: dayOf(prior, 'PR', warn),
    effective_date: dayOf(prior, 'PS', warn),
    expiration_date: dayOf(prior, 'PT', warn),
    refills_authorized: prior.value('PW'),
    ...amountsOf(prior, [['RB', 'dollars_authorized']], warn),
  });
}

import type { Part } from '../../adapter.js';
import { describeAdjustment, reasonCodes } from '../adjustments.js';
import { jurisdictionOf, programOf } from '../codes.js';
import { compact, unique } from '../compact.js';
import type { Period } from '../dates.js';
import { type EffectiveTime, effectiveTime } from '../effective-time.js';
import { memberMissing, sourceRecordId } from '../item-state.js';
import { formatCents } from '../money.js';
import { describeOrganization, describePerson } from '../parties.js';
import type { TransactionContext } from '../transaction-context.js';
import { type RemitOutcome, remitOutcome } from './outcome.js';
import type { PaidLine, Payment, RemitClaim } from './remit-state.js';

/** What the claim payments of one payment have in common; made once for all of them. */
export interface PaymentFacts {
  readonly time: EffectiveTime;
  readonly jurisdiction: string;
  readonly payment: Record<string, unknown>;
}

export function paymentFacts(payment: Payment, { options }: TransactionContext): PaymentFacts {
  const sources = [
    { date: payment.date, time: '', dateName: 'BPR16' },
    { date: payment.productionDate, time: '', dateName: 'DTM02 (405)' },
  ];
  return {
    time: effectiveTime(sources, options),
    jurisdiction: jurisdictionOf(payment.payee, payment.payer),
    payment: describePayment(payment),
  };
}

/** Gives the event of one claim payment, and an exception when nobody is its member. */
export function emitRemit(claim: RemitClaim, part: Part, facts: PaymentFacts, context: TransactionContext): void {
  const { sourceSystem } = context.header;
  const { time } = facts;
  if (time.received)
    claim.warnings.push({
      code: 'DATE_MISSING',
      message: 'neither BPR16 nor DTM*405 holds a date: the time of receipt is taken',
      segment: 'BPR',
      element: 16,
    });
  const outcome = outcomeOf(claim);
  const memberId =
    [claim.patient, claim.insured, claim.corrected].find((party) => party !== null && party.id !== '')?.id ?? '';
  const index = context.event({
    envelope: {
      event_family: 'remittance',
      event_type: eventType(claim),
      source_system: sourceSystem,
      source_record_id: sourceRecordId(context, claim.ordinal, claim.claimId),
      event_effective_timestamp: time.timestamp,
      ...(memberId !== '' && { member_id: memberId }),
      outcome,
      payload: compact(describeRemit(claim, facts)),
    },
    transaction: '835',
    part,
    position: claim.position,
    warnings: claim.warnings,
    duplicateKeyOmitsTime: time.received,
  });
  if (memberId !== '') return;
  const message = 'no NM1*QC, NM1*IL or NM1*74 of the claim payment holds a member id';
  const { position } = claim;
  memberMissing(context, { index, message, segment: 'CLP', position, part });
}

function eventType(claim: RemitClaim): string {
  if (claim.statusCode === '22') return 'claim_reversed';
  return claim.statusCode === '25' ? 'claim_estimated' : 'claim_adjudicated';
}

function outcomeOf(claim: RemitClaim): RemitOutcome {
  const outcome = remitOutcome({ ...claim, claimAdjustments: claim.adjustments });
  if (outcome !== null) return outcome;
  const { position } = claim;
  claim.warnings.push({
    code: 'STATUS_UNKNOWN',
    message: 'the claim status code is not known',
    segment: 'CLP',
    element: 2,
    position,
  });
  return 'unknown';
}

function describeRemit(claim: RemitClaim, facts: PaymentFacts): Record<string, unknown> {
  const { lines } = claim;
  return {
    claim_id: claim.claimId,
    payer_claim_id: claim.payerClaimId,
    status_code: claim.statusCode,
    facility_code: claim.facilityCode,
    frequency_code: claim.frequency,
    procedure_codes: unique(lines.map(({ procedureCode }) => procedureCode).filter((code) => code !== '')),
    jurisdiction: facts.jurisdiction,
    program: programOf(claim.filingCode),
    program_code: claim.filingCode,
    carc: reasonCodes(ofAll(claim, claim.adjustments, (line) => line.adjustments)),
    rarc: unique(ofAll(claim, claim.remarks, (line) => line.remarks)),
    reject_codes: unique(claim.rejectCodes),
    adjustments: describeAdjustments(claim),
    amounts: compact({
      charge: formatCents(claim.chargeCents),
      paid: formatCents(claim.paidCents),
      member_share: claim.memberShare,
    }),
    lines: lines.map(describeLine),
    recoded: lines.some(({ submittedCode }) => submittedCode !== '') ? true : undefined,
    service_period: periodOf(claim),
    patient: claim.patient === null ? undefined : describePerson(claim.patient),
    subscriber: claim.insured === null ? undefined : describePerson(claim.insured),
    corrected_patient: claim.corrected === null ? undefined : describePerson(claim.corrected),
    providers: claim.rendering === null ? undefined : [describeOrganization(claim.rendering, 'rendering')],
    prior_authorizations: unique(ofAll(claim, claim.authorizations, (line) => line.authorizations)),
    payment: facts.payment,
    timestamp_basis: facts.time.basis,
  };
}

/** The claim's own, then those of its lines; loops, for most are empty and there are many. */
function ofAll<T>(claim: RemitClaim, own: readonly T[], of: (line: PaidLine) => readonly T[]): T[] {
  const all = [...own];
  for (const line of claim.lines) for (const one of of(line)) all.push(one);
  return all;
}

function describeAdjustments(claim: RemitClaim): Record<string, unknown>[] {
  const described = claim.adjustments.map((adjustment) => describeAdjustment(adjustment, 'claim'));
  for (const { number, adjustments } of claim.lines) {
    for (const adjustment of adjustments) described.push(describeAdjustment(adjustment, 'line', number));
  }
  return described;
}

function describeLine(line: PaidLine): Record<string, unknown> {
  return compact({
    line: line.number,
    qualifier: line.qualifier,
    procedure_code: line.procedureCode,
    modifiers: line.modifiers,
    submitted_code: line.submittedCode,
    revenue_code: line.revenueCode,
    charge: formatCents(line.chargeCents),
    paid: formatCents(line.paidCents),
    quantity: line.quantity,
    service_period:
      line.from === '' && line.to === '' ? undefined : { from: line.from || line.to, to: line.to || line.from },
    control_number: line.controlNumber,
    policies: line.policies,
    remarks: line.remarks,
  });
}

/** The claim's own dates (232, 233), else the first to the last day of its lines. */
function periodOf(claim: RemitClaim): Period | undefined {
  const own = claim.period.from ?? claim.period.to;
  if (own !== undefined) return { from: own, to: claim.period.to ?? own };
  const days = claim.lines
    .flatMap(({ from, to }) => [from, to])
    .filter((day) => day !== '')
    .sort();
  const [from] = days;
  return from === undefined ? undefined : { from, to: days.at(-1) ?? from };
}

/** The payment in an event's payload and in the transaction's item. */
export function describePayment(payment: Payment): Record<string, unknown> {
  return compact({
    amount: payment.cents === null ? undefined : formatCents(payment.cents),
    handling: payment.handling,
    method: payment.method,
    trace_number: payment.traceNumber,
    payer: payment.payer === null ? undefined : describeOrganization(payment.payer),
    payee: payment.payee === null ? undefined : describeOrganization(payment.payee),
  });
}

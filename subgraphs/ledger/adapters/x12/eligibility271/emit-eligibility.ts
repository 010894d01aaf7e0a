import type { Part } from '../../adapter.js';
import { jurisdictionOf } from '../codes.js';
import { compact, unique } from '../compact.js';
import { effectiveTime } from '../effective-time.js';
import { levelAbove, memberOf } from '../hierarchy.js';
import { memberMissing, sourceRecordId } from '../item-state.js';
import { describeOrganization, describePerson } from '../parties.js';
import type { TransactionContext } from '../transaction-context.js';
import type { Benefit, Eligibility, EligibilityHeader } from './eligibility-state.js';
import { eligibilityOutcome, programOfInsurance } from './outcome.js';

/** Gives the event of one subscriber or dependent, and an exception when nobody is its member. */
export function emitEligibility(
  item: Eligibility,
  part: Part,
  header: EligibilityHeader,
  context: TransactionContext,
): void {
  const time = effectiveTime(
    [{ date: header.date, time: header.time, dateName: 'BHT04', timeName: 'BHT05' }],
    context.options,
  );
  if (time.received) {
    const message = 'BHT04 holds no date: the time of receipt is taken';
    item.warnings.push({ code: 'DATE_MISSING', message, segment: 'BHT', element: 4 });
  }
  const { memberId, subscriber, patient } = memberOf(item.level);
  const outcome = eligibilityOutcome(item);
  if (outcome === 'unknown') {
    item.warnings.push({
      code: 'STATUS_UNKNOWN',
      message: 'no EB01 tells whether the coverage is active',
      segment: 'EB',
    });
  }
  const payer = levelAbove(item.level, '20')?.party ?? null;
  const receiver = levelAbove(item.level, '21')?.party ?? null;
  const index = context.event({
    envelope: {
      event_family: 'eligibility',
      event_type: 'eligibility_reported',
      source_system: context.header.sourceSystem,
      source_record_id: sourceRecordId(context, item.ordinal, item.traces[0] ?? header.reference),
      event_effective_timestamp: time.timestamp,
      ...(memberId !== '' && { member_id: memberId }),
      outcome,
      payload: compact({
        trace_numbers: item.traces,
        ...describeCoverage(item),
        jurisdiction: jurisdictionOf(patient, subscriber, payer),
        subscriber: subscriber === null ? undefined : describePerson(subscriber),
        patient: patient === null ? undefined : describePerson(patient),
        relationship: item.relationship,
        payer: payer === null ? undefined : describeOrganization(payer),
        receiver: receiver === null ? undefined : describeOrganization(receiver),
        submission_reference: header.reference,
        timestamp_basis: time.basis,
      }),
    },
    transaction: '271',
    part,
    position: item.position,
    warnings: item.warnings,
    duplicateKeyOmitsTime: time.received,
  });
  if (memberId !== '') return;
  const message = 'no NM1*IL or NM1*03 of the subscriber or dependent names a member';
  memberMissing(context, { index, message, segment: 'HL', position: item.position, part });
}

function describeCoverage(item: Eligibility): Record<string, unknown> {
  const { benefits, rejections, dates } = item;
  const first = (field: 'plan' | 'insuranceType'): string =>
    benefits.find((benefit) => benefit[field] !== '')?.[field] ?? '';
  const referenced = (...qualifiers: string[]): string | undefined =>
    item.references.find(({ qualifier }) => qualifiers.includes(qualifier))?.value;
  const insuranceType = first('insuranceType');
  const begins = dates.get('346')?.from ?? dates.get('356')?.from;
  const ends = dates.get('347')?.to ?? dates.get('357')?.to;
  return {
    plan: first('plan'),
    program: programOfInsurance(insuranceType),
    program_code: insuranceType,
    group_number: referenced('6P', '18'),
    coverage_period: dates.get('291') ?? dates.get('307') ?? compact({ from: begins, to: ends }),
    service_period: dates.get('472'),
    rejections: rejections.map(({ valid, reason, followUp }) => compact({ valid, reason, follow_up: followUp })),
    decision_reason: unique(rejections.map(({ reason }) => reason).filter((reason) => reason !== '')),
    procedure_codes: unique(benefits.map(({ procedureCode }) => procedureCode).filter((code) => code !== '')),
    benefits: benefits.map(describeBenefit),
  };
}

function describeBenefit(benefit: Benefit): Record<string, unknown> {
  return compact({
    information: benefit.information,
    coverage_level: benefit.coverageLevel,
    service_types: benefit.serviceTypes,
    insurance_type: benefit.insuranceType,
    plan: benefit.plan,
    time_period: benefit.timePeriod,
    amount: benefit.amount,
    percent: benefit.percent,
    quantity_qualifier: benefit.quantityQualifier,
    quantity: benefit.quantity,
    authorization_required: benefit.authorizationRequired,
    in_network: benefit.inNetwork,
    procedure_code: benefit.procedureCode,
    notes: benefit.notes,
  });
}

import type { Part } from '../../adapter.js';
import { jurisdictionOf } from '../codes.js';
import { compact, unique } from '../compact.js';
import { effectiveTime } from '../effective-time.js';
import { levelAbove, memberOf } from '../hierarchy.js';
import { memberMissing, sourceRecordId } from '../item-state.js';
import { describeOrganization, describePerson } from '../parties.js';
import type { TransactionContext } from '../transaction-context.js';
import { statusOutcome } from './outcome.js';
import type { ClaimStatus, Status, StatusHeader, StatusLine } from './status-state.js';

/** 277CA (005010X214) is the payer's answer to a claim; the other guides answer a 276. */
export function isClaimAcknowledgment(header: StatusHeader, context: TransactionContext): boolean {
  const { st03, gs08 } = context.header;
  return header.structure === '0085' || header.type === 'TH' || (st03 || gs08).includes('X214');
}

/** Gives the event of one claim's status, and an exception when nobody is its member. */
export function emitStatus(claim: ClaimStatus, part: Part, header: StatusHeader, context: TransactionContext): void {
  const time = effectiveTime(
    [{ date: header.date, time: header.time, dateName: 'BHT04', timeName: 'BHT05' }],
    context.options,
  );
  if (time.received) {
    const message = 'BHT04 holds no date: the time of receipt is taken';
    claim.warnings.push({ code: 'DATE_MISSING', message, segment: 'BHT', element: 4 });
  }
  const acknowledges = isClaimAcknowledgment(header, context);
  const claimId = referenced(claim, 'EJ') || (acknowledges ? claim.trace : '');
  const { memberId, subscriber, patient } = memberOf(claim.level);
  const provider = levelAbove(claim.level, '19')?.party ?? null;
  const transaction = acknowledges ? '277CA' : '277';
  const index = context.event({
    envelope: {
      event_family: 'claim',
      event_type: 'claim_status_reported',
      source_system: context.header.sourceSystem,
      source_record_id: sourceRecordId(context, claim.ordinal, claimId || claim.trace),
      event_effective_timestamp: time.timestamp,
      ...(memberId !== '' && { member_id: memberId }),
      outcome: outcomeOf(claim),
      payload: compact({
        claim_id: claimId,
        payer_claim_id: referenced(claim, '1K'),
        trace_numbers: claim.trace === '' ? [] : [claim.trace],
        ...describeStatus(claim),
        jurisdiction: jurisdictionOf(patient, subscriber, provider, header.payer),
        subscriber: subscriber === null ? undefined : describePerson(subscriber),
        patient: patient === null ? undefined : describePerson(patient),
        payer: header.payer === null ? undefined : describeOrganization(header.payer),
        receiver: header.receiver === null ? undefined : describeOrganization(header.receiver),
        providers: provider === null ? undefined : [describeOrganization(provider, 'billing')],
        timestamp_basis: time.basis,
      }),
    },
    transaction,
    part,
    position: claim.position,
    warnings: claim.warnings,
    duplicateKeyOmitsTime: time.received,
  });
  if (memberId !== '') return;
  const message = 'no NM1*IL or NM1*QC above the status names a member for it';
  memberMissing(context, { index, message, segment: claim.opener, position: claim.position, part });
}

function outcomeOf(claim: ClaimStatus): string {
  // Some answer for the services alone.
  const statuses = claim.statuses.length > 0 ? claim.statuses : claim.lines.flatMap((line) => line.statuses);
  const outcomes = statuses.map(statusOutcome);
  const [first] = outcomes;
  if (first === null || first === undefined) {
    const message = 'the category of the status is not known';
    claim.warnings.push({ code: 'STATUS_UNKNOWN', message, segment: 'STC', element: 1 });
    return 'unknown';
  }
  if (outcomes.some((outcome) => outcome !== first)) {
    const message = 'the statuses of the claim say different things; the first is taken';
    claim.warnings.push({ code: 'STATUS_DIFFERS', message, segment: 'STC' });
  }
  return first;
}

function describeStatus(claim: ClaimStatus): Record<string, unknown> {
  const [first] = claim.statuses;
  const { lines, period } = claim;
  const codes = lines.map(({ procedureCode }) => procedureCode).filter((code) => code !== '');
  const days = lines.flatMap((line) => (line.period === null ? [] : [line.period.from, line.period.to])).sort();
  const [from] = days;
  return {
    status_category: first?.codes[0]?.category,
    status_code: first?.codes[0]?.code,
    status_date: first?.date,
    statuses: claim.statuses.map(describeOne),
    rationale: claim.statuses
      .map(({ note }) => note)
      .filter((note) => note !== '')
      .join('\n'),
    amounts: compact({ charge: first?.charge, paid: first?.paid }),
    procedure_codes: unique(codes),
    lines: lines.map(describeLine),
    service_period: period ?? (from === undefined ? undefined : { from, to: days.at(-1) ?? from }),
    bill_type: referenced(claim, 'BLT'),
    prescription_number: referenced(claim, 'XZ'),
    clearinghouse_claim_id: referenced(claim, 'D9'),
    group_number: referenced(claim, '6P'),
  };
}

function describeOne({ codes, date, action, charge, paid }: Status): Record<string, unknown> {
  return compact({
    codes: codes.map(({ category, code, entity }) => compact({ category, code, entity })),
    date,
    action,
    charge,
    paid,
  });
}

function describeLine(line: StatusLine, at: number): Record<string, unknown> {
  return compact({
    line: at + 1,
    qualifier: line.qualifier,
    procedure_code: line.procedureCode,
    modifiers: line.modifiers,
    revenue_code: line.revenueCode,
    charge: line.charge,
    paid: line.paid,
    quantity: line.quantity,
    control_number: line.controlNumber,
    service_period: line.period,
    statuses: line.statuses.map(describeOne),
  });
}

function referenced({ references }: ClaimStatus, qualifier: string): string {
  return references.find((one) => one.qualifier === qualifier)?.value ?? '';
}

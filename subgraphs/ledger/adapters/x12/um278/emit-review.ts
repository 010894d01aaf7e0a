import type { Part } from '../../adapter.js';
import { effectiveTime } from '../effective-time.js';
import { memberOf } from '../hierarchy.js';
import { memberMissing, sourceRecordId } from '../item-state.js';
import type { TransactionContext } from '../transaction-context.js';
import { describeReview } from './describe-review.js';
import { type Direction, directionOf, eventType } from './direction.js';
import { reviewOutcome } from './outcome.js';
import type { ReviewEvent, ReviewHeader } from './review-state.js';

/** Gives the event of one patient event, and an exception when nobody is its member. Returns its direction. */
export function emitReview(
  event: ReviewEvent,
  part: Part,
  header: ReviewHeader,
  context: TransactionContext,
): Direction {
  const time = effectiveTime(
    [{ date: header.date, time: header.time, dateName: 'BHT04', timeName: 'BHT05' }],
    context.options,
  );
  if (time.received) warn(event, 'DATE_MISSING', 'BHT04 holds no date: the time of receipt is taken', 'BHT', 4);
  const { direction, type, outcome } = judge(event, header, context);
  const { memberId, subscriber, patient } = memberOf(event.level);
  const traced = [event, ...event.services].flatMap(({ traces }) => traces)[0]?.number ?? '';
  const index = context.event({
    envelope: {
      event_family: 'prior_authorization',
      event_type: type,
      source_system: context.header.sourceSystem,
      source_record_id: sourceRecordId(context, event.ordinal, traced || header.reference),
      event_effective_timestamp: time.timestamp,
      ...(memberId !== '' && { member_id: memberId }),
      outcome,
      payload: { ...describeReview(event, header, { subscriber, patient }), direction, timestamp_basis: time.basis },
    },
    transaction: '278',
    part,
    position: event.position,
    warnings: event.warnings,
    duplicateKeyOmitsTime: time.received,
  });
  if (memberId === '') {
    const message = 'no NM1*IL or NM1*QC above the event names a member for it';
    memberMissing(context, { index, message, segment: 'HL', position: event.position, part });
  }
  return direction;
}

function judge(
  event: ReviewEvent,
  header: ReviewHeader,
  context: TransactionContext,
): { direction: Direction; type: string; outcome: string } {
  const found = directionOf(event, header, context.header);
  if (found === null) warn(event, 'PURPOSE_UNKNOWN', 'neither BHT02 nor the guide tells what this is', 'BHT', 2);
  const direction = found ?? 'request';
  const decided = reviewOutcome(event, event.services);
  const certification = (event.review ?? event.services[0]?.review)?.certification ?? '';
  const type = eventType(direction, certification, decided === 'rejected');
  if (type === null) warn(event, 'CODE_UNKNOWN', 'the certification type is not known', 'UM', 2);
  if (direction !== 'response') {
    const outcome = direction === 'notification' ? 'recorded' : 'submitted';
    return { direction, type: type ?? 'authorization_requested', outcome };
  }
  if (decided === null) warn(event, 'DECISION_MISSING', 'an answer without HCR or AAA', 'HL');
  else if (decided === 'unknown') warn(event, 'STATUS_UNKNOWN', 'the review action is not known', 'HCR', 1);
  return { direction, type: type ?? 'authorization_decided', outcome: decided ?? 'unknown' };
}

/** Warnings of the event as a whole carry no position: their segments stand elsewhere. */
function warn(event: ReviewEvent, code: string, message: string, segment: string, element?: number): void {
  event.warnings.push({ code, message, segment, ...(element !== undefined && { element }) });
}

import type { LedgerEventView } from '../../../../shared/contracts/event-reads.js';
import { isDay } from './calendar.js';
import type { Asked } from './decision.js';

/**
 * Source of the day that starts the time to appeal. NOTICE: `payload.notice_date`, from a sender that has the letter. ISSUED:
 * DTM*102 of a 278. PAYMENT: a remittance. EVENT: the effective time. RECEIVED: the message had no time.
 */
export type NoticeBasis = 'NOTICE' | 'ISSUED' | 'PAYMENT' | 'EVENT' | 'RECEIVED' | 'NONE';

export interface NoticeDate {
  readonly day: string | null;
  readonly basis: NoticeBasis;
}

type Noticed = Pick<LedgerEventView, 'effective_at' | 'event_family' | 'payload'>;

/** Returns the day of the notice in UTC; it may be one day later than the letter's if the sender's zone is behind UTC. */
export function noticeDateOf(event: Noticed, asked: Asked): NoticeDate {
  const { payload, effective_at, event_family } = event;
  const stated = (name: string): string | null => {
    const value = payload[name];
    return typeof value === 'string' && isDay(value.slice(0, 10)) ? value.slice(0, 10) : null;
  };
  const notice = stated('notice_date');
  if (notice !== null) return { day: notice, basis: 'NOTICE' };
  const issued = asked === 'REQUEST' ? stated('issued') : null;
  if (issued !== null) return { day: issued, basis: 'ISSUED' };
  if (effective_at === null) return { day: null, basis: 'NONE' };
  const day = effective_at.slice(0, 10);
  if (payload['timestamp_basis'] === 'received') return { day, basis: 'RECEIVED' };
  // A claim and its status report state no payment.
  return { day, basis: event_family?.toLowerCase() === 'remittance' ? 'PAYMENT' : 'EVENT' };
}

import type { TransactionHeader } from '../transaction-context.js';
import type { ReviewEvent, ReviewHeader } from './review-state.js';

export type Direction = 'request' | 'response' | 'cancellation' | 'notification' | 'inquiry';

/**
 * What a 278 is: an answer where one is given (HCR, AAA) or BHT02 says so, else by BHT02. ST03 and GS08 come last, for
 * published examples carry the wrong guide; null when nothing tells.
 */
export function directionOf(
  event: ReviewEvent,
  header: Pick<ReviewHeader, 'purpose'>,
  versions: Pick<TransactionHeader, 'st03' | 'gs08'>,
): Direction | null {
  const parts = [event, ...event.services];
  if (parts.some(({ decision, rejections }) => decision !== null || rejections.length > 0)) return 'response';
  if (header.purpose === '11') return 'response';
  if (header.purpose === '13') return 'request';
  if (header.purpose === '01') return 'cancellation';
  if (header.purpose === '28') return 'inquiry';
  for (const version of [versions.st03, versions.gs08]) {
    if (version.includes('X216')) return 'notification';
    if (version.includes('X215')) return 'inquiry';
    if (version.includes('X217') || version.includes('X094')) return 'request';
  }
  return null;
}

/** UM02 of a request: what kind of request it is. */
const requests: Readonly<Record<string, string>> = {
  I: 'authorization_requested',
  R: 'authorization_renewal',
  S: 'authorization_revision',
  '3': 'authorization_cancellation',
  '4': 'authorization_extension',
  '1': 'authorization_appeal',
  '2': 'authorization_appeal',
  N: 'authorization_appeal',
};

/** The event type; a code of UM02 that is not known is a request and worth a warning (null). */
export function eventType(direction: Direction, certification: string, isRejected: boolean): string | null {
  switch (direction) {
    case 'response':
      return isRejected ? 'authorization_rejected' : 'authorization_decided';
    case 'cancellation':
      return 'authorization_cancellation';
    case 'notification':
      return 'authorization_notified';
    case 'inquiry':
      return 'authorization_inquired';
    default:
      if (certification === '') return 'authorization_requested';
      return Object.hasOwn(requests, certification) ? (requests[certification] ?? null) : null;
  }
}

import { byCode, REVIEW_ACTIONS } from '../../values/codes.js';
import type { TransactionHeader } from '../envelope/transaction-run.js';
import type { ReviewEvent, ReviewPart } from './review.js';

export type Direction = 'request' | 'response' | 'cancellation' | 'notification' | 'inquiry';

/** BHT02. */
const PURPOSES = byCode({ response: '11', request: '13', cancellation: '01', inquiry: '28' });

/**
 * The direction of a 278: a response if it has HCR or AAA or BHT02 says so, else by BHT02. ST03 and GS08 come last,
 * because published examples carry the wrong guide. Null if unknown.
 */
export function directionOf(
  event: ReviewEvent,
  purpose: string,
  versions: Pick<TransactionHeader, 'st03' | 'gs08'>,
): Direction | null {
  if (event.parts.some(({ decision, rejections }) => decision !== null || rejections.length > 0)) return 'response';
  const stated = PURPOSES.get(purpose);
  if (stated !== undefined) return stated;
  for (const version of [versions.st03, versions.gs08]) {
    if (version.includes('X216')) return 'notification';
    if (version.includes('X215')) return 'inquiry';
    if (version.includes('X217') || version.includes('X094')) return 'request';
  }
  return null;
}

/** UM02 of a request. */
const REQUESTS = byCode({
  authorization_requested: 'I',
  authorization_renewal: 'R',
  authorization_revision: 'S',
  authorization_cancellation: '3',
  authorization_extension: '4',
  authorization_appeal: '1 2 N',
});

/** The event type; null for an unknown UM02 code, which is a request with a warning. */
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
      return certification === '' ? 'authorization_requested' : (REQUESTS.get(certification) ?? null);
  }
}

/** The outcome of an event or service: by its HCR, else rejected by its AAA; null if it has neither. */
export function partOutcome({ decision, rejections }: ReviewPart): string | null {
  if (decision === null) return rejections.length > 0 ? 'rejected' : null;
  return REVIEW_ACTIONS.get(decision.action) ?? 'unknown';
}

/** The event's decision, else the sum of its services' decisions; null if there is none. */
export function reviewOutcome({ own, services }: ReviewEvent): string | null {
  if (own.decision !== null) return partOutcome(own);
  const found = services.map(partOutcome).filter((outcome) => outcome !== null);
  const [first] = found;
  if (first === undefined) return partOutcome(own);
  if (found.length === services.length && found.every((outcome) => outcome === first)) return first;
  if (found.includes('unknown')) return 'unknown';
  // One certified service makes the event partially approved; a pended one can still be decided.
  if (found.some((outcome) => outcome === 'approved' || outcome === 'partially_approved')) return 'partially_approved';
  if (found.length < services.length || found.includes('pended')) return 'pended';
  return found.includes('denied') ? 'denied' : first;
}

import type { ReviewPart } from './review-state.js';

export type ReviewOutcome =
  | 'approved'
  | 'partially_approved'
  | 'denied'
  | 'pended'
  | 'cancelled'
  | 'no_action_required'
  | 'rejected'
  | 'unknown';

/** HCR01. */
const actions: Readonly<Record<string, ReviewOutcome>> = {
  A1: 'approved',
  A2: 'partially_approved',
  A3: 'denied',
  A4: 'pended',
  A6: 'partially_approved',
  C: 'cancelled',
  CT: 'pended',
  NA: 'no_action_required',
};

/** What became of an event or a service: by its HCR, else rejected by its AAA; null where neither was said. */
export function partOutcome({ decision, rejections }: ReviewPart): ReviewOutcome | null {
  if (decision === null) return rejections.length > 0 ? 'rejected' : null;
  return Object.hasOwn(actions, decision.action) ? (actions[decision.action] ?? 'unknown') : 'unknown';
}

/** The event's own decision, else the sum of its services'; null where nothing was decided. */
export function reviewOutcome(event: ReviewPart, services: readonly ReviewPart[]): ReviewOutcome | null {
  if (event.decision !== null) return partOutcome(event);
  const found = services.map(partOutcome).filter((outcome) => outcome !== null);
  const [first] = found;
  if (first === undefined) return partOutcome(event);
  if (found.length === services.length && found.every((outcome) => outcome === first)) return first;
  if (found.includes('unknown')) return 'unknown';
  // What is certified in part is certified in part whatever becomes of the rest; what waits may still be.
  if (found.some((outcome) => outcome === 'approved' || outcome === 'partially_approved')) return 'partially_approved';
  if (found.length < services.length || found.includes('pended')) return 'pended';
  return found.includes('denied') ? 'denied' : first;
}

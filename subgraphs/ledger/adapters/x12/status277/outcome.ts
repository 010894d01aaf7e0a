import { parseCents } from '../money.js';
import type { Status } from './status-state.js';

export type StatusOutcome =
  | 'accepted'
  | 'forwarded'
  | 'rejected'
  | 'pended'
  | 'paid'
  | 'partially_paid'
  | 'denied'
  | 'no_action_required'
  | 'error'
  | 'unknown';

/** STC01-1 by its whole code, then by its letter. */
const byCategory: Readonly<Record<string, StatusOutcome>> = {
  A0: 'forwarded',
  A1: 'accepted',
  A2: 'accepted',
  A3: 'rejected',
  A4: 'unknown',
  A5: 'accepted',
  A6: 'rejected',
  A7: 'rejected',
  A8: 'rejected',
  D0: 'unknown',
  F1: 'paid',
  F2: 'denied',
  F4: 'no_action_required',
  F5: 'rejected',
  F3F: 'forwarded',
  F3N: 'no_action_required',
};
const byLetter: Readonly<Record<string, StatusOutcome>> = { P: 'pended', R: 'pended', E: 'error' };
/** Finished or revised: what became of it is told by the money beside it. */
const byMoney: ReadonlySet<string> = new Set(['F0', 'F3']);

/** What a status says of its claim; null when its category is not known. */
export function statusOutcome({ codes, charge, paid }: Status): StatusOutcome | null {
  const category = codes[0]?.category ?? '';
  if (byMoney.has(category)) return outcomeOfMoney(charge, paid);
  if (Object.hasOwn(byCategory, category)) return byCategory[category] ?? null;
  const letter = /^[PRE]\d{1,2}$/.test(category) ? category.charAt(0) : '';
  return byLetter[letter] ?? null;
}

function outcomeOfMoney(charge: string, paid: string): StatusOutcome {
  const [charged, given] = [parseCents(charge), parseCents(paid)];
  if (given === null || given <= 0) return 'no_action_required';
  return charged !== null && given < charged ? 'partially_paid' : 'paid';
}

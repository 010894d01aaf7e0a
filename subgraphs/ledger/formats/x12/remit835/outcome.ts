import { byCode } from '../../values/codes.js';
import type { Adjustment } from '../elements.js';

interface RemitMoney {
  /** CLP02. */
  statusCode: string;
  chargeCents: number;
  paidCents: number;
  claimAdjustments: readonly Adjustment[];
  lines: readonly { chargeCents: number; paidCents: number; adjustments: readonly Adjustment[] }[];
}

/** CLP02 codes that state the outcome. 5 and 10 to 17 (pended, suspended) are from 004010. */
const STATED_OUTCOMES = byCode({
  denied: '4',
  reversed: '22',
  forwarded: '23',
  estimated: '25',
  pended: '5 10 13 15 16 17',
});

/** CLP02 codes that only say how the claim was processed. Payers send them without a payment too, so money decides. */
const PROCESSED_CODES: ReadonlySet<string> = new Set(['1', '2', '3', '19', '20', '21', '27']);

/** Reasons for which an unpaid line does not make a payment partial. */
const HARMLESS_ON_LINE: ReadonlySet<string> = new Set(['PR1', 'PR2', 'PR3', 'CO45', 'CO97', 'CO253']);
/** Reasons that leave the amount with the member, and reasons that may accompany them. */
const MEMBER_OWES: ReadonlySet<string> = new Set(['PR1', 'PR2', 'PR3', 'PR66']);
const BESIDE_MEMBER: ReadonlySet<string> = new Set(['CO45', 'CO253']);

/** The outcome of a claim from its status, money and reasons; null if its status code is unknown. */
export function remitOutcome(claim: RemitMoney): string | null {
  const stated = STATED_OUTCOMES.get(claim.statusCode);
  if (stated !== undefined) return stated;
  if (!PROCESSED_CODES.has(claim.statusCode)) return null;
  if (claim.paidCents < 0 || (claim.paidCents === 0 && claim.chargeCents === 0)) return 'unknown';
  if (claim.paidCents > 0) return claim.lines.some((line) => isDeniedLine(line, claim)) ? 'partially_paid' : 'paid';
  const reasons = [claim.claimAdjustments, ...claim.lines.map(({ adjustments }) => adjustments)].flat().map(reasonOf);
  const owed = reasons.some((reason) => MEMBER_OWES.has(reason));
  return owed && reasons.every((reason) => MEMBER_OWES.has(reason) || BESIDE_MEMBER.has(reason))
    ? 'applied_to_member'
    : 'denied';
}

/**
 * Charged, unpaid, and not only for the member's share or the contract. Without line reasons, those of the claim count.
 */
function isDeniedLine(line: RemitMoney['lines'][number], claim: RemitMoney): boolean {
  if (line.paidCents > 0 || line.chargeCents <= 0) return false;
  const reasons = line.adjustments.length > 0 ? line.adjustments : claim.claimAdjustments;
  return reasons.length === 0 || reasons.some((adjustment) => !HARMLESS_ON_LINE.has(reasonOf(adjustment)));
}

function reasonOf({ group, reason }: Adjustment): string {
  return group + reason;
}

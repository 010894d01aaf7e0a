import type { Adjustment } from '../adjustments.js';

export type RemitOutcome =
  | 'paid'
  | 'partially_paid'
  | 'applied_to_member'
  | 'denied'
  | 'reversed'
  | 'forwarded'
  | 'estimated'
  | 'pended'
  | 'unknown';

export interface RemitMoney {
  /** CLP02. */
  statusCode: string;
  chargeCents: number;
  paidCents: number;
  claimAdjustments: readonly Adjustment[];
  lines: readonly { chargeCents: number; paidCents: number; adjustments: readonly Adjustment[] }[];
}

/** CLP02 codes that say the outcome themselves. 5 and 10 to 17 (pended, suspended) are of 004010. */
const statedOutcomes: Readonly<Record<string, RemitOutcome>> = {
  '4': 'denied',
  '22': 'reversed',
  '23': 'forwarded',
  '25': 'estimated',
  '5': 'pended',
  '10': 'pended',
  '13': 'pended',
  '15': 'pended',
  '16': 'pended',
  '17': 'pended',
};

/** CLP02 codes that only say who was processed as what; payers send them with nothing paid, too, so money decides. */
const processedCodes: ReadonlySet<string> = new Set(['1', '2', '3', '19', '20', '21', '27']);

/** Reasons for which an unpaid line does not make a payment partial. */
const harmlessOnLine: ReadonlySet<string> = new Set(['PR1', 'PR2', 'PR3', 'CO45', 'CO97', 'CO253']);
/** Reasons that leave the amount with the member, and those that may stand beside them. */
const memberOwes: ReadonlySet<string> = new Set(['PR1', 'PR2', 'PR3', 'PR66']);
const besideMember: ReadonlySet<string> = new Set(['CO45', 'CO253']);

/** What became of a claim, by its status, its money and the reasons given; null when its status code is not known. */
export function remitOutcome(claim: RemitMoney): RemitOutcome | null {
  const stated = Object.hasOwn(statedOutcomes, claim.statusCode) ? statedOutcomes[claim.statusCode] : undefined;
  if (stated !== undefined) return stated;
  if (!processedCodes.has(claim.statusCode)) return null;
  if (claim.paidCents < 0 || (claim.paidCents === 0 && claim.chargeCents === 0)) return 'unknown';
  if (claim.paidCents > 0) return claim.lines.some((line) => isDeniedLine(line, claim)) ? 'partially_paid' : 'paid';
  const reasons = [claim.claimAdjustments, ...claim.lines.map(({ adjustments }) => adjustments)].flat().map(reasonOf);
  const owed = reasons.some((reason) => memberOwes.has(reason));
  return owed && reasons.every((reason) => memberOwes.has(reason) || besideMember.has(reason))
    ? 'applied_to_member'
    : 'denied';
}

/** Charged, unpaid, and not for the member's share or the contract's alone. Without reasons of its own, the claim's count. */
function isDeniedLine(line: RemitMoney['lines'][number], claim: RemitMoney): boolean {
  if (line.paidCents > 0 || line.chargeCents <= 0) return false;
  const reasons = line.adjustments.length > 0 ? line.adjustments : claim.claimAdjustments;
  return reasons.length === 0 || reasons.some((adjustment) => !harmlessOnLine.has(reasonOf(adjustment)));
}

function reasonOf({ group, reason }: Adjustment): string {
  return group + reason;
}

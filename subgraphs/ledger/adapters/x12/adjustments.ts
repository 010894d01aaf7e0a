import { unique } from './compact.js';
import { formatCents, parseCents } from './money.js';
import type { Segment } from './segment.js';

/** One reason of a CAS. */
export interface Adjustment {
  group: string;
  reason: string;
  cents: number;
  quantity: string;
}

/** A CAS holds up to six triplets of reason, amount and quantity from element 2 on. */
const firstTriplet = 2;
const lastTriplet = 17;

/**
 * The adjustments of a CAS; the number of the element that holds no amount when one is malformed. An empty reason ends
 * nothing: it is skipped.
 */
export function readAdjustments(segment: Segment): Adjustment[] | number {
  const group = segment.value(1);
  const found: Adjustment[] = [];
  const count = Math.min(segment.elementCount, lastTriplet + 2);
  for (let at = firstTriplet; at <= count; at += 3) {
    const reason = segment.value(at);
    if (reason === '') continue;
    const amount = segment.value(at + 1);
    const cents = amount === '' ? 0 : parseCents(amount);
    if (cents === null) return at + 1;
    found.push({ group, reason, cents, quantity: segment.value(at + 2) });
  }
  return found;
}

export function sumCents(adjustments: readonly Adjustment[]): number {
  let sum = 0;
  for (const { cents } of adjustments) sum += cents;
  return sum;
}

/** An adjustment in a payload. */
export function describeAdjustment(
  adjustment: Adjustment,
  level?: 'claim' | 'line',
  line?: number,
): Record<string, unknown> {
  const described: Record<string, unknown> = {};
  if (adjustment.group !== '') described.group = adjustment.group;
  described.reason = adjustment.reason;
  described.amount = formatCents(adjustment.cents);
  if (adjustment.quantity !== '') described.quantity = adjustment.quantity;
  if (level !== undefined) described.level = level;
  if (line !== undefined) described.line = line;
  return described;
}

/** The reason codes (CARC) alone, unique, in order of first appearance. */
export function reasonCodes(adjustments: readonly Adjustment[]): string[] {
  return unique(adjustments.map(({ reason }) => reason));
}

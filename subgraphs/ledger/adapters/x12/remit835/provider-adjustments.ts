import { compact } from '../compact.js';
import type { Composites } from '../composites.js';
import { parseDate } from '../dates.js';
import { formatCents, parseCents } from '../money.js';
import type { Segment } from '../segment.js';
import type { ProviderAdjustment } from './balance.js';

/** PLB03/04 to PLB13/14: up to six pairs of reason and amount. */
const firstPair = 3;
const lastPair = 13;

/** Reads the pairs of a PLB into `into`; the number of the element that holds no amount when one is malformed. */
export function readPlb(segment: Segment, composites: Composites, into: ProviderAdjustment[]): number | null {
  const provider = segment.value(1);
  const fiscalPeriodEnd = parseDate(segment.value(2)) ?? '';
  for (let at = firstPair; at <= Math.min(segment.elementCount, lastPair); at += 2) {
    const composite = segment.value(at);
    const amount = segment.value(at + 1);
    if (composite === '' && amount === '') continue;
    const cents = parseCents(amount);
    if (cents === null) return at + 1;
    const [reason = '', reference = ''] = composites.split(composite);
    into.push({ provider, fiscalPeriodEnd, reason, reference, cents });
  }
  return null;
}

export function describeProviderAdjustments(adjustments: readonly ProviderAdjustment[]): Record<string, unknown>[] {
  return adjustments.map(({ provider, fiscalPeriodEnd, reason, reference, cents }) =>
    compact({ provider, fiscal_period_end: fiscalPeriodEnd, reason, reference, amount: formatCents(cents) }),
  );
}

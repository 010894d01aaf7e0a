import { compact } from '../x12/compact.js';
import { codedField, describeCoded } from './clinical-codes.js';
import type { Segment } from './segment.js';
import { describeMoment } from './timestamps.js';

const immunizationsLimit = 200;

/** RXA segments: what was given, and what of it came from somebody's word (RXA-9). */
export function describeImmunizations(segments: readonly Segment[]): Record<string, unknown>[] {
  return segments
    .filter(({ id }) => id === 'RXA')
    .slice(0, immunizationsLimit)
    .map((given) =>
      compact({
        ...describeCoded(codedField(given, 5)),
        administered_at: describeMoment(given.value(3)),
        amount: given.value(6),
        unit: given.value(7),
        source: given.value(9),
        lot_number: given.value(15),
        expires: describeMoment(given.value(16)),
        manufacturer: given.text(17, 2) || given.value(17),
        refusal_reason: given.text(18, 2) || given.value(18),
        completion_status: given.value(20),
        action: given.value(21),
      }),
    );
}

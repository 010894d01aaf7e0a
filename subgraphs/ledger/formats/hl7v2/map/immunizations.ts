import { compact } from '../../values/payload.js';
import type { Segment } from '../message/segment.js';
import { codedField, codesOf, describeCoded } from './clinical-codes.js';
import { describeFields, fieldsOf } from './fields.js';

const IMMUNIZATIONS_LIMIT = 200;

/** RXA segments: the vaccine with its codes (CVX, NDC), its lot, the place, and whether it was given (RXA-20, RXA-21). */
export function describeImmunizations(segments: readonly Segment[]): Record<string, unknown>[] {
  const immunizations: Record<string, unknown>[] = [];
  for (const segment of segments) {
    const last = immunizations.at(-1);
    if (segment.id === 'RXR' && last !== undefined) Object.assign(last, describeFields(segment, ROUTE));
    if (segment.id !== 'RXA' || immunizations.length >= IMMUNIZATIONS_LIMIT) continue;
    const codes = codesOf(segment, 5);
    immunizations.push({
      ...describeCoded(codedField(segment, 5)),
      ...compact({ codes: codes.length > 1 ? codes.map(describeCoded) : undefined }),
      ...describeFields(segment, IMMUNIZATION),
    });
  }
  return immunizations;
}

const IMMUNIZATION = fieldsOf(
  'administered_at=3m ended_at=4m amount=6 unit=7 source=9 location=11.4 lot_number=15 expires=16m ' +
    'manufacturer=17.2t|17 manufacturer_code=17 refusal_reason=18.2t|18 refusal_reason_code=18 ' +
    'completion_status=20 action=21 recorded_at=22m',
);
const ROUTE = fieldsOf('route=1.2t|1 site=2.2t|2');

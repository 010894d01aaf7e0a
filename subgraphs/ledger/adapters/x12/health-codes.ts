import { dottedCode, healthCodeKind } from './codes.js';
import type { Composites } from './composites.js';
import { type ItemState, warnOfElement } from './item-state.js';
import type { Segment } from './segment.js';

/** A coded diagnosis or procedure of an HI. */
export interface HealthCode {
  qualifier: string;
  code: string;
  raw: string;
}

export interface HealthCodeOwner extends ItemState {
  diagnoses: HealthCode[];
  procedures: HealthCode[];
}

/** HI: every element is a qualifier and a code. Some senders part the two with the element separator. */
export function readHealthCodes(owner: HealthCodeOwner, segment: Segment, composites: Composites): void {
  const count = segment.elementCount;
  for (let at = 1; at <= count; at += 1) {
    const value = segment.value(at);
    if (value === '') continue;
    const parts = composites.split(value);
    const qualifier = parts[0] ?? '';
    const kind = healthCodeKind(qualifier);
    if (kind === null) continue;
    let raw = (parts[1] ?? '').trim();
    if (parts.length === 1) {
      raw = segment.value(at + 1);
      if (raw === '' || healthCodeKind(composites.split(raw)[0] ?? '') !== null) continue;
      at += 1;
      warnOfElement(owner, segment, 'COMPOSITE_BROKEN', 'a code stands in the element after its qualifier', at);
    }
    if (raw === '') continue;
    const code = { qualifier, code: dottedCode(qualifier, raw), raw };
    (kind === 'diagnosis' ? owner.diagnoses : owner.procedures).push(code);
  }
}

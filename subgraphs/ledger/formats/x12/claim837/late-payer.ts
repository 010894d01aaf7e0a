import type { AgreedFault } from '../../agreed-faults.js';
import type { Position } from '../../format-adapter.js';
import { describeAdjustment, readAdjustments } from '../elements.js';
import { positionOf, type Segment, type SegmentPlace, segmentKey } from '../envelope/segment.js';
import { type Claim, OtherPayer } from './claim.js';

const CAS = segmentKey('CAS');

/** The loop of another payer (2320) behind the service lines, which the guides put before them. */
export const LATE_PAYER: AgreedFault = 'OTHER_SUBSCRIBER_AFTER_LINES';

/** A misplaced SBR with its CAS and AMT, until its OI says that it is another payer's. */
export class LatePayer {
  readonly payer = new OtherPayer();
  readonly place: SegmentPlace;
  readonly position: Position;

  constructor(segment: Segment) {
    const { id, byteOffset, number, position } = segment;
    this.place = { id, byteOffset, number, position };
    this.position = positionOf(segment);
    this.payer.responsibility = segment.value(1);
    this.payer.filingCode = segment.value(9);
  }

  /** Reads CAS and AMT*D of the payer's decision. */
  read(claim: Claim, segment: Segment): void {
    if (segment.key !== CAS) {
      if (segment.value(1) === 'D') this.payer.paid = claim.amount(segment, 2);
      return;
    }
    const adjustments = readAdjustments(segment);
    if (typeof adjustments === 'number') claim.warnOfAmount(segment, adjustments);
    else this.payer.adjustments.push(...adjustments.map((one) => describeAdjustment(one)));
  }
}

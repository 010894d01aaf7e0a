import { Composites } from '../composites.js';
import { Hierarchy, readPartyDetail } from '../hierarchy.js';
import { breakItem, breakRunOn } from '../item-state.js';
import { hasRunOn, type Party, partyOf } from '../parties.js';
import { type Segment, segmentKey } from '../segment.js';
import {
  positionOf,
  type Refusal,
  type TransactionContext,
  type TransactionEnd,
  type TransactionMapper,
} from '../transaction-context.js';
import { emitStatus, isClaimAcknowledgment } from './emit-status.js';
import { statusSegments } from './status-segments.js';
import { type ClaimStatus, newClaimStatus, type StatusHeader } from './status-state.js';

const hl = segmentKey('HL');
const bht = segmentKey('BHT');
const nm1 = segmentKey('NM1');
const trn = segmentKey('TRN');
const stc = segmentKey('STC');
const ref = segmentKey('REF');
/** HL03 of a patient: whose claims have a status. In a 277CA the payer, the receiver and the provider have one too. */
const patientLevels: ReadonlySet<string> = new Set(['22', '23', 'PT']);

/** Maps a 277 or 277CA: one event a claim whose status it tells. */
export class Status277Mapper implements TransactionMapper {
  private readonly context: TransactionContext;
  private readonly composites: Composites;
  private readonly hierarchy = new Hierarchy();
  private readonly header: StatusHeader = {
    structure: '',
    reference: '',
    date: '',
    time: '',
    type: '',
    payer: null,
    receiver: null,
  };
  private claim: ClaimStatus | null = null;
  private party: Party | null = null;
  private ordinal = 0;
  /** The hierarchy cannot be told: what follows, up to the next HL, is nobody's. */
  private orphaned = false;
  private aboveReported = false;

  constructor(context: TransactionContext) {
    this.context = context;
    this.composites = new Composites(context);
  }

  segment(segment: Segment): void {
    const { key } = segment;
    if (key === hl) {
      this.closeClaim();
      this.party = null;
      this.orphaned = false;
      this.hierarchy.open(segment);
    } else if (key === bht) this.readBht(segment);
    else if (key === nm1) this.readParty(segment);
    else if (key === trn) {
      this.closeClaim();
      if (this.isPatient()) this.openClaim(segment, segment.value(2));
    } else if (this.claim === null && key === stc && this.isPatient()) {
      this.openClaim(segment, '');
      this.readIn(segment);
    } else if (this.claim !== null) this.readIn(segment);
    else if (key === ref) this.readAbove(segment);
    else if (this.party !== null) readPartyDetail(this.party, segment);
  }

  damaged(refusal: Refusal): void {
    // What was lost may have been an HL or NM1: nobody knows whose the rest of this is.
    this.hierarchy.distrust();
    this.orphaned = true;
    if (this.claim !== null) this.claim.broken ??= refusal;
    else this.context.refuse(refusal);
  }

  end(how: TransactionEnd, endOffset: number): void {
    if (this.claim !== null && how !== 'closed') {
      const message = `the body ends inside the claim, after byte ${endOffset}`;
      this.claim.broken ??= { code: 'CLAIM_CUT', message, segment: 'TRN', position: this.claim.position };
    }
    this.closeClaim(endOffset);
    if (this.ordinal === 0 && how === 'closed') {
      this.context.warn({ code: 'NO_CLAIMS', message: 'the transaction holds no claim', segment: 'ST' });
    }
  }

  summary(): { transaction: string } {
    return { transaction: isClaimAcknowledgment(this.header, this.context) ? '277CA' : '277' };
  }

  private readBht(segment: Segment): void {
    this.header.structure = segment.value(1);
    this.header.reference = segment.value(3);
    this.header.date = segment.value(4);
    this.header.time = segment.value(5);
    this.header.type = segment.value(6);
  }

  private isPatient(): boolean {
    return this.orphaned || patientLevels.has(this.hierarchy.current?.code ?? '');
  }

  private openClaim(segment: Segment, trace: string): void {
    this.context.openPart(segment.byteOffset);
    this.claim = newClaimStatus(
      this.hierarchy.current,
      segment.key === trn ? 'TRN' : 'STC',
      trace,
      positionOf(segment),
    );
    if (segment.key === trn) breakRunOn(this.claim, segment);
  }

  private readIn(segment: Segment): void {
    if (this.claim !== null) statusSegments.get(segment.key)?.(this.claim, segment, this.composites);
  }

  private readParty(segment: Segment): void {
    const level = this.hierarchy.current;
    this.party = null;
    if (hasRunOn(segment)) {
      const message = 'NM1 goes on after its id: a terminator is missing';
      this.damaged({ code: 'TERMINATOR_LOST', message, segment: 'NM1', element: 10, position: positionOf(segment) });
      return;
    }
    if (this.claim !== null) {
      // NM1 stands before the claims of its level: the HL of another patient was lost.
      breakItem(this.claim, segment, 'LOOP_ORDER', 'another party is named inside a claim: an HL is missing', 1);
      this.hierarchy.distrust();
      this.orphaned = true;
      return;
    }
    if (level === null) return;
    const party = partyOf(segment);
    this.party = party;
    const isPatient = party.entity === 'IL' || party.entity === 'QC';
    if (isPatient !== patientLevels.has(level.code) || level.party !== null) {
      // The patient of another level, or a second one: an HL between them was lost.
      if (isPatient || patientLevels.has(level.code)) this.distrustFromHere();
      return;
    }
    level.party = party;
    if (level.code === '20') this.header.payer ??= party;
    else if (level.code === '21') this.header.receiver ??= party;
  }

  private distrustFromHere(): void {
    this.hierarchy.distrust();
    this.orphaned = true;
  }

  /** A claim's number where only a batch or a provider is spoken of: the guide gives no event for it, the reader a word. */
  private readAbove(segment: Segment): void {
    if (segment.at(1) !== '1K' || this.aboveReported) return;
    this.aboveReported = true;
    const message = 'a status above the patient names a claim: it gives no event';
    const position = positionOf(segment);
    this.context.warn({ code: 'STATUS_ABOVE_PATIENT', message, segment: 'REF', position });
  }

  private closeClaim(endOffset = this.context.previousEnd()): void {
    const { claim, context } = this;
    if (claim === null) return;
    this.claim = null;
    const part = context.closePart(endOffset);
    this.ordinal += 1;
    claim.ordinal = this.ordinal;
    if (claim.statuses.length === 0 && claim.lines.length === 0 && claim.broken === null) {
      const message = 'the claim has no status';
      claim.broken = { code: 'STATUS_MISSING', message, segment: 'TRN', position: claim.position };
    }
    if (claim.broken !== null) context.refuse(claim.broken, part);
    else emitStatus(claim, part, this.header, context);
  }
}

import type { Part } from '../../adapter.js';
import { Composites } from '../composites.js';
import { type EffectiveTime, effectiveTime } from '../effective-time.js';
import { readPartyDetail } from '../hierarchy.js';
import { breakItem } from '../item-state.js';
import { parseCents } from '../money.js';
import { hasRunOn, partyOf } from '../parties.js';
import { type Segment, segmentKey } from '../segment.js';
import {
  positionOf,
  type Refusal,
  type TransactionContext,
  type TransactionEnd,
  type TransactionMapper,
} from '../transaction-context.js';
import { type ClaimSegmentReader, claimSegments } from './claim-segments.js';
import type { ClaimHeader, ClaimKind, ClaimState } from './claim-state.js';
import { declaredKind, emitClaim } from './emit-claim.js';
import { lineSegments } from './line-segments.js';
import { SubscriberLoops } from './subscriber-loops.js';

/** What is read inside a claim; everything else is passed over without being split. */
const readers: ReadonlyMap<number, ClaimSegmentReader> = new Map([...claimSegments, ...lineSegments]);

/** What stands nowhere but in a claim. */
const claimOnly: ReadonlySet<number> = new Set(['HI', 'LX', 'SV1', 'SV2', 'SV3', 'CAS', 'SVD'].map(segmentKey));

const clm = segmentKey('CLM');
const hl = segmentKey('HL');
const bht = segmentKey('BHT');
const sbr = segmentKey('SBR');
const nm1 = segmentKey('NM1');
const pat = segmentKey('PAT');

/** Maps an 837 (professional, institutional or dental): one event a CLM. */
export class Claim837Mapper implements TransactionMapper {
  private readonly context: TransactionContext;
  private readonly composites: Composites;
  private readonly loops = new SubscriberLoops();
  private readonly header: ClaimHeader = { date: '', time: '', purpose: '', type: '' };
  private claim: ClaimState | null = null;
  private claims = 0;
  private kind = '';
  private readonly declaredKind: ClaimKind | null;
  private orphanReported = false;
  private time: EffectiveTime | null = null;

  constructor(context: TransactionContext) {
    this.context = context;
    this.composites = new Composites(context);
    this.declaredKind = declaredKind(context.header);
  }

  segment(segment: Segment): void {
    const { key } = segment;
    if (key === clm) {
      this.closeClaim(true);
      this.openClaim(segment);
      return;
    }
    if (key === hl) {
      this.closeClaim(true);
      this.loops.open(segment);
      this.orphanReported = false;
      return;
    }
    if (this.claim === null) this.outsideClaim(segment);
    else this.insideClaim(this.claim, segment);
  }

  damaged(refusal: Refusal): void {
    // What was lost may have been an HL or NM1*IL: until the next HL nobody knows whose claims these are.
    this.loops.distrust();
    if (this.claim === null) this.context.refuse(refusal);
    else this.claim.broken ??= refusal;
  }

  end(how: TransactionEnd, endOffset: number): void {
    const { claim } = this;
    if (claim !== null && how !== 'closed') this.judgeCutClaim(claim, how, endOffset);
    this.closeClaim(how === 'closed', endOffset);
    if (this.claims === 0 && how === 'closed') {
      this.context.warn({ code: 'NO_CLAIMS', message: 'the transaction holds no claim', segment: 'ST' });
    }
  }

  summary(): { transaction: string } {
    return { transaction: this.kind === '' ? '837' : this.kind };
  }

  private openClaim(segment: Segment): void {
    this.claims += 1;
    this.orphanReported = false;
    this.context.openPart(segment.byteOffset);
    const [place = '', placeQualifier = '', frequency = ''] = this.composites.split(segment.value(5));
    const { subscriber, patient, patientRelationship } = this.loops.forClaim();
    const cents = parseCents(segment.value(2));
    const claim: ClaimState = {
      ordinal: this.claims,
      position: positionOf(segment),
      claimId: segment.value(1),
      chargeCents: cents ?? 0,
      place,
      placeQualifier,
      frequency,
      predetermination: segment.value(19) === 'PB',
      subscriber,
      patient,
      patientRelationship,
      statement: null,
      admission: '',
      discharge: '',
      patientPaid: '',
      diagnoses: [],
      procedures: [],
      references: [],
      notes: [],
      attachments: [],
      providers: [],
      lines: [],
      line: null,
      otherPayers: [],
      otherPayer: null,
      otherLine: null,
      party: null,
      warnings: [],
      broken: null,
    };
    if (claim.claimId === '') breakItem(claim, segment, 'ELEMENT_MISSING', 'the claim has no id', 1);
    if (cents === null)
      breakItem(claim, segment, 'AMOUNT_MALFORMED', 'the charge is missing or not a number of cents', 2);
    this.claim = claim;
  }

  private insideClaim(claim: ClaimState, segment: Segment): void {
    const { key } = segment;
    const read = readers.get(key);
    if (read !== undefined) {
      if (key === sbr && claim.line !== null) {
        // 2320 never follows 2400: an HL has been lost, and with it whose claims follow.
        this.loops.distrust();
        breakItem(claim, segment, 'LOOP_ORDER', 'SBR follows a service line: an HL is missing', 1);
      }
      read(claim, segment, this.composites);
    } else if (claim.party !== null) readPartyDetail(claim.party, segment);
  }

  private outsideClaim(segment: Segment): void {
    const { key } = segment;
    if (key === nm1) this.readParty(segment);
    else if (key === sbr) this.loops.sbr(segment);
    else if (key === pat) this.loops.pat(segment);
    else if (key === bht) {
      this.header.purpose = segment.value(2);
      this.header.date = segment.value(4);
      this.header.time = segment.value(5);
      this.header.type = segment.value(6);
    } else if (claimOnly.has(key)) this.reportOrphan(segment);
    else if (this.loops.current !== null) readPartyDetail(this.loops.current, segment);
  }

  private readParty(segment: Segment): void {
    if (!hasRunOn(segment)) {
      this.loops.party(partyOf(segment));
      return;
    }
    this.loops.distrust();
    const message = 'NM1 goes on after its id: a terminator is missing';
    this.context.warn({ code: 'TERMINATOR_LOST', message, segment: 'NM1', element: 10, position: positionOf(segment) });
  }

  /** A claim's own segments without its CLM: the claim has been lost, and is told of once. */
  private reportOrphan(segment: Segment): void {
    if (this.orphanReported) return;
    this.orphanReported = true;
    const message = 'a segment of a claim stands outside one: a CLM is missing';
    this.context.refuse({ code: 'LOOP_ORDER', message, segment: segment.id, position: positionOf(segment) });
  }

  private closeClaim(whole: boolean, endOffset = this.context.previousEnd()): void {
    const { claim, context } = this;
    if (claim === null) return;
    this.claim = null;
    if (whole && claim.lines.length === 0 && claim.otherPayers.length > 0) this.loops.distrust();
    const part = context.closePart(endOffset);
    if (claim.broken !== null) context.refuse(claim.broken, part);
    else this.emit(claim, part);
  }

  private emit(claim: ClaimState, part: Part): void {
    const { header, context, declaredKind } = this;
    const source = { date: header.date, time: header.time, dateName: 'BHT04', timeName: 'BHT05' };
    this.time ??= effectiveTime([source], context.options);
    this.kind = emitClaim({ claim, part, header, time: this.time, declaredKind, billing: this.loops.billing, context });
  }

  /**
   * The body ended before anything closed this claim. It is taken only when what came shows that it is whole: nothing of
   * its own was cut, and its lines' charges add up to its own.
   */
  private judgeCutClaim(claim: ClaimState, how: TransactionEnd, endOffset: number): void {
    let sum = 0;
    for (const { chargeCents } of claim.lines) sum += chargeCents ?? 0;
    if (how === 'cut' || claim.lines.length === 0 || sum !== claim.chargeCents) {
      const message = `the body ends inside the claim, after byte ${endOffset}`;
      claim.broken ??= { code: 'CLAIM_CUT', message, segment: 'CLM', position: claim.position };
      return;
    }
    claim.warnings.push({ code: 'TRANSACTION_CUT', message: 'the body ends after this claim, without a trailer' });
  }
}

import { Composites } from '../composites.js';
import { Hierarchy, readPartyDetail } from '../hierarchy.js';
import { breakItem } from '../item-state.js';
import { hasRunOn, type Party, partyOf } from '../parties.js';
import { type Segment, segmentKey } from '../segment.js';
import {
  positionOf,
  type Refusal,
  type TransactionContext,
  type TransactionEnd,
  type TransactionMapper,
} from '../transaction-context.js';
import { eligibilitySegments } from './eligibility-segments.js';
import type { Eligibility, EligibilityHeader } from './eligibility-state.js';
import { emitEligibility } from './emit-eligibility.js';

const hl = segmentKey('HL');
const bht = segmentKey('BHT');
const nm1 = segmentKey('NM1');
const ls = segmentKey('LS');
const le = segmentKey('LE');
/** What stands before the benefits of a patient, and nowhere in them. */
const ofPatient: ReadonlySet<number> = new Set(['TRN', 'DMG', 'INS'].map(segmentKey));

/** Maps a 271: one event a subscriber or dependent of whom something is told. */
export class Eligibility271Mapper implements TransactionMapper {
  private readonly context: TransactionContext;
  private readonly composites: Composites;
  private readonly hierarchy = new Hierarchy();
  private readonly header: EligibilityHeader = { reference: '', date: '', time: '' };
  private item: Eligibility | null = null;
  private party: Party | null = null;
  private ordinal = 0;

  constructor(context: TransactionContext) {
    this.context = context;
    this.composites = new Composites(context);
  }

  segment(segment: Segment): void {
    const { key } = segment;
    if (key === hl) this.openLevel(segment);
    else if (key === bht) {
      this.header.reference = segment.value(3);
      this.header.date = segment.value(4);
      this.header.time = segment.value(5);
    } else if (this.item !== null) this.insideLevel(this.item, segment);
  }

  damaged(refusal: Refusal): void {
    // What was lost may have been an HL or NM1: nobody knows whose the rest of this is.
    this.hierarchy.distrust();
    if (this.item !== null && tellsSomething(this.item)) this.item.broken ??= refusal;
    else {
      this.item = null;
      this.context.refuse(refusal);
    }
  }

  end(how: TransactionEnd, endOffset: number): void {
    const { item } = this;
    if (item !== null && how !== 'closed') {
      const message = `the body ends inside the answer, after byte ${endOffset}`;
      item.broken ??= { code: 'ANSWER_CUT', message, segment: 'HL', position: item.position };
    }
    this.closeItem(endOffset);
    if (this.ordinal === 0 && how === 'closed') {
      const message = 'the transaction tells of no subscriber or dependent';
      this.context.warn({ code: 'NO_ANSWERS', message, segment: 'ST' });
    }
  }

  summary(): { transaction: string } {
    return { transaction: '271' };
  }

  private openLevel(segment: Segment): void {
    this.party = null;
    const level = this.hierarchy.open(segment);
    this.closeItem(this.context.previousEnd());
    this.context.openPart(segment.byteOffset);
    this.item = {
      ordinal: 0,
      position: positionOf(segment),
      warnings: [],
      broken: null,
      level,
      traces: [],
      rejections: [],
      references: [],
      dates: new Map(),
      relationship: '',
      benefits: [],
      benefit: null,
      inParties: false,
    };
  }

  private insideLevel(item: Eligibility, segment: Segment): void {
    const { key } = segment;
    if (key === ls) item.inParties = true;
    else if (key === le) item.inParties = false;
    else if (key === nm1) this.readParty(item, segment);
    else if (item.benefits.length > 0 && ofPatient.has(key)) this.losePatient(item, segment);
    else {
      const read = eligibilitySegments.get(key);
      if (read !== undefined) read(item, segment, this.composites);
      else if (this.party !== null && item.benefits.length === 0) readPartyDetail(this.party, segment);
    }
  }

  private readParty(item: Eligibility, segment: Segment): void {
    if (hasRunOn(segment)) {
      const message = 'NM1 goes on after its id: a terminator is missing';
      this.damaged({ code: 'TERMINATOR_LOST', message, segment: 'NM1', element: 10, position: positionOf(segment) });
      return;
    }
    this.party = null;
    // Parties of a benefit (2120) stand between LS and LE: who else pays, or whom to ask; an insured of another payer too.
    if (item.inParties) return;
    const party = partyOf(segment);
    const { level } = item;
    const wanted = level.code === '22' ? 'IL' : level.code === '23' ? '03' : '';
    const isPatient = party.entity === 'IL' || party.entity === '03';
    if (level.party === null && (party.entity === wanted || (wanted === '' && !isPatient))) {
      level.party = party;
      this.party = party;
    } else if (isPatient) this.losePatient(item, segment);
  }

  /** The patient of another level, or a second one: an HL between them was lost. */
  private losePatient(item: Eligibility, segment: Segment): void {
    this.hierarchy.distrust();
    item.level.trusted = false;
    this.party = null;
    if (!tellsSomething(item)) return;
    breakItem(item, segment, 'LOOP_ORDER', 'a second patient in one level: an HL is missing');
  }

  private closeItem(endOffset: number): void {
    const { item, context } = this;
    if (item === null) return;
    this.item = null;
    // A subscriber of whose dependent alone something is told is no event; a refusal at any level is one.
    if (!tellsSomething(item)) return;
    const part = context.closePart(endOffset);
    this.ordinal += 1;
    item.ordinal = this.ordinal;
    if (item.broken !== null) context.refuse(item.broken, part);
    else emitEligibility(item, part, this.header, context);
  }
}

function tellsSomething(item: Eligibility): boolean {
  return item.benefits.length > 0 || item.rejections.length > 0;
}

import { Composites } from '../composites.js';
import { Hierarchy, type Level, levelAbove, readPartyDetail } from '../hierarchy.js';
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
import { emitReview } from './emit-review.js';
import { readReviewSegment } from './review-segments.js';
import { newPart, type ReviewEvent, type ReviewHeader } from './review-state.js';

const hl = segmentKey('HL');
const bht = segmentKey('BHT');
const nm1 = segmentKey('NM1');
/** What says something of a request or its answer, beside who takes part in it. */
const content: ReadonlySet<number> = new Set(['TRN', 'UM', 'HCR', 'AAA', 'HI', 'SV1', 'SV2', 'SV3'].map(segmentKey));

/** Maps a 278 (request, answer, notification, inquiry): one event a patient event. */
export class Review278Mapper implements TransactionMapper {
  private readonly context: TransactionContext;
  private readonly composites: Composites;
  private readonly hierarchy = new Hierarchy();
  private readonly header: ReviewHeader = {
    purpose: '',
    reference: '',
    date: '',
    time: '',
    payer: null,
    requester: null,
  };
  /** The HL that is read, with the services under it; given as an event when it turns out to be one. */
  private event: ReviewEvent | null = null;
  private party: Party | null = null;
  private ordinal = 0;
  private events = 0;

  constructor(context: TransactionContext) {
    this.context = context;
    this.composites = new Composites(context);
  }

  segment(segment: Segment): void {
    const { key } = segment;
    if (key === hl) this.openLevel(segment);
    else if (key === bht) {
      this.header.purpose = segment.value(2);
      this.header.reference = segment.value(3);
      this.header.date = segment.value(4);
      this.header.time = segment.value(5);
    } else if (this.event !== null) this.insideLevel(this.event, segment);
  }

  damaged(refusal: Refusal): void {
    // What was lost may have been an HL or NM1: nobody knows whose the rest of this is.
    this.hierarchy.distrust();
    if (this.event?.hasContent) this.event.broken ??= refusal;
    else {
      this.event = null;
      this.context.refuse(refusal);
    }
  }

  end(how: TransactionEnd, endOffset: number): void {
    const { event } = this;
    if (event !== null && how !== 'closed') {
      // A part that was cut may have held the decision: it is never guessed at.
      const message = `the body ends inside the event, after byte ${endOffset}`;
      event.broken ??= { code: 'EVENT_CUT', message, segment: 'HL', position: event.position };
    }
    this.closeEvent(endOffset);
    if (this.events === 0 && how === 'closed') {
      this.context.warn({ code: 'NO_EVENTS', message: 'the transaction holds no patient event', segment: 'ST' });
    }
  }

  summary(): { transaction: string } {
    return { transaction: '278' };
  }

  private openLevel(segment: Segment): void {
    this.party = null;
    const level = this.hierarchy.open(segment);
    if (level.code === 'SS' && this.event !== null && this.belongs(level, this.event)) {
      this.event.service = newPart();
      this.event.party = null;
      this.event.services.push(this.event.service);
      this.event.hasContent = true;
      return;
    }
    this.closeEvent(this.context.previousEnd(), level);
    this.context.openPart(segment.byteOffset);
    this.event = this.newEvent(segment, level);
  }

  /** A service hangs on the event that is open, or on the patient whose event it then is. */
  private belongs(level: Level, event: ReviewEvent): boolean {
    return level.parent !== null && level.parent === event.level;
  }

  private newEvent(segment: Segment, level: Level): ReviewEvent {
    return {
      ...newPart(),
      ordinal: 0,
      position: positionOf(segment),
      warnings: [],
      broken: null,
      procedures: [],
      level,
      services: [],
      service: null,
      party: null,
      hasContent: level.code === 'EV' || level.code === 'SS',
    };
  }

  private insideLevel(event: ReviewEvent, segment: Segment): void {
    const { key } = segment;
    const code = event.level?.code ?? '';
    if (event.service === null && code !== 'EV' && code !== 'SS' && this.insideParty(event, segment)) return;
    if (content.has(key)) event.hasContent = true;
    readReviewSegment(event, segment, this.composites);
  }

  /** NM1 and what follows it in the levels of the payer, the requester and the patient. */
  private insideParty(event: ReviewEvent, segment: Segment): boolean {
    if (segment.key !== nm1) {
      if (this.party !== null) readPartyDetail(this.party, segment);
      return false;
    }
    const { level } = event;
    if (level === null) return true;
    if (hasRunOn(segment)) {
      this.hierarchy.distrust();
      this.party = null;
      const message = 'NM1 goes on after its id: a terminator is missing';
      this.context.warn({
        code: 'TERMINATOR_LOST',
        message,
        segment: 'NM1',
        element: 10,
        position: positionOf(segment),
      });
      return true;
    }
    const party = partyOf(segment);
    this.party = party;
    const isPatient = party.entity === 'IL' || party.entity === 'QC';
    if (level.code === '20') this.header.payer ??= party;
    else if (level.code === '21') this.header.requester ??= party;
    if (!isPatient) return true;
    if (level.code !== '22' && level.code !== '23') this.hierarchy.distrust();
    else if (level.party !== null && (level.party.id !== party.id || level.party.entity !== party.entity)) {
      // A second patient in one level: an HL between them was lost.
      level.trusted = false;
      if (event.hasContent)
        breakItem(event, segment, 'LOOP_ORDER', 'a second patient in one level: an HL is missing', 1);
    } else level.party = party;
    return true;
  }

  /** Ends what is open; a level under which an event is opened next gave its own refusals to it. */
  private closeEvent(endOffset: number, next: Level | null = null): void {
    const { event, context } = this;
    if (event === null) return;
    this.event = null;
    const isEvent = event.level?.code === 'EV' || event.level?.code === 'SS';
    // Levels above are no events, but where one was refused (AAA) or, in 004010, asks by itself.
    if (!isEvent && !event.hasContent) return;
    if (!isEvent && next !== null && levelAbove(next, event.level?.code ?? '') === event.level && !this.saysMore(event))
      return;
    this.ordinal += 1;
    event.ordinal = this.ordinal;
    const part = context.closePart(endOffset);
    if (event.broken !== null) {
      context.refuse(event.broken, part);
      return;
    }
    this.events += 1;
    emitReview(event, part, this.header, context);
  }

  /** True for a level that holds more than traces. */
  private saysMore(event: ReviewEvent): boolean {
    return event.rejections.length > 0 || event.review !== null || event.decision !== null;
  }
}

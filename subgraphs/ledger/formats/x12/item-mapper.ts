import type { AdapterWarning, AttachedDocument, EnvelopeDraft, Part } from '../format-adapter.js';
import { type EffectiveTime, effectiveTime } from '../values/dates.js';
import { Composites } from './elements.js';
import { positionOf, type Segment } from './envelope/segment.js';
import type { TransactionEnd, TransactionRun } from './envelope/transaction-run.js';
import type { Item, Refusal } from './item.js';

/** Names that the items of one transaction set have in codes and messages. */
interface ItemFacts {
  readonly family: string;
  readonly noun: string;
  /** The segment that opens an item. */
  readonly opener: string;
  /** The code of an item that the body's end interrupts. */
  readonly cut: string;
  /** The warning of a transaction without items, and whether a cut one gets it too. */
  readonly none: { readonly code: string; readonly message: string };
  readonly warnsIfCut?: true;
  /** The warning of an item without a date. */
  readonly date: { readonly code: 'DATE_MISSING'; message: string; segment: string; element: number };
  /** Why an event has no member. */
  readonly lacks: string;
}

export const BHT_DATE: ItemFacts['date'] = {
  code: 'DATE_MISSING',
  message: 'BHT04 has no date: the time of receipt is used',
  segment: 'BHT',
  element: 4,
};

export const BGN_DATE: ItemFacts['date'] = {
  code: 'DATE_MISSING',
  message: 'BGN03 has no date: the time of receipt is used',
  segment: 'BGN',
  element: 3,
};

/** The warning where the date is sent and is no date. */
const unreadableDate = ({ message, ...place }: ItemFacts['date']): AdapterWarning => ({
  ...place,
  code: 'DATE_UNREADABLE',
  message: message.replace(/ has (no|a) date/, ' has $1 readable date'),
});

/** What a transaction set says of one item. */
export interface MappedItem {
  readonly type: string;
  readonly outcome: string;
  /** The last component of the source record id. */
  readonly id: string;
  /** '' if unknown. */
  readonly memberId: string;
  /** Without `timestamp_basis` and `raw`. */
  readonly payload: Record<string, unknown>;
  /** The segment of the exception if there is no member. */
  readonly opener?: string;
  readonly documents?: readonly AttachedDocument[];
}

/** Reads one segment into an item. */
export type SegmentReader<T extends Item> = (item: T, segment: Segment, composites: Composites) => void;

/**
 * Maps the segments of one transaction between ST and SE. One loop for all sets: a set opens items and reads segments
 * into them; this class ends, rejects and emits each item.
 */
export abstract class ItemMapper<T extends Item = Item> {
  protected readonly context: TransactionRun;
  protected readonly composites: Composites;
  protected abstract readonly facts: ItemFacts;
  /** BHT, or BGN. */
  protected readonly header = { structure: '', purpose: '', reference: '', date: '', time: '', type: '' };
  protected item: T | null = null;
  /** Items so far, and those of them that became events. */
  protected items = 0;
  protected events = 0;
  protected orphanReported = false;
  /** How the transaction ended; null while its segments follow. */
  #ending: TransactionEnd | null = null;

  constructor(context: TransactionRun) {
    this.context = context;
    this.composites = new Composites(context);
  }

  /** Takes every segment between ST and SE. */
  abstract segment(segment: Segment): void;

  /** Describes a whole item. */
  protected abstract map(item: T): MappedItem;

  /** The transaction in `payload.raw`, such as `837P`. */
  protected abstract name(): string;

  /** A lost segment may have named the owner of what follows. */
  protected distrust(): void {}

  /** True if a lost segment rejects the open item; else the item is dropped and the segment is rejected alone. */
  protected hasContent(_item: T): boolean {
    return true;
  }

  /** True if an item that the body's end follows is complete by its amounts. */
  protected isWhole(_item: T): boolean {
    return false;
  }

  /** Runs at the end of an item; false if it yields nothing. */
  protected settle(_item: T): boolean {
    return true;
  }

  protected time(): EffectiveTime {
    const { date, time } = this.header;
    const { segment, element } = this.facts.date;
    // The time follows the date, in BHT and in BGN.
    const [dateName, timeName] = [`${segment}0${element}`, `${segment}0${element + 1}`];
    return effectiveTime([{ date, time, dateName, timeName }], this.context.options);
  }

  protected isEmpty(): boolean {
    return this.items === 0;
  }

  /** A segment of the transaction is unreadable, which breaks the item that it belongs to. */
  damaged(refusal: Refusal): void {
    this.distrust();
    if (this.item !== null && this.hasContent(this.item)) this.item.broken ??= refusal;
    else {
      this.item = null;
      this.context.refuse(refusal);
    }
  }

  end(how: TransactionEnd, endOffset: number): void {
    this.#ending = how;
    if (this.item !== null && how !== 'closed') this.#decideCut(this.item, how, endOffset);
    this.close(endOffset);
    const { none, warnsIfCut = false } = this.facts;
    if (this.isEmpty() && (how === 'closed' || warnsIfCut)) this.context.warn({ ...none, segment: 'ST' });
  }

  /** What the transaction's item says besides its counts. Called after `end`. */
  summary(): { transaction: string; detail?: Record<string, unknown> } {
    return { transaction: this.name() };
  }

  protected readBht(segment: Segment): void {
    const { header } = this;
    header.structure = segment.value(1);
    header.purpose = segment.value(2);
    header.reference = segment.value(3);
    header.date = segment.value(4);
    header.time = segment.value(5);
    header.type = segment.value(6);
  }

  protected readBgn(segment: Segment): void {
    const { header } = this;
    header.purpose = segment.value(1);
    header.reference = segment.value(2);
    header.date = segment.value(3);
    header.time = segment.value(4);
    header.type = segment.value(8);
  }

  protected open(item: T, segment: Segment): void {
    this.orphanReported = false;
    this.context.openPart(segment.byteOffset);
    this.item = item;
  }

  /** Reports once that segments of an item occur without their opener. */
  protected reportOrphan(segment: Segment): boolean {
    if (this.orphanReported) return false;
    this.orphanReported = true;
    const { noun, opener } = this.facts;
    const message = `a segment of a ${noun} is outside a ${noun}: a ${opener} is missing`;
    this.context.refuse({ code: 'LOOP_ORDER', message, segment: segment.id, position: positionOf(segment) });
    return true;
  }

  protected close(endOffset = this.context.previousEnd()): void {
    const { item, context } = this;
    if (item === null) return;
    this.item = null;
    if (!this.settle(item)) return;
    const part = context.closePart(endOffset);
    this.items += 1;
    item.ordinal = this.items;
    if (item.broken !== null) context.refuse(item.broken, part);
    else this.#emit(item, part);
  }

  /** Accepts an item that the body's end interrupted only if no segment was cut and its amounts add up. */
  #decideCut(item: T, how: TransactionEnd, endOffset: number): void {
    const { noun, opener, cut } = this.facts;
    if (how !== 'cut' && this.isWhole(item)) {
      item.warnings.push({ code: 'TRANSACTION_CUT', message: `the body ends after this ${noun}, without a trailer` });
      return;
    }
    const message = `the body ends inside the ${noun}, after byte ${endOffset}`;
    item.broken ??= { code: cut, message, segment: opener, position: item.position };
  }

  #emit(item: T, part: Part): void {
    const { context, facts } = this;
    this.events += 1;
    const time = this.time();
    if (time.received) item.warnings.push(time.unreadable ? unreadableDate(facts.date) : { ...facts.date });
    const { type, outcome, id, memberId, payload, opener, documents } = this.map(item);
    const { interchangeControl, groupControl, transactionControl, sourceSystem } = context.header;
    payload['timestamp_basis'] = time.basis;
    const envelope: EnvelopeDraft = {
      event_family: facts.family,
      event_type: type,
      source_system: sourceSystem,
      // The same bytes always get the same id (mapping.md section 2).
      source_record_id: `${interchangeControl}/${groupControl}/${transactionControl}/${item.ordinal}/${id}`,
      event_effective_timestamp: time.timestamp,
      ...(memberId !== '' && { member_id: memberId }),
      outcome,
      payload,
    };
    const { position, warnings } = item;
    const lacks = { message: facts.lacks, segment: opener ?? facts.opener };
    const draft = { envelope, part, position, warnings, received: time.received, lacks, documents };
    context.event(draft, this.name(), this.#ending);
  }
}

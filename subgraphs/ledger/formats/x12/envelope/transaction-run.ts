import { type Agreement, withAgreement } from '../../agreed-faults.js';
import { type EventDraft, ItemSink, type Wholeness } from '../../emit.js';
import type { AdapterItem, AdapterWarning, ExceptionItem, Part, Position } from '../../format-adapter.js';
import type { ReadingOptions } from '../../values/dates.js';
import type { PartTracker } from '../../values/part-tracker.js';
import type { Refusal } from '../item.js';
import type { ItemMapper } from '../item-mapper.js';
import { mapperFor } from '../transactions.js';
import type { Separators } from './separators.js';

/** The headers around a transaction, as sent. */
export interface TransactionHeader {
  /** ST01. */
  setId: string;
  /** ST03, else GS08. */
  version: string;
  st03: string;
  gs08: string;
  interchangeControl: string;
  groupControl: string;
  transactionControl: string;
  sourceSystem: string;
  /** What the sender is allowed. */
  agreement: Agreement | null;
  separators: Separators;
  position: Position;
}

/** How a transaction ended: by a trailer or later header, with the body, or with the body inside a segment (`cut`). */
export type TransactionEnd = 'closed' | 'body-ended' | 'cut';

/** The transaction and group of an item, which strict reading may reject as a whole. */
export interface Scope {
  transaction: object | null;
  group: object | null;
}

/**
 * Items on their way out. Lenient reading passes them on at once. Strict reading holds them until it has checked the
 * trailer of the interchange, and withdraws the items of rejected parts.
 */
export class ItemQueue extends ItemSink {
  /** The scope of the next items. */
  scope: Scope = { transaction: null, group: null };
  #held: { item: AdapterItem; scope: Scope }[] = [];
  #holding = false;

  override push(item: AdapterItem): void {
    if (this.#holding) this.#held.push({ item, scope: this.scope });
    else super.push(item);
  }

  hold(): void {
    this.#holding = true;
  }

  release(): void {
    this.#holding = false;
    for (const { item } of this.#held) super.push(item);
    this.#held = [];
  }

  /** Drops the held events and exceptions that `matches` selects; rejections and counts stay. */
  withdraw(matches: (scope: Scope) => boolean): void {
    this.#held = this.#held.flatMap(({ item, scope }) => {
      if (!matches(scope)) return [{ item, scope }];
      if (item.kind === 'event' || item.kind === 'exception') return [];
      if (item.kind !== 'transaction') return [{ item, scope }];
      return [{ item: { ...item, refused: item.refused + item.accepted, accepted: 0 }, scope }];
    });
  }
}

/** What the run needs from the reader. */
export interface RunSurroundings {
  queue: ItemQueue;
  parts: PartTracker;
  closePart(endOffset: number): Part;
  /** The offset after the previous segment's terminator. */
  previousEnd(): number;
  options: ReadingOptions;
}

/** The most warnings kept for one transaction. */
const WARNING_LIMIT = 100;

/** One transaction while it is read, from ST to SE: counts, warnings and items. Its mapper calls it. */
export class TransactionRun {
  /** Segments so far, including ST. */
  segmentCount = 1;
  accepted = 0;
  refused = 0;
  complete = true;
  readonly warnings: AdapterWarning[] = [];
  readonly header: TransactionHeader;
  readonly options: ReadingOptions;
  readonly position: Position;
  /** Null if the transaction set yields no events. */
  readonly mapper: ItemMapper | null;
  readonly #around: RunSurroundings;
  readonly #controlNumbers: Record<string, string>;

  constructor(header: TransactionHeader, group: object | null, around: RunSurroundings) {
    this.header = header;
    this.position = header.position;
    this.options = around.options;
    this.#around = around;
    this.#controlNumbers = {
      interchange: header.interchangeControl,
      group: header.groupControl,
      transaction: header.transactionControl,
    };
    around.queue.scope = { transaction: this, group };
    this.mapper = mapperFor(this);
    if (this.mapper === null) around.parts.open(this.position.byteOffset, header.separators);
  }

  previousEnd(): number {
    return this.#around.previousEnd();
  }

  openPart(offset: number): void {
    this.#around.parts.open(offset, this.header.separators);
  }

  closePart(endOffset: number): Part {
    return this.#around.closePart(endOffset);
  }

  /** Emits an event; `transaction` is its name in `payload.raw`, such as `837P`, and `ending` how the item ended. */
  event(event: Omit<EventDraft, 'raw'>, transaction: string, ending: TransactionEnd | null): void {
    this.accepted += 1;
    const { version, agreement } = this.header;
    const warnings =
      agreement === null ? event.warnings : event.warnings.map((warning) => withAgreement(warning, agreement));
    const controlNumbers = this.#controlNumbers;
    const wholeness = this.#wholenessOf(ending);
    const raw = {
      format: 'x12',
      transaction,
      version,
      controlNumbers,
      warningPlace: 'transaction',
      wholeness,
    } as const;
    this.#around.queue.event({ ...event, warnings, raw });
  }

  /**
   * Grades an item. `ending` is null for an item that another segment of its transaction follows: the count of such a
   * transaction is not known yet, because events leave while the body streams in.
   */
  #wholenessOf(ending: TransactionEnd | null): Wholeness {
    const trailer = ending === null || (ending === 'closed' && this.complete);
    const framed = trailer && this.header.interchangeControl !== '';
    const isMiscounted = this.warnings.some(({ code }) => code === 'SEGMENT_COUNT_MISMATCH');
    const counted = ending !== null && trailer ? !isMiscounted : null;
    return { framed, counted, trailer, grade: framed ? 'WHOLE' : 'UNFRAMED' };
  }

  refuse(refusal: Refusal, part?: Part): void {
    this.refused += 1;
    const item = part === undefined ? 'segment' : 'claim';
    const { position, ...fault } = refusal;
    this.#around.queue.refuse({ ...fault, item, exceptionKind: 'PARSE_FAILED' }, position, part);
  }

  exception(item: Omit<ExceptionItem, 'kind'>): void {
    this.#around.queue.push({ kind: 'exception', ...item });
  }

  /** A warning about the whole transaction. */
  warn(warning: AdapterWarning): void {
    if (this.warnings.length < WARNING_LIMIT) this.warnings.push(withAgreement(warning, this.header.agreement));
  }

  /** Ends the mapping and emits the transaction's item, or the rejection of an unsupported transaction. */
  finish(how: TransactionEnd, endOffset: number): void {
    const { header, mapper, position, segmentCount, complete, warnings } = this;
    const { queue, closePart } = this.#around;
    const set = describeSet(header.setId);
    if (mapper === null) {
      this.refused += 1;
      const message = `transaction ${set} yields no event`;
      const refusal = { code: 'UNSUPPORTED_TRANSACTION', message, item: set, segment: 'ST' };
      queue.refuse(refusal, position, closePart(endOffset));
    } else mapper.end(how, endOffset);
    const { accepted, refused } = this;
    queue.push({
      kind: 'transaction',
      ...(mapper?.summary() ?? { transaction: set }),
      version: header.version,
      controlNumbers: this.#controlNumbers,
      position,
      segmentCount,
      accepted,
      refused,
      complete,
      warnings,
      header: { set_id: header.setId, implementation: header.st03 },
    });
  }
}

/** A transaction set's id for messages; any other ST01 must not appear in one. */
function describeSet(setId: string): string {
  return /^[A-Z0-9]{3}$/.test(setId) ? setId : 'of an unknown type';
}

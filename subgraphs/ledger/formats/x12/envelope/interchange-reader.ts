import type { Agreement } from '../../agreed-faults.js';
import type { BodyReader } from '../../emit.js';
import type { AdapterItem, AdapterOptions, AdapterWarning, Part, Position, RefusedItem } from '../../format-adapter.js';
import { PartTracker } from '../../values/part-tracker.js';
import {
  type CutSegment,
  positionOf,
  type Segment,
  type SegmentSink,
  type SeparatorNotice,
  segmentKey,
  segmentKeys,
  type TokenFault,
} from './segment.js';
import type { Separators } from './separators.js';
import { SegmentTokenizer } from './tokenizer.js';
import {
  ItemQueue,
  type RunSurroundings,
  type Scope,
  type TransactionEnd,
  type TransactionHeader,
  TransactionRun,
} from './transaction-run.js';
import { type Fault, Wrapper } from './wrapper.js';

const ISA = segmentKey('ISA');
const IEA = segmentKey('IEA');
const GS = segmentKey('GS');
const GE = segmentKey('GE');
const ST = segmentKey('ST');
const TA1 = segmentKey('TA1');
const CONTROL = segmentKeys('ISA IEA GS GE ST SE TA1');

/** Faults of the whole body, not of one segment. */
const WHOLE_BODY: ReadonlySet<string> = new Set(['UNSUPPORTED_ENCODING', 'NOT_X12', 'ISA_UNREADABLE']);

/**
 * Reads the X12 envelope (ISA, GS, ST and their trailers), checks its counts and runs the mapper of each transaction.
 */
export class InterchangeReader implements BodyReader, SegmentSink {
  readonly #queue = new ItemQueue();
  readonly #tokenizer: SegmentTokenizer;
  readonly #parts = new PartTracker();
  readonly #options: AdapterOptions;
  readonly #around: RunSurroundings;
  #delimiters: Separators = { element: '*', component: ':', repetition: '', segment: '~' };
  #interchange: Wrapper | null = null;
  #group: Wrapper | null = null;
  #run: TransactionRun | null = null;
  #segments = 0;
  #endOfPrevious = 0;
  #strayReported = false;
  #pendingNotices: AdapterWarning[] = [];
  /** What the sender of the interchange is allowed. */
  #agreement: Agreement | null = null;
  /** Strict reading gave up the interchange; nothing more of it is mapped. */
  #abandoned = false;

  constructor(options: AdapterOptions) {
    this.#options = options;
    this.#tokenizer = new SegmentTokenizer(this, options.limits);
    this.#around = {
      queue: this.#queue,
      parts: this.#parts,
      closePart: (endOffset) => this.#closePart(endOffset),
      previousEnd: () => this.#endOfPrevious,
      options: { receivedAt: options.receivedAt, zone: options.tenantTimeZone ?? 'UTC' },
    };
  }

  push(chunk: Uint8Array): void {
    this.#tokenizer.push(chunk);
  }

  finish(): void {
    this.#tokenizer.finish();
  }

  drain(): AdapterItem[] {
    return this.#queue.drain();
  }

  separators(found: Separators, notice: SeparatorNotice): void {
    this.#delimiters = found;
    const position = { byteOffset: notice.byteOffset, segmentNumber: this.#segments + 1 };
    if (notice.assumed) {
      this.#closeInterchange('closed');
      this.#openInterchange(null, position);
      return;
    }
    const addNotice = (code: string, message: string) =>
      this.#pendingNotices.push({ code, message, segment: 'ISA', position });
    if (!notice.fixedWidth) addNotice('ISA_WIDTHS', 'ISA elements do not have their fixed widths');
    if (notice.unterminated) addNotice('ISA_UNTERMINATED', 'ISA lacks the terminator of the segments after it');
  }

  segment(segment: Segment): void {
    this.#segments += 1;
    segment.number = this.#segments;
    const run = this.#run;
    segment.position = 0;
    if (run !== null) {
      run.segmentCount += 1;
      segment.position = run.segmentCount;
    }
    if (CONTROL.has(segment.key)) this.#control(segment);
    else if (segment.key === 0) {
      const message = 'a segment does not begin with a segment id';
      this.#damage({ code: 'SEGMENT_ID_MALFORMED', message }, positionOf(segment));
    } else if (run === null) this.#stray(segment);
    else run.mapper?.segment(segment);
    this.#endOfPrevious = segment.endOffset;
    if (this.#options.strict) this.#checkHold();
  }

  fault(fault: TokenFault): void {
    if (fault.code === 'LEADING_TEXT') {
      const position = { byteOffset: fault.byteOffset, segmentNumber: 0 };
      this.#pendingNotices.push({ code: fault.code, message: fault.message, position });
      return;
    }
    this.#segments += 1;
    const position: Position = { byteOffset: fault.byteOffset, segmentNumber: this.#segments };
    if (this.#run !== null) {
      this.#run.segmentCount += 1;
      position.transactionPosition = this.#run.segmentCount;
    }
    this.#damage(fault, position);
    this.#endOfPrevious = fault.endOffset;
  }

  roll(consumedTo: number): void {
    this.#parts.roll(consumedTo, this.#tokenizer.window);
  }

  lastTrailer(segment: Segment): boolean {
    const interchange = this.#interchange;
    if (interchange === null || segment.key !== IEA) return false;
    const control = segment.value(2);
    if (control === '' || control !== interchange.header['control_number']) return false;
    interchange.addFault(
      { code: 'IEA_UNTERMINATED', message: 'IEA has no terminator', segment: 'IEA' },
      {
        byteOffset: segment.byteOffset,
        segmentNumber: this.#segments + 1,
      },
    );
    this.segment(segment);
    return true;
  }

  interrupted(cut: CutSegment): void {
    this.#endAt(cut);
    this.#segments += 1;
    this.#endOfPrevious = cut.endOffset;
  }

  end(endOffset: number, cut: CutSegment | null): void {
    this.#endAt(cut);
    if (this.#segments > 0 || cut !== null) return;
    const message = endOffset === 0 ? 'the body is empty' : 'the body has no segment';
    this.#queue.refuse({ code: 'EMPTY_BODY', message, item: 'body' }, { byteOffset: 0, segmentNumber: 0 });
  }

  /** Ends the open interchange with the body, or with another interchange that begins inside a segment. */
  #endAt(cut: CutSegment | null): void {
    const run = this.#run;
    const refusedBefore = run?.refused ?? 0;
    // A cut segment inside a claim makes the claim incomplete; a cut trailer does not.
    const whole = cut === null || /^(SE|GE|IEA?)$/.test(cut.idStart);
    const position = cut === null ? null : this.#positionAt(cut);
    this.#closeInterchange(whole ? 'body-ended' : 'cut');
    // A claim rejected for the cut reports it already.
    if (cut !== null && position !== null && (run?.refused ?? 0) === refusedBefore) this.#reportCut(cut, position);
  }

  #control(segment: Segment): void {
    if (segment.key === ISA) {
      this.#closeInterchange('closed');
      this.#openInterchange(segment, positionOf(segment));
      return;
    }
    if (segment.key === TA1) {
      this.#refuseTa1(segment);
      return;
    }
    const interchange = this.#interchange ?? this.#openInterchange(null, positionOf(segment));
    if (segment.key === IEA) {
      this.#closeGroup('closed');
      interchange.trailer(segment);
      this.#closeInterchange('closed');
    } else if (segment.key === GS) {
      this.#closeGroup('closed');
      this.#group = new Wrapper('group', segment, positionOf(segment));
      this.#group.agreement = this.#agreement;
      interchange.count += 1;
    } else if (segment.key === GE) {
      this.#closeTransaction('closed');
      if (this.#group === null) interchange.warn('TRAILER_WITHOUT_HEADER', 'GE without GS', 'GE', positionOf(segment));
      else this.#group.trailer(segment);
      this.#closeGroup('closed');
    } else if (segment.key === ST) this.#openTransaction(segment, interchange);
    else this.#closeAtSe(segment, interchange);
  }

  #openInterchange(segment: Segment | null, position: Position): Wrapper {
    const interchange = new Wrapper('interchange', segment, position);
    const { agreementOf, sourceSystem } = this.#options;
    this.#agreement = agreementOf?.(sourceSystem ?? sourceOf(interchange)) ?? null;
    interchange.agreement = this.#agreement;
    if (segment === null)
      interchange.warn('ISA_MISSING', 'no ISA precedes the group or transaction', undefined, position);
    for (const { code, message, segment: id, position: at } of this.#pendingNotices)
      interchange.warn(code, message, id, at ?? position);
    this.#pendingNotices = [];
    this.#interchange = interchange;
    this.#abandoned = false;
    if (this.#options.strict) this.#queue.hold();
    return interchange;
  }

  #openTransaction(segment: Segment, interchange: Wrapper): void {
    this.#closeTransaction('closed');
    const owner = this.#group ?? interchange;
    if (this.#group === null) interchange.warn('GROUP_MISSING', 'ST is outside a group', 'ST', positionOf(segment));
    else this.#group.count += 1;
    segment.position = 1;
    if (this.#abandoned) return;
    const st03 = segment.value(3);
    const gs08 = this.#group?.header['version'] ?? '';
    const sender = interchange.header['sender'] ?? '';
    const header: TransactionHeader = {
      setId: segment.value(1),
      version: st03 === '' ? gs08 : st03,
      st03,
      gs08,
      interchangeControl: interchange.header['control_number'] ?? '',
      groupControl: this.#group?.header['control_number'] ?? '',
      transactionControl: segment.value(2),
      sourceSystem: this.#options.sourceSystem ?? sourceOf(interchange),
      agreement: this.#agreement,
      separators: this.#delimiters,
      position: positionOf(segment),
    };
    this.#run = new TransactionRun(header, owner, this.#around);
    if (this.#options.sourceSystem === undefined && sender === '') {
      this.#run.warn({ code: 'SENDER_UNKNOWN', message: 'no ISA06: the source system is the format name' });
    }
  }

  #closeAtSe(segment: Segment, interchange: Wrapper): void {
    const run = this.#run;
    if (run === null) {
      if (!this.#abandoned) interchange.warn('TRAILER_WITHOUT_HEADER', 'SE without ST', 'SE', positionOf(segment));
      return;
    }
    const faults: Fault[] = [];
    const declared = segment.value(1);
    if (Number(declared) !== run.segmentCount || declared === '') {
      const message = `SE01 differs from the ${run.segmentCount} segments found`;
      faults.push({ code: 'SEGMENT_COUNT_MISMATCH', message, segment: 'SE', element: 1 });
    }
    if (segment.value(2) !== run.header.transactionControl) {
      faults.push({ code: 'CONTROL_NUMBER_MISMATCH', message: 'SE02 differs from ST02', segment: 'SE', element: 2 });
    }
    this.#endTransaction(run, 'closed', faults, positionOf(segment), segment.endOffset);
  }

  /** Ends an open transaction without an SE. */
  #closeTransaction(how: TransactionEnd): void {
    const run = this.#run;
    if (run === null) return;
    run.complete = false;
    const fault: Fault = { code: 'SE_MISSING', message: 'the transaction has no SE', segment: 'SE' };
    this.#endTransaction(run, how, [fault], run.position, this.#endOfPrevious);
  }

  #endTransaction(
    run: TransactionRun,
    how: TransactionEnd,
    faults: Fault[],
    position: Position,
    endOffset: number,
  ): void {
    this.#run = null;
    for (const fault of faults) run.warn({ ...fault, position });
    const [unagreed] = faults.filter(({ code }) => this.#agreement?.faults.has(code) !== true);
    // A claim's part ends before the trailer; the part of an unsupported transaction includes its trailer.
    run.finish(how, run.mapper === null ? endOffset : this.#endOfPrevious);
    if (!this.#options.strict || run.mapper === null) return;
    const [first] =
      run.refused > 0
        ? [{ code: 'TRANSACTION_REFUSED', message: 'a part of the transaction is unreadable', segment: 'ST' }]
        : [unagreed];
    if (first === undefined) return;
    this.#queue.withdraw((scope) => scope.transaction === run);
    this.#refuseWhole(run.header.setId, first, position, 'transaction');
  }

  #closeGroup(how: TransactionEnd): void {
    this.#closeTransaction(how);
    const group = this.#group;
    if (group === null) return;
    this.#group = null;
    this.#closeWrapper(group, 'group', (scope) => scope.group === group);
  }

  #closeInterchange(how: TransactionEnd): void {
    this.#closeGroup(how);
    const interchange = this.#interchange;
    if (interchange === null) return;
    this.#interchange = null;
    this.#closeWrapper(interchange, 'interchange', () => true);
    this.#queue.release();
  }

  #closeWrapper(wrapper: Wrapper, level: 'group' | 'interchange', matches: (scope: Scope) => boolean): void {
    const [first] = wrapper.close();
    if (this.#options.strict && first !== undefined && !this.#abandoned) {
      this.#queue.withdraw(matches);
      this.#refuseWhole(level, first, wrapper.position, level);
    }
    this.#queue.push(wrapper.item());
  }

  #refuseWhole(item: string, fault: Fault, position: Position, whole?: RefusedItem['whole']): void {
    this.#queue.refuse({ ...fault, item, exceptionKind: 'PARSE_FAILED', ...(whole && { whole }) }, position);
  }

  /** Strict reading holds a limited number of bytes: it rejects a longer interchange and skips the rest. */
  #checkHold(): void {
    const interchange = this.#interchange;
    if (interchange === null || this.#abandoned) return;
    if (this.#endOfPrevious - interchange.position.byteOffset <= this.#options.limits.strictHoldBytes) return;
    this.#abandoned = true;
    this.#run = null;
    this.#queue.withdraw(() => true);
    const message = `strict reading holds at most ${this.#options.limits.strictHoldBytes} bytes of an interchange`;
    const fault = { code: 'STRICT_LIMIT', message, segment: 'ISA' };
    this.#refuseWhole('interchange', fault, interchange.position, 'interchange');
  }

  #damage(fault: { code: string; message: string }, position: Position): void {
    const { code, message } = fault;
    if (this.#run?.mapper) this.#run.mapper.damaged({ code, message, position });
    else if (this.#run === null && !this.#abandoned) {
      const item = WHOLE_BODY.has(code) ? 'body' : 'segment';
      this.#queue.refuse({ code, message, item, exceptionKind: 'PARSE_FAILED' }, position);
    }
  }

  #positionAt(cut: CutSegment): Position {
    const position: Position = { byteOffset: cut.byteOffset, segmentNumber: this.#segments + 1 };
    if (this.#run !== null) position.transactionPosition = this.#run.segmentCount + 1;
    return position;
  }

  #reportCut(cut: CutSegment, position: Position): void {
    const message = 'the body ends inside a segment, which is not used';
    const fault = { code: 'SEGMENT_CUT', message, item: 'segment', exceptionKind: 'PARSE_FAILED' } as const;
    this.#queue.refuse({ ...fault, ...(cut.idStart.length > 1 && { segment: cut.idStart }) }, position);
  }

  #stray(segment: Segment): void {
    if (this.#abandoned || this.#strayReported) return;
    this.#strayReported = true;
    const message = 'segments outside a transaction are not read';
    const fault = { code: 'SEGMENT_OUTSIDE_TRANSACTION', message, segment: segment.id };
    this.#refuseWhole('segment', fault, positionOf(segment));
  }

  #refuseTa1(segment: Segment): void {
    this.#parts.open(segment.byteOffset, this.#delimiters);
    const part = this.#closePart(segment.endOffset);
    const message = 'transaction TA1 yields no event';
    const fault = { code: 'UNSUPPORTED_TRANSACTION', message, item: 'TA1', segment: 'TA1' };
    this.#queue.refuse(fault, positionOf(segment), part);
  }

  #closePart(endOffset: number): Part {
    return this.#parts.close(endOffset, this.#tokenizer.window);
  }
}

/** ISA06, else the name of the format. */
const sourceOf = ({ header }: Wrapper): string => header['sender'] || 'x12';

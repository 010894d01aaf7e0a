import type { AdapterOptions, AdapterWarning, Part, Position, RefusedItem } from '../adapter.js';
import { ItemQueue, type Scope } from './item-queue.js';
import { PartTracker } from './part-tracker.js';
import { type Segment, segmentKey } from './segment.js';
import type { CutSegment, SegmentSink, SeparatorNotice, TokenFault } from './segment-sink.js';
import type { Separators } from './separators.js';
import { SegmentTokenizer } from './tokenizer.js';
import { positionOf, type TransactionEnd, type TransactionHeader } from './transaction-context.js';
import { type RunSurroundings, TransactionRun } from './transaction-run.js';
import { type Fault, Wrapper } from './wrapper.js';

const isa = segmentKey('ISA');
const iea = segmentKey('IEA');
const gs = segmentKey('GS');
const ge = segmentKey('GE');
const st = segmentKey('ST');
const se = segmentKey('SE');
const ta1 = segmentKey('TA1');

/** Faults of the body, not of a segment in it. */
const wholeBody: ReadonlySet<string> = new Set(['UNSUPPORTED_ENCODING', 'NOT_X12', 'ISA_UNREADABLE']);

/** Reads the envelope of X12 (ISA, GS, ST and their trailers), checks its counts, and runs each transaction's mapper. */
export class InterchangeReader implements SegmentSink {
  readonly queue = new ItemQueue();
  readonly tokenizer: SegmentTokenizer;
  private readonly parts = new PartTracker();
  private readonly options: AdapterOptions;
  private readonly around: RunSurroundings;
  private delimiters: Separators = { element: '*', component: ':', repetition: '', segment: '~' };
  private interchange: Wrapper | null = null;
  private group: Wrapper | null = null;
  private run: TransactionRun | null = null;
  private segments = 0;
  private endOfPrevious = 0;
  private strayReported = false;
  private pendingNotices: AdapterWarning[] = [];
  /** Strict reading gave the interchange up: nothing more of it is mapped. */
  private abandoned = false;

  constructor(options: AdapterOptions) {
    this.options = options;
    this.tokenizer = new SegmentTokenizer(this, options.limits);
    this.around = {
      queue: this.queue,
      parts: this.parts,
      closePart: (endOffset) => this.closePart(endOffset),
      previousEnd: () => this.endOfPrevious,
      options: { receivedAt: options.receivedAt, zone: options.tenantTimeZone ?? 'UTC' },
    };
  }

  separators(found: Separators, notice: SeparatorNotice): void {
    this.delimiters = found;
    const position = { byteOffset: notice.byteOffset, segmentNumber: this.segments + 1 };
    if (notice.assumed) {
      this.closeInterchange('closed');
      this.openInterchange(null, position);
      return;
    }
    const tell = (code: string, message: string) =>
      this.pendingNotices.push({ code, message, segment: 'ISA', position });
    if (!notice.fixedWidth) tell('ISA_WIDTHS', 'ISA elements do not have their fixed widths');
    if (notice.unterminated) tell('ISA_UNTERMINATED', 'ISA lacks the terminator of the segments after it');
  }

  segment(segment: Segment): void {
    this.segments += 1;
    segment.number = this.segments;
    const { run } = this;
    segment.position = 0;
    if (run !== null) {
      run.segmentCount += 1;
      segment.position = run.segmentCount;
    }
    switch (segment.key) {
      case isa:
      case gs:
      case st:
      case se:
      case ge:
      case iea:
      case ta1:
        this.control(segment);
        break;
      case 0:
        this.damage(
          { code: 'SEGMENT_ID_MALFORMED', message: 'a segment does not begin with a segment id' },
          positionOf(segment),
        );
        break;
      default:
        if (run === null) this.stray(segment);
        else run.mapper?.segment(segment);
    }
    this.endOfPrevious = segment.endOffset;
    if (this.options.strict) this.checkHold();
  }

  fault(fault: TokenFault): void {
    this.segments += 1;
    const position: Position = { byteOffset: fault.byteOffset, segmentNumber: this.segments };
    if (this.run !== null) {
      this.run.segmentCount += 1;
      position.transactionPosition = this.run.segmentCount;
    }
    this.damage(fault, position);
    this.endOfPrevious = fault.endOffset;
  }

  roll(consumedTo: number): void {
    this.parts.roll(consumedTo, this.tokenizer.window);
  }

  end(endOffset: number, cut: CutSegment | null): void {
    const { run } = this;
    const refusedBefore = run?.refused ?? 0;
    // A cut segment of the claim's own means the claim itself is not whole; a cut trailer says nothing against it.
    const whole = cut === null || /^(SE|GE|IEA?)$/.test(cut.idStart);
    const position = cut === null ? null : this.positionAt(cut);
    this.closeInterchange(whole ? 'body-ended' : 'cut');
    // A claim refused for the cut tells of it already.
    if (cut !== null && position !== null && (run?.refused ?? 0) === refusedBefore) this.reportCut(cut, position);
    if (this.segments > 0 || cut !== null) return;
    const start = { byteOffset: 0, segmentNumber: 0 };
    const message = endOffset === 0 ? 'the body is empty' : 'the body holds no segment';
    const index = this.queue.takeIndex();
    this.queue.push({ kind: 'refused', index, code: 'EMPTY_BODY', message, item: 'body', position: start });
  }

  private control(segment: Segment): void {
    if (segment.key === isa) {
      this.closeInterchange('closed');
      this.openInterchange(segment, positionOf(segment));
      return;
    }
    if (segment.key === ta1) {
      this.refuseTa1(segment);
      return;
    }
    const interchange = this.interchange ?? this.openInterchange(null, positionOf(segment));
    if (segment.key === iea) {
      this.closeGroup('closed');
      interchange.trailer(segment);
      this.closeInterchange('closed');
    } else if (segment.key === gs) {
      this.closeGroup('closed');
      this.group = Wrapper.group(segment, positionOf(segment));
      interchange.count += 1;
    } else if (segment.key === ge) {
      this.closeTransaction('closed');
      if (this.group === null) interchange.warn('TRAILER_WITHOUT_HEADER', 'GE without GS', 'GE', positionOf(segment));
      else this.group.trailer(segment);
      this.closeGroup('closed');
    } else if (segment.key === st) this.openTransaction(segment, interchange);
    else this.closeAtSe(segment, interchange);
  }

  private openInterchange(segment: Segment | null, position: Position): Wrapper {
    const interchange = Wrapper.interchange(segment, position);
    if (segment === null)
      interchange.warn('ISA_MISSING', 'no ISA stands before the group or transaction', undefined, position);
    for (const { code, message, segment: id, position: at } of this.pendingNotices)
      interchange.warn(code, message, id, at ?? position);
    this.pendingNotices = [];
    this.interchange = interchange;
    this.abandoned = false;
    if (this.options.strict) this.queue.hold();
    return interchange;
  }

  private openTransaction(segment: Segment, interchange: Wrapper): void {
    this.closeTransaction('closed');
    const owner = this.group ?? interchange;
    if (this.group === null) interchange.warn('GROUP_MISSING', 'ST stands outside a group', 'ST', positionOf(segment));
    else this.group.count += 1;
    segment.position = 1;
    if (this.abandoned) return;
    const st03 = segment.value(3);
    const gs08 = this.group?.header['version'] ?? '';
    const sender = interchange.header['sender'] ?? '';
    const header: TransactionHeader = {
      setId: segment.value(1),
      version: st03 === '' ? gs08 : st03,
      st03,
      gs08,
      interchangeControl: interchange.header['control_number'] ?? '',
      groupControl: this.group?.header['control_number'] ?? '',
      transactionControl: segment.value(2),
      sourceSystem: this.options.sourceSystem ?? (sender === '' ? 'x12' : sender),
      separators: this.delimiters,
      position: positionOf(segment),
    };
    this.run = new TransactionRun(header, owner, this.around);
    if (this.options.sourceSystem === undefined && sender === '') {
      this.run.warn({ code: 'SENDER_UNKNOWN', message: 'no ISA06: the source system is the format name' });
    }
  }

  private closeAtSe(segment: Segment, interchange: Wrapper): void {
    const { run } = this;
    if (run === null) {
      if (!this.abandoned) interchange.warn('TRAILER_WITHOUT_HEADER', 'SE without ST', 'SE', positionOf(segment));
      return;
    }
    const faults: Fault[] = [];
    const declared = segment.value(1);
    if (Number(declared) !== run.segmentCount || declared === '') {
      faults.push({
        code: 'SEGMENT_COUNT_MISMATCH',
        message: `SE01 does not say the ${run.segmentCount} segments there are`,
        segment: 'SE',
        element: 1,
      });
    }
    if (segment.value(2) !== run.header.transactionControl) {
      faults.push({ code: 'CONTROL_NUMBER_MISMATCH', message: 'SE02 differs from ST02', segment: 'SE', element: 2 });
    }
    this.endTransaction(run, 'closed', faults, positionOf(segment), segment.endOffset);
  }

  /** Ends an open transaction whose SE did not come. */
  private closeTransaction(how: TransactionEnd): void {
    const { run } = this;
    if (run === null) return;
    run.complete = false;
    const fault: Fault = { code: 'SE_MISSING', message: 'the transaction has no SE', segment: 'SE' };
    this.endTransaction(run, how, [fault], run.position, this.endOfPrevious);
  }

  private endTransaction(
    run: TransactionRun,
    how: TransactionEnd,
    faults: Fault[],
    position: Position,
    endOffset: number,
  ): void {
    this.run = null;
    for (const fault of faults) run.warn({ ...fault, position });
    // A claim ends where the segment before the trailer ends; only an unsupported transaction is kept with its trailer.
    run.finish(how, run.mapper === null ? endOffset : this.endOfPrevious);
    if (!this.options.strict || run.mapper === null) return;
    const [first] =
      run.refused > 0
        ? [{ code: 'TRANSACTION_REFUSED', message: 'a part of the transaction cannot be read', segment: 'ST' }]
        : faults;
    if (first === undefined) return;
    this.queue.withdraw((scope) => scope.transaction === run);
    this.refuseWhole(run.header.setId, first, position, 'transaction');
  }

  private closeGroup(how: TransactionEnd): void {
    this.closeTransaction(how);
    const { group } = this;
    if (group === null) return;
    this.group = null;
    this.closeWrapper(group, 'group', (scope) => scope.group === group);
  }

  private closeInterchange(how: TransactionEnd): void {
    this.closeGroup(how);
    const { interchange } = this;
    if (interchange === null) return;
    this.interchange = null;
    this.closeWrapper(interchange, 'interchange', () => true);
    this.queue.release();
  }

  private closeWrapper(wrapper: Wrapper, level: 'group' | 'interchange', matches: (scope: Scope) => boolean): void {
    const [first] = wrapper.close();
    if (this.options.strict && first !== undefined && !this.abandoned) {
      this.queue.withdraw(matches);
      this.refuseWhole(level, first, wrapper.position, level);
    }
    this.queue.push(wrapper.item());
  }

  private refuseWhole(item: string, fault: Fault, position: Position, whole?: RefusedItem['whole']): void {
    const index = this.queue.takeIndex();
    const said = { item, exceptionKind: 'PARSE_FAILED', position, ...(whole && { whole }) } as const;
    this.queue.push({ kind: 'refused', index, ...fault, ...said });
  }

  /** Strict reading holds no more than its limit: beyond it the interchange is refused, and the rest passed over. */
  private checkHold(): void {
    const { interchange } = this;
    if (interchange === null || this.abandoned) return;
    if (this.endOfPrevious - interchange.position.byteOffset <= this.options.limits.strictHoldBytes) return;
    this.abandoned = true;
    this.run = null;
    this.queue.withdraw(() => true);
    const message = `strict reading holds at most ${this.options.limits.strictHoldBytes} bytes of an interchange`;
    this.refuseWhole(
      'interchange',
      { code: 'STRICT_LIMIT', message, segment: 'ISA' },
      interchange.position,
      'interchange',
    );
  }

  private damage(fault: { code: string; message: string }, position: Position): void {
    const refusal = { code: fault.code, message: fault.message, position };
    if (this.run?.mapper) this.run.mapper.damaged(refusal);
    else if (this.run === null && !this.abandoned) {
      const index = this.queue.takeIndex();
      this.queue.push({
        kind: 'refused',
        index,
        ...refusal,
        item: wholeBody.has(fault.code) ? 'body' : 'segment',
        exceptionKind: 'PARSE_FAILED',
      });
    }
  }

  private positionAt(cut: CutSegment): Position {
    const position: Position = { byteOffset: cut.byteOffset, segmentNumber: this.segments + 1 };
    if (this.run !== null) position.transactionPosition = this.run.segmentCount + 1;
    return position;
  }

  private reportCut(cut: CutSegment, position: Position): void {
    const message = 'the body ends inside a segment, which is not used';
    const fault = { code: 'SEGMENT_CUT', message, item: 'segment', exceptionKind: 'PARSE_FAILED', position } as const;
    const segment = cut.idStart.length > 1 ? { segment: cut.idStart } : {};
    this.queue.push({ kind: 'refused', index: this.queue.takeIndex(), ...fault, ...segment });
  }

  private stray(segment: Segment): void {
    if (this.abandoned || this.strayReported) return;
    this.strayReported = true;
    const fault = {
      code: 'SEGMENT_OUTSIDE_TRANSACTION',
      message: 'segments outside a transaction are not read',
      segment: segment.id,
    };
    this.refuseWhole('segment', fault, positionOf(segment));
  }

  private refuseTa1(segment: Segment): void {
    this.parts.open(segment.byteOffset);
    const part = this.closePart(segment.endOffset);
    const fault = {
      code: 'UNSUPPORTED_TRANSACTION',
      message: 'transaction TA1 gives no event',
      item: 'TA1',
      segment: 'TA1',
    };
    this.queue.push({ kind: 'refused', index: this.queue.takeIndex(), ...fault, position: positionOf(segment), part });
  }

  private closePart(endOffset: number): Part {
    return this.parts.close(endOffset, this.tokenizer.window);
  }
}

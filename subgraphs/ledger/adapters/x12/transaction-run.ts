import type { AdapterWarning, ExceptionItem, Part, Position } from '../adapter.js';
import type { ItemQueue, Scope } from './item-queue.js';
import type { PartTracker } from './part-tracker.js';
import type {
  EventDraft,
  ReadingOptions,
  Refusal,
  TransactionContext,
  TransactionEnd,
  TransactionHeader,
  TransactionMapper,
} from './transaction-context.js';
import { mapperFor } from './transactions.js';

/** What the run needs of the reader around it. */
export interface RunSurroundings {
  queue: ItemQueue;
  parts: PartTracker;
  closePart(endOffset: number): Part;
  previousEnd(): number;
  options: ReadingOptions;
}

/** More warnings than this on one transaction say nothing new. */
const warningLimit = 100;

/** One transaction being read, from ST to SE: counts, warnings, and the items it gives. */
export class TransactionRun implements TransactionContext {
  /** Segments so far, ST among them. */
  segmentCount = 1;
  accepted = 0;
  refused = 0;
  complete = true;
  readonly warnings: AdapterWarning[] = [];
  readonly header: TransactionHeader;
  readonly options: ReadingOptions;
  readonly position: Position;
  /** Null where the transaction set gives no events. */
  readonly mapper: TransactionMapper | null;
  private readonly around: RunSurroundings;
  private readonly scope: Scope;

  constructor(header: TransactionHeader, group: object | null, around: RunSurroundings) {
    this.header = header;
    this.position = header.position;
    this.options = around.options;
    this.around = around;
    this.scope = { transaction: this, group };
    this.mapper = mapperFor(this);
    if (this.mapper === null) around.parts.open(this.position.byteOffset);
  }

  previousEnd(): number {
    return this.around.previousEnd();
  }

  openPart(offset: number): void {
    this.around.parts.open(offset);
  }

  closePart(endOffset: number): Part {
    return this.around.closePart(endOffset);
  }

  event(draft: EventDraft): number {
    const { header, around } = this;
    const { envelope, part } = draft;
    envelope.payload['raw'] = {
      part_sha256: part.sha256,
      offset: part.offset,
      length: part.length,
      format: 'x12',
      transaction: draft.transaction,
      version: header.version,
      control_numbers: {
        interchange: header.interchangeControl,
        group: header.groupControl,
        transaction: header.transactionControl,
      },
      warnings: draft.warnings.map(describeWarning),
    };
    const index = around.queue.takeIndex();
    this.accepted += 1;
    const { position, warnings, duplicateKeyOmitsTime } = draft;
    around.queue.push({ kind: 'event', index, envelope, part, position, warnings, duplicateKeyOmitsTime }, this.scope);
    return index;
  }

  refuse(refusal: Refusal, part?: Part): void {
    this.refused += 1;
    const index = this.around.queue.takeIndex();
    const item = part === undefined ? 'segment' : 'claim';
    this.around.queue.push(
      { kind: 'refused', index, ...refusal, item, exceptionKind: 'PARSE_FAILED', ...(part && { part }) },
      this.scope,
    );
  }

  exception(item: Omit<ExceptionItem, 'kind'>): void {
    this.around.queue.push({ kind: 'exception', ...item }, this.scope);
  }

  warn(warning: AdapterWarning): void {
    if (this.warnings.length < warningLimit) this.warnings.push(warning);
  }

  /** Ends the mapping and gives the transaction's item, or the refusal of one that gives no events. */
  finish(how: TransactionEnd, endOffset: number): void {
    const { header, mapper, position } = this;
    if (mapper === null) this.refuseUnsupported(endOffset);
    else mapper.end(how, endOffset);
    const controlNumbers = {
      interchange: header.interchangeControl,
      group: header.groupControl,
      transaction: header.transactionControl,
    };
    const { segmentCount, accepted, refused, complete, warnings } = this;
    const { version } = header;
    this.around.queue.push(
      {
        kind: 'transaction',
        ...(mapper?.summary() ?? { transaction: describeSet(header.setId) }),
        version,
        controlNumbers,
        position,
        segmentCount,
        accepted,
        refused,
        complete,
        warnings,
        header: { set_id: header.setId, implementation: header.st03 },
      },
      this.scope,
    );
  }

  private refuseUnsupported(endOffset: number): void {
    const { header, position, around } = this;
    this.refused += 1;
    around.queue.push(
      {
        kind: 'refused',
        index: around.queue.takeIndex(),
        code: 'UNSUPPORTED_TRANSACTION',
        message: `transaction ${describeSet(header.setId)} gives no event`,
        item: describeSet(header.setId),
        segment: 'ST',
        position,
        part: around.closePart(endOffset),
      },
      this.scope,
    );
  }
}

/** A warning as stored, in the record's own spelling. */
function describeWarning({ code, message, segment, element, position }: AdapterWarning): Record<string, unknown> {
  const described: Record<string, unknown> = { code, message };
  if (segment !== undefined) described.segment = segment;
  if (element !== undefined) described.element = element;
  if (position === undefined) return described;
  described.byte_offset = position.byteOffset;
  described.segment_number = position.segmentNumber;
  if (position.transactionPosition !== undefined) described.transaction_position = position.transactionPosition;
  return described;
}

/** A transaction set's id for people; nothing else of ST01 may reach a message. */
function describeSet(setId: string): string {
  return /^[A-Z0-9]{3}$/.test(setId) ? setId : 'of an unknown type';
}

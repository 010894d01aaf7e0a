import type { AdapterItem, AdapterOptions, AdapterWarning, Part } from '../adapter.js';
import { Batches } from './batches.js';
import { CharacterSet } from './character-sets.js';
import { isUsable } from './identity.js';
import { mapUnit } from './map-unit.js';
import { type Message, positionOf } from './message.js';
import { describeWarning, headerOf, recordIdOf } from './message-items.js';
import { kindOf, type MessageKind } from './message-kinds.js';
import { type Line, MessageSplitter, type RawMessage, type Refused } from './message-splitter.js';
import { partOf, readMessage, type Unreadable } from './read-message.js';
import { type Refusal, refusalOf, unsupported } from './refuse-message.js';
import { Segment } from './segment.js';
import { readSeparators, type Separators } from './separators.js';
import { type Unit, unitsOf } from './units.js';

const usualSeparators: Separators = { field: '|', component: '^', repetition: '~', escape: '\\', subcomponent: '&' };
const sourceSystemLimit = 128;

/** Reads a body: messages one by one, and the files and batches around them, into items. */
export class Hl7Reader {
  readonly splitter: MessageSplitter;
  private items: AdapterItem[] = [];
  private nextIndex = 0;
  private batchSeparators = usualSeparators;
  private readonly batches = new Batches((item) => this.items.push(item));
  private readonly options: AdapterOptions;

  constructor(options: AdapterOptions) {
    this.options = options;
    this.splitter = new MessageSplitter(
      {
        message: (raw) => this.takeRaw(raw),
        envelope: (line) => this.takeEnvelope(line),
        refused: (refused) => this.takeRefused(refused),
      },
      options.limits.windowBytes,
    );
  }

  finish(): void {
    this.splitter.finish();
    this.batches.closeAll();
  }

  /** The items that were read since the last call. */
  drain(): AdapterItem[] {
    const out = this.items;
    if (out.length > 0) this.items = [];
    return out;
  }

  /** EVN and SCH stand once in a message, near its head: a second one is of a message whose MSH was lost. */
  private takeRaw(raw: RawMessage): void {
    const { window } = this.splitter;
    const seen = new Set<string>();
    const lostAt = raw.lines.findIndex(({ start }) => {
      const id = window.text.slice(start - window.base, start - window.base + 3);
      return (id === 'EVN' || id === 'SCH') && seen.size === seen.add(id).size;
    });
    if (lostAt === -1) {
      this.takeMessage(raw);
      return;
    }
    const rest = raw.lines.slice(lostAt);
    this.takeMessage({ ...raw, lines: raw.lines.slice(0, lostAt), ending: 'closed' });
    const [first, last] = [rest[0], rest.at(-1)];
    if (first === undefined || last === undefined) return;
    const message = 'segments that begin another message stand behind this one: its MSH is missing';
    this.refuse(
      { code: 'HEADER_LOST', message, item: 'segments', exceptionKind: 'PARSE_FAILED' },
      { byteOffset: first.start, segmentNumber: first.number },
      partOf(window, first.start, last.end),
    );
  }

  private takeMessage(raw: RawMessage): void {
    this.batches.countMessage();
    const cut = raw.ending === 'unterminated' && (raw.frameOpen || this.batches.open);
    const read = readMessage(raw, this.splitter.window, { cut, segmentBytes: this.options.limits.segmentBytes });
    if ('unreadable' in read) {
      this.takeUnreadable(read.unreadable);
      return;
    }
    const { message } = read;
    if (raw.frameOpen && !cut) message.warn('FRAME_OPEN', 'the body ends before the frame of the message does');
    const before = this.items.length;
    const kind = kindOf(message.header.code, message.header.trigger);
    const refusal = refusalOf(message, kind, this.options.strict);
    if (refusal !== null || kind === null) {
      this.refuse(refusal ?? unsupported(message), positionOf(message.msh), message.part);
    } else this.takeEvents(message, kind);
    this.endMessage(message.msh, message.separators, this.items.slice(before), message);
  }

  private takeEvents(message: Message, kind: MessageKind): void {
    const units = unitsOf(message, kind.unit);
    const sourceSystem = this.sourceSystemOf(message);
    const shared = message.warnings.length;
    units.forEach((unit, at) => {
      const { envelope, received } = mapUnit(message, kind, unit, {
        receivedAt: this.options.receivedAt,
        zone: this.options.tenantTimeZone ?? 'UTC',
      });
      const warnings = [...message.warnings.slice(0, shared), ...message.warnings.splice(shared)];
      const part = unit.whole ? message.part : this.partOfUnit(unit);
      const position = positionOf(unit.whole ? message.msh : (unit.own[0] ?? message.msh));
      const index = this.nextIndex++;
      const draft = {
        ...envelope,
        source_system: sourceSystem,
        source_record_id: recordIdOf(message, units.length > 1 ? at + 1 : 0),
      };
      draft.payload['raw'] = this.describeRaw(message, part, warnings);
      this.items.push({
        kind: 'event',
        index,
        envelope: draft,
        part,
        position,
        warnings,
        duplicateKeyOmitsTime: received,
      });
      if (draft.member_id !== undefined) return;
      this.items.push({
        kind: 'exception',
        exceptionKind: 'UNKNOWN_MEMBER',
        code: 'MEMBER_MISSING',
        message: 'neither PID-2, PID-3 nor IN1 names a member',
        index,
        segment: 'PID',
        position,
        part,
      });
    });
  }

  private sourceSystemOf(message: Message): string {
    if (this.options.sourceSystem !== undefined) return this.options.sourceSystem;
    const sender = message.msh.value(3);
    if (isUsable(sender, sourceSystemLimit)) return sender;
    message.warn('SENDER_MISSING', 'MSH-3 names no sender: the format stands for it', {
      segment: message.msh,
      field: 3,
    });
    return 'hl7v2';
  }

  private partOfUnit(unit: Unit): Part {
    const [first, last] = [unit.own[0], unit.own.at(-1)];
    if (first === undefined || last === undefined) throw new Error('an event has no segments');
    return partOf(this.splitter.window, first.byteOffset, last.endOffset);
  }

  private describeRaw(message: Message, part: Part, warnings: readonly AdapterWarning[]): Record<string, unknown> {
    return {
      part_sha256: part.sha256,
      offset: part.offset,
      length: part.length,
      format: 'hl7v2',
      transaction: message.name,
      version: message.header.version,
      control_numbers: { message: message.header.controlId, ...this.batches.controlNumbers },
      warnings: warnings.map(describeWarning),
    };
  }

  /** The transaction's item where it gave events, and the header that acknowledgements and control numbers are read from. */
  private endMessage(
    msh: Segment,
    separators: Separators,
    given: readonly AdapterItem[],
    message: Message | null,
  ): void {
    const position = positionOf(msh);
    const accepted = given.filter(({ kind }) => kind === 'event').length;
    const refused = given.filter(({ kind }) => kind === 'refused').length;
    const complete =
      message !== null && !message.warnings.some(({ code }) => code === 'MESSAGE_CUT' || code === 'FRAME_OPEN');
    if (message !== null && accepted > 0) {
      this.items.push({
        kind: 'transaction',
        transaction: message.name,
        version: message.header.version,
        controlNumbers: { message: message.header.controlId, ...this.batches.controlNumbers },
        position,
        segmentCount: message.segments.length,
        accepted,
        refused,
        complete,
        // They stand with each event.
        warnings: [],
      });
    }
    const header = headerOf(msh, separators);
    this.items.push({
      kind: 'wrapper',
      level: 'message',
      header,
      position,
      declaredCount: null,
      count: accepted,
      complete,
      warnings: [],
    });
  }

  private takeUnreadable({ code, message, segment, position, part, msh, separators }: Unreadable): void {
    const at = segment === undefined ? {} : { segment };
    this.refuse(
      { code, message, item: msh === null ? 'segments' : 'message', exceptionKind: 'PARSE_FAILED', ...at },
      position,
      part,
    );
    if (msh !== null && separators !== null) this.endMessage(msh, separators, [], null);
  }

  private takeRefused({ code, message, start, end, lineNumber }: Refused): void {
    const position = { byteOffset: start, segmentNumber: lineNumber };
    const { window } = this.splitter;
    // Of a part too long to be held the hash is not known.
    const part = start >= window.base ? partOf(window, start, end) : undefined;
    this.refuse({ code, message, item: 'segments', exceptionKind: 'PARSE_FAILED' }, position, part);
  }

  private refuse(refusal: Refusal, position: AdapterWarning['position'], part?: Part): void {
    const index = this.nextIndex++;
    this.items.push({ kind: 'refused', index, ...refusal, ...(position && { position }), ...(part && { part }) });
  }

  private takeEnvelope(line: Line): void {
    const { window } = this.splitter;
    const text = window.text.slice(line.start - window.base, line.end - window.base);
    const own = /^[FB]HS/.test(text) ? readSeparators(text) : null;
    if (own !== null) this.batchSeparators = own;
    const place = { byteOffset: line.start, endOffset: line.end, number: line.number, position: 1 };
    this.batches.take(new Segment(text, place, { separators: this.batchSeparators, characters: CharacterSet.of('') }));
  }
}

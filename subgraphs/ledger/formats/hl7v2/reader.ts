import { type BodyReader, ItemSink } from '../emit.js';
import type { AdapterItem, AdapterOptions, Part } from '../format-adapter.js';
import { isUsable } from '../values/payload.js';
import { headerOf, recordIdOf, refusalOf, unsupported } from './check-message.js';
import { mapUnit } from './map/map-unit.js';
import { kindOf, type MessageKind } from './map/message-kinds.js';
import { type Unit, unitsOf } from './map/units.js';
import { Batches } from './message/batches.js';
import { CharacterSet } from './message/character-sets.js';
import { type Message, positionOf } from './message/message.js';
import { partOf, readMessage, type Unreadable } from './message/read-message.js';
import { readingOf, readSeparators, Segment, type Separators } from './message/segment.js';
import { type Line, MessageSplitter, type RawMessage, type Refused } from './message/splitter.js';

const USUAL_SEPARATORS: Separators = { field: '|', component: '^', repetition: '~', escape: '\\', subcomponent: '&' };
const SOURCE_SYSTEM_LIMIT = 128;

const MEMBER_UNNAMED = 'neither PID-2, PID-3 nor IN1 names a member';
const MEMBER_WITHHELD = 'the message is cut: its member is withheld, because a later segment may name another';

/** Reads a body of messages, with the files and batches around them, into items. */
export class Hl7Reader implements BodyReader {
  readonly #splitter: MessageSplitter;
  readonly #sink = new ItemSink();
  #batchSeparators = USUAL_SEPARATORS;
  #hasLeadingText = false;
  readonly #batches = new Batches((item) => this.#sink.push(item));
  readonly #options: AdapterOptions;

  constructor(options: AdapterOptions) {
    this.#options = options;
    this.#splitter = new MessageSplitter(
      {
        message: (raw) => this.#takeRaw(raw),
        envelope: (line) => this.#takeEnvelope(line),
        refused: (refused) => this.#takeRefused(refused),
        leadingText: () => {
          this.#hasLeadingText = true;
        },
      },
      options.limits.windowBytes,
    );
  }

  push(chunk: Uint8Array): void {
    this.#splitter.push(chunk);
  }

  finish(): void {
    this.#splitter.finish();
    this.#batches.closeAll();
  }

  drain(): AdapterItem[] {
    return this.#sink.drain();
  }

  /**
   * Splits off a second EVN or SCH: each occurs once near the head of a message, so the MSH of another message was
   * lost.
   */
  #takeRaw(raw: RawMessage): void {
    const { window } = this.#splitter;
    const { text, base } = window;
    let [seen, lostAt] = ['', -1];
    for (let at = 0; at < raw.lines.length && lostAt === -1; at += 1) {
      const start = (raw.lines[at]?.start ?? 0) - base;
      const first = text.charCodeAt(start);
      if (first !== 0x45 && first !== 0x53) continue;
      const id = text.slice(start, start + 3);
      if (id !== 'EVN' && id !== 'SCH') continue;
      if (seen.includes(id)) lostAt = at;
      seen += id;
    }
    if (lostAt === -1) {
      this.#takeMessage(raw);
      return;
    }
    const rest = raw.lines.slice(lostAt);
    this.#takeMessage({ ...raw, lines: raw.lines.slice(0, lostAt), ending: 'closed' });
    const [first, last] = [rest[0], rest.at(-1)];
    if (first === undefined || last === undefined) return;
    const message = 'segments of another message follow this one: its MSH is missing';
    const refusal = { code: 'HEADER_LOST', message, item: 'segments', exceptionKind: 'PARSE_FAILED' } as const;
    const position = { byteOffset: first.start, segmentNumber: first.number };
    this.#sink.refuse(refusal, position, partOf(window, first.start, last.end));
  }

  #takeMessage(raw: RawMessage): void {
    this.#batches.countMessage();
    const cut = raw.ending === 'unterminated' && (raw.frameOpen || this.#batches.open);
    const read = readMessage(raw, this.#splitter.window, { cut, segmentBytes: this.#options.limits.segmentBytes });
    if ('unreadable' in read) {
      this.#takeUnreadable(read.unreadable);
      return;
    }
    const { message } = read;
    if (raw.frameOpen && !cut) message.warn('FRAME_OPEN', 'the body ends inside the frame of the message');
    if (this.#hasLeadingText) message.warn('LEADING_TEXT', 'text before the first header is skipped');
    this.#hasLeadingText = false;
    const kind = kindOf(message.header.code, message.header.trigger);
    const refusal = refusalOf(message, kind, this.#options.strict);
    let accepted = 0;
    if (refusal === null && kind !== null) accepted = this.#takeEvents(message, kind);
    else this.#sink.refuse(refusal ?? unsupported(message), positionOf(message.msh), message.part);
    this.#endMessage(message.msh, message.separators, accepted, message);
  }

  /** Emits the events of a message and returns their number. */
  #takeEvents(message: Message, kind: MessageKind): number {
    const units = unitsOf(message, kind.unit);
    const sourceSystem = this.#sourceSystemOf(message);
    const shared = message.warnings.length;
    const { name, header, msh } = message;
    const options = { receivedAt: this.#options.receivedAt, zone: this.#options.tenantTimeZone ?? 'UTC' };
    units.forEach((unit, at) => {
      const { envelope, received, documents } = mapUnit(message, kind, unit, options);
      const warnings = [...message.warnings.slice(0, shared), ...message.warnings.splice(shared)];
      const recordId = recordIdOf(message, units.length > 1 ? at + 1 : 0);
      const controlNumbers = { message: header.controlId, ...this.#batches.controlNumbers };
      this.#sink.event({
        envelope: { ...envelope, source_system: sourceSystem, source_record_id: recordId },
        part: unit.whole ? message.part : this.#partOfUnit(unit),
        position: positionOf(unit.whole ? msh : (unit.own[0] ?? msh)),
        warnings,
        received,
        raw: {
          format: 'hl7v2',
          transaction: name,
          version: header.version,
          controlNumbers,
          warningPlace: 'body',
          wholeness: message.wholeness,
        },
        lacks: { message: message.grade === 'CUT' ? MEMBER_WITHHELD : MEMBER_UNNAMED, segment: 'PID' },
        documents,
      });
    });
    return units.length;
  }

  #sourceSystemOf(message: Message): string {
    if (this.#options.sourceSystem !== undefined) return this.#options.sourceSystem;
    const sender = message.msh.value(3);
    if (isUsable(sender, SOURCE_SYSTEM_LIMIT)) return sender;
    message.warn('SENDER_MISSING', 'MSH-3 names no sender: the source system is the format name', {
      segment: message.msh,
      field: 3,
    });
    return 'hl7v2';
  }

  #partOfUnit(unit: Unit): Part {
    const [first, last] = [unit.own[0], unit.own.at(-1)];
    if (first === undefined || last === undefined) throw new Error('an event has no segments');
    return partOf(this.#splitter.window, first.byteOffset, last.endOffset);
  }

  /** Emits the transaction's item if it has events, and the header for acknowledgements and control numbers. */
  #endMessage(msh: Segment, separators: Separators, accepted: number, message: Message | null): void {
    const position = positionOf(msh);
    const complete =
      message !== null && !message.warnings.some(({ code }) => code === 'MESSAGE_CUT' || code === 'FRAME_OPEN');
    if (message !== null && accepted > 0) {
      const { name: transaction, header } = message;
      const controlNumbers = { message: header.controlId, ...this.#batches.controlNumbers };
      // Each event has the warnings.
      const counts = { segmentCount: message.segments.length, accepted, refused: 0, complete, warnings: [] };
      this.#sink.push({
        kind: 'transaction',
        transaction,
        version: header.version,
        controlNumbers,
        position,
        ...counts,
      });
    }
    this.#sink.endMessage(headerOf(msh, separators), position, { count: accepted, complete });
  }

  #takeUnreadable({ code, message, segment, position, part, msh, separators }: Unreadable): void {
    const at = segment === undefined ? {} : { segment };
    const item = msh === null ? 'segments' : 'message';
    this.#sink.refuse({ code, message, item, exceptionKind: 'PARSE_FAILED', ...at }, position, part);
    if (msh !== null && separators !== null) this.#endMessage(msh, separators, 0, null);
  }

  #takeRefused({ code, message, start, end, lineNumber }: Refused): void {
    const position = { byteOffset: start, segmentNumber: lineNumber };
    const { window } = this.#splitter;
    // The hash of a part that was too long to hold is unknown.
    const part = start >= window.base ? partOf(window, start, end) : undefined;
    this.#sink.refuse({ code, message, item: 'segments', exceptionKind: 'PARSE_FAILED' }, position, part);
  }

  #takeEnvelope(line: Line): void {
    const { window } = this.#splitter;
    const text = window.text.slice(line.start - window.base, line.end - window.base);
    const own = /^[FB]HS/.test(text) ? readSeparators(text) : null;
    if (own !== null) this.#batchSeparators = own;
    const place = { byteOffset: line.start, endOffset: line.end, number: line.number, position: 1 };
    this.#batches.take(new Segment(text, place, readingOf(this.#batchSeparators, CharacterSet.of(''))));
  }
}

import { BundleShape } from './bundle-shape.js';
import { DocumentPlace } from './document-place.js';
import { GatheredChunks } from './gathered-chunks.js';
import {
  backslash,
  beginsResource,
  byteClasses,
  comma,
  endOfNumber,
  endOfPlainString,
  hasUtf8Mark,
  holdsAny,
  isBlank,
  isBrokenBefore,
  isClose,
  isColon,
  isInexactAt,
  isLineEnd,
  isNumber,
  isOpen,
  isPlain,
  isQuote,
  isSurrogateEscape,
  isUtf16,
  lineFeed,
  openBrace,
  openBracket,
  quote,
  smallU,
} from './json-shapes.js';
import type { Lost, SplitterLimits, SplitterSink, Unit } from './splitter-sink.js';
import { UnitFacts } from './unit-facts.js';

const entriesDepth = 2;
const nothing = Buffer.alloc(0);

/**
 * Splits a body of JSON objects, one or one a line, into documents and Bundle entries as it streams in. Holds one window: the
 * document or entry begun, and the bytes behind it. Reads structure alone; the parse itself stays the engine's.
 */
export class JsonSplitter {
  private bytes: Buffer = nothing;
  private base = 0;
  /** Of the window. */
  private at = 0;
  private readonly gathered = new GatheredChunks();
  private begun = false;
  private stopped = false;
  private final = false;

  private inString = false;
  private depth = 0;
  private members = 0;
  /** Where the last string began and ended, in the body: a key, when a colon follows. */
  private stringStart = 0;
  private stringEnd = 0;
  private pendingKey: 'entry' | 'resource' | null = null;

  /** Where the document or entry in hand begins; -1 between them. */
  private unitStart = -1;
  private skipping = false;
  private facts = new UnitFacts();

  private readonly document = new DocumentPlace();

  private inEntries = false;
  private entryNumber = 0;
  private shape: BundleShape | null = null;

  private readonly sink: SplitterSink;
  private readonly limits: SplitterLimits;

  constructor(sink: SplitterSink, limits: SplitterLimits, base = 0) {
    this.sink = sink;
    this.limits = limits;
    this.base = base;
  }

  push(chunk: Uint8Array): void {
    if (this.stopped || chunk.length === 0) return;
    this.gathered.add(chunk);
    // What is held grows by doubling, so that a long resource is not copied once for each chunk.
    if (this.gathered.byteLength >= Math.max(this.limits.windowBytes, this.bytes.length / 2)) this.advance();
  }

  finish(): void {
    if (this.stopped) return;
    this.final = true;
    this.advance();
    if (this.stopped) return;
    if (this.depth > 0 || this.unitStart !== -1) this.cutDocument(this.base + this.bytes.length);
    this.endGarbage(this.base + this.bytes.length);
  }

  private advance(): void {
    const keepFrom = this.unitStart === -1 || this.skipping ? this.at : Math.min(this.at, this.unitStart - this.base);
    this.bytes = this.gathered.takeBehind(this.bytes.subarray(keepFrom));
    this.base += keepFrom;
    this.at -= keepFrom;
    if (!this.begun && this.refuseEncoding()) return;
    this.begun = true;
    this.scan();
    if (this.unitStart !== -1 && !this.skipping && this.base + this.at - this.unitStart > this.limits.unitBytes)
      this.skipUnit();
  }

  /** UTF-16 must never be read as single bytes: its marks, or a NUL among the first characters, refuse the body. */
  private refuseEncoding(): boolean {
    const { bytes } = this;
    if (hasUtf8Mark(bytes)) this.at = 3;
    if (!isUtf16(bytes)) return false;
    this.stopped = true;
    const message = 'the body is not UTF-8 text (UTF-16 or NUL bytes)';
    this.lose('UNSUPPORTED_ENCODING', message, this.base, this.base + bytes.length, bytes);
    return true;
  }

  private scan(): void {
    const { bytes } = this;
    const { length } = bytes;
    while (this.at < length) {
      if (this.inString) {
        if (!this.scanString()) return;
      } else if (this.depth === 0) this.scanBetweenDocuments();
      else if (this.inEntries && this.depth === entriesDepth) this.scanBetweenEntries();
      else if (!this.scanStructure()) return;
    }
  }

  /** Inside an object, outside its strings; false when the next bytes are needed to go on. */
  private scanStructure(): boolean {
    const { bytes, skipping } = this;
    const { length } = bytes;
    let { at } = this;
    for (; at < length; at += 1) {
      const byte = bytes[at] ?? 0;
      const kind = byteClasses[byte];
      if (kind === isPlain) continue;
      if (kind === isQuote) {
        this.stringStart = this.base + at + 1;
        const end = skipping ? -1 : endOfPlainString(bytes, at + 1);
        if (end !== -1) {
          this.stringEnd = this.base + end;
          at = end;
          continue;
        }
        this.inString = true;
        this.at = at + 1;
        return true;
      }
      if (kind === isColon) {
        this.members += 1;
        if (this.depth === 1 || (this.inEntries && this.depth === entriesDepth + 1)) this.takeKey();
      } else if (kind === isNumber) {
        if (skipping) continue;
        const end = endOfNumber(bytes, at);
        if (end === length && !this.final) break;
        if (isInexactAt(bytes, at, end)) this.facts.inexact.push(Number(bytes.toString('latin1', at, end)));
        at = end - 1;
      } else if (kind === isOpen) {
        if (this.open(byte, at)) return true;
      } else if (kind === isClose) {
        if (this.close(at)) return true;
      } else if (kind === isLineEnd && this.endOfLine(at)) return true;
    }
    this.at = at;
    return at >= length;
  }

  /** Inside a string; false when the next bytes are needed to go on. */
  private scanString(): boolean {
    const { bytes } = this;
    const { length } = bytes;
    let { at } = this;
    // Of what is too long to be held only the end matters: the engine's own search finds that there is none quickly.
    if (this.skipping && !holdsAny(bytes, at)) {
      this.at = length;
      return true;
    }
    for (; at < length; at += 1) {
      const byte = bytes[at];
      if (byte === quote) {
        this.stringEnd = this.base + at;
        this.inString = false;
        this.at = at + 1;
        return true;
      }
      if (byte === backslash) {
        if (at + 6 > length && !this.final) break;
        if (bytes[at + 1] === smallU && isSurrogateEscape(bytes, at)) this.facts.surrogates = true;
        at += 1;
      } else if (byte === lineFeed && this.endOfLine(at)) return true;
    }
    this.at = Math.min(at, length);
    return at >= length;
  }

  /** The key before a colon, where it says what the Bundle's parts are. */
  private takeKey(): void {
    this.pendingKey = null;
    if (this.skipping) return;
    const wanted = this.depth === 1 ? 'entry' : 'resource';
    const from = this.stringStart - this.base;
    if (this.stringEnd - this.stringStart !== wanted.length || from < 0) return;
    if (this.bytes.toString('latin1', from, from + wanted.length) === wanted) this.pendingKey = wanted;
  }

  /** True when another loop must go on from here. */
  private open(byte: number, at: number): boolean {
    const key = this.pendingKey;
    this.pendingKey = null;
    this.depth += 1;
    if (this.depth > this.limits.depth) this.facts.tooDeep = true;
    if (key === 'entry' && byte === openBracket && this.depth === entriesDepth) {
      this.beginEntries(at);
      return true;
    }
    if (key === 'resource' && byte === openBrace) this.facts.resourceFrom = this.base + at;
    return false;
  }

  private close(at: number): boolean {
    this.pendingKey = null;
    this.depth -= 1;
    const { depth } = this;
    if (this.inEntries) {
      if (depth === entriesDepth + 1 && this.facts.resourceFrom !== -1 && this.facts.resourceTo === -1)
        this.facts.resourceTo = this.base + at + 1;
      if (depth !== entriesDepth) return false;
      this.endUnit(at + 1, 'entry');
      this.at = at + 1;
      return true;
    }
    if (depth > 0) return false;
    this.endDocument(at + 1);
    this.at = at + 1;
    return true;
  }

  private beginEntries(at: number): void {
    const head = Buffer.from(this.bytes.subarray(Math.max(0, this.unitStart - this.base), at + 1));
    const first = this.shape === null;
    this.shape ??= new BundleShape(this.document.start);
    this.shape.beginEntries({ head, members: this.members, tooDeep: this.facts.tooDeep });
    this.inEntries = true;
    this.unitStart = -1;
    this.at = at + 1;
    this.members = 0;
    if (first) this.sink.bundleBegin(head, this.document.start);
  }

  /** Between the entries of a Bundle stand commas alone. */
  private scanBetweenEntries(): void {
    const { bytes } = this;
    for (; this.at < bytes.length; this.at += 1) {
      const byte = bytes[this.at] ?? 0;
      if (byte === lineFeed && this.endOfLine(this.at)) return;
      if (isBlank(byte)) continue;
      if (byte === comma) {
        this.shape?.comma();
      } else if (byte === openBrace) {
        this.shape?.entry();
        this.beginUnit(this.at);
        this.entryNumber += 1;
        this.depth += 1;
        this.at += 1;
        return;
      } else if (byte === 0x5d) {
        this.shape?.endEntries();
        this.inEntries = false;
        this.depth -= 1;
        this.unitStart = this.base + this.at;
        this.skipping = false;
        this.facts.tooDeep = false;
        this.members = 0;
        this.at += 1;
        return;
      } else this.shape?.garble();
    }
  }

  private scanBetweenDocuments(): void {
    const { bytes } = this;
    for (; this.at < bytes.length; this.at += 1) {
      const byte = bytes[this.at] ?? 0;
      if (isBlank(byte)) continue;
      if (byte === openBrace && (!this.document.inGarbage || this.at === 0 || bytes[this.at - 1] === lineFeed)) {
        this.endGarbage(this.base + this.at);
        this.beginDocument(this.at);
        this.at += 1;
        return;
      }
      this.document.garbage(this.base + this.at);
    }
  }

  private beginDocument(at: number): void {
    this.beginUnit(at);
    this.document.begin(this.base + at);
    this.depth = 1;
    this.entryNumber = 0;
    this.shape = null;
  }

  private beginUnit(at: number): void {
    this.unitStart = this.base + at;
    this.skipping = false;
    this.facts = new UnitFacts();
    this.members = 0;
    this.pendingKey = null;
  }

  private endUnit(end: number, kind: Unit['kind']): void {
    const { unitStart, base } = this;
    this.unitStart = -1;
    if (this.skipping) {
      this.skipping = false;
      return;
    }
    const { members } = this;
    const documentNumber = this.document.number;
    const entryNumber = kind === 'entry' ? this.entryNumber : 0;
    const bytes = this.bytes.subarray(unitStart - base, end);
    this.sink.unit(this.facts.unit({ kind, start: unitStart, members, documentNumber, entryNumber, bytes }));
  }

  private endDocument(end: number): void {
    if (this.shape === null) this.endUnit(end, 'document');
    else this.endBundle(end, true);
    this.unitStart = -1;
    this.document.end();
  }

  private endBundle(end: number, complete: boolean): void {
    const { shape, base, unitStart, members } = this;
    const { tooDeep } = this.facts;
    this.shape = null;
    this.inEntries = false;
    if (shape === null) return;
    const tail = unitStart === -1 || this.skipping ? nothing : this.bytes.subarray(Math.max(0, unitStart - base), end);
    this.sink.bundleEnd(shape.envelope({ tail, end: base + end, members, tooDeep, complete }));
  }

  /** A newline stands inside an object: the end of a broken one, where objects stand one a line. */
  private endOfLine(at: number): boolean {
    const { bytes } = this;
    const begins = beginsResource(bytes, at + 1);
    if (!this.document.lineMode && !(begins && (this.inString || isBrokenBefore(bytes, at)))) {
      this.document.line();
      return false;
    }
    this.cutDocument(this.base + at);
    this.document.lineMode = true;
    this.at = at + 1;
    return true;
  }

  private cutDocument(end: number): void {
    const bundle = this.shape !== null;
    const inEntry = this.inEntries && this.unitStart !== -1;
    if (this.unitStart !== -1 && !this.skipping && (inEntry || !bundle)) {
      const bytes = this.bytes.subarray(Math.max(0, this.unitStart - this.base), end - this.base);
      const message = inEntry ? 'the body ends inside an entry of the Bundle' : 'the text ends inside the resource';
      this.lose('RESOURCE_CUT', message, this.unitStart, end, bytes);
    }
    if (inEntry) this.unitStart = -1;
    this.endBundle(end - this.base, false);
    this.depth = 0;
    this.inString = false;
    this.unitStart = -1;
    this.skipping = false;
  }

  private skipUnit(): void {
    this.skipping = true;
    const message = `a resource is longer than ${this.limits.unitBytes} bytes`;
    this.lose('RESOURCE_TOO_LARGE', message, this.unitStart, this.base + this.at, null);
  }

  private endGarbage(end: number): void {
    const from = this.document.endGarbage();
    if (from === -1) return;
    const held = from >= this.base ? this.bytes.subarray(from - this.base, end - this.base) : null;
    this.lose('NOT_JSON', 'the text is no JSON object', from, end, held);
  }

  private lose(code: Lost['code'], message: string, start: number, end: number, bytes: Buffer | null): void {
    const entryNumber = this.inEntries ? this.entryNumber : 0;
    this.sink.lost({ code, message, start, end, documentNumber: this.document.number, entryNumber, bytes });
  }
}

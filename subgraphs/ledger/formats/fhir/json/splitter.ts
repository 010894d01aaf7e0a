import { isUtf16 } from '../../values/payload.js';
import {
  BACKSLASH,
  beginsResource,
  byteClasses,
  COMMA,
  endOfNumber,
  endOfPlainString,
  hasUtf8Mark,
  holdsAny,
  IS_CLOSE,
  IS_COLON,
  IS_LINE_END,
  IS_NUMBER,
  IS_OPEN,
  IS_PLAIN,
  IS_QUOTE,
  isBlank,
  isBrokenBefore,
  isInexactAt,
  isSurrogateEscape,
  LINE_FEED,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  SMALL_U,
} from './bytes.js';
import {
  BundleShape,
  DocumentPlace,
  GatheredChunks,
  type Lost,
  type SplitterLimits,
  type SplitterSink,
  type Unit,
  UnitFacts,
} from './splitter-state.js';

const NOT_UTF8_MESSAGE = 'the body is not UTF-8 text (UTF-16 or NUL bytes)';
const ENTRIES_DEPTH = 2;
const NOTHING = Buffer.alloc(0);

/**
 * Splits a body of JSON objects into documents and Bundle entries while it streams in. Holds one window: the open
 * document or entry and the bytes after it. Scans structure only; `JSON.parse` does the parsing.
 */
export class JsonSplitter {
  #bytes: Buffer = NOTHING;
  #base = 0;
  /** Position in the window. */
  #at = 0;
  readonly #gathered = new GatheredChunks();
  #begun = false;
  #stopped = false;
  #final = false;
  #inString = false;
  #depth = 0;
  #members = 0;
  /** Offsets of the last string in the body; it is a key if a colon follows. */
  #stringStart = 0;
  #stringEnd = 0;
  #pendingKey: 'list' | 'resource' | null = null;
  /** Start of the open document or entry; -1 between them. */
  #unitStart = -1;
  #skipping = false;
  #facts = new UnitFacts();
  readonly #document = new DocumentPlace();
  #inEntries = false;
  #entryNumber = 0;
  #shape: BundleShape | null = null;
  readonly #sink: SplitterSink;
  readonly #limits: SplitterLimits;
  readonly #lists: readonly string[];

  /** `base`: offset of the first byte in the body; `lists`: names of the top-level lists with resources. */
  constructor(sink: SplitterSink, limits: SplitterLimits, base = 0, lists: readonly string[] = ['entry', 'parameter']) {
    this.#sink = sink;
    this.#limits = limits;
    this.#base = base;
    this.#lists = lists;
  }

  /** `now` scans at once. */
  push(chunk: Uint8Array, now = false): void {
    if (this.#stopped || chunk.length === 0) return;
    this.#gathered.add(chunk);
    if (now || this.#gathered.isEnough(this.#limits.windowBytes, this.#bytes.length)) this.#advance();
  }

  finish(): void {
    if (this.#stopped) return;
    this.#final = true;
    this.#advance();
    if (this.#stopped) return;
    if (this.#depth > 0 || this.#unitStart !== -1) this.#cutDocument(this.#base + this.#bytes.length);
    this.#endGarbage(this.#base + this.#bytes.length);
  }

  #advance(): void {
    const keepFrom =
      this.#unitStart === -1 || this.#skipping ? this.#at : Math.min(this.#at, this.#unitStart - this.#base);
    this.#bytes = this.#gathered.takeBehind(this.#bytes.subarray(keepFrom));
    this.#base += keepFrom;
    this.#at -= keepFrom;
    if (!this.#begun && this.#refuseEncoding()) return;
    this.#begun = true;
    this.#scan();
    if (this.#unitStart !== -1 && !this.#skipping && this.#base + this.#at - this.#unitStart > this.#limits.unitBytes)
      this.#skipUnit();
  }

  #refuseEncoding(): boolean {
    const bytes = this.#bytes;
    if (hasUtf8Mark(bytes)) this.#at = 3;
    if (!isUtf16(bytes)) return false;
    this.#stopped = true;
    this.#lose('UNSUPPORTED_ENCODING', NOT_UTF8_MESSAGE, this.#base, this.#base + bytes.length, bytes);
    return true;
  }

  #scan(): void {
    const { length } = this.#bytes;
    while (this.#at < length) {
      if (this.#inString) {
        if (!this.#scanString()) return;
      } else if (this.#depth === 0) this.#scanBetweenDocuments();
      else if (this.#inEntries && this.#depth === ENTRIES_DEPTH) this.#scanBetweenEntries();
      else if (!this.#scanStructure()) return;
    }
  }

  /** Scans an object outside its strings; false if it needs more bytes. */
  #scanStructure(): boolean {
    const bytes = this.#bytes;
    const skipping = this.#skipping;
    const { length } = bytes;
    let at = this.#at;
    for (; at < length; at += 1) {
      const byte = bytes[at] ?? 0;
      const kind = byteClasses[byte];
      if (kind === IS_PLAIN) continue;
      if (kind === IS_QUOTE) {
        this.#stringStart = this.#base + at + 1;
        const end = skipping ? -1 : endOfPlainString(bytes, at + 1);
        if (end !== -1) {
          this.#stringEnd = this.#base + end;
          at = end;
          continue;
        }
        this.#inString = true;
        this.#at = at + 1;
        return true;
      }
      if (kind === IS_COLON) {
        this.#members += 1;
        if (this.#depth === 1 || (this.#inEntries && this.#depth === ENTRIES_DEPTH + 1)) this.#takeKey();
      } else if (kind === IS_NUMBER) {
        if (skipping) continue;
        const end = endOfNumber(bytes, at);
        if (end === length && !this.#final) break;
        if (isInexactAt(bytes, at, end)) this.#facts.inexact.push(Number(bytes.toString('latin1', at, end)));
        at = end - 1;
      } else if (kind === IS_OPEN) {
        if (this.#open(byte, at)) return true;
      } else if (kind === IS_CLOSE) {
        if (this.#close(at)) return true;
      } else if (kind === IS_LINE_END && this.#endOfLine(at)) return true;
    }
    this.#at = at;
    return at >= length;
  }

  /** Scans a string; false if it needs more bytes. */
  #scanString(): boolean {
    const bytes = this.#bytes;
    const { length } = bytes;
    let at = this.#at;
    // Only the end of an overlong unit matters; the native search skips quickly.
    if (this.#skipping && !holdsAny(bytes, at)) {
      this.#at = length;
      return true;
    }
    for (; at < length; at += 1) {
      const byte = bytes[at];
      if (byte === QUOTE) {
        this.#stringEnd = this.#base + at;
        this.#inString = false;
        this.#at = at + 1;
        return true;
      }
      if (byte === BACKSLASH) {
        if (at + 6 > length && !this.#final) break;
        if (bytes[at + 1] === SMALL_U && isSurrogateEscape(bytes, at)) this.#facts.surrogates = true;
        at += 1;
      } else if (byte === LINE_FEED && this.#endOfLine(at)) return true;
    }
    this.#at = Math.min(at, length);
    return at >= length;
  }

  /** Remembers the key before a colon if it names a list of resources or the resource of an entry. */
  #takeKey(): void {
    this.#pendingKey = null;
    if (this.#skipping) return;
    const [from, to] = [this.#stringStart - this.#base, this.#stringEnd - this.#base];
    const isKey = (name: string): boolean =>
      to - from === name.length && from >= 0 && this.#bytes.toString('latin1', from, to) === name;
    if (this.#depth === 1) this.#pendingKey = this.#lists.some(isKey) ? 'list' : null;
    else if (isKey('resource')) this.#pendingKey = 'resource';
  }

  /** True if another loop must continue from here. */
  #open(byte: number, at: number): boolean {
    const key = this.#pendingKey;
    this.#pendingKey = null;
    this.#depth += 1;
    if (this.#depth > this.#limits.depth) this.#facts.tooDeep = true;
    if (key === 'list' && byte === OPEN_BRACKET && this.#depth === ENTRIES_DEPTH) {
      this.#beginEntries(at);
      return true;
    }
    if (key === 'resource' && byte === OPEN_BRACE) this.#facts.resourceFrom = this.#base + at;
    return false;
  }

  #close(at: number): boolean {
    this.#pendingKey = null;
    this.#depth -= 1;
    const depth = this.#depth;
    if (this.#inEntries) {
      if (depth === ENTRIES_DEPTH + 1 && this.#facts.resourceFrom !== -1 && this.#facts.resourceTo === -1)
        this.#facts.resourceTo = this.#base + at + 1;
      if (depth !== ENTRIES_DEPTH) return false;
      this.#endUnit(at + 1, 'entry');
      this.#at = at + 1;
      return true;
    }
    if (depth > 0) return false;
    this.#endDocument(at + 1);
    this.#at = at + 1;
    return true;
  }

  #beginEntries(at: number): void {
    const head = Buffer.from(this.#bytes.subarray(Math.max(0, this.#unitStart - this.#base), at + 1));
    const first = this.#shape === null;
    this.#shape ??= new BundleShape(this.#document.start);
    this.#shape.beginEntries({ head, members: this.#members, tooDeep: this.#facts.tooDeep });
    this.#inEntries = true;
    this.#unitStart = -1;
    this.#at = at + 1;
    this.#members = 0;
    if (first) this.#sink.bundleBegin(head, this.#document.start);
  }

  /** Scans the commas between the entries of a Bundle. */
  #scanBetweenEntries(): void {
    const bytes = this.#bytes;
    for (; this.#at < bytes.length; this.#at += 1) {
      const byte = bytes[this.#at] ?? 0;
      if (byte === LINE_FEED && this.#endOfLine(this.#at)) return;
      if (isBlank(byte)) continue;
      if (byte === COMMA) {
        this.#shape?.comma();
      } else if (byte === OPEN_BRACE) {
        this.#shape?.entry();
        this.#beginUnit(this.#at);
        this.#entryNumber += 1;
        this.#depth += 1;
        this.#at += 1;
        return;
      } else if (byte === 0x5d) {
        this.#shape?.endEntries();
        this.#inEntries = false;
        this.#depth -= 1;
        this.#unitStart = this.#base + this.#at;
        this.#skipping = false;
        this.#facts.tooDeep = false;
        this.#members = 0;
        this.#at += 1;
        return;
      } else this.#shape?.garble();
    }
  }

  #scanBetweenDocuments(): void {
    const bytes = this.#bytes;
    for (; this.#at < bytes.length; this.#at += 1) {
      const byte = bytes[this.#at] ?? 0;
      if (isBlank(byte)) continue;
      if (byte === OPEN_BRACE && (!this.#document.inGarbage || this.#at === 0 || bytes[this.#at - 1] === LINE_FEED)) {
        this.#endGarbage(this.#base + this.#at);
        this.#beginDocument(this.#at);
        this.#at += 1;
        return;
      }
      this.#document.garbage(this.#base + this.#at);
    }
  }

  #beginDocument(at: number): void {
    this.#beginUnit(at);
    this.#document.begin(this.#base + at);
    this.#depth = 1;
    this.#entryNumber = 0;
    this.#shape = null;
  }

  #beginUnit(at: number): void {
    this.#unitStart = this.#base + at;
    this.#skipping = false;
    this.#facts = new UnitFacts();
    this.#members = 0;
    this.#pendingKey = null;
  }

  #endUnit(end: number, kind: Unit['kind']): void {
    const unitStart = this.#unitStart;
    const base = this.#base;
    this.#unitStart = -1;
    if (this.#skipping) {
      this.#skipping = false;
      return;
    }
    const documentNumber = this.#document.number;
    const entryNumber = kind === 'entry' ? this.#entryNumber : 0;
    const bytes = this.#bytes.subarray(unitStart - base, end);
    this.#sink.unit(
      this.#facts.unit({ kind, start: unitStart, members: this.#members, documentNumber, entryNumber, bytes }),
    );
  }

  #endDocument(end: number): void {
    if (this.#shape === null) this.#endUnit(end, 'document');
    else this.#endBundle(end, true);
    this.#unitStart = -1;
    this.#document.end();
  }

  #endBundle(end: number, complete: boolean): void {
    const shape = this.#shape;
    const base = this.#base;
    const unitStart = this.#unitStart;
    const { tooDeep } = this.#facts;
    this.#shape = null;
    this.#inEntries = false;
    if (shape === null) return;
    const tail =
      unitStart === -1 || this.#skipping ? NOTHING : this.#bytes.subarray(Math.max(0, unitStart - base), end);
    this.#sink.bundleEnd(shape.envelope({ tail, end: base + end, members: this.#members, tooDeep, complete }));
  }

  /** A newline inside an object ends a broken object where the body has one object per line. */
  #endOfLine(at: number): boolean {
    const bytes = this.#bytes;
    const begins = beginsResource(bytes, at + 1);
    if (!this.#document.lineMode && !(begins && (this.#inString || isBrokenBefore(bytes, at)))) {
      this.#document.line();
      return false;
    }
    this.#cutDocument(this.#base + at);
    this.#document.lineMode = true;
    this.#at = at + 1;
    return true;
  }

  #cutDocument(end: number): void {
    const bundle = this.#shape !== null;
    const inEntry = this.#inEntries && this.#unitStart !== -1;
    if (this.#unitStart !== -1 && !this.#skipping && (inEntry || !bundle)) {
      const bytes = this.#bytes.subarray(Math.max(0, this.#unitStart - this.#base), end - this.#base);
      const message = inEntry ? 'the body ends inside an entry of the Bundle' : 'the text ends inside the resource';
      this.#lose('RESOURCE_CUT', message, this.#unitStart, end, bytes);
    }
    if (inEntry) this.#unitStart = -1;
    this.#endBundle(end - this.#base, false);
    this.#depth = 0;
    this.#inString = false;
    this.#unitStart = -1;
    this.#skipping = false;
  }

  #skipUnit(): void {
    this.#skipping = true;
    const message = `a resource is longer than ${this.#limits.unitBytes} bytes`;
    this.#lose('RESOURCE_TOO_LARGE', message, this.#unitStart, this.#base + this.#at, null);
  }

  #endGarbage(end: number): void {
    const from = this.#document.endGarbage();
    if (from === -1) return;
    const held = from >= this.#base ? this.#bytes.subarray(from - this.#base, end - this.#base) : null;
    this.#lose('NOT_JSON', 'the text is not a JSON object', from, end, held);
  }

  #lose(code: Lost['code'], message: string, start: number, end: number, bytes: Buffer | null): void {
    const entryNumber = this.#inEntries ? this.#entryNumber : 0;
    this.#sink.lost({ code, message, start, end, documentNumber: this.#document.number, entryNumber, bytes });
  }
}

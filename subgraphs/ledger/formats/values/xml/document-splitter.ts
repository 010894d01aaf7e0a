import type { ByteWindow } from '../byte-window.js';

export const DEPTH_LIMIT = 64;
/** More bytes after the last document are no comment. */
const TRAILER_LIMIT = 4_096;

/** Why bytes form no readable document. */
export interface DocumentFault {
  readonly code:
    | 'DOCTYPE_REFUSED'
    | 'XML_UNREADABLE'
    | 'XML_CUT'
    | 'XML_TOO_DEEP'
    | 'XML_TOO_LONG'
    | 'NUL_IN_DOCUMENT'
    | 'NOT_NCPDP'
    | 'NOT_XML';
  readonly message: string;
}

/** The bytes of one element in the body. */
export interface ElementRange {
  readonly start: number;
  readonly end: number;
}

interface DocumentSink {
  /** A document with balanced tags. `elements` counts its elements; `ranges` has them in the order of their start tags. */
  document(start: number, end: number, elements: number, ranges: readonly ElementRange[]): void;
  /** The start tag of a root was read; `start` is the document's. Returns true for a document whose children are passed on one by one. */
  root?(name: string, start: number, end: number): boolean;
  /** An element below such a root. The bytes before it, from the last child on, are still held. */
  child?(start: number, end: number, ranges: readonly ElementRange[]): void;
  /** The end of such a root. */
  rootEnd?(end: number): void;
  /** `held` is false if its bytes are gone. */
  refused(fault: DocumentFault, start: number, end: number, held: boolean): void;
}

/** How the documents of one format look. */
export interface DocumentKind {
  /** Finds the start of a document after unreadable bytes; global, on text with one character per byte. */
  readonly restart: RegExp;
  /** True for a start tag inside a document that begins another one, so that the outer one was cut. */
  begins(name: string, place: { readonly text: string; readonly at: number; readonly parent: string }): boolean;
  /** The fault of bytes that begin no document. */
  readonly none: DocumentFault;
  /** The most elements of a document, or of a child that is passed on alone. */
  readonly elements: number;
  /** The longest document or child. */
  readonly bytes: number;
}

const TOO_LONG: DocumentFault = { code: 'XML_TOO_LONG', message: 'the message exceeds the size limit' };

const NAME_CHARS = /[^\s/>=<"']{1,256}/y;
const BYTE_ORDER_MARK = '\xef\xbb\xbf';
const TAG_SIGNS = /["'<>]/g;

/**
 * Splits a body into XML documents while it streams in. Passes only balanced tags of bounded depth, number and size to
 * the parser. Stops at a DOCTYPE before reading it.
 */
export class DocumentSplitter {
  #at = 0;
  #start = -1;
  /** Where the bytes begin that are held: the document, or what follows the last child of a streamed one. */
  #heldFrom = -1;
  #isStreamed = false;
  readonly #open: { readonly name: string; readonly range: { start: number; end: number } }[] = [];
  #ranges: { start: number; end: number }[] = [];
  #stopped = false;
  #fault: DocumentFault | null = null;
  #held = true;
  /** True after a document: what follows may be a comment. */
  #given = false;
  readonly #window: ByteWindow;
  readonly #sink: DocumentSink;
  readonly #kind: DocumentKind;

  constructor(window: ByteWindow, sink: DocumentSink, kind: DocumentKind) {
    this.#window = window;
    this.#sink = sink;
    this.#kind = kind;
  }

  scan(atEnd: boolean): void {
    if (this.#at === 0 && !atEnd && this.#window.text.length < BYTE_ORDER_MARK.length) return;
    while (!this.#stopped && (this.#fault === null ? this.#markup() : this.#resynchronize()));
    if (this.#stopped) this.#window.discard(this.#window.end);
    else if (atEnd) this.#finish();
    else this.#letGo();
  }

  /** Takes the next piece of markup; false if it is not whole in the window. */
  #markup(): boolean {
    const { text, base, end } = this.#window;
    const from = this.#at - base;
    const lt = text.indexOf('<', from);
    const before = text.slice(from, lt === -1 ? end - base : lt);
    if (this.#open.length === 0 && this.#start === -1 && /\S/.test(before.replaceAll(BYTE_ORDER_MARK, ''))) {
      this.#begin();
      return this.#fail(this.#kind.none.code, this.#kind.none.message);
    }
    if (lt === -1) {
      this.#at = end;
      return false;
    }
    this.#at = base + lt;
    if (text.length - lt < 12 && !text.slice(lt).includes('>')) return false;
    if (this.#start === -1) this.#begin();
    if (text.startsWith('<!--', lt)) return this.#skipTo('-->', lt + 4);
    if (text.startsWith('<![CDATA[', lt)) return this.#skipTo(']]>', lt + 9);
    if (text.startsWith('<!', lt)) return this.#refuseDoctype();
    if (text.startsWith('<?', lt)) {
      if (this.#open.length > 0 && /^<\?xml\s/.test(text.slice(lt, lt + 6))) return this.#broken();
      return this.#skipTo('?>', lt + 2);
    }
    return text.charAt(lt + 1) === '/' ? this.#endTag(lt) : this.#startTag(lt);
  }

  #skipTo(mark: string, from: number): boolean {
    const found = this.#window.text.indexOf(mark, from);
    if (found === -1) return false;
    this.#at = this.#window.base + found + mark.length;
    return true;
  }

  #begin(): void {
    this.#start = this.#at;
    this.#heldFrom = this.#at;
  }

  #startTag(lt: number): boolean {
    const name = this.#nameAt(lt + 1);
    if (name === '') return this.#fail('XML_UNREADABLE', 'a tag has no name');
    const { text, base } = this.#window;
    const parent = this.#open.at(-1)?.name;
    if (parent !== undefined && this.#kind.begins(name, { text, at: lt, parent })) return this.#broken();
    const gt = this.#tagEnd(lt + 1 + name.length);
    if (gt === -1) return false;
    if (gt === -2) return this.#fail('XML_UNREADABLE', 'a tag is not closed');
    this.#at = base + gt + 1;
    if (this.#isStreamed && this.#open.length === 1) this.#ranges = [];
    const range = { start: base + lt, end: this.#at };
    this.#ranges.push(range);
    if (this.#ranges.length > this.#kind.elements) {
      return this.#fail('XML_TOO_LONG', 'the message has too many elements');
    }
    if (parent === undefined && this.#sink.root?.(name, this.#start, this.#at) === true) {
      this.#isStreamed = true;
      this.#heldFrom = this.#at;
    }
    this.#open.push({ name, range });
    if (text.charAt(gt - 1) === '/') return this.#closeElement();
    if (this.#open.length <= DEPTH_LIMIT) return true;
    return this.#fail('XML_TOO_DEEP', `the message is nested deeper than ${DEPTH_LIMIT} levels`);
  }

  #endTag(lt: number): boolean {
    const name = this.#nameAt(lt + 2);
    const gt = this.#tagEnd(lt + 2 + name.length);
    if (gt === -1) return false;
    if (gt === -2 || this.#open.at(-1)?.name !== name) {
      return this.#fail('XML_UNREADABLE', 'an end tag closes no open element');
    }
    this.#at = this.#window.base + gt + 1;
    return this.#closeElement();
  }

  #closeElement(): true {
    const closed = this.#open.pop();
    if (closed !== undefined) closed.range.end = this.#at;
    if (this.#open.length === 0) this.#endDocument();
    else if (closed !== undefined && this.#isStreamed && this.#open.length === 1) {
      if (this.#at - this.#heldFrom > this.#kind.bytes) return this.#fail(TOO_LONG.code, TOO_LONG.message);
      this.#sink.child?.(closed.range.start, this.#at, this.#ranges);
      this.#heldFrom = this.#at;
    }
    return true;
  }

  #nameAt(at: number): string {
    NAME_CHARS.lastIndex = at;
    return NAME_CHARS.exec(this.#window.text)?.[0] ?? '';
  }

  /** Where a tag ends; -1 if not in the window, -2 if another tag begins inside it. */
  #tagEnd(from: number): number {
    const { text } = this.#window;
    TAG_SIGNS.lastIndex = from;
    for (let found = TAG_SIGNS.exec(text); found !== null; found = TAG_SIGNS.exec(text)) {
      if (found[0] === '>') return found.index;
      if (found[0] === '<') return -2;
      const quote = text.indexOf(found[0], found.index + 1);
      // No value holds this sign: its quote is lost, and the value would reach into another element.
      const less = text.indexOf('<', found.index);
      if (less !== -1 && (quote === -1 || less < quote)) return -2;
      if (quote === -1) return -1;
      TAG_SIGNS.lastIndex = quote + 1;
    }
    return -1;
  }

  #endDocument(): void {
    const start = this.#start;
    const ranges = this.#ranges;
    const isStreamed = this.#isStreamed;
    this.#reset();
    this.#given = true;
    if (isStreamed) this.#sink.rootEnd?.(this.#at);
    else if (this.#window.slice(start, this.#at).includes('\0')) {
      this.#sink.refused({ code: 'NUL_IN_DOCUMENT', message: 'the message contains NUL bytes' }, start, this.#at, true);
    } else if (this.#at - start > this.#kind.bytes) this.#sink.refused(TOO_LONG, start, this.#at, true);
    else this.#sink.document(start, this.#at, ranges.length, ranges);
  }

  /** Another document begins inside this one, which was therefore cut. */
  #broken(): boolean {
    const fault = { code: 'XML_CUT', message: 'another message begins before this one ends' } as const;
    const start = this.#heldFrom;
    const at = this.#at;
    this.#reset();
    this.#sink.refused(fault, start, at, true);
    return true;
  }

  #fail(code: DocumentFault['code'], message: string): true {
    this.#fault = { code, message };
    // The document's own start does not count.
    this.#at = Math.max(this.#at, this.#start + 1);
    return true;
  }

  #refuseDoctype(): boolean {
    const message = 'the body declares a document type; the rest of it is not read';
    this.#stopped = true;
    this.#sink.refused({ code: 'DOCTYPE_REFUSED', message }, this.#heldFrom, this.#window.end, false);
    return true;
  }

  /** Searches the next document after an unreadable one. */
  #resynchronize(): boolean {
    const { text, base } = this.#window;
    const { restart } = this.#kind;
    restart.lastIndex = this.#at - base;
    const found = restart.exec(text);
    if (found === null) {
      this.#at = Math.max(this.#at, this.#window.end - 80);
      return false;
    }
    const fault = this.#fault;
    const start = this.#heldFrom;
    const held = this.#held;
    this.#at = base + found.index;
    this.#reset();
    if (fault !== null) this.#sink.refused(fault, start, this.#at, held);
    return true;
  }

  #reset(): void {
    this.#start = -1;
    this.#heldFrom = -1;
    this.#isStreamed = false;
    this.#open.length = 0;
    this.#ranges = [];
    this.#fault = null;
    this.#held = true;
  }

  #letGo(): void {
    const window = this.#window;
    if (this.#start === -1) {
      window.discard(this.#at);
      return;
    }
    if (window.end - this.#heldFrom <= this.#kind.bytes) {
      window.discard(this.#heldFrom);
      return;
    }
    this.#fault ??= TOO_LONG;
    this.#held = false;
    this.#at = Math.max(this.#at, window.end - 80);
    window.discard(this.#at);
  }

  #finish(): void {
    const window = this.#window;
    // Too few bytes at the body's end to begin anything.
    const start = this.#start === -1 ? this.#at : this.#heldFrom;
    if (this.#start === -1 && !/\S/.test(window.slice(start, window.end).replaceAll(BYTE_ORDER_MARK, ''))) return;
    if (
      this.#given &&
      !this.#isStreamed &&
      this.#fault === null &&
      this.#held &&
      isTrailer(window.slice(start, window.end))
    )
      return;
    const cut = { code: 'XML_CUT', message: 'the body ends inside the message' } as const;
    this.#sink.refused(this.#fault ?? cut, start, window.end, this.#held);
    this.#reset();
    this.#stopped = true;
  }
}

/** A comment or instruction after the last document is no message; a cut first tag is. */
function isTrailer(rest: string): boolean {
  if (rest.length > TRAILER_LIMIT) return false;
  return !/<(?![!?])/.test(rest.replace(/<!--[\s\S]*?(?:-->|$)|<\?[\s\S]*?(?:\?>|$)/g, ''));
}

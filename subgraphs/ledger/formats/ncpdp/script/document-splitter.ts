import type { ByteWindow } from '../byte-window.js';

export const DEPTH_LIMIT = 64;
const ELEMENTS_LIMIT = 50_000;
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
    | 'NOT_NCPDP';
  readonly message: string;
}

interface DocumentSink {
  /** A document with balanced tags. `elements` counts its elements. */
  document(start: number, end: number, elements: number): void;
  /** `held` is false if its bytes are gone. */
  refused(fault: DocumentFault, start: number, end: number, held: boolean): void;
}

const TOO_LONG: DocumentFault = { code: 'XML_TOO_LONG', message: 'the message exceeds the size limit' };

/** The start of a document after any bytes. */
const RESTART = /<\?xml\s|<(?:[\w.-]{1,64}:)?Message[\s>]/g;
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
  readonly #open: string[] = [];
  #elements = 0;
  #stopped = false;
  #fault: DocumentFault | null = null;
  #held = true;
  /** True after a document: what follows may be a comment. */
  #given = false;
  readonly #window: ByteWindow;
  readonly #sink: DocumentSink;
  readonly #limitBytes: number;

  constructor(window: ByteWindow, sink: DocumentSink, limitBytes: number) {
    this.#window = window;
    this.#sink = sink;
    this.#limitBytes = limitBytes;
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
      this.#start = this.#at;
      this.#fail('NOT_NCPDP', 'these bytes are not a SCRIPT message');
      return true;
    }
    if (lt === -1) {
      this.#at = end;
      return false;
    }
    this.#at = base + lt;
    if (text.length - lt < 12 && !text.slice(lt).includes('>')) return false;
    if (this.#start === -1) this.#start = this.#at;
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

  #startTag(lt: number): boolean {
    const name = this.#nameAt(lt + 1);
    if (name === '') return this.#fail('XML_UNREADABLE', 'a tag has no name');
    if (this.#open.length > 0 && /^(?:.*:)?Message$/.test(name)) return this.#broken();
    const gt = this.#tagEnd(lt + 1 + name.length);
    if (gt === -1) return false;
    if (gt === -2) return this.#fail('XML_UNREADABLE', 'a tag is not closed');
    const { text, base } = this.#window;
    this.#at = base + gt + 1;
    this.#elements += 1;
    if (this.#elements > ELEMENTS_LIMIT) return this.#fail('XML_TOO_LONG', 'the message has too many elements');
    if (text.charAt(gt - 1) === '/') {
      if (this.#open.length === 0) this.#endDocument();
      return true;
    }
    this.#open.push(name);
    if (this.#open.length > DEPTH_LIMIT) {
      return this.#fail('XML_TOO_DEEP', `the message is nested deeper than ${DEPTH_LIMIT} levels`);
    }
    return true;
  }

  #endTag(lt: number): boolean {
    const name = this.#nameAt(lt + 2);
    const gt = this.#tagEnd(lt + 2 + name.length);
    if (gt === -1) return false;
    if (gt === -2 || this.#open.pop() !== name) {
      return this.#fail('XML_UNREADABLE', 'an end tag closes no open element');
    }
    this.#at = this.#window.base + gt + 1;
    if (this.#open.length === 0) this.#endDocument();
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
      if (quote === -1) return -1;
      TAG_SIGNS.lastIndex = quote + 1;
    }
    return -1;
  }

  #endDocument(): void {
    const start = this.#start;
    const elements = this.#elements;
    this.#reset();
    this.#given = true;
    if (this.#window.slice(start, this.#at).includes('\0')) {
      this.#sink.refused({ code: 'NUL_IN_DOCUMENT', message: 'the message contains NUL bytes' }, start, this.#at, true);
    } else if (this.#at - start > this.#limitBytes) this.#sink.refused(TOO_LONG, start, this.#at, true);
    else this.#sink.document(start, this.#at, elements);
  }

  /** Another document begins inside this one, which was therefore cut. */
  #broken(): boolean {
    const fault = { code: 'XML_CUT', message: 'another message begins before this one ends' } as const;
    const start = this.#start;
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
    this.#sink.refused({ code: 'DOCTYPE_REFUSED', message }, this.#start, this.#window.end, false);
    return true;
  }

  /** Searches the next document after an unreadable one. */
  #resynchronize(): boolean {
    const { text, base } = this.#window;
    RESTART.lastIndex = this.#at - base;
    const found = RESTART.exec(text);
    if (found === null) {
      this.#at = Math.max(this.#at, this.#window.end - 80);
      return false;
    }
    const fault = this.#fault;
    const start = this.#start;
    const held = this.#held;
    this.#at = base + found.index;
    this.#reset();
    if (fault !== null) this.#sink.refused(fault, start, this.#at, held);
    return true;
  }

  #reset(): void {
    this.#start = -1;
    this.#open.length = 0;
    this.#elements = 0;
    this.#fault = null;
    this.#held = true;
  }

  #letGo(): void {
    const window = this.#window;
    if (this.#start === -1) {
      window.discard(this.#at);
      return;
    }
    if (window.end - this.#start <= this.#limitBytes) {
      window.discard(this.#start);
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
    const start = this.#start === -1 ? this.#at : this.#start;
    if (this.#start === -1 && !/\S/.test(window.slice(start, window.end).replaceAll(BYTE_ORDER_MARK, ''))) return;
    if (this.#given && this.#fault === null && this.#held && isTrailer(window.slice(start, window.end))) return;
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

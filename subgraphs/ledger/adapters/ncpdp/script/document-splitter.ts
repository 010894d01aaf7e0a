import type { ByteWindow } from '../byte-window.js';

export const depthLimit = 64;
const elementsLimit = 50_000;
/** More behind the last document is no mere comment. */
const trailerLimit = 4_096;

/** Why bytes are no document that can be read. */
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

export interface DocumentSink {
  /** A document whose tags are balanced. `elements` counts its elements. */
  document(start: number, end: number, elements: number): void;
  /** `held` is false where its bytes are gone. */
  refused(fault: DocumentFault, start: number, end: number, held: boolean): void;
}

const tooLong: DocumentFault = { code: 'XML_TOO_LONG', message: 'the message is longer than may be held' };

/** A document may begin here, whatever stood before. */
const restart = /<\?xml\s|<(?:[\w.-]{1,64}:)?Message[\s>]/g;
const nameChars = /[^\s/>=<"']{1,256}/y;
const byteOrderMark = '\xef\xbb\xbf';
const tagSigns = /["'<>]/g;

/**
 * Splits a body into XML documents as it streams in, and sees to it that nothing reaches the parser but balanced tags of bounded
 * depth, number and size. A DOCTYPE ends the reading before anything of it is looked at.
 */
export class DocumentSplitter {
  private at = 0;
  private start = -1;
  private readonly open: string[] = [];
  private elements = 0;
  private stopped = false;
  private fault: DocumentFault | null = null;
  private held = true;
  /** True once a document has ended: what follows it may be a comment alone. */
  private given = false;
  private readonly window: ByteWindow;
  private readonly sink: DocumentSink;
  private readonly limitBytes: number;

  constructor(window: ByteWindow, sink: DocumentSink, limitBytes: number) {
    this.window = window;
    this.sink = sink;
    this.limitBytes = limitBytes;
  }

  scan(atEnd: boolean): void {
    if (this.at === 0 && !atEnd && this.window.text.length < byteOrderMark.length) return;
    while (!this.stopped && (this.fault === null ? this.markup() : this.resynchronize()));
    if (this.stopped) this.window.discard(this.window.end);
    else if (atEnd) this.finish();
    else this.letGo();
  }

  /** Takes the next piece of markup; false when it is not whole in the window. */
  private markup(): boolean {
    const { text, base, end } = this.window;
    const from = this.at - base;
    const lt = text.indexOf('<', from);
    const before = text.slice(from, lt === -1 ? end - base : lt);
    if (this.open.length === 0 && this.start === -1 && /\S/.test(before.replaceAll(byteOrderMark, ''))) {
      this.start = this.at;
      this.fail('NOT_NCPDP', 'these bytes are no SCRIPT message');
      return true;
    }
    if (lt === -1) {
      this.at = end;
      return false;
    }
    this.at = base + lt;
    if (text.length - lt < 12 && !text.slice(lt).includes('>')) return false;
    if (this.start === -1) this.start = this.at;
    if (text.startsWith('<!--', lt)) return this.skipTo('-->', lt + 4);
    if (text.startsWith('<![CDATA[', lt)) return this.skipTo(']]>', lt + 9);
    if (text.startsWith('<!', lt)) return this.refuseDoctype();
    if (text.startsWith('<?', lt)) {
      if (this.open.length > 0 && /^<\?xml\s/.test(text.slice(lt, lt + 6))) return this.broken();
      return this.skipTo('?>', lt + 2);
    }
    return text.charAt(lt + 1) === '/' ? this.endTag(lt) : this.startTag(lt);
  }

  private skipTo(mark: string, from: number): boolean {
    const found = this.window.text.indexOf(mark, from);
    if (found === -1) return false;
    this.at = this.window.base + found + mark.length;
    return true;
  }

  private startTag(lt: number): boolean {
    const name = this.nameAt(lt + 1);
    if (name === '') return this.fail('XML_UNREADABLE', 'a tag has no name');
    if (this.open.length > 0 && /^(?:.*:)?Message$/.test(name)) return this.broken();
    const gt = this.tagEnd(lt + 1 + name.length);
    if (gt === -1) return false;
    if (gt === -2) return this.fail('XML_UNREADABLE', 'a tag is not closed');
    const { text, base } = this.window;
    this.at = base + gt + 1;
    this.elements += 1;
    if (this.elements > elementsLimit) return this.fail('XML_TOO_LONG', 'the message has too many elements');
    if (text.charAt(gt - 1) === '/') {
      if (this.open.length === 0) this.endDocument();
      return true;
    }
    this.open.push(name);
    if (this.open.length > depthLimit) {
      return this.fail('XML_TOO_DEEP', `the message is nested deeper than ${depthLimit} levels`);
    }
    return true;
  }

  private endTag(lt: number): boolean {
    const name = this.nameAt(lt + 2);
    const gt = this.tagEnd(lt + 2 + name.length);
    if (gt === -1) return false;
    if (gt === -2 || this.open.pop() !== name) {
      return this.fail('XML_UNREADABLE', 'an end tag closes no element that is open');
    }
    this.at = this.window.base + gt + 1;
    if (this.open.length === 0) this.endDocument();
    return true;
  }

  private nameAt(at: number): string {
    nameChars.lastIndex = at;
    return nameChars.exec(this.window.text)?.[0] ?? '';
  }

  /** Where a tag ends; -1 when that is not in the window, -2 when another tag begins inside it. */
  private tagEnd(from: number): number {
    const { text } = this.window;
    tagSigns.lastIndex = from;
    for (let found = tagSigns.exec(text); found !== null; found = tagSigns.exec(text)) {
      if (found[0] === '>') return found.index;
      if (found[0] === '<') return -2;
      const quote = text.indexOf(found[0], found.index + 1);
      if (quote === -1) return -1;
      tagSigns.lastIndex = quote + 1;
    }
    return -1;
  }

  private endDocument(): void {
    const { start, elements } = this;
    this.reset();
    this.given = true;
    if (this.window.slice(start, this.at).includes('\0')) {
      this.sink.refused({ code: 'NUL_IN_DOCUMENT', message: 'the message holds NUL bytes' }, start, this.at, true);
    } else if (this.at - start > this.limitBytes) this.sink.refused(tooLong, start, this.at, true);
    else this.sink.document(start, this.at, elements);
  }

  /** Another document begins inside this one: this one was cut. */
  private broken(): boolean {
    const fault = { code: 'XML_CUT', message: 'another message begins before this one ends' } as const;
    const { start, at } = this;
    this.reset();
    this.sink.refused(fault, start, at, true);
    return true;
  }

  private fail(code: DocumentFault['code'], message: string): true {
    this.fault = { code, message };
    // Its own beginning is not another's.
    this.at = Math.max(this.at, this.start + 1);
    return true;
  }

  private refuseDoctype(): boolean {
    const message = 'the body declares a document type; nothing of it from there on is read';
    this.stopped = true;
    this.sink.refused({ code: 'DOCTYPE_REFUSED', message }, this.start, this.window.end, false);
    return true;
  }

  /** Looks for the next document behind one that cannot be read. */
  private resynchronize(): boolean {
    const { text, base } = this.window;
    restart.lastIndex = this.at - base;
    const found = restart.exec(text);
    if (found === null) {
      this.at = Math.max(this.at, this.window.end - 80);
      return false;
    }
    const { fault, start, held } = this;
    this.at = base + found.index;
    this.reset();
    if (fault !== null) this.sink.refused(fault, start, this.at, held);
    return true;
  }

  private reset(): void {
    this.start = -1;
    this.open.length = 0;
    this.elements = 0;
    this.fault = null;
    this.held = true;
  }

  private letGo(): void {
    const { window } = this;
    if (this.start === -1) {
      window.discard(this.at);
      return;
    }
    if (window.end - this.start <= this.limitBytes) {
      window.discard(this.start);
      return;
    }
    this.fault ??= tooLong;
    this.held = false;
    this.at = Math.max(this.at, window.end - 80);
    window.discard(this.at);
  }

  private finish(): void {
    const { window } = this;
    // A mark too short to be told at the end of the body has not begun anything yet.
    const start = this.start === -1 ? this.at : this.start;
    if (this.start === -1 && !/\S/.test(window.slice(start, window.end).replaceAll(byteOrderMark, ''))) return;
    if (this.given && this.fault === null && this.held && isTrailer(window.slice(start, window.end))) return;
    const cut = { code: 'XML_CUT', message: 'the body ends inside the message' } as const;
    this.sink.refused(this.fault ?? cut, start, window.end, this.held);
    this.reset();
    this.stopped = true;
  }
}

/** A comment or an instruction behind the last document is no message; one cut inside its first tag is. */
function isTrailer(rest: string): boolean {
  if (rest.length > trailerLimit) return false;
  return !/<(?![!?])/.test(rest.replace(/<!--[\s\S]*?(?:-->|$)|<\?[\s\S]*?(?:\?>|$)/g, ''));
}

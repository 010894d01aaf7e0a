// Scans JSON text that must be in the form of RFC 8785, without building values. It rejects any other form at its offset:
// blanks, members out of order or repeated, another spelling of a string or number. So no text is canonicalised again
// (evidence.md section 1, rule 1), and two readers cannot read one text differently.

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

/** Ingest limits the nesting of records; the manifest nests far less. */
const MAX_DEPTH = 110;

/** The text is not in the form of RFC 8785. The message names the offset and repeats nothing of the text. */
export class NotCanonical extends Error {
  constructor(at: number) {
    super(`not in the form of RFC 8785 at character ${at + 1}`);
  }
}

/** Receives leaves (scalars, `{}` and `[]`) with their paths; the sink defines the type of a path. */
export interface LeafSink<Path> {
  readonly root: Path;
  /** Returns the member after `before`, or the first member if `before` is undefined. `foreseen` may then predict it. */
  member(parent: Path, key: string, before: Path | undefined): Path;
  /** Returns the member that last followed `before`; undefined without a prediction. */
  foreseen(parent: Path, before: Path | undefined): Path | undefined;
  /** The name of a member; `keyText` is its spelling in the text, with the colon. */
  keyOf(path: Path): string;
  keyText(path: Path): string;
  item(parent: Path, index: number): Path;
  /** Receives a leaf; its text is at `start` to `end`. */
  leaf(path: Path, start: number, end: number): void;
}

/** Ignores all leaves, for callers that check only the form. */
const NO_SINK: LeafSink<undefined> = {
  root: undefined,
  member: () => undefined,
  foreseen: () => undefined,
  keyOf: () => '',
  keyText: () => '',
  item: () => undefined,
  leaf: () => undefined,
};

export const formScanner = (text: string): CanonicalScanner<undefined> => new CanonicalScanner(text, NO_SINK);

/** Walks values of a text in sequence. */
export class CanonicalScanner<Path> {
  readonly text: string;
  readonly #sink: LeafSink<Path>;
  #at = 0;

  constructor(text: string, sink: LeafSink<Path>) {
    this.text = text;
    this.#sink = sink;
  }

  /** Scans one value that fills `start` to `end`. @throws NotCanonical */
  whole(start = 0, end = this.text.length): void {
    this.#at = start;
    this.#value(this.#sink.root, 0);
    if (this.#at !== end) throw new NotCanonical(this.#at);
  }

  /** Yields the members of the object at `at`: the name, and the range of the value. @throws NotCanonical */
  *members(at: number): Generator<{ readonly key: string; readonly start: number; readonly end: number }> {
    this.#at = at;
    this.#expect(OPEN_BRACE);
    let before: string | undefined;
    while (this.text.charCodeAt(this.#at) !== CLOSE_BRACE) {
      if (before !== undefined) this.#expect(COMMA);
      const key = this.#key(before);
      before = key;
      const start = this.#at;
      this.#value(this.#sink.root, 1);
      const end = this.#at;
      yield { key, start, end };
      this.#at = end;
    }
    this.#at++;
  }

  /** Returns the end of the value that begins at `at`. @throws NotCanonical */
  endOf(at: number): number {
    this.#at = at;
    this.#value(this.#sink.root, 2);
    return this.#at;
  }

  get at(): number {
    return this.#at;
  }

  #value(path: Path, depth: number): void {
    const start = this.#at;
    const unit = this.text.charCodeAt(start);
    if (unit === OPEN_BRACE) this.#object(path, depth);
    else if (unit === OPEN_BRACKET) this.#array(path, depth);
    else {
      if (unit === QUOTE) this.#string();
      else this.#literal();
      this.#sink.leaf(path, start, this.#at);
    }
  }

  #object(path: Path, depth: number): void {
    if (depth > MAX_DEPTH) throw new NotCanonical(this.#at);
    this.#at++;
    if (this.text.charCodeAt(this.#at) === CLOSE_BRACE) {
      this.#at++;
      this.#sink.leaf(path, this.#at - 2, this.#at);
      return;
    }
    let before: string | undefined;
    let last: Path | undefined;
    for (;;) {
      // Records are alike: a predicted name is in order and needs no parsing.
      const foreseen = this.#sink.foreseen(path, last);
      if (foreseen !== undefined && this.text.startsWith(this.#sink.keyText(foreseen), this.#at)) {
        this.#at += this.#sink.keyText(foreseen).length;
        before = this.#sink.keyOf(foreseen);
        last = foreseen;
      } else {
        before = this.#key(before);
        last = this.#sink.member(path, before, last);
      }
      this.#value(last, depth + 1);
      const unit = this.text.charCodeAt(this.#at++);
      if (unit === CLOSE_BRACE) return;
      if (unit !== COMMA) throw new NotCanonical(this.#at - 1);
    }
  }

  #array(path: Path, depth: number): void {
    if (depth > MAX_DEPTH) throw new NotCanonical(this.#at);
    this.#at++;
    if (this.text.charCodeAt(this.#at) === CLOSE_BRACKET) {
      this.#at++;
      this.#sink.leaf(path, this.#at - 2, this.#at);
      return;
    }
    for (let i = 0; ; i++) {
      this.#value(this.#sink.item(path, i), depth + 1);
      const unit = this.text.charCodeAt(this.#at++);
      if (unit === CLOSE_BRACKET) return;
      if (unit !== COMMA) throw new NotCanonical(this.#at - 1);
    }
  }

  /** Reads `"name":`; the name must sort after the previous name by UTF-16 units. */
  #key(before: string | undefined): string {
    const start = this.#at;
    if (this.text.charCodeAt(start) !== QUOTE) throw new NotCanonical(start);
    const escaped = this.#string();
    const slice = this.text.slice(start + 1, this.#at - 1);
    const key: string = escaped ? JSON.parse(`"${slice}"`) : slice;
    if (before !== undefined && !(before < key)) throw new NotCanonical(start);
    this.#expect(COLON);
    return key;
  }

  #expect(unit: number): void {
    if (this.text.charCodeAt(this.#at) !== unit) throw new NotCanonical(this.#at);
    this.#at++;
  }

  /** @returns true if the string has escapes */
  #string(): boolean {
    const { text } = this;
    let escaped = false;
    for (let i = this.#at + 1; ; i++) {
      const unit = text.charCodeAt(i);
      if (unit === QUOTE) {
        this.#at = i + 1;
        return escaped;
      }
      if (unit === BACKSLASH) {
        escaped = true;
        i = this.#escape(i);
      } else if (!(unit >= 0x20)) throw new NotCanonical(i);
    }
  }

  /** RFC 8785 section 3.2.2.2: the two-character escapes, and `\u00xx` in lower case for other control characters. */
  #escape(at: number): number {
    const two = this.text.charAt(at + 1);
    if (two !== '' && '"\\bfnrt'.includes(two)) return at + 1;
    const long = /^u00([01][0-9a-f])$/.exec(this.text.slice(at + 1, at + 6));
    const unit = Number.parseInt(long?.[1] ?? '08', 16);
    if ([0x08, 0x09, 0x0a, 0x0c, 0x0d].includes(unit)) throw new NotCanonical(at);
    return at + 5;
  }

  #literal(): void {
    const { text } = this;
    const start = this.#at;
    let end = start;
    for (let unit = text.charCodeAt(end); isLiteralUnit(unit); unit = text.charCodeAt(++end));
    const literal = text.slice(start, end);
    // A number must have the spelling that ECMAScript prints (section 3.2.2.3), so not `-0`, `1.0` or `1e3`.
    const sound = literal === 'true' || literal === 'false' || literal === 'null' || isCanonicalNumber(literal);
    if (!sound) throw new NotCanonical(start);
    this.#at = end;
  }
}

const isLiteralUnit = (unit: number): boolean =>
  (unit >= 0x30 && unit <= 0x39) || (unit >= 0x61 && unit <= 0x7a) || unit === 0x2d || unit === 0x2b || unit === 0x2e;

function isCanonicalNumber(literal: string): boolean {
  // ECMAScript prints whole numbers of this length unchanged.
  if (/^(0|-?[1-9][0-9]{0,14})$/.test(literal)) return true;
  // It also prints decimals of at most 15 digits unchanged (IEEE 754: each is a distinct double), unless small enough for an
  // exponent.
  if (/^-?(0|[1-9][0-9]{0,9})\.[0-9]{0,3}[1-9]$/.test(literal)) return true;
  if (!/^-?[0-9]/.test(literal)) return false;
  const value = Number(literal);
  return Number.isFinite(value) && String(value) === literal;
}

/** Returns true if the text is one value in the form of RFC 8785. */
export function isCanonical(text: string): boolean {
  try {
    formScanner(text).whole();
    return true;
  } catch (fault) {
    if (fault instanceof NotCanonical) return false;
    throw fault;
  }
}

// Reads JSON text that must be in the one form of RFC 8785, without building it: what is not in that form – blanks, members
// out of order or repeated, another spelling of a string or number – is refused at its place. So nothing is ever
// canonicalised again (evidence.md section 1, rule 1), and two readers cannot see two things in one text.

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

/** Records nest no deeper than ingest lets them; the manifest far less. */
const MAX_DEPTH = 110;

/** Not the form of RFC 8785. The message tells the place and nothing of the text. */
export class NotCanonical extends Error {
  constructor(at: number) {
    super(`not in the form of RFC 8785 at character ${at + 1}`);
  }
}

/** Is told of leaves: a leaf is a scalar, `{}` or `[]`. What a place is in its terms is its own matter. */
export interface LeafSink<Path> {
  readonly root: Path;
  /** The member that follows `before` (undefined: that begins the object) there; what followed it last may be foreseen. */
  member(parent: Path, key: string, before: Path | undefined): Path;
  /** The member that followed `before` last; undefined where nothing is foreseen. */
  foreseen(parent: Path, before: Path | undefined): Path | undefined;
  /** Of a member: its name, and that as it stands in the text, with its colon. */
  keyOf(path: Path): string;
  keyText(path: Path): string;
  item(parent: Path, index: number): Path;
  /** The leaf's text stands from `start` to `end`. */
  leaf(path: Path, start: number, end: number): void;
}

/** For texts of which only the form matters. */
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

/** Walks values of a text, one after the other. */
export class CanonicalScanner<Path> {
  readonly text: string;
  readonly #sink: LeafSink<Path>;
  #at = 0;

  constructor(text: string, sink: LeafSink<Path>) {
    this.text = text;
    this.#sink = sink;
  }

  /** What stands from `start` to `end` is one value. @throws NotCanonical */
  whole(start = 0, end = this.text.length): void {
    this.#at = start;
    this.#value(this.#sink.root, 0);
    if (this.#at !== end) throw new NotCanonical(this.#at);
  }

  /** The members of the object at `at`: name, and where the value begins and ends. @throws NotCanonical */
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

  /** End of the value that begins at `at`. @throws NotCanonical */
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
      // Records are much alike: a name that followed the same one before is in order, and need not be read.
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

  /** `"name":`, which must sort after the one before by UTF-16 units. */
  #key(before: string | undefined): string {
    const start = this.#at;
    if (this.text.charCodeAt(start) !== QUOTE) throw new NotCanonical(start);
    const escaped = this.#string();
    const slice = this.text.slice(start + 1, this.#at - 1);
    const key = escaped ? (JSON.parse(`"${slice}"`) as string) : slice;
    if (before !== undefined && !(before < key)) throw new NotCanonical(start);
    this.#expect(COLON);
    return key;
  }

  #expect(unit: number): void {
    if (this.text.charCodeAt(this.#at) !== unit) throw new NotCanonical(this.#at);
    this.#at++;
  }

  /** @returns whether it holds escapes. */
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
    // What ECMAScript prints for the number is the only spelling (section 3.2.2.3); `-0`, `1.0` and `1e3` are others.
    const sound = literal === 'true' || literal === 'false' || literal === 'null' || isCanonicalNumber(literal);
    if (!sound) throw new NotCanonical(start);
    this.#at = end;
  }
}

const isLiteralUnit = (unit: number): boolean =>
  (unit >= 0x30 && unit <= 0x39) || (unit >= 0x61 && unit <= 0x7a) || unit === 0x2d || unit === 0x2b || unit === 0x2e;

function isCanonicalNumber(literal: string): boolean {
  // Whole numbers so short are printed as they stand.
  if (/^(0|-?[1-9][0-9]{0,14})$/.test(literal)) return true;
  // So are decimals of at most 15 digits (IEEE 754: no two of them are one double) that are not small enough for an exponent.
  if (/^-?(0|[1-9][0-9]{0,9})\.[0-9]{0,3}[1-9]$/.test(literal)) return true;
  if (!/^-?[0-9]/.test(literal)) return false;
  const value = Number(literal);
  return Number.isFinite(value) && String(value) === literal;
}

/** Whether the text is one value in the form of RFC 8785. */
export function isCanonical(text: string): boolean {
  try {
    formScanner(text).whole();
    return true;
  } catch (fault) {
    if (fault instanceof NotCanonical) return false;
    throw fault;
  }
}

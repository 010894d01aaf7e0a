import { MongoError } from '../errors.js';
import { GuardedRegex } from './guarded-regex.js';

/** MongoDB's own limit for a pattern. */
const maxPatternLength = 32_764;

const endOfText = '(?![\\s\\S])';
const escapes: Readonly<Record<string, string>> = {
  A: '(?<![\\s\\S])',
  z: endOfText,
  Z: `(?=\\n?${endOfText})`,
  h: '[\\t \\xa0]',
  H: '[^\\t \\xa0]',
  R: '(?:\\r\\n|[\\n\\v\\f\\r\\x85\\u2028\\u2029])',
  N: '[^\\n]',
  s: '[\\t\\n\\v\\f\\r ]',
  S: '[^\\t\\n\\v\\f\\r ]',
  a: '\\x07',
  e: '\\x1b',
};
const classEscapes: Readonly<Record<string, string>> = {
  h: '\\t \\xa0',
  s: '\\t\\n\\v\\f\\r ',
  a: '\\x07',
  e: '\\x1b',
  b: '\\x08',
};
const posixClasses: Readonly<Record<string, string>> = {
  alpha: 'A-Za-z',
  digit: '0-9',
  alnum: 'A-Za-z0-9',
  upper: 'A-Z',
  lower: 'a-z',
  space: '\\t\\n\\v\\f\\r ',
  blank: '\\t ',
  punct: '!-\\/:-@\\[-`\\{-~',
  xdigit: 'A-Fa-f0-9',
  word: '\\w',
  cntrl: '\\x00-\\x1f\\x7f',
  print: '\\x20-\\x7e',
  graph: '\\x21-\\x7e',
};

/**
 * A MongoDB (PCRE) pattern as a JavaScript one of the same meaning, or error 51091 where there is none. Anchors, dot
 * and classes are spelled out because JavaScript counts more characters as line ends and spaces than PCRE does.
 */
export function compileRegex(pattern: string, options: string): GuardedRegex {
  if (pattern.length > maxPatternLength) throw refused(`pattern is longer than ${maxPatternLength} characters`);
  if (pattern.includes('\0') || options.includes('\0')) {
    throw new MongoError('BadValue', 'Regular expression cannot contain an embedded null byte');
  }
  for (const option of options) {
    if (!'imsxu'.includes(option)) throw new MongoError(51108, `invalid flag in regex options: ${option}`);
  }
  const inline = /^\(\?([imsx]+)\)/.exec(pattern);
  const body = inline ? pattern.slice(inline[0].length) : pattern;
  const flags = new Set([...options, ...(inline?.[1] ?? '')]);
  const source = new Translation(body, flags).run();
  try {
    return new GuardedRegex(source, flags.has('i') ? 'iu' : 'u');
  } catch {
    throw refused('the pattern is not valid or uses a construct without an equivalent');
  }
}

function refused(reason: string): MongoError {
  return new MongoError(51091, `Regular expression is invalid: ${reason}`);
}

/** The literal beginning of an anchored, case-sensitive pattern such as `^abc`, else undefined. */
export function literalPrefix(pattern: string, options: string): string | undefined {
  if (/[imx]/.test(options) || pattern.includes('|')) return undefined;
  const match = /^(?:\^|\\A)((?:[^\\^$.|?*+()[\]{}]|\\[^A-Za-z0-9])*)/su.exec(pattern);
  if (!match?.[1]) return undefined;
  const rest = pattern.slice(match[0].length);
  let literal = match[1];
  // A quantifier belongs to the last character, which may then be absent.
  if (/^[?*{]/.test(rest)) literal = literal.replace(/(?:\\.|[\s\S])$/u, '');
  const text = literal.replace(/\\(.)/gsu, '$1');
  return text === '' ? undefined : text;
}

class Translation {
  private at = 0;
  private out = '';

  constructor(
    private readonly pattern: string,
    private readonly flags: ReadonlySet<string>,
  ) {}

  run(): string {
    while (this.at < this.pattern.length) this.item();
    return this.out;
  }

  private rest(): string {
    return this.pattern.slice(this.at);
  }

  private take(match: RegExpExecArray, replacement: string): void {
    this.at += match[0].length;
    this.out += replacement;
  }

  private item(): void {
    const char = String.fromCodePoint(this.pattern.codePointAt(this.at) ?? 0);
    if (char === '\\') this.escape();
    else if (char === '[') this.characterClass();
    else if (char === '(') this.group();
    else if ('*+?{'.includes(char)) this.quantifier();
    else if (this.flags.has('x') && /[\s#]/.test(char)) this.skipExtended();
    else {
      this.at += char.length;
      this.out += this.plain(char);
    }
  }

  private plain(char: string): string {
    const multiline = this.flags.has('m');
    if (char === '^') return multiline ? '(?<![^\\n])' : '^';
    if (char === '$') return multiline ? `(?=\\n|${endOfText})` : '(?=\\n?$)';
    if (char === '.') return this.flags.has('s') ? '[\\s\\S]' : '[^\\n]';
    return char === ']' || char === '}' || char === '/' ? `\\${char}` : char;
  }

  /** With option x white space and # comments do not count. */
  private skipExtended(): void {
    const match = /^(?:\s+|#[^\n]*\n?)/.exec(this.rest());
    this.at += match?.[0].length ?? 1;
  }

  private escape(): void {
    const rest = this.rest();
    const quoted = /^\\Q([\s\S]*?)(?:\\E|$)/.exec(rest);
    if (quoted) {
      this.take(quoted, (quoted[1] ?? '').replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'));
      return;
    }
    const passed =
      /^\\(?:[wWdDbBtnrfv]|x[0-9A-Fa-f]{2}|[1-9]\d?|[pP]\{\^?[\w=]+\}|c[A-Za-z]|k<\w+>)/.exec(rest) ?? undefined;
    if (passed) {
      this.take(passed, passed[0]);
      return;
    }
    const special = /^\\([AzZhHRNsSae])/.exec(rest);
    if (special) {
      this.take(special, escapes[special[1] ?? ''] ?? '');
      return;
    }
    this.commonEscape(rest, (char) => (/[\^$\\.*+?()[\]{}|/]/.test(char) ? `\\${char}` : char));
  }

  /** Forms that mean the same inside and outside of classes. */
  private commonEscape(rest: string, literal: (char: string) => string): void {
    const code = /^\\x\{([0-9A-Fa-f]{1,6})\}/.exec(rest);
    if (code) {
      this.take(code, `\\u{${code[1]}}`);
      return;
    }
    const octal = /^\\0([0-7]{0,2})/.exec(rest);
    if (octal) {
      this.take(octal, `\\x${Number.parseInt(`0${octal[1]}`, 8).toString(16).padStart(2, '0')}`);
      return;
    }
    const property = /^\\([pP])([A-Z])/.exec(rest);
    if (property) {
      this.take(property, `\\${property[1]}{${property[2]}}`);
      return;
    }
    const identity = /^\\([^A-Za-z0-9])/su.exec(rest);
    if (!identity) throw refused(`escape ${rest.slice(0, 2)}`);
    this.take(identity, literal(identity[1] ?? ''));
  }

  private characterClass(): void {
    const open = /^\[(\^?)(\]?)/.exec(this.rest());
    if (!open) return;
    this.take(open, `[${open[1]}${open[2] ? '\\]' : ''}`);
    while (this.pattern[this.at] !== ']') {
      if (this.at >= this.pattern.length) throw refused('missing terminating ] for character class');
      this.classItem();
    }
    this.at++;
    this.out += ']';
  }

  private classItem(): void {
    const rest = this.rest();
    const posix = /^\[:(\^?)(\w+):\]/.exec(rest);
    if (posix) {
      const range = posixClasses[posix[2] ?? ''];
      if (range === undefined || posix[1]) throw refused(`POSIX class ${posix[0]}`);
      this.take(posix, range);
      return;
    }
    if (rest[0] !== '\\') {
      const char = String.fromCodePoint(rest.codePointAt(0) ?? 0);
      this.at += char.length;
      this.out += /[[(){}/|]/.test(char) ? `\\${char}` : char;
      return;
    }
    const passed = /^\\(?:[wWdDtnrfv]|x[0-9A-Fa-f]{2}|[pP]\{\^?[\w=]+\}|c[A-Za-z])/.exec(rest);
    if (passed) {
      this.take(passed, passed[0]);
      return;
    }
    const special = /^\\([hsaeb])/.exec(rest);
    if (special) {
      this.take(special, classEscapes[special[1] ?? ''] ?? '');
      return;
    }
    if (/^\\S/.test(rest)) {
      this.at += 2;
      this.out += '\\x00-\\x08\\x0e-\\x1f!-\\u{10ffff}';
      return;
    }
    this.commonEscape(rest, (char) => (/[\^$\\.*+?()[\]{}|/-]/.test(char) ? `\\${char}` : char));
  }

  private group(): void {
    const rest = this.rest();
    const comment = /^\(\?#[^)]*\)/.exec(rest);
    if (comment) {
      this.take(comment, '');
      return;
    }
    const named = /^\(\?(?:P?<([A-Za-z_]\w*)>|'([A-Za-z_]\w*)')/.exec(rest);
    if (named) {
      this.take(named, `(?<${named[1] ?? named[2]}>`);
      return;
    }
    const plain = /^\((?:\?(?::|=|!|<=|<!)|(?![?*]))/.exec(rest);
    if (!plain) throw refused(`group ${rest.slice(0, 4)}`);
    this.take(plain, plain[0]);
  }

  private quantifier(): void {
    const match = /^(?:[*+?]|\{\d+(?:,\d*)?\})([+?]?)/.exec(this.rest());
    if (!match) {
      // A brace that begins no quantifier stands for itself.
      this.at++;
      this.out += '\\{';
      return;
    }
    if (match[1] === '+') throw refused('possessive quantifier');
    this.take(match, match[0]);
  }
}

import { fail, MongoError } from '../errors.js';
import { GuardedRegex } from './guarded-regex.js';

/** MongoDB's own limit for a pattern. */
const MAX_PATTERN_LENGTH = 32_764;

const END_OF_TEXT = '(?![\\s\\S])';
const ESCAPES: Readonly<Record<string, string>> = {
  A: '(?<![\\s\\S])',
  z: END_OF_TEXT,
  Z: `(?=\\n?${END_OF_TEXT})`,
  h: '[\\t \\xa0]',
  H: '[^\\t \\xa0]',
  R: '(?:\\r\\n|[\\n\\v\\f\\r\\x85\\u2028\\u2029])',
  N: '[^\\n]',
  s: '[\\t\\n\\v\\f\\r ]',
  S: '[^\\t\\n\\v\\f\\r ]',
  a: '\\x07',
  e: '\\x1b',
};
const CLASS_ESCAPES: Readonly<Record<string, string>> = {
  h: '\\t \\xa0',
  s: '\\t\\n\\v\\f\\r ',
  a: '\\x07',
  e: '\\x1b',
  b: '\\x08',
};
const POSIX_CLASSES: Readonly<Record<string, string>> = {
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
 * Translates a MongoDB (PCRE) pattern to an equivalent JavaScript one; error 51091 where there is none. The operator
 * is part of an error text, and empty in a filter. Anchors, dot
 * and classes are spelled out, because JavaScript treats more characters as line ends and spaces than PCRE.
 */
export function compileRegex(pattern: string, options: string, operator = ''): GuardedRegex {
  if (pattern.length > MAX_PATTERN_LENGTH) throw refused(`pattern is longer than ${MAX_PATTERN_LENGTH} characters`);
  if (pattern.includes('\0') || options.includes('\0'))
    fail('BadValue', 'Regular expression cannot contain an embedded null byte');
  for (const option of options)
    if (!'imsxu'.includes(option)) fail(51_108, `${operator} invalid flag in regex options: ${option}`);
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
  // A quantifier applies to the last character, which may then be absent.
  if (/^[?*{]/.test(rest)) literal = literal.replace(/(?:\\.|[\s\S])$/u, '');
  const text = literal.replace(/\\(.)/gsu, '$1');
  return text === '' ? undefined : text;
}

class Translation {
  #at = 0;
  #out = '';
  readonly #pattern: string;
  readonly #flags: ReadonlySet<string>;

  constructor(pattern: string, flags: ReadonlySet<string>) {
    this.#pattern = pattern;
    this.#flags = flags;
  }

  run(): string {
    while (this.#at < this.#pattern.length) this.#item();
    return this.#out;
  }

  #rest(): string {
    return this.#pattern.slice(this.#at);
  }

  #take(match: RegExpExecArray, replacement: string): void {
    this.#at += match[0].length;
    this.#out += replacement;
  }

  #item(): void {
    const char = String.fromCodePoint(this.#pattern.codePointAt(this.#at) ?? 0);
    if (char === '\\') this.#escape();
    else if (char === '[') this.#characterClass();
    else if (char === '(') this.#group();
    else if ('*+?{'.includes(char)) this.#quantifier();
    else if (this.#flags.has('x') && /[\s#]/.test(char)) this.#skipExtended();
    else {
      this.#at += char.length;
      this.#out += this.#plain(char);
    }
  }

  #plain(char: string): string {
    const multiline = this.#flags.has('m');
    if (char === '^') return multiline ? '(?<![^\\n])' : '^';
    if (char === '$') return multiline ? `(?=\\n|${END_OF_TEXT})` : '(?=\\n?$)';
    if (char === '.') return this.#flags.has('s') ? '[\\s\\S]' : '[^\\n]';
    return char === ']' || char === '}' || char === '/' ? `\\${char}` : char;
  }

  /** Option x ignores white space and # comments. */
  #skipExtended(): void {
    const match = /^(?:\s+|#[^\n]*\n?)/.exec(this.#rest());
    this.#at += match?.[0].length ?? 1;
  }

  #escape(): void {
    if (!this.#translate(ESCAPE_RULES)) this.#identity(/[\^$\\.*+?()[\]{}|/]/);
  }

  /** Writes the translation of the first form that matches here; returns false when none does. */
  #translate(rules: readonly Rule[]): boolean {
    const rest = this.#rest();
    for (const [form, write] of rules) {
      const match = form.exec(rest);
      if (!match) continue;
      this.#take(match, write(match));
      return true;
    }
    return false;
  }

  /** An escaped character that means itself; keeps the escape only where JavaScript needs it. */
  #identity(special: RegExp): void {
    const rest = this.#rest();
    const identity = /^\\([^A-Za-z0-9])/su.exec(rest);
    if (!identity) throw refused(`escape ${rest.slice(0, 2)}`);
    const char = identity[1] ?? '';
    this.#take(identity, special.test(char) ? `\\${char}` : char);
  }

  #characterClass(): void {
    const open = /^\[(\^?)(\]?)/.exec(this.#rest());
    if (!open) return;
    this.#take(open, `[${open[1]}${open[2] ? '\\]' : ''}`);
    while (this.#pattern[this.#at] !== ']') {
      if (this.#at >= this.#pattern.length) throw refused('missing terminating ] for character class');
      this.#classItem();
    }
    this.#at++;
    this.#out += ']';
  }

  #classItem(): void {
    const rest = this.#rest();
    const posix = /^\[:(\^?)(\w+):\]/.exec(rest);
    if (posix) {
      const range = POSIX_CLASSES[posix[2] ?? ''];
      if (range === undefined || posix[1]) throw refused(`POSIX class ${posix[0]}`);
      this.#take(posix, range);
      return;
    }
    if (rest[0] !== '\\') {
      const char = String.fromCodePoint(rest.codePointAt(0) ?? 0);
      this.#at += char.length;
      this.#out += /[[(){}/|]/.test(char) ? `\\${char}` : char;
      return;
    }
    if (!this.#translate(CLASS_RULES)) this.#identity(/[\^$\\.*+?()[\]{}|/-]/);
  }

  #group(): void {
    if (!this.#translate(GROUP_RULES)) throw refused(`group ${this.#rest().slice(0, 4)}`);
  }

  #quantifier(): void {
    const match = /^(?:[*+?]|\{\d+(?:,\d*)?\})([+?]?)/.exec(this.#rest());
    if (!match) {
      // A brace that starts no quantifier is a literal.
      this.#at++;
      this.#out += '\\{';
      return;
    }
    if (match[1] === '+') throw refused('possessive quantifier');
    this.#take(match, match[0]);
  }
}

/** A form of PCRE at the current place, and its JavaScript equivalent. */
type Rule = readonly [form: RegExp, write: (match: RegExpExecArray) => string];

const unchanged = ([text]: RegExpExecArray): string => text;

/** Forms that mean the same inside and outside of classes. */
const COMMON_RULES: readonly Rule[] = [
  [/^\\x\{([0-9A-Fa-f]{1,6})\}/, ([, code]) => `\\u{${code}}`],
  [/^\\0([0-7]{0,2})/, ([, octal]) => `\\x${Number.parseInt(`0${octal}`, 8).toString(16).padStart(2, '0')}`],
  [/^\\([pP])([A-Z])/, ([, letter, property]) => `\\${letter}{${property}}`],
];

const ESCAPE_RULES: readonly Rule[] = [
  [/^\\Q([\s\S]*?)(?:\\E|$)/, ([, quoted = '']) => quoted.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')],
  [/^\\(?:[wWdDbBtnrfv]|x[0-9A-Fa-f]{2}|[1-9]\d?|[pP]\{\^?[\w=]+\}|c[A-Za-z]|k<\w+>)/, unchanged],
  [/^\\([AzZhHRNsSae])/, ([, letter = '']) => ESCAPES[letter] ?? ''],
  ...COMMON_RULES,
];

const CLASS_RULES: readonly Rule[] = [
  [/^\\(?:[wWdDtnrfv]|x[0-9A-Fa-f]{2}|[pP]\{\^?[\w=]+\}|c[A-Za-z])/, unchanged],
  [/^\\([hsaeb])/, ([, letter = '']) => CLASS_ESCAPES[letter] ?? ''],
  [/^\\S/, () => '\\x00-\\x08\\x0e-\\x1f!-\\u{10ffff}'],
  ...COMMON_RULES,
];

const GROUP_RULES: readonly Rule[] = [
  [/^\(\?#[^)]*\)/, () => ''],
  [/^\(\?(?:P?<([A-Za-z_]\w*)>|'([A-Za-z_]\w*)')/, ([, angled, quoted]) => `(?<${angled ?? quoted}>`],
  [/^\((?:\?(?::|=|!|<=|<!)|(?![?*]))/, unchanged],
];

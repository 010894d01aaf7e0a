import { createContext, Script } from 'node:vm';
import { MongoError } from '../errors.js';
import { RegexAutomaton, RegexTooCostly } from './regex-automaton.js';

/** Worst-case steps of the backtracking engine before the automaton takes over: a few milliseconds. */
const CHEAP_STEPS = 4_000_000;
/** No stored string is longer. */
const MAX_TEXT_LENGTH = 2 ** 24;
/** The time limit of unavoidable backtracking for one text. */
const BACKTRACKING_MS = 20;
const MAX_ATTEMPTS = 5;

/** Time spent in expensive patterns since the last check, so that long scans pause more often. */
let spentMs = 0;

/** Whether expensive patterns have used up a step's time; resets the count. */
export function regexNeedsPause(): boolean {
  if (spentMs < 5) return false;
  spentMs = 0;
  return true;
}

const sandbox: { run?: () => void } = createContext({});
const guarded = new Script('run()');

/**
 * A regular expression that cannot block the server. V8's engine runs directly where the pattern's structure and the
 * text's length bound backtracking to a few milliseconds. Otherwise an automaton runs, in time linear in the text.
 * Look-arounds and back references have no automaton: they backtrack under a time limit, and the command then fails
 * with error 51156, as at the PCRE match limit on MongoDB.
 */
export class GuardedRegex extends RegExp {
  readonly #tree: RegexTree;
  /** Texts up to this length run in V8's engine. */
  readonly #cheapLength: number;
  #automaton: RegexAutomaton | undefined | 'not built' = 'not built';

  /** Also copies another instance, as `matchAll` does. */
  constructor(source: string | RegExp, flags: string) {
    super(source, flags);
    this.#tree = parseTranslated(this.source);
    this.#cheapLength = cheapLengthOf(this.#tree, this.source.length);
  }

  override test(text: string): boolean {
    if (text.length <= this.#cheapLength) return super.exec(text) !== null;
    return this.#occurs(text) ?? this.#withinLimit(text) !== null;
  }

  override exec(text: string): RegExpExecArray | null {
    if (text.length <= this.#cheapLength) return super.exec(text);
    return this.#occurs(text) === false ? null : this.#withinLimit(text);
  }

  /** The same pattern, to find all matches with. */
  everywhere(): GuardedRegex {
    return new GuardedRegex(this, `${this.flags}g`);
  }

  /** Returns undefined where no automaton applies. A sticky or global search that continues is for `exec`. */
  #occurs(text: string): boolean | undefined {
    if (this.#automaton === 'not built')
      this.#automaton = RegexAutomaton.of(this.#tree, this.flags.replace(/[gy]/g, ''));
    if (!this.#automaton || this.lastIndex > 0) return undefined;
    const startMs = performance.now();
    try {
      return this.#automaton.test(text);
    } catch (error) {
      if (error instanceof RegexTooCostly) throw tooCostly();
      throw error;
    } finally {
      spentMs += performance.now() - startMs;
    }
  }

  /** Retries when other processes used the time: only time spent on the pattern counts. */
  #withinLimit(text: string): RegExpExecArray | null {
    for (let attempt = 1; ; attempt++) {
      const before = process.cpuUsage();
      const found = this.#attempt(text);
      if (found !== 'timeout') return found;
      const { user, system } = process.cpuUsage(before);
      if (attempt === MAX_ATTEMPTS || user + system > BACKTRACKING_MS * 500) throw tooCostly();
    }
  }

  #attempt(text: string): RegExpExecArray | null | 'timeout' {
    const startMs = performance.now();
    // A plain RegExp, because the engine must not call back into this class.
    const plain = new RegExp(this.source, this.flags);
    plain.lastIndex = this.lastIndex;
    let found: RegExpExecArray | null = null;
    sandbox.run = () => {
      found = plain.exec(text);
    };
    try {
      guarded.runInContext(sandbox, { timeout: BACKTRACKING_MS });
      this.lastIndex = plain.lastIndex;
      return found;
    } catch (error) {
      if (isTimeout(error)) return 'timeout';
      throw error;
    } finally {
      spentMs += performance.now() - startMs;
      delete sandbox.run;
    }
  }
}

function isTimeout(error: unknown): boolean {
  return (
    typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
  );
}

function tooCostly(): MongoError {
  return new MongoError(51156, 'Error occurred while executing regular expression: match limit exceeded');
}

/** The largest power of two for which backtracking stays cheap; 0 where no length does. */
function cheapLengthOf(tree: RegexTree, patternLength: number): number {
  const once = beginsAtStart(tree);
  let cheap = 0;
  for (let length = 4; length <= MAX_TEXT_LENGTH; length *= 2) {
    const starts = once ? 0 : Math.log(length + 1);
    if (logWays(tree, length) + starts + Math.log(patternLength + 1) > Math.log(CHEAP_STEPS)) break;
    cheap = length;
  }
  return cheap;
}

function beginsAtStart(tree: RegexTree): boolean {
  if (tree.kind === 'place') return tree.place === 'start';
  if (tree.kind === 'choice') return tree.items.every(beginsAtStart);
  return tree.kind === 'concat' && tree.items[0] !== undefined && beginsAtStart(tree.items[0]);
}

/**
 * The structure of a translated pattern (the JavaScript source of `compileRegex`, flag `u`): enough to bound the cost
 * of backtracking and to build an automaton. Atoms stay source text, and the engine itself decides whether a character
 * matches one, so both ways agree.
 */
export type RegexTree =
  /** Exactly one character. */
  | { readonly kind: 'atom'; readonly source: string }
  /** A condition on the position that consumes no character. */
  | { readonly kind: 'place'; readonly place: Place }
  | { readonly kind: 'concat' | 'choice'; readonly items: readonly RegexTree[] }
  | { readonly kind: 'repeat'; readonly item: RegexTree; readonly least: number; readonly most: number }
  /** A look-around or a back reference: only backtracking can follow it. */
  | { readonly kind: 'irregular'; readonly inner: RegexTree | undefined };

export type Place = 'start' | 'end' | 'lineStart' | 'lineEnd' | 'lastLineEnd' | 'wordEdge' | 'noWordEdge';

/** What the translation writes for PCRE's anchors. */
const PLACES: readonly (readonly [source: string, place: Place])[] = [
  ['(?=\\n?(?![\\s\\S]))', 'lastLineEnd'],
  ['(?=\\n|(?![\\s\\S]))', 'lineEnd'],
  ['(?<![\\s\\S])', 'start'],
  ['(?![\\s\\S])', 'end'],
  ['(?<![^\\n])', 'lineStart'],
  ['(?=\\n?$)', 'lastLineEnd'],
  ['^', 'start'],
  ['\\b', 'wordEdge'],
  ['\\B', 'noWordEdge'],
];

export function parseTranslated(source: string): RegexTree {
  return new TreeReader(source).choice();
}

class TreeReader {
  #at = 0;
  readonly #source: string;

  constructor(source: string) {
    this.#source = source;
  }

  choice(): RegexTree {
    const items = [this.#concat()];
    while (this.#source[this.#at] === '|') {
      this.#at += 1;
      items.push(this.#concat());
    }
    return items.length === 1 && items[0] ? items[0] : { kind: 'choice', items };
  }

  #concat(): RegexTree {
    const items: RegexTree[] = [];
    while (this.#at < this.#source.length && this.#source[this.#at] !== '|' && this.#source[this.#at] !== ')')
      items.push(this.#quantified(this.#item()));
    return items.length === 1 && items[0] ? items[0] : { kind: 'concat', items };
  }

  #quantified(item: RegexTree): RegexTree {
    const match = /^(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/.exec(this.#source.slice(this.#at, this.#at + 24));
    if (!match) return item;
    this.#at += match[0].length;
    const [, sign, from, comma, to] = match;
    if (sign) return { kind: 'repeat', item, least: sign === '+' ? 1 : 0, most: sign === '?' ? 1 : Infinity };
    const least = Number(from);
    return { kind: 'repeat', item, least, most: comma ? (to ? Number(to) : Infinity) : least };
  }

  #item(): RegexTree {
    for (const [text, place] of PLACES) {
      if (!this.#source.startsWith(text, this.#at)) continue;
      this.#at += text.length;
      return { kind: 'place', place };
    }
    const first = this.#source[this.#at];
    if (first === '(') return this.#group();
    const match =
      /^(?:\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|x[0-9A-Fa-f]{2}|c[A-Za-z]|k<\w+>|\d+|[\s\S])|\[(?:\\[\s\S]|[^\]\\])*\]|[\s\S])/u.exec(
        this.#source.slice(this.#at),
      );
    const atom = match?.[0] ?? '';
    this.#at += atom.length;
    if (/^\\(?:k<|[1-9])/.test(atom)) return { kind: 'irregular', inner: undefined };
    return { kind: 'atom', source: atom };
  }

  #group(): RegexTree {
    const open = /^\((?:\?(?::|=|!|<=|<!|<\w+>))?/.exec(this.#source.slice(this.#at, this.#at + 80))?.[0] ?? '(';
    this.#at += open.length;
    const inner = this.choice();
    this.#at += 1;
    return /^\(\?<?[=!]/.test(open) ? { kind: 'irregular', inner } : inner;
  }
}

/**
 * The natural logarithm of the ways in which a backtracking engine may try the pattern from one start in a text of
 * `length` characters. An upper bound: infinite for unbounded repetition of something with choices.
 */
function logWays(tree: RegexTree, length: number): number {
  switch (tree.kind) {
    case 'atom':
    case 'place':
      return 0;
    case 'irregular':
      return tree.inner ? logWays(tree.inner, length) : 0;
    case 'concat':
      return tree.items.reduce((sum, item) => sum + logWays(item, length), 0);
    case 'choice':
      return Math.max(...tree.items.map((item) => logWays(item, length))) + Math.log(tree.items.length);
    case 'repeat': {
      const { item, least, most } = tree;
      const each = logWays(item, length);
      const times = Math.min(most, length + 1);
      // An item that can match nothing may repeat in place; choices inside multiply.
      if (each > 0 || !takesOne(item)) return most === Infinity ? Infinity : times * (each + Math.LN2);
      return Math.log(times - Math.min(least, times) + 1);
    }
  }
}

/** Whether it always takes at least one character. */
function takesOne(tree: RegexTree): boolean {
  switch (tree.kind) {
    case 'atom':
      return true;
    case 'place':
    case 'irregular':
      return false;
    case 'concat':
      return tree.items.some(takesOne);
    case 'choice':
      return tree.items.every(takesOne);
    case 'repeat':
      return tree.least > 0 && takesOne(tree.item);
  }
}

import { createContext, Script } from 'node:vm';
import { MongoError } from '../errors.js';
import { RegexAutomaton, RegexTooCostly } from './regex-automaton.js';
import { logWays, parseTranslated, type RegexTree } from './regex-tree.js';

/** Steps a backtracking engine may need at worst before another way is taken: a few milliseconds. */
const cheapSteps = 4_000_000;
/** No stored string is longer. */
const maxTextLength = 2 ** 24;
/** What backtracking that cannot be avoided may take for one text. */
const backtrackingMs = 20;
const maxAttempts = 5;

/** Time that expensive patterns took since somebody asked: work over many documents makes shorter steps of it. */
let spentMs = 0;

/** Whether expensive patterns have used up a step's time; asking starts anew. */
export function regexNeedsPause(): boolean {
  if (spentMs < 5) return false;
  spentMs = 0;
  return true;
}

const sandbox: { regex?: RegExp; text?: string } = createContext({});
const guarded = new Script('regex.exec(text)');

/**
 * A regular expression that cannot keep the server. Where the pattern's structure and the text's length bound
 * backtracking to a few milliseconds, V8's own engine runs; else an automaton, linear in the text. Look-arounds and
 * references back, which no automaton can follow, backtrack under a time limit, whose end is error 51156, as is
 * PCRE's match limit on MongoDB.
 */
export class GuardedRegex extends RegExp {
  private readonly tree: RegexTree;
  /** Texts up to this length are left to V8's engine. */
  private readonly cheapLength: number;
  private automaton: RegexAutomaton | undefined | 'not built' = 'not built';

  /** From another one too: that is how `matchAll` copies it. */
  constructor(source: string | RegExp, flags: string) {
    super(source, flags);
    this.tree = parseTranslated(this.source);
    this.cheapLength = cheapLengthOf(this.tree, this.source.length);
  }

  override test(text: string): boolean {
    if (text.length <= this.cheapLength) return super.exec(text) !== null;
    return this.occurs(text) ?? this.withinLimit(text) !== null;
  }

  override exec(text: string): RegExpExecArray | null {
    if (text.length <= this.cheapLength) return super.exec(text);
    return this.occurs(text) === false ? null : this.withinLimit(text);
  }

  /** The same pattern, to find all matches with. */
  everywhere(): GuardedRegex {
    return new GuardedRegex(this, `${this.flags}g`);
  }

  /** Undefined where no automaton can tell. A sticky or global search goes on from a place; that is for `exec`. */
  private occurs(text: string): boolean | undefined {
    if (this.automaton === 'not built') this.automaton = RegexAutomaton.of(this.tree, this.flags.replace(/[gy]/g, ''));
    if (!this.automaton || this.lastIndex > 0) return undefined;
    const startMs = performance.now();
    try {
      return this.automaton.test(text);
    } catch (error) {
      if (error instanceof RegexTooCostly) throw tooCostly();
      throw error;
    } finally {
      spentMs += performance.now() - startMs;
    }
  }

  /** Tries again where the time went to other processes: only time spent on the pattern speaks against it. */
  private withinLimit(text: string): RegExpExecArray | null {
    for (let attempt = 1; ; attempt++) {
      const before = process.cpuUsage();
      const found = this.attempt(text);
      if (found !== 'timeout') return found;
      const { user, system } = process.cpuUsage(before);
      if (attempt === maxAttempts || user + system > backtrackingMs * 500) throw tooCostly();
    }
  }

  private attempt(text: string): RegExpExecArray | null | 'timeout' {
    const startMs = performance.now();
    // A plain one: this class must not be called back from inside.
    const plain = new RegExp(this.source, this.flags);
    plain.lastIndex = this.lastIndex;
    sandbox.regex = plain;
    sandbox.text = text;
    try {
      const found = guarded.runInContext(sandbox, { timeout: backtrackingMs }) as RegExpExecArray | null;
      this.lastIndex = plain.lastIndex;
      return found;
    } catch (error) {
      if (isTimeout(error)) return 'timeout';
      throw error;
    } finally {
      spentMs += performance.now() - startMs;
      delete sandbox.regex;
      delete sandbox.text;
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
  for (let length = 4; length <= maxTextLength; length *= 2) {
    const starts = once ? 0 : Math.log(length + 1);
    if (logWays(tree, length) + starts + Math.log(patternLength + 1) > Math.log(cheapSteps)) break;
    cheap = length;
  }
  return cheap;
}

function beginsAtStart(tree: RegexTree): boolean {
  if (tree.kind === 'place') return tree.place === 'start';
  if (tree.kind === 'choice') return tree.items.every(beginsAtStart);
  return tree.kind === 'concat' && tree.items[0] !== undefined && beginsAtStart(tree.items[0]);
}

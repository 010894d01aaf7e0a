import { itemAt } from '../checked-access.js';
import type { Place, RegexTree } from './guarded-regex.js';

/** One instruction of the automaton (Thompson's construction). */
type Instruction =
  | { readonly kind: 'atom'; readonly fits: (char: string) => boolean }
  | { readonly kind: 'place'; readonly place: Place }
  | { readonly kind: 'fork'; other: number }
  | { readonly kind: 'jump'; to: number }
  | { readonly kind: 'match' };

/** Larger patterns are left to the guarded backtracking engine. */
const MAX_INSTRUCTIONS = 8_000;
/** The states kept before the cache is cleared, and the work for one text, in instruction visits. */
const MAX_STATES = 2_000;
const MAX_WORK = 4_000_000;

/** A set of instructions that wait at a position in the text, with the known next states. */
interface State {
  readonly instructions: Int32Array;
  readonly next: Map<number, State | 'matched'>;
}

/** The pattern is too large for the text. */
export class RegexTooCostly extends Error {}

/**
 * Tests whether a pattern occurs in a text, in time proportional to the text: it follows all alternatives at once and
 * caches the sets it has met (a lazily built deterministic automaton).
 */
export class RegexAutomaton {
  readonly #program: Instruction[] = [];
  #states = new Map<string, State>();
  #work = 0;
  #hasPlaces = false;
  readonly #flags: string;

  private constructor(tree: RegexTree, flags: string) {
    this.#flags = flags;
    this.#emit(tree);
    this.#push({ kind: 'match' });
  }

  /** Returns undefined for patterns that are not a regular language, or are too large. */
  static of(tree: RegexTree, flags: string): RegexAutomaton | undefined {
    if (isIrregular(tree) || sizeOf(tree) > MAX_INSTRUCTIONS) return undefined;
    return new RegexAutomaton(tree, flags);
  }

  test(text: string): boolean {
    this.#work = 0;
    let state = this.#state([]);
    for (let at = 0; ; ) {
      const code = text.codePointAt(at);
      const around = this.#hasPlaces ? placesAt(text, at, code) : code === undefined ? BIT.end : 0;
      const key = (code ?? 0) * 64 + around;
      let next = state.next.get(key);
      if (next === undefined) {
        next = this.#step(state, around, code);
        state.next.set(key, next);
      }
      if (next === 'matched') return true;
      if (code === undefined) return false;
      state = next;
      at += code > 0xffff ? 2 : 1;
    }
  }

  #step(state: State, around: number, code: number | undefined): State | 'matched' {
    const char = code === undefined ? '' : String.fromCodePoint(code);
    const reached = new Uint8Array(this.#program.length);
    const waiting: number[] = [];
    const follow = [0, ...state.instructions];
    for (let at = follow.pop(); at !== undefined; at = follow.pop()) {
      if (reached[at]) continue;
      reached[at] = 1;
      const instruction = itemAt(this.#program, at);
      if (instruction.kind === 'match') return 'matched';
      if (instruction.kind === 'fork') follow.push(instruction.other, at + 1);
      else if (instruction.kind === 'jump') follow.push(instruction.to);
      else if (instruction.kind === 'place') {
        if (holds(instruction.place, around)) follow.push(at + 1);
      } else if (char !== '' && instruction.fits(char)) waiting.push(at + 1);
    }
    this.#work += this.#program.length;
    if (this.#work > MAX_WORK) throw new RegexTooCostly();
    return this.#state(waiting);
  }

  #state(instructions: number[]): State {
    const sorted = Int32Array.from(new Set(instructions)).sort();
    const key = sorted.join();
    const known = this.#states.get(key);
    if (known) return known;
    if (this.#states.size >= MAX_STATES) this.#states = new Map();
    const state = { instructions: sorted, next: new Map() };
    this.#states.set(key, state);
    return state;
  }

  #push(instruction: Instruction): number {
    this.#program.push(instruction);
    return this.#program.length - 1;
  }

  #emit(tree: RegexTree): void {
    switch (tree.kind) {
      case 'atom':
        this.#push({ kind: 'atom', fits: this.#fits(tree.source) });
        return;
      case 'place':
        this.#hasPlaces = true;
        this.#push({ kind: 'place', place: tree.place });
        return;
      case 'concat':
        for (const item of tree.items) this.#emit(item);
        return;
      case 'choice':
        this.#emitChoice(tree.items);
        return;
      case 'repeat':
        this.#emitRepeat(tree.item, tree.least, tree.most);
        return;
      case 'irregular':
        throw new RegexTooCostly();
    }
  }

  #emitChoice(items: readonly RegexTree[]): void {
    const jumps: { kind: 'jump'; to: number }[] = [];
    for (const [i, item] of items.entries()) {
      const fork = { kind: 'fork' as const, other: 0 };
      if (i < items.length - 1) this.#push(fork);
      this.#emit(item);
      if (i === items.length - 1) break;
      const jump = { kind: 'jump' as const, to: 0 };
      this.#push(jump);
      jumps.push(jump);
      fork.other = this.#program.length;
    }
    for (const jump of jumps) jump.to = this.#program.length;
  }

  #emitRepeat(item: RegexTree, least: number, most: number): void {
    for (let i = 0; i < least; i++) this.#emit(item);
    if (most === Number.POSITIVE_INFINITY) {
      const fork = { kind: 'fork' as const, other: 0 };
      const start = this.#push(fork);
      this.#emit(item);
      this.#push({ kind: 'jump', to: start });
      fork.other = this.#program.length;
      return;
    }
    const forks: { kind: 'fork'; other: number }[] = [];
    for (let i = least; i < most; i++) {
      const fork = { kind: 'fork' as const, other: 0 };
      this.#push(fork);
      forks.push(fork);
      this.#emit(item);
    }
    for (const fork of forks) fork.other = this.#program.length;
  }

  #fits(source: string): (char: string) => boolean {
    const one = new RegExp(`^${source}$`, this.#flags);
    return (char) => one.test(char);
  }
}

function isIrregular(tree: RegexTree): boolean {
  if (tree.kind === 'irregular') return true;
  if (tree.kind === 'repeat') return isIrregular(tree.item);
  return 'items' in tree && tree.items.some(isIrregular);
}

function sizeOf(tree: RegexTree): number {
  switch (tree.kind) {
    case 'concat':
    case 'choice':
      return tree.items.reduce((sum, item) => sum + sizeOf(item) + 2, 0);
    case 'repeat':
      return (sizeOf(tree.item) + 1) * Math.max(1, tree.most === Infinity ? tree.least + 1 : tree.most);
    default:
      return 1;
  }
}

/** The conditions that hold at a position in the text. */
const BIT = { start: 1, end: 2, lineStart: 4, lineEnd: 8, lastLineEnd: 16, wordEdge: 32 } as const;
const NEWLINE = 10;

function placesAt(text: string, at: number, code: number | undefined): number {
  const before = at > 0 ? text.charCodeAt(at - 1) : undefined;
  let around = 0;
  if (before === undefined) around |= BIT.start;
  if (before === undefined || before === NEWLINE) around |= BIT.lineStart;
  if (code === undefined) around |= BIT.end;
  if (code === undefined || code === NEWLINE) around |= BIT.lineEnd;
  if (code === undefined || (code === NEWLINE && at === text.length - 1)) around |= BIT.lastLineEnd;
  if (isWord(before) !== isWord(code)) around |= BIT.wordEdge;
  return around;
}

function isWord(code: number | undefined): boolean {
  return code !== undefined && code < 128 && /\w/.test(String.fromCharCode(code));
}

function holds(place: Place, around: number): boolean {
  return place === 'noWordEdge' ? (around & BIT.wordEdge) === 0 : (around & BIT[place]) !== 0;
}

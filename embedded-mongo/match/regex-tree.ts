/**
 * The structure of a translated pattern (the JavaScript source `compileRegex` makes, flag `u`): enough to bound what
 * backtracking may cost and to build an automaton. Atoms stay source text; whether a character fits one is asked of
 * the engine itself, so that both ways of matching agree.
 */
export type RegexTree =
  /** Exactly one character. */
  | { readonly kind: 'atom'; readonly source: string }
  /** No character, but a condition on the place. */
  | { readonly kind: 'place'; readonly place: Place }
  | { readonly kind: 'concat' | 'choice'; readonly items: readonly RegexTree[] }
  | { readonly kind: 'repeat'; readonly item: RegexTree; readonly least: number; readonly most: number }
  /** A look-around or a reference back: only backtracking can follow it. */
  | { readonly kind: 'irregular'; readonly inner: RegexTree | undefined };

export type Place = 'start' | 'end' | 'lineStart' | 'lineEnd' | 'lastLineEnd' | 'wordEdge' | 'noWordEdge';

/** What the translation writes for PCRE's anchors. */
const places: readonly (readonly [source: string, place: Place])[] = [
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
  private at = 0;

  constructor(private readonly source: string) {}

  choice(): RegexTree {
    const items = [this.concat()];
    while (this.source[this.at] === '|') {
      this.at += 1;
      items.push(this.concat());
    }
    return items.length === 1 && items[0] ? items[0] : { kind: 'choice', items };
  }

  private concat(): RegexTree {
    const items: RegexTree[] = [];
    while (this.at < this.source.length && this.source[this.at] !== '|' && this.source[this.at] !== ')') {
      items.push(this.quantified(this.item()));
    }
    return items.length === 1 && items[0] ? items[0] : { kind: 'concat', items };
  }

  private quantified(item: RegexTree): RegexTree {
    const match = /^(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/.exec(this.source.slice(this.at, this.at + 24));
    if (!match) return item;
    this.at += match[0].length;
    const [, sign, from, comma, to] = match;
    if (sign) return { kind: 'repeat', item, least: sign === '+' ? 1 : 0, most: sign === '?' ? 1 : Infinity };
    const least = Number(from);
    return { kind: 'repeat', item, least, most: comma ? (to ? Number(to) : Infinity) : least };
  }

  private item(): RegexTree {
    for (const [text, place] of places) {
      if (!this.source.startsWith(text, this.at)) continue;
      this.at += text.length;
      return { kind: 'place', place };
    }
    const first = this.source[this.at];
    if (first === '(') return this.group();
    const match =
      /^(?:\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|x[0-9A-Fa-f]{2}|c[A-Za-z]|k<\w+>|\d+|[\s\S])|\[(?:\\[\s\S]|[^\]\\])*\]|[\s\S])/u.exec(
        this.source.slice(this.at),
      );
    const atom = match?.[0] ?? '';
    this.at += atom.length;
    if (/^\\(?:k<|[1-9])/.test(atom)) return { kind: 'irregular', inner: undefined };
    return { kind: 'atom', source: atom };
  }

  private group(): RegexTree {
    const open = /^\((?:\?(?::|=|!|<=|<!|<\w+>))?/.exec(this.source.slice(this.at, this.at + 80))?.[0] ?? '(';
    this.at += open.length;
    const inner = this.choice();
    this.at += 1;
    return /^\(\?<?[=!]/.test(open) ? { kind: 'irregular', inner } : inner;
  }
}

/**
 * The natural logarithm of how many ways a backtracking engine may try to fit the pattern from one starting place of
 * a text of `length` characters. An upper bound: infinite where repetition of something with choices is unbounded.
 */
export function logWays(tree: RegexTree, length: number): number {
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
      // What can stand for nothing may be repeated in place; with choices inside, choices multiply.
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

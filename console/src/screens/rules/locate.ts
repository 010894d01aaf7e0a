// Finds the place of a JSON Pointer in the text that a reader typed, so that a fault is shown where it is.

interface Found {
  /** Offsets of the value in the text. */
  readonly from: number;
  readonly to: number;
}

/**
 * Returns the place of a value in JSON text; for a pointer that leads further than the text, that of the last value on the way.
 *
 * @param text valid JSON.
 */
export function located(text: string, pointer: string): Found {
  const steps = pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  const tokens = [...text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g)];
  const whole = { from: tokens[0]?.index ?? 0, to: text.length };
  const { found } = walk(tokens, 0, steps);
  return found ?? whole;
}

type Tokens = readonly RegExpMatchArray[];

/** Reads the value at a token. @returns the token after it, and the place of the value that the steps lead to. */
function walk(tokens: Tokens, at: number, steps: readonly string[] | null): { after: number; found: Found | null } {
  const opening = tokens[at];
  const from = opening?.index ?? 0;
  const isObject = opening?.[0] === '{';
  let [next, item] = [at + 1, 0];
  let found: Found | null = null;
  if (isObject || opening?.[0] === '[') {
    while (next < tokens.length && tokens[next]?.[0] !== '}' && tokens[next]?.[0] !== ']') {
      const name = isObject ? String(JSON.parse(tokens[next]?.[0] ?? '""')) : String(item++);
      const isOnWay = steps !== null && steps.length > 0 && steps[0] === name;
      // A name and a colon come before the value of a member.
      const inner = walk(tokens, isObject ? next + 2 : next, isOnWay ? steps.slice(1) : null);
      found ??= inner.found;
      next = tokens[inner.after]?.[0] === ',' ? inner.after + 1 : inner.after;
    }
    next++;
  }
  const last = tokens[next - 1];
  const own = { from, to: (last?.index ?? from) + (last?.[0].length ?? 0) };
  return { after: next, found: found ?? (steps === null ? null : own) };
}

/** The line and column of an offset, counted from 1. */
export function lineOf(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
}

import { Double, Int32, Long } from 'bson';
import { ElementCursor } from '../bson/raw.js';
import type { BsonDoc, BsonValue } from '../bson/value.js';

/**
 * The common projections — whole top-level fields taken or left out — on stored bytes, without decoding a value.
 * Undefined for anything more: dotted paths, operators, expressions.
 */
export function plainProjection(spec: BsonDoc): ((raw: Buffer) => Buffer) | undefined {
  const names = new Set<string>();
  let including: boolean | undefined;
  let withId: boolean | undefined;
  for (const [name, value] of spec.entries()) {
    const wanted = flagOf(value);
    if (wanted === undefined || name.includes('.') || name.startsWith('$') || name === '') return undefined;
    if (name === '_id') {
      withId = wanted;
      continue;
    }
    if (including !== undefined && including !== wanted) return undefined;
    including = wanted;
    names.add(name);
  }
  // {_id: 1} alone includes nothing else; {_id: 0} alone leaves out nothing else.
  const inclusive = including ?? withId === true;
  const keepId = withId ?? true;
  if (keepId === inclusive) names.add('_id');
  const named = [...names].map((name) => Buffer.from(name));
  return (raw) => (inclusive ? taken(raw, named) : leftOver(raw, named));
}

/** The paths a projection keeps, where it keeps fields as they are and nothing else; undefined where it does more. */
export function projectedPaths(spec: BsonDoc): ReadonlySet<string> | undefined {
  const paths = new Set(['_id']);
  let keeps = false;
  for (const [path, value] of spec.entries()) {
    const wanted = flagOf(value);
    if (wanted === undefined || path.split('.').some((name) => name === '' || name.startsWith('$'))) return undefined;
    if (!wanted && path !== '_id') return undefined;
    if (wanted) paths.add(path);
    else paths.delete('_id');
    keeps ||= wanted;
  }
  return keeps ? paths : undefined;
}

/** 1 and true take a field, 0 and false leave it out; anything else is a value or an expression. */
function flagOf(value: BsonValue): boolean | undefined {
  if (typeof value === 'boolean') return value;
  if (value instanceof Int32 || value instanceof Double) return value.value !== 0;
  if (value instanceof Long) return !value.isZero();
  return undefined;
}

/** The fields of these names. Ends with the last of them: what follows is often the largest part of a document. */
function taken(raw: Buffer, names: readonly Buffer[]): Buffer {
  const cursor = new ElementCursor(raw);
  const runs = new Runs(raw);
  let expected = 0;
  for (let left = names.length; left > 0 && cursor.next(); ) {
    const at = nameAt(cursor, names, expected);
    if (at < 0) continue;
    expected = at + 1;
    left--;
    runs.add(cursor.elementStart, cursor.valueEnd);
  }
  return runs.finish();
}

function leftOver(raw: Buffer, names: readonly Buffer[]): Buffer {
  const cursor = new ElementCursor(raw);
  const runs = new Runs(raw);
  while (cursor.next()) if (nameAt(cursor, names, 0) < 0) runs.add(cursor.elementStart, cursor.valueEnd);
  return runs.finish();
}

/** Which of the names the cursor stands at; -1 for none. Looks first where the one before led. */
function nameAt(cursor: ElementCursor, names: readonly Buffer[], expected: number): number {
  for (let at = expected; at < names.length; at++) if (cursor.nameIs(names[at] as Buffer)) return at;
  for (let at = 0; at < expected; at++) if (cursor.nameIs(names[at] as Buffer)) return at;
  return -1;
}

/** A document of elements copied out of another; neighbours in one piece. */
class Runs {
  private readonly runs: number[] = [];
  private length = 4;
  private start = 0;
  private end = 0;

  constructor(private readonly raw: Buffer) {}

  add(from: number, to: number): void {
    if (from !== this.end) {
      this.flush();
      this.start = from;
    }
    this.end = to;
  }

  finish(): Buffer {
    this.flush();
    // No larger than what is taken: a small field of a large document must not hold its room.
    const out = Buffer.allocUnsafe(this.length + 1);
    out.writeInt32LE(this.length + 1, 0);
    let at = 4;
    for (let i = 0; i < this.runs.length; i += 2) at += this.raw.copy(out, at, this.runs[i], this.runs[i + 1]);
    out[at] = 0;
    return out;
  }

  private flush(): void {
    if (this.end === this.start) return;
    this.runs.push(this.start, this.end);
    this.length += this.end - this.start;
  }
}

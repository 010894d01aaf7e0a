import { Double, Int32, Long } from 'bson';
import { Frame } from '../aggregate/expr/frame.js';
import { expressionCompiler } from '../aggregate/expr/operators.js';
import { ElementCursor } from '../bson/raw.js';
import type { BsonDoc, BsonValue } from '../bson/value.js';
import { itemAt } from '../checked-access.js';
import { collatedExpressions, type MatchExpressions } from '../match/matcher.js';
import { Projector } from './apply.js';
import { type Dialect, type ProjectionTree, parseProjection } from './tree.js';

interface ProjectionContext {
  /** Index of the element the query matched, for `.$`; -1 where none. */
  readonly arrayIndex: number;
}

/** A projection compiled once for many documents. */
interface Projection {
  /** Whether some field uses `.$` and so needs `arrayIndex`. */
  readonly needsPosition: boolean;
  apply(raw: Buffer, context?: ProjectionContext): Buffer;
}

const NO_POSITION: ProjectionContext = { arrayIndex: -1 };

/** Compiles the projection of a `find`; an empty one returns documents unchanged. */
export function compileProjection(
  spec: BsonDoc,
  { env, frame }: MatchExpressions = collatedExpressions(undefined),
  dialect: Dialect = 'find',
): Projection {
  if (spec.size === 0) return { needsPosition: false, apply: (raw) => raw };
  const { mode, tree } = parseProjection(spec, dialect, expressionCompiler(env));
  const projector = new Projector(mode, tree);
  return {
    needsPosition: usesPosition(tree),
    apply: (raw, { arrayIndex } = NO_POSITION) => projector.apply(raw, frame(Frame.of(raw).root), arrayIndex),
  };
}

function usesPosition(tree: ProjectionTree): boolean {
  return tree.fields.some(({ rule }) => rule.kind === 'matched' || (rule.kind === 'inner' && usesPosition(rule.tree)));
}

/**
 * Compiles the common projections, which include or exclude whole top-level fields, over stored bytes. Returns
 * undefined for dotted paths, operators and expressions.
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
  // {_id: 1} alone includes only it; {_id: 0} alone excludes only it.
  const inclusive = including ?? withId === true;
  const keepId = withId ?? true;
  if (keepId === inclusive) names.add('_id');
  const named = [...names].map((name) => Buffer.from(name));
  return (raw) => (inclusive ? taken(raw, named) : leftOver(raw, named));
}

/** The paths of a plain inclusion; undefined for any other projection. */
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

/** 1 and true include, 0 and false exclude; anything else is a value or an expression. */
function flagOf(value: BsonValue): boolean | undefined {
  if (typeof value === 'boolean') return value;
  if (value instanceof Int32 || value instanceof Double) return value.value !== 0;
  if (value instanceof Long) return !value.isZero();
  return undefined;
}

/** Copies the named fields and stops after the last: the rest is often the largest part of a document. */
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

/** The name at the cursor; -1 for none. Looks first after the previous one. */
function nameAt(cursor: ElementCursor, names: readonly Buffer[], expected: number): number {
  for (let at = expected; at < names.length; at++) if (cursor.nameIs(itemAt(names, at))) return at;
  for (let at = 0; at < expected; at++) if (cursor.nameIs(itemAt(names, at))) return at;
  return -1;
}

/** A document of copied elements; neighbours are copied in one piece. */
class Runs {
  readonly #runs: number[] = [];
  #length = 4;
  #start = 0;
  #end = 0;
  readonly #raw: Buffer;

  constructor(raw: Buffer) {
    this.#raw = raw;
  }

  add(from: number, to: number): void {
    if (from !== this.#end) {
      this.#flush();
      this.#start = from;
    }
    this.#end = to;
  }

  finish(): Buffer {
    this.#flush();
    // Allocates the exact size: a small field of a large document must not hold its memory.
    const out = Buffer.allocUnsafe(this.#length + 1);
    out.writeInt32LE(this.#length + 1, 0);
    let at = 4;
    for (let i = 0; i < this.#runs.length; i += 2) at += this.#raw.copy(out, at, this.#runs[i], this.#runs[i + 1]);
    out[at] = 0;
    return out;
  }

  #flush(): void {
    if (this.#end === this.#start) return;
    this.#runs.push(this.#start, this.#end);
    this.#length += this.#end - this.#start;
  }
}

import { Frame } from '../aggregate/expr/frame.js';
import { expressionCompiler } from '../aggregate/expr/operators.js';
import type { BsonDoc } from '../bson/value.js';
import { collatedExpressions, type MatchExpressions } from '../match/matcher.js';
import { Projector } from './apply.js';
import { type Dialect, type ProjectionTree, parseProjection } from './tree.js';

export interface ProjectionContext {
  /** Index of the element the query matched, for `.$`; -1 where none. */
  readonly arrayIndex: number;
}

/** A projection compiled once for many documents. */
export interface Projection {
  /** Whether some field uses `.$` and so needs `arrayIndex`. */
  readonly needsPosition: boolean;
  apply(raw: Buffer, context?: ProjectionContext): Buffer;
}

const noPosition: ProjectionContext = { arrayIndex: -1 };

/** Compiles the projection of a `find`; an empty one gives documents back untouched. */
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
    apply: (raw, { arrayIndex } = noPosition) => projector.apply(raw, frame(Frame.of(raw).root), arrayIndex),
  };
}

function usesPosition(tree: ProjectionTree): boolean {
  return tree.fields.some(({ rule }) => rule.kind === 'matched' || (rule.kind === 'inner' && usesPosition(rule.tree)));
}

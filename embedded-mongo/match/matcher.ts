import type { ExpressionEnv } from '../aggregate/expr/compiler.js';
import { Frame, isTrue } from '../aggregate/expr/frame.js';
import { compileExpression } from '../aggregate/expr/operators.js';
import { compilePath, ElementCursor, RawRef } from '../bson/raw.js';
import { type BsonDoc, T } from '../bson/value.js';
import type { Collation } from '../compare/collation.js';
import { fail } from '../errors.js';
import type { TextSearch } from '../text/search.js';
import { compileSchema } from './json-schema.js';
import { compileLeaf, type LeafTest, MatchDetails, matchPath } from './leaf.js';
import { type LeafNode, type MatchNode, parseFilter } from './parse.js';

/** A filter compiled once for many documents. */
export interface Matcher {
  /** The parsed filter, for planners. */
  readonly root: MatchNode;
  matches(raw: Buffer): boolean;
  /** Like `matches`; on success the index of the array element that matched, -1 where no array was involved. */
  matchPosition(raw: Buffer): { readonly matched: boolean; readonly arrayIndex: number };
  /** The filter applied to a value inside a document (its paths start there). */
  matchesRef(value: RawRef): boolean;
  /** The same, giving the index of the array element that matched, or -1. */
  positionIn(value: RawRef): number;
}

/** The variables of `$expr` and the collation of all comparisons. */
export interface MatchExpressions {
  readonly env: ExpressionEnv;
  readonly frame: (root: RawRef) => Frame;
  /** Answers `$text`; absent without a text index. */
  readonly text?: TextSearch;
}

/** Without an environment `$expr` has neither `$$NOW` nor `$rand`. */
const STANDALONE: MatchExpressions = { env: {}, frame: (root) => new Frame(root) };

/** The same for filters under a collation. */
export function collatedExpressions(collation: Collation | undefined): MatchExpressions {
  return collation ? { env: { collation }, frame: STANDALONE.frame } : STANDALONE;
}

type Test = (root: RawRef, details: MatchDetails | undefined) => boolean;

/** Parses and compiles a filter. Unsupported operators are errors here, never at match time. */
export function compileMatcher(filter: BsonDoc, expressions: MatchExpressions = STANDALONE): Matcher {
  return matcherOf(parseFilter(filter), 'document', expressions);
}

/**
 * Compiles a parsed filter (or a part, as planners keep them for residues). With `element` its leaves test the value
 * given to `matchesRef` itself, as the conditions of `$pull` do.
 */
export function matcherOf(
  root: MatchNode,
  scope: 'document' | 'element' = 'document',
  expressions: MatchExpressions = STANDALONE,
): Matcher {
  const compile = () => new MatchCompiler(expressions).node(root, scope === 'element');
  // A plan with keys that cover the filter never tests it, and preparing its constants costs more than a read by key.
  let compiled = mayFailToCompile(root) ? compile() : undefined;
  const test: Test = (value, details) => {
    compiled ??= compile();
    return compiled(value, details);
  };
  const rootRef = new RawRef();
  const pointAt = (raw: Buffer): RawRef => {
    rootRef.point(raw, T.object, 0, raw.length);
    return rootRef;
  };
  return {
    root,
    matches: (raw) => test(pointAt(raw), undefined),
    matchPosition: (raw) => {
      const details = new MatchDetails();
      const matched = test(pointAt(raw), details);
      return { matched, arrayIndex: matched ? details.arrayIndex : -1 };
    },
    matchesRef: (value) => test(value, undefined),
    positionIn: (value) => {
      const details = new MatchDetails();
      return test(value, details) ? details.arrayIndex : -1;
    },
  };
}

/** Parts that parsing does not check: their errors must come with the command, not with the first document. */
function mayFailToCompile(node: MatchNode): boolean {
  if (node.kind === 'expr' || node.kind === 'schema') return true;
  if ('children' in node) return node.children.some(mayFailToCompile);
  return 'child' in node && mayFailToCompile(node.child);
}

/** Compiles nodes into tests. `element`: inside `$elemMatch` by value, where leaves test the element itself. */
class MatchCompiler {
  readonly #expressions: MatchExpressions;

  constructor(expressions: MatchExpressions) {
    this.#expressions = expressions;
  }

  node(node: MatchNode, element: boolean): Test {
    switch (node.kind) {
      case 'and':
        return compileAll(this.#nodes(node.children, element));
      case 'or': {
        const tests = this.#nodes(node.children, element);
        return (root, details) => tests.some((test) => test(root, details));
      }
      case 'nor': {
        const tests = this.#nodes(node.children, element);
        return (root) => !tests.some((test) => test(root, undefined));
      }
      case 'not': {
        const test = this.node(node.child, element);
        return (root) => !test(root, undefined);
      }
      case 'never':
        return () => false;
      case 'text':
        return this.#text(element);
      case 'sample': {
        const { random } = this.#expressions.env;
        if (!random) fail('BadValue', '$sampleRate is not available here');
        return () => random() < node.rate;
      }
      case 'expr': {
        const { env, frame } = this.#expressions;
        const expression = compileExpression(node.expression, env);
        return (root) => isTrue(expression(frame(root)));
      }
      case 'schema':
        return compileSchema(node.schema);
      default:
        return this.#path(node, element);
    }
  }

  #text(element: boolean): Test {
    const { text } = this.#expressions;
    if (!text || element)
      fail(
        'IndexNotFound',
        'text index required for $text query; use $text at the top of a filter or in its $and, and first in a pipeline',
      );
    return (root) => text.matches(root.buffer.subarray(root.start, root.end));
  }

  #nodes(nodes: readonly MatchNode[], element: boolean): Test[] {
    return nodes.map((node) => this.node(node, element));
  }

  #path(node: LeafNode, element: boolean): Test {
    const leaf =
      node.kind === 'elemMatch'
        ? elementTest(this.node(node.child, node.mode === 'value'), node.mode)
        : compileLeaf(node, this.#expressions.env.collation?.compare);
    const path = element ? [] : compilePath(node.path);
    return (root, details) => matchPath(root, path, leaf, details);
  }
}

function compileAll(tests: readonly Test[]): Test {
  const [first, second] = tests;
  if (!first) return () => true;
  if (tests.length === 1) return first;
  if (second && tests.length === 2) return (root, details) => first(root, details) && second(root, details);
  return (root, details) => {
    for (const test of tests) if (!test(root, details)) return false;
    return true;
  };
}

function elementTest(child: Test, mode: 'object' | 'value'): LeafTest {
  const test = (value: RawRef, details: MatchDetails | undefined): boolean => {
    if (value.type !== T.array) return false;
    const cursor = new ElementCursor(value.buffer, value.start);
    const element = new RawRef();
    for (let at = 0; cursor.next(); at++) {
      if (mode === 'object' && cursor.type !== T.object && cursor.type !== T.array) continue;
      if (!child(cursor.into(element), undefined)) continue;
      if (details) details.arrayIndex = at;
      return true;
    }
    return false;
  };
  return { test, missing: false, intoArray: false };
}

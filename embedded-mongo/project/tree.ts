import type { ExpressionCompiler } from '../aggregate/expr/compiler.js';
import type { Expression } from '../aggregate/expr/frame.js';
import { isNumber, toInteger, toNumber } from '../bson/number.js';
import type { RawRef } from '../bson/raw.js';
import { BsonDoc, type BsonValue, isDoc } from '../bson/value.js';
import { fail } from '../errors.js';
import { collatedExpressions, matcherOf } from '../match/matcher.js';
import { isTruthy, parseElemMatch } from '../match/parse.js';
import { requireFieldPath } from './field-path.js';

/** The rule of a projection for one field. */
export type FieldRule =
  | { readonly kind: 'include' }
  | { readonly kind: 'exclude' }
  | { readonly kind: 'compute'; readonly expression: Expression }
  | { readonly kind: 'slice'; readonly skip: number; readonly limit: number }
  | { readonly kind: 'elemMatch'; readonly accepts: (array: RawRef) => number }
  /** Keeps only the element that the query matched. */
  | { readonly kind: 'matched' }
  | { readonly kind: 'inner'; readonly tree: ProjectionTree };

export interface ProjectionField {
  readonly name: string;
  readonly bytes: Buffer;
  rule: FieldRule;
}

/** The rules of one level of a document. */
export class ProjectionTree {
  readonly fields: ProjectionField[] = [];

  find(name: string): ProjectionField | undefined {
    return this.fields.find((field) => field.name === name);
  }

  /** @param path below this level; `whole` is the path from the top of the document */
  add(path: string, rule: FieldRule, whole = path): void {
    const [name = '', ...rest] = path.split('.');
    const known = this.find(name);
    if (rest.length === 0) {
      if (known) fail(31_250, `Path collision at ${whole}`);
      this.fields.push({ name, bytes: Buffer.from(name), rule });
      return;
    }
    const below = rest.join('.');
    if (known && known.rule.kind !== 'inner') fail(31_249, `Path collision at ${whole} remaining portion ${below}`);
    const tree = known?.rule.kind === 'inner' ? known.rule.tree : new ProjectionTree();
    if (!known) this.fields.push({ name, bytes: Buffer.from(name), rule: { kind: 'inner', tree } });
    tree.add(below, rule, whole);
  }

  /** Whether any field below is computed. */
  computes(): boolean {
    return this.fields.some(({ rule }) => rule.kind === 'compute' || (rule.kind === 'inner' && rule.tree.computes()));
  }
}

/** Which language a projection is written in: `find` knows `$slice`, `$elemMatch` and `.$`, `aggregate` does not. */
export type Dialect = 'find' | 'aggregate';

interface ParsedProjection {
  readonly mode: 'include' | 'exclude';
  readonly tree: ProjectionTree;
}

/** Parses a projection; the first field that decides between inclusion and exclusion binds all others but `_id`. */
export function parseProjection(spec: BsonDoc, dialect: Dialect, compiler: ExpressionCompiler): ParsedProjection {
  const rules: { path: string; rule: FieldRule }[] = [];
  flatten('', spec, dialect, compiler, rules);
  if (rules.filter(({ rule }) => rule.kind === 'matched').length > 1)
    fail(31_276, 'Cannot specify more than one positional projection per query.');
  const mode = modeOf(rules);
  const tree = new ProjectionTree();
  if (mode === 'include' && !rules.some(({ path }) => path === '_id' || path.startsWith('_id.')))
    tree.add('_id', { kind: 'include' });
  for (const { path, rule } of rules) {
    const wrong = mode === 'include' ? rule.kind === 'exclude' : !['exclude', 'slice'].includes(rule.kind);
    if (wrong && path !== '_id') {
      const [verb, code] = mode === 'include' ? ['exclusion', 31_254] : ['inclusion', 31_253];
      fail(
        Number(code),
        `Cannot do ${verb} on field ${path} in ${mode === 'include' ? 'inclusion' : 'exclusion'} projection`,
      );
    }
    if (wrong && mode === 'exclude') continue;
    tree.add(path, rule);
  }
  return { mode, tree };
}

function modeOf(rules: readonly { path: string; rule: FieldRule }[]): 'include' | 'exclude' {
  const deciding = rules.filter(({ path, rule }) => path !== '_id' && rule.kind !== 'slice');
  const first = deciding[0] ?? rules.find(({ path, rule }) => path === '_id' && rule.kind !== 'slice');
  return first === undefined || first.rule.kind === 'exclude' ? 'exclude' : 'include';
}

function flatten(
  prefix: string,
  spec: BsonDoc,
  dialect: Dialect,
  compiler: ExpressionCompiler,
  rules: { path: string; rule: FieldRule }[],
): void {
  for (const [key, value] of spec) {
    const path = prefix + key;
    if (isDoc(value) && value.size > 0 && !value.keys[0]?.startsWith('$')) {
      flatten(`${path}.`, value, dialect, compiler, rules);
      continue;
    }
    if (dialect === 'find' && path.endsWith('.$')) {
      if (!isSwitch(value) || !isTruthy(value)) fail(31_395, 'positional projection cannot be used with exclusion');
      rules.push({ path: path.slice(0, -2), rule: { kind: 'matched' } });
      continue;
    }
    requireFieldPath(path);
    rules.push({ path, rule: ruleOf(path, value, dialect, compiler) });
  }
}

function isSwitch(value: BsonValue): boolean {
  return typeof value === 'boolean' || isNumber(value);
}

function ruleOf(path: string, value: BsonValue, dialect: Dialect, compiler: ExpressionCompiler): FieldRule {
  if (isSwitch(value)) return { kind: isTruthy(value) ? 'include' : 'exclude' };
  if (isDoc(value) && value.size === 0)
    fail(51_270, `An empty sub-projection is not a valid value. Found empty object at path ${path}`);
  if (dialect === 'find' && isDoc(value)) {
    const [operator] = value.keys;
    const argument = value.values[0] ?? null;
    if (operator === '$elemMatch') return elemMatchRule(argument, compiler);
    if (operator === '$slice' && isFindSlice(argument)) return sliceRule(argument);
    if (operator === '$meta') fail('BadValue', '$meta is not supported by this server');
  }
  const [operator] = isDoc(value) ? value.keys : [];
  if (operator?.startsWith('$') && !compiler.knows(operator)) fail(31_325, `Unknown expression ${operator}`);
  return { kind: 'compute', expression: compiler.expression(value) };
}

function isFindSlice(argument: BsonValue): boolean {
  return isNumber(argument) || (Array.isArray(argument) && argument.every((entry) => isNumber(entry)));
}

function sliceRule(argument: BsonValue): FieldRule {
  const numbers = (Array.isArray(argument) ? argument : [argument]).map((entry) => {
    const whole = isNumber(entry) ? (toInteger(entry) ?? BigInt(Math.trunc(toNumber(entry)))) : 0n;
    return Number(whole);
  });
  const [first = 0, count] = numbers;
  if (count === undefined)
    return first >= 0 ? { kind: 'slice', skip: 0, limit: first } : { kind: 'slice', skip: first, limit: -first };
  if (count <= 0) fail(28_729, '$slice limit must be positive');
  return { kind: 'slice', skip: first, limit: count };
}

function elemMatchRule(argument: BsonValue, { env }: ExpressionCompiler): FieldRule {
  const matcher = matcherOf(parseElemMatch('', argument), 'element', collatedExpressions(env.collation));
  return { kind: 'elemMatch', accepts: (array) => matcher.positionIn(array) };
}

/** Rules of `$addFields`: every value is an expression, documents without operators reach into the field. */
export function parseAddFields(spec: BsonDoc, compiler: ExpressionCompiler): ProjectionTree {
  const tree = new ProjectionTree();
  const paths = new DistinctPaths();
  const walk = (prefix: string, doc: BsonDoc): void => {
    for (const [key, value] of doc) {
      const path = prefix + key;
      requireFieldPath(path);
      const nested = isDoc(value) && value.size > 0 && !value.keys[0]?.startsWith('$');
      if (nested) {
        walk(`${path}.`, value);
        continue;
      }
      paths.add(path);
      tree.add(path, { kind: 'compute', expression: compiler.expression(value) });
    }
  };
  walk('', spec);
  return tree;
}

/** Rejects a path that equals another, or lies within another. */
class DistinctPaths {
  readonly #paths = new Set<string>();
  /** Each place above a path, with that path. */
  readonly #above = new Map<string, string>();

  add(path: string): void {
    for (let dot = path.indexOf('.'); dot >= 0; dot = path.indexOf('.', dot + 1)) {
      const place = path.slice(0, dot);
      if (this.#paths.has(place)) refuseTwo(path, place);
      this.#above.set(place, path);
    }
    const within = this.#paths.has(path) ? path : this.#above.get(path);
    if (within !== undefined) refuseTwo(path, within);
    this.#paths.add(path);
  }
}

function refuseTwo(path: string, other: string): never {
  fail(40_176, `specification contains two conflicting paths. Cannot specify both '${path}' and '${other}'`);
}

/** Rules of `$unset`. */
export function excludeTree(paths: readonly string[]): ProjectionTree {
  const tree = new ProjectionTree();
  for (const path of paths) {
    requireFieldPath(path);
    tree.add(path, { kind: 'exclude' });
  }
  return tree;
}

import type { ExpressionEnv } from '../../aggregate/expr/compiler.js';
import { Frame } from '../../aggregate/expr/frame.js';
import { expressionCompiler } from '../../aggregate/expr/operators.js';
import { encodeDocument } from '../../bson/encode.js';
import { EMPTY_DOCUMENT } from '../../bson/raw.js';
import { BsonDoc, type BsonValue } from '../../bson/value.js';
import type { Collection } from '../../catalog/collection.js';
import type { IndexField } from '../../catalog/index-definition.js';
import { type Collation, parseCollation } from '../../compare/collation.js';
import { fail } from '../../errors.js';
import type { Projector } from '../../exec/document-stream.js';
import { Execution, sortFields } from '../../exec/execution.js';
import { probeKeys } from '../../exec/index-scan.js';
import { collatedExpressions, compileMatcher, type MatchExpressions, type Matcher } from '../../match/matcher.js';
import type { IndexAccess, QueryPlan } from '../../planner/plan.js';
import { type PlanInput, planQuery, textIndexOf } from '../../planner/plan-query.js';
import { compileProjection, plainProjection } from '../../project/projection.js';
import { TextSearch, textOf } from '../../text/search.js';
import * as arg from '../arguments.js';
import { type ServerContext } from '../command.js';

/** The variables and the collation of a command's filter, projection and update. */
export interface QueryScope {
  /** `$$NOW`, `$rand` and the names of the variables. */
  readonly env: ExpressionEnv;
  readonly variables: Frame | undefined;
  /** The command's collation; undefined uses the collection's. */
  readonly collation: Collation | 'simple' | undefined;
}

/** The scope of a command: its `let`, and the `collation` of the command or of one of its statements. */
export function scopeOf(context: ServerContext, body: BsonDoc, statement: BsonDoc = body): QueryScope {
  const given = arg.doc(body, 'let');
  return withVariables(given, {
    env: expressionEnv(context),
    variables: undefined,
    ...collationArgument(statement),
  });
}

function collationArgument(doc: BsonDoc): Pick<QueryScope, 'collation'> {
  const collation = arg.doc(doc, 'collation');
  return { collation: collation && collation.size > 0 ? (parseCollation(collation) ?? 'simple') : undefined };
}

/** The scope of one statement, with the constants `c` of a pipeline update. */
export function statementScope(scope: QueryScope, statement: BsonDoc, constantsName = 'c'): QueryScope {
  const { collation } = collationArgument(statement);
  const constants = arg.doc(statement, constantsName);
  const own = collation === undefined ? scope : { ...scope, collation };
  return constants ? withVariables(constants, own, (value) => value) : own;
}

type Bind = (value: BsonValue) => BsonValue | undefined;

function evaluatedIn(scope: QueryScope): Bind {
  const compiler = expressionCompiler(scope.env);
  const start = scope.variables ?? Frame.of(EMPTY_DOCUMENT);
  return (value) => compiler.expression(value)(start);
}

/** Evaluates values once, before any document; they may not refer to one. */
function withVariables(given: BsonDoc | undefined, scope: QueryScope, asGiven?: Bind): QueryScope {
  if (!given || given.size === 0) return scope;
  const bind = asGiven ?? evaluatedIn(scope);
  let variables = scope.variables ?? Frame.of(EMPTY_DOCUMENT);
  for (const [name, value] of given) {
    if (!/^[a-z\u0080-\uffff][\w\u0080-\uffff]*$/.test(name))
      fail('FailedToParse', `'${name}' starts with an invalid character for a user variable name`);
    variables = variables.with(name, bind(value));
  }
  return { ...scope, variables, env: { ...scope.env, variables: [...(scope.env.variables ?? []), ...given.keys] } };
}

/** The collation a query follows: its own, else the collection's. */
export function collationOf(collection: Collection | undefined, scope: QueryScope | undefined): Collation | undefined {
  const asked = scope?.collation;
  if (asked === undefined) return collection?.collation;
  return asked === 'simple' ? undefined : asked;
}

/** The scope for expressions over a collection's documents. */
export function expressionsOf(scope: QueryScope, collation: Collation | undefined): MatchExpressions {
  const { variables } = scope;
  return {
    env: collation ? { ...scope.env, collation } : scope.env,
    frame: (root) => (variables ? variables.around(root) : new Frame(root)),
  };
}

function expressionEnv({ system }: ServerContext): ExpressionEnv {
  return { nowMs: system.nowMs(), random: () => system.randomBytes(4).readUInt32LE(0) / 0x1_0000_0000 };
}

/** Pollers and Agenda send the same filter bytes repeatedly, so matchers are cached. */
const MAX_CACHED = 512;
const MAX_CACHED_BYTES = 2_048;
/** Small filters (one key, one value) compile as fast as a lookup and rarely repeat. */
const MIN_CACHED_BYTES = 96;
/** Longer lists of points rarely repeat. */
const MAX_KEPT_POINTS = 16;
const LEAST_ELEMENT_BYTES = 16;
const CACHE = new Map<string, Matcher>();

/**
 * Recognises a point by key, or a long list of points, without encoding. Top-level operators may contain expressions.
 */
function isWorthKeeping({ keys, values }: BsonDoc): boolean {
  if (keys.some((key) => key.startsWith('$'))) return true;
  let sizeBytes = 0;
  for (const value of values) {
    if (typeof value === 'string') sizeBytes += value.length;
    if (!(value instanceof BsonDoc)) continue;
    const [first] = value.values;
    if (value.keys[0] === '$in' && Array.isArray(first) && first.length > MAX_KEPT_POINTS) return false;
    sizeBytes += MIN_CACHED_BYTES;
  }
  return sizeBytes + keys.length * LEAST_ELEMENT_BYTES > MIN_CACHED_BYTES;
}

/** Only these operators read more than the document: variables, the clock, random numbers. */
const EXPRESSION_MARKS = ['$expr\0', '$sampleRate\0'].map((mark) => Buffer.from(mark));

/** They occur at the top or below `$and`, `$or` and `$nor`, so a filter of plain fields needs no search. */
function looksBeyond(filter: BsonDoc, bytes: Buffer): boolean {
  return filter.keys.some((key) => key.startsWith('$')) && EXPRESSION_MARKS.some((mark) => bytes.includes(mark));
}

export function matcherFor(filter: BsonDoc, scope?: QueryScope, collation?: Collation): Matcher {
  if (!isWorthKeeping(filter)) return compileMatcher(filter, collatedExpressions(collation));
  const bytes = encodeDocument(filter);
  if (scope && looksBeyond(filter, bytes)) return compileMatcher(filter, expressionsOf(scope, collation));
  const expressions = collatedExpressions(collation);
  if (bytes.length < MIN_CACHED_BYTES || bytes.length > MAX_CACHED_BYTES) return compileMatcher(filter, expressions);
  const key = `${bytes.toString('latin1')}${collation?.id ?? ''}`;
  const known = CACHE.get(key);
  if (known) return known;
  const matcher = compileMatcher(filter, expressions);
  const oldest = CACHE.size >= MAX_CACHED ? CACHE.keys().next().value : undefined;
  if (oldest !== undefined) CACHE.delete(oldest);
  CACHE.set(key, matcher);
  return matcher;
}

/** The common part of find, count, distinct, update, delete and findAndModify: which documents, in which order. */
export interface Query {
  readonly filter: BsonDoc;
  readonly sort: BsonDoc | undefined;
  readonly hint: BsonValue | undefined;
  readonly skip: number;
  readonly limit: number | undefined;
  /** The paths read of each document; undefined for all of it. */
  readonly reads?: ReadonlySet<string> | undefined;
  /** Variables and collation; none for queries the server makes by itself. */
  readonly scope?: QueryScope;
  /** Where the filter was compiled before, for this collection. */
  readonly matcher?: Matcher;
}

interface PlannedQuery {
  readonly matcher: Matcher;
  readonly plan: QueryPlan;
  readonly collation: Collation | undefined;
  readonly text: TextSearch | undefined;
}

export function plan(context: ServerContext, collection: Collection, query: Query): PlannedQuery {
  const input = planInput(context, collection, query);
  const { collation, matcher, text } = input;
  return { matcher, collation, text, plan: planQuery(input) };
}

/** The planner's input for a query. */
export function planInput(
  { env }: ServerContext,
  collection: Collection,
  query: Query,
): PlanInput & Omit<PlannedQuery, 'plan'> {
  const collation = collationOf(collection, query.scope);
  const text = textSearchOf(collection, query.filter);
  const matcher = text
    ? compileMatcher(query.filter, { ...expressionsOf(query.scope ?? BARE_SCOPE, collation), text })
    : (query.matcher ?? matcherFor(query.filter, query.scope, collation));
  const sort: readonly IndexField[] = query.sort && query.sort.size > 0 ? sortFields(query.sort) : [];
  const probe = (access: IndexAccess) => probeKeys(env.data, access);
  return {
    collection,
    matcher,
    root: matcher.root,
    sort,
    hint: query.hint,
    collation,
    text,
    reads: query.reads,
    probe,
  };
}

/** For `$indexStats`. */
function countUses({ access }: QueryPlan): void {
  if (access.kind === 'index') access.index.uses += 1;
  else if (access.kind === 'union') for (const { index } of access.branches) index.uses += 1;
}

const BARE_SCOPE: QueryScope = { env: {}, variables: undefined, collation: undefined };

/** The `$text` of a filter, for the one text index of the collection. */
function textSearchOf(collection: Collection, filter: BsonDoc): TextSearch | undefined {
  const given = textOf(filter);
  const spec = given && textIndexOf(collection)?.spec.text;
  return spec && new TextSearch(spec, given);
}

/** Plans a query and makes it ready to step through. */
export function execute(context: ServerContext, collection: Collection, query: Query): Execution {
  const planned = plan(context, collection, query);
  countUses(planned.plan);
  return new Execution(
    { store: context.store, data: context.env.data },
    { collection, ...planned, sort: query.sort, skip: query.skip, limit: query.limit },
  );
}

/** The projection of a command; undefined returns documents unchanged. */
export function projectorOf(
  body: BsonDoc,
  matcher: Matcher,
  scope: QueryScope,
  collation: Collation | undefined,
  name: 'projection' | 'fields' = 'projection',
): Projector | undefined {
  const spec = arg.doc(body, name);
  if (!spec || spec.size === 0) return undefined;
  const plain = plainProjection(spec);
  if (plain) return plain;
  const projection = compileProjection(spec, expressionsOf(scope, collation));
  if (!projection.needsPosition) return (raw) => projection.apply(raw);
  return (raw) => projection.apply(raw, { arrayIndex: matcher.matchPosition(raw).arrayIndex });
}

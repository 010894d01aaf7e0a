import type { ExpressionEnv } from '../aggregate/expr/compiler.js';
import { Frame } from '../aggregate/expr/frame.js';
import { expressionCompiler } from '../aggregate/expr/operators.js';
import { emptyDocument } from '../bson/raw.js';
import type { BsonDoc, BsonValue } from '../bson/value.js';
import type { Collection } from '../catalog/collection.js';
import { type Collation, parseCollation } from '../compare/collation.js';
import { MongoError } from '../errors.js';
import type { MatchExpressions } from '../match/matcher.js';
import { docArgument } from './arguments.js';
import type { ServerContext } from './command.js';

/** What the filter, projection and update of a command may refer to, and how they compare text. */
export interface QueryScope {
  /** `$$NOW`, `$rand` and the names of the variables. */
  readonly env: ExpressionEnv;
  readonly variables: Frame | undefined;
  /** As the command asks; undefined leaves it to the collection. */
  readonly collation: Collation | 'simple' | undefined;
}

/** The scope of a command: its `let`, and the `collation` of the command or of one of its statements. */
export function scopeOf(context: ServerContext, body: BsonDoc, statement: BsonDoc = body): QueryScope {
  const given = docArgument(body, 'let');
  return withVariables(given, {
    env: expressionEnv(context),
    variables: undefined,
    ...collationArgument(statement),
  });
}

export function collationArgument(doc: BsonDoc): Pick<QueryScope, 'collation'> {
  const collation = docArgument(doc, 'collation');
  return { collation: collation && collation.size > 0 ? (parseCollation(collation) ?? 'simple') : undefined };
}

/** The scope of one statement, with the constants `c` of a pipeline update. */
export function statementScope(scope: QueryScope, statement: BsonDoc, constantsName = 'c'): QueryScope {
  const { collation } = collationArgument(statement);
  const constants = docArgument(statement, constantsName);
  const own = collation === undefined ? scope : { ...scope, collation };
  return constants ? withVariables(constants, own, (value) => value) : own;
}

type Bind = (value: BsonValue) => BsonValue | undefined;

function evaluatedIn(scope: QueryScope): Bind {
  const compiler = expressionCompiler(scope.env);
  const start = scope.variables ?? Frame.of(emptyDocument);
  return (value) => compiler.expression(value)(start);
}

/** Values are evaluated once, before any document: they may not speak of one. */
function withVariables(given: BsonDoc | undefined, scope: QueryScope, asGiven?: Bind): QueryScope {
  if (!given || given.size === 0) return scope;
  const bind = asGiven ?? evaluatedIn(scope);
  let variables = scope.variables ?? Frame.of(emptyDocument);
  for (const [name, value] of given) {
    if (!/^[a-z\u0080-\uffff][\w\u0080-\uffff]*$/.test(name)) {
      throw new MongoError('FailedToParse', `'${name}' starts with an invalid character for a user variable name`);
    }
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

/** The scope as expressions of a collection's documents see it. */
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

import type { BsonValue } from '../../bson/value.js';
import { arithmeticOperators } from './arithmetic.js';
import { arrayOperators } from './array.js';
import { ExpressionCompiler, type ExpressionEnv, type OperatorTable } from './compiler.js';
import { convertOperators } from './convert.js';
import { dateOperators } from './date.js';
import type { Expression } from './frame.js';
import { logicOperators } from './logic.js';
import { objectOperators } from './object.js';
import { percentileOperators } from './percentile.js';
import { setOperators } from './set.js';
import { stringOperators } from './string.js';

const operators: OperatorTable = new Map(
  [
    arithmeticOperators,
    arrayOperators,
    setOperators,
    convertOperators,
    dateOperators,
    logicOperators,
    objectOperators,
    stringOperators,
    percentileOperators,
  ].flatMap((table) => Object.entries(table)),
);

export const expressionNames: readonly string[] = [...operators.keys()];

export function expressionCompiler(env: ExpressionEnv): ExpressionCompiler {
  return new ExpressionCompiler(operators, env);
}

/** Compiles an aggregation expression; unknown operators and variables are errors here. */
export function compileExpression(value: BsonValue, env: ExpressionEnv): Expression {
  return expressionCompiler(env).expression(value);
}

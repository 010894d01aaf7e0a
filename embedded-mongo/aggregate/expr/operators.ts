import type { BsonValue } from '../../bson/value.js';
import { PERCENTILE_OPERATORS } from './accumulate.js';
import { ARITHMETIC_OPERATORS } from './arithmetic.js';
import { ARRAY_OPERATORS, SET_OPERATORS } from './array.js';
import { ExpressionCompiler, type ExpressionEnv, type OperatorTable } from './compiler.js';
import { CONVERT_OPERATORS } from './convert.js';
import { DATE_OPERATORS } from './date.js';
import type { Expression } from './frame.js';
import { LOGIC_OPERATORS, OBJECT_OPERATORS } from './logic.js';
import { STRING_OPERATORS } from './string.js';

const OPERATORS: OperatorTable = new Map(
  [
    ARITHMETIC_OPERATORS,
    ARRAY_OPERATORS,
    SET_OPERATORS,
    CONVERT_OPERATORS,
    DATE_OPERATORS,
    LOGIC_OPERATORS,
    OBJECT_OPERATORS,
    PERCENTILE_OPERATORS,
    STRING_OPERATORS,
  ].flatMap((table) => Object.entries(table)),
);

export const EXPRESSION_NAMES: readonly string[] = [...OPERATORS.keys()];

export function expressionCompiler(env: ExpressionEnv): ExpressionCompiler {
  return new ExpressionCompiler(OPERATORS, env);
}

/** Compiles an aggregation expression; unknown operators and variables are errors here. */
export function compileExpression(value: BsonValue, env: ExpressionEnv): Expression {
  return expressionCompiler(env).expression(value);
}

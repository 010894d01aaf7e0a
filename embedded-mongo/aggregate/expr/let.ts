import { emptyDocument } from '../../bson/raw.js';
import type { BsonDoc } from '../../bson/value.js';
import type { ExpressionEnv } from './compiler.js';
import { Frame } from './frame.js';
import { compileExpression } from './operators.js';

/**
 * The `let` of a command: its values are evaluated once, without a document (drivers send them as `$literal`).
 * The environment knows the names afterwards, the frame holds the values.
 */
export function bindLet(bound: BsonDoc, env: ExpressionEnv): { env: ExpressionEnv; frame: Frame } {
  const nowhere = Frame.of(emptyDocument);
  let frame = nowhere;
  for (const [name, value] of bound) frame = frame.with(name, compileExpression(value, env)(nowhere));
  return { env: { ...env, variables: [...(env.variables ?? []), ...bound.keys] }, frame };
}

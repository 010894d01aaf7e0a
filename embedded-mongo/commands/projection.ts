import type { ExpressionEnv } from '../aggregate/expr/compiler.js';
import type { BsonDoc } from '../bson/value.js';
import type { Projector } from '../exec/document-stream.js';
import type { Matcher } from '../match/matcher.js';
import { plainProjection } from '../project/plain.js';
import { compileProjection } from '../project/projection.js';
import { docArgument } from './arguments.js';
import type { ServerContext } from './command.js';

/** The projection a command asks for; undefined when documents are given as they are. */
export function projectorOf(
  context: ServerContext,
  body: BsonDoc,
  matcher: Matcher,
  name: 'projection' | 'fields' = 'projection',
): Projector | undefined {
  const spec = docArgument(body, name);
  if (!spec || spec.size === 0) return undefined;
  const plain = plainProjection(spec);
  if (plain) return plain;
  const projection = compileProjection(spec, expressionEnv(context));
  if (!projection.needsPosition) return (raw) => projection.apply(raw);
  return (raw) => projection.apply(raw, { arrayIndex: matcher.matchPosition(raw).arrayIndex });
}

export function expressionEnv({ system }: ServerContext): ExpressionEnv {
  return { nowMs: system.nowMs(), random: () => system.randomBytes(4).readUInt32LE(0) / 0x1_0000_0000 };
}

import type { BsonDoc } from '../bson/value.js';
import type { Collation } from '../compare/collation.js';
import type { Projector } from '../exec/document-stream.js';
import type { Matcher } from '../match/matcher.js';
import { plainProjection } from '../project/plain.js';
import { compileProjection } from '../project/projection.js';
import { docArgument } from './arguments.js';
import { expressionsOf, type QueryScope } from './query-scope.js';

/** The projection a command asks for; undefined when documents are given as they are. */
export function projectorOf(
  body: BsonDoc,
  matcher: Matcher,
  scope: QueryScope,
  collation: Collation | undefined,
  name: 'projection' | 'fields' = 'projection',
): Projector | undefined {
  const spec = docArgument(body, name);
  if (!spec || spec.size === 0) return undefined;
  const plain = plainProjection(spec);
  if (plain) return plain;
  const projection = compileProjection(spec, expressionsOf(scope, collation));
  if (!projection.needsPosition) return (raw) => projection.apply(raw);
  return (raw) => projection.apply(raw, { arrayIndex: matcher.matchPosition(raw).arrayIndex });
}

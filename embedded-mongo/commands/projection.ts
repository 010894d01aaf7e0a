import type { BsonDoc } from '../bson/value.js';
import { MongoError } from '../errors.js';
import type { Projector } from '../exec/document-stream.js';
import type { Matcher } from '../match/matcher.js';
import { plainProjection } from '../project/plain.js';
import { docArgument } from './arguments.js';

export function projectorOf(
  body: BsonDoc,
  _matcher: Matcher,
  name: 'projection' | 'fields' = 'projection',
): Projector | undefined {
  const spec = docArgument(body, name);
  if (!spec || spec.size === 0) return undefined;
  const plain = plainProjection(spec);
  if (plain) return plain;
  throw new MongoError('BadValue', 'projections other than whole top-level fields are not supported');
}

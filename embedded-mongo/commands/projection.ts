import type { BsonDoc } from '../bson/value.js';
import { MongoError } from '../errors.js';
import type { Projector } from '../exec/document-stream.js';
import type { Matcher } from '../match/matcher.js';
import { docArgument } from './arguments.js';

export function projectorOf(
  body: BsonDoc,
  _matcher: Matcher,
  name: 'projection' | 'fields' = 'projection',
): Projector | undefined {
  const spec = docArgument(body, name);
  if (!spec || spec.size === 0) return undefined;
  throw new MongoError('BadValue', 'projections are not supported');
}

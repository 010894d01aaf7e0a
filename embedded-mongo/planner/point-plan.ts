import { BsonDoc } from '../bson/value.js';
import type { Collection } from '../catalog/collection.js';
import { afterPrefix, encodeKey } from '../keystring/encode.js';
import type { MatchNode } from '../match/node.js';
import { maxKeyStringBytes } from '../store/keys.js';
import { namesPosition } from './index-plan.js';
import type { QueryPlan } from './plan.js';

/** Room that a cut key's hash takes: keys beyond it are left to the whole planner. */
const hashBytes = 16;

/**
 * The plan of the commonest queries, one value of one field with a unique index of its own, and one `_id` with conditions
 * that its document must meet: exactly what the whole planner would come to (nothing scores above one key with one
 * record, and `_id` has the first index), without weighing anything.
 */
export function planPoint(collection: Collection, root: MatchNode): QueryPlan | undefined {
  if (root.kind === 'eq') return pointOf(collection, root);
  if (root.kind !== 'and') return undefined;
  const id = root.children.find((node) => node.kind === 'eq' && node.path === '_id');
  const plan = id?.kind === 'eq' ? pointOf(collection, id) : undefined;
  return plan && { ...plan, residual: root.children.length > 1 };
}

function pointOf(collection: Collection, { path, value }: Extract<MatchNode, { kind: 'eq' }>): QueryPlan | undefined {
  // null stands for missing too, arrays are indexed by element, documents compare by rules of their own.
  if (namesPosition(path) || value === null || Array.isArray(value) || value instanceof BsonDoc) return undefined;
  for (const index of collection.indexes) {
    const [field] = index.fields;
    if (!field || index.fields.length > 1 || field.path !== path || !index.unique) continue;
    if (index.building || index.multikey || index.cut || index.partialMatcher || index.spec.hidden) continue;
    const lower = encodeKey([value], [field.direction]);
    if (lower.length > maxKeyStringBytes - hashBytes) return undefined;
    const range = { lower, upper: afterPrefix(lower), point: true };
    return { access: { kind: 'index', index, ranges: [range], direction: 1 }, residual: false, blockingSort: false };
  }
  return undefined;
}

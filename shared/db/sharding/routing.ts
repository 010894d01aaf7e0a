import type { ShardKey } from './plan.js';

/** Where mongos sends an operation: to the shards of one key range, or to all. */
export type Routing = 'targeted' | 'scattered';

/**
 * Says where mongos sends a filter. It targets by equality, or by a list of values, on the first field of the shard key at the
 * top level of the filter, or in an `$and`. A range of `_id` as a document says nothing about the fields of the key.
 */
export function routingOf(shardKey: ShardKey, filter: Readonly<Record<string, unknown>>): Routing {
  const [first] = Object.keys(shardKey);
  if (first === undefined) return 'scattered';
  const all = Array.isArray(filter['$and']) ? [filter, ...filter['$and'].filter(isFilter)] : [filter];
  return all.some((one) => isPinned(one[first])) ? 'targeted' : 'scattered';
}

const isFilter = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function isPinned(condition: unknown): boolean {
  if (condition === undefined) return false;
  if (!isFilter(condition)) return true;
  const operators = Object.keys(condition).filter((name) => name.startsWith('$'));
  return operators.length === 0 || operators.includes('$eq') || operators.includes('$in');
}

import type { IndexAccess } from '../planner/plan.js';
import type { Bytes } from '../store/environment.js';
import { entryPrefix } from '../store/keys.js';

/** Number of entries in an access's ranges, counted by lmdb without looking at them. */
export function countIndexEntries(data: Bytes, { index, ranges }: IndexAccess): number {
  let n = 0;
  for (const range of ranges) {
    n += data.getKeysCount({ start: entryPrefix(index.id, range.lower), end: entryPrefix(index.id, range.upper) });
  }
  return n;
}

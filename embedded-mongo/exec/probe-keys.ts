import type { IndexAccess } from '../planner/plan.js';
import type { Bytes } from '../store/environment.js';
import { entryPrefix } from '../store/keys.js';

/** Counting stops here: plans that differ beyond it are equally long. */
const enoughKeys = 256;
/** Ranges looked at; the others are taken to hold as much. */
const probedRanges = 8;

/** About how many keys a plan would read, for choosing between plans that look alike. */
export function probeKeys(data: Bytes, { index, ranges }: IndexAccess): number {
  const probed = ranges.slice(0, probedRanges);
  let keys = 0;
  for (const range of probed) {
    const [start, end] = [entryPrefix(index.id, range.lower), entryPrefix(index.id, range.upper)];
    const [beyond] = [...data.getKeys({ start, end, offset: enoughKeys, limit: 1 })];
    keys += beyond ? enoughKeys : data.getKeysCount({ start, end });
  }
  return probed.length === 0 ? 0 : (keys * ranges.length) / probed.length;
}

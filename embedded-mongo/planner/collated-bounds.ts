import type { BsonValue } from '../bson/value.js';
import type { Collation } from '../compare/collation.js';
import { candidateKeys, holdsText } from '../keystring/collated.js';
import { afterPrefix, type Direction, refOf } from '../keystring/encode.js';
import type { LeafNode } from '../match/node.js';
import type { FieldBounds, FieldInterval } from './bounds.js';

/** Whether a predicate's verdict depends on how text is compared. */
export function comparesText(leaf: LeafNode): boolean {
  if (leaf.kind === 'eq' || leaf.kind === 'range') return isText(leaf.value);
  return leaf.kind === 'in' && (leaf.regexes.length > 0 || leaf.values.some(isText));
}

function isText(value: BsonValue): boolean {
  const ref = refOf(value);
  return ref !== undefined && holdsText(ref);
}

/** Where values equal to those of an equality may stand in a collated index; every document still has to be matched. */
export function collatedBounds(
  leaves: readonly LeafNode[],
  direction: Direction,
  collation: Collation,
): FieldBounds | undefined {
  for (const leaf of leaves) {
    if (leaf.kind !== 'eq' && !(leaf.kind === 'in' && leaf.regexes.length === 0)) continue;
    const values = leaf.kind === 'eq' ? [leaf.value] : leaf.values;
    if (values.some((value) => Array.isArray(value))) continue;
    const keys = values.flatMap((value) => candidatesOf(value, direction, collation)).sort(Buffer.compare);
    return {
      intervals: disjoint(keys),
      exact: false,
      excludesMissing: !values.includes(null),
      covered: [leaf],
    };
  }
  return undefined;
}

function candidatesOf(value: BsonValue, direction: Direction, collation: Collation): Buffer[] {
  const ref = refOf(value);
  return ref ? candidateKeys(ref, direction, collation) : [];
}

/** One key may be the beginning of others: only the widest are kept. They are no points: what they hold may differ. */
function disjoint(sorted: readonly Buffer[]): FieldInterval[] {
  const intervals: FieldInterval[] = [];
  for (const low of sorted) {
    const last = intervals.at(-1);
    if (last && Buffer.compare(low, last.high) < 0) continue;
    intervals.push({ low, high: afterPrefix(low), point: false });
  }
  return intervals;
}

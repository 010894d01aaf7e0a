import type { Index, IndexField } from '../catalog/index-definition.js';
import { afterPrefix, cutBounds } from '../keystring/encode.js';
import type { LeafNode } from '../match/node.js';
import { maxKeyStringBytes } from '../store/keys.js';
import { type FieldInterval, fieldBounds } from './bounds.js';
import { collatedBounds, comparesText } from './collated-bounds.js';
import { implies } from './implication.js';
import type { IndexAccess, KeyRange } from './plan.js';
import type { Predicates } from './predicates.js';

/** One way to use an index, and what it is worth. */
export interface IndexPlan {
  readonly access: IndexAccess;
  /** Predicates that the ranges fulfil by themselves. */
  readonly covered: ReadonlySet<LeafNode>;
  readonly providesSort: boolean;
  /** Leading fields fixed to points, and whether the next one is a range. */
  readonly equalFields: number;
  readonly rangeField: boolean;
}

/** Points of `$in` multiply over fields; beyond this many the further field is left to the matcher. One list alone may be longer. */
const maxRanges = 1_000;

/** How an index can answer a filter and a sort; undefined when it may not be used at all (partial, sparse). */
export function planIndex(
  index: Index,
  predicates: Predicates,
  sort: readonly IndexField[],
  hinted: boolean,
): IndexPlan | undefined {
  const collated = index.spec.collation !== undefined || predicates.collation !== undefined;
  // Implication is reckoned in the order of bytes.
  if (index.partialMatcher && (collated || !implies(predicates.conjuncts, index.partialMatcher.root))) return undefined;
  const used = boundFields(index, predicates);
  if (index.spec.sparse && !used.some((field) => field.excludesMissing) && !hinted) return undefined;
  const { ranges, cut } = rangesOf(index, used);
  const fixed = used.map((field) => field.intervals.length === 1 && field.intervals[0]?.point === true);
  const ordered = collated ? [] : index.fields;
  const scan = index.cut || sortsByArray(index, sort) ? undefined : scanDirection(index.fields, fixed, sort, ordered);
  const last = used.at(-1);
  const rangeField = last !== undefined && !last.intervals.every((interval) => interval.point);
  const trusted = !index.multikey && !index.cut && !cut;
  return {
    access: { kind: 'index', index, ranges, direction: scan ?? 1 },
    covered: new Set(trusted ? used.flatMap((field) => (field.exact ? field.covered : [])) : []),
    providesSort: sort.length === 0 || scan !== undefined,
    equalFields: used.length - (rangeField ? 1 : 0),
    rangeField,
  };
}

type UsedField = NonNullable<ReturnType<typeof fieldBounds>>;

/** Bounds of the leading fields: points as long as there are any, then at most one range. */
function boundFields(index: Index, predicates: Predicates): UsedField[] {
  const used: UsedField[] = [];
  let combinations = 1;
  const arrayRoots = new Set<string>();
  for (const [field, { path, direction }] of index.fields.entries()) {
    const root = path.split('.')[0] ?? path;
    // Of a multikey index, fields below one array hold values of one element: predicates on several must not be joined.
    if (index.multikey && arrayRoots.has(root)) return used;
    if (namesPosition(path)) return used;
    arrayRoots.add(root);
    const leaves = predicates.byPath.get(path);
    const bounds = leaves && boundsUnder(index, predicates, leaves, direction, index.mayBeArray(field));
    if (!bounds || (combinations > 1 && combinations * bounds.intervals.length > maxRanges)) return used;
    combinations *= bounds.intervals.length;
    used.push(bounds);
    if (!bounds.intervals.every((interval) => interval.point)) return used;
  }
  return used;
}

/**
 * `a.1` is the second element of an array, and the field `1` of each of its documents; a filter asks both, an index
 * keeps one of them. Such indexes give an order, not bounds.
 */
export function namesPosition(path: string): boolean {
  return /(?:^|\.)\d+(?:\.|$)/.test(path);
}

/** Under a collation keys say nothing of text but, to a query of the same collation, where its equals may stand. */
function boundsUnder(
  index: Index,
  { collation }: Predicates,
  leaves: readonly LeafNode[],
  direction: 1 | -1,
  mayBeArray: boolean,
): UsedField | undefined {
  const own = index.spec.collation;
  if (!own && !collation) return fieldBounds(leaves, direction, mayBeArray);
  const usable = leaves.filter((leaf) => (leaf.kind === 'regex' ? !own : !comparesText(leaf)));
  const bounds = usable.length > 0 ? fieldBounds(usable, direction, mayBeArray) : undefined;
  return bounds ?? (own && own.id === collation?.id ? collatedBounds(leaves, direction, own) : undefined);
}

function rangesOf(index: Index, used: readonly UsedField[]): { ranges: KeyRange[]; cut: boolean } {
  let prefixes: Buffer[] = [Buffer.alloc(0)];
  const ranges: KeyRange[] = [];
  let cut = false;
  const add = (low: Buffer, high: Buffer, point: boolean) => {
    const bounds = cutBounds(low, high, maxKeyStringBytes);
    cut ||= bounds.cut;
    ranges.push({ lower: bounds.lower, upper: bounds.upper, point: point && !bounds.cut });
  };
  used.forEach((field, position) => {
    const next = prefixes.flatMap((prefix) => field.intervals.map((interval) => join(prefix, interval)));
    if (position < used.length - 1) prefixes = next.map(({ low }) => low);
    else for (const { low, high, point } of next) add(low, high, point && used.length === index.fields.length);
  });
  if (used.length === 0) ranges.push({ lower: Buffer.alloc(0), upper: Buffer.from([0xff]), point: false });
  return { ranges, cut };
}

function join(prefix: Buffer, interval: FieldInterval): FieldInterval {
  if (prefix.length === 0) return interval;
  const low = Buffer.concat([prefix, interval.low]);
  const high = interval.point ? afterPrefix(low) : Buffer.concat([prefix, interval.high]);
  return { low, high, point: interval.point };
}

/**
 * A document is sorted by the least or greatest of its values, wherever an entry of it stands. Where another field is the
 * array, entries of one of its values are in the order of the fields that follow.
 */
function sortsByArray(index: Index, sort: readonly IndexField[]): boolean {
  return sort.some(({ path }) => index.fields.some((field, at) => field.path === path && index.mayBeArray(at)));
}

/**
 * The direction in which the index gives the asked order; fields fixed to one value have no say in it. `ordered` is
 * empty where a collation orders text otherwise than the keys do.
 */
function scanDirection(
  fields: readonly IndexField[],
  fixed: readonly boolean[],
  sort: readonly IndexField[],
  ordered: readonly IndexField[],
): 1 | -1 | undefined {
  const fixedPaths = new Set(fields.filter((_, i) => fixed[i]).map((field) => field.path));
  const asked = sort.filter(({ path }) => !fixedPaths.has(path));
  const order = ordered.filter((_, i) => !fixed[i]);
  let scan: 1 | -1 | undefined;
  for (const [i, { path, direction }] of asked.entries()) {
    const field = order[i];
    if (field?.path !== path) return undefined;
    const needed = field.direction === direction ? 1 : -1;
    if (scan !== undefined && scan !== needed) return undefined;
    scan = needed;
  }
  return scan ?? 1;
}

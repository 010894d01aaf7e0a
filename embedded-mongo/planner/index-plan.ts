import type { Index, IndexField } from '../catalog/index-definition.js';
import { afterPrefix, cutBounds } from '../keystring/encode.js';
import type { LeafNode } from '../match/parse.js';
import { MAX_KEY_STRING_BYTES } from '../store/keys.js';
import { collatedBounds, comparesText, type FieldInterval, fieldBounds } from './bounds.js';
import type { IndexAccess, KeyRange } from './plan.js';
import { implies, namesPosition, type Predicates } from './predicates.js';

/** One use of an index, and its score. */
export interface IndexPlan {
  readonly access: IndexAccess;
  /** Predicates that the ranges fulfil completely. */
  readonly covered: ReadonlySet<LeafNode>;
  readonly providesSort: boolean;
  /** Leading fields fixed to points, and whether the next one is a range. */
  readonly equalFields: number;
  readonly rangeField: boolean;
}

/**
 * Points of `$in` multiply over fields; above this number the matcher handles the next field. A single list may be
 * longer.
 */
const MAX_RANGES = 1_000;

/** Plans an index for a filter and a sort; returns undefined when it must not be used (partial, sparse). */
export function planIndex(
  index: Index,
  predicates: Predicates,
  sort: readonly IndexField[],
  hinted: boolean,
): IndexPlan | undefined {
  const collated = index.spec.collation !== undefined || predicates.collation !== undefined;
  // Implication compares bytes.
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
    // Fields below one array hold values of one element, so a multikey index must not combine predicates on several of
    // them.
    if (index.multikey && arrayRoots.has(root)) return used;
    if (namesPosition(path)) return used;
    arrayRoots.add(root);
    const leaves = predicates.byPath.get(path);
    const bounds = leaves && boundsUnder(index, predicates, leaves, direction, index.mayBeArray(field));
    if (!bounds || (combinations > 1 && combinations * bounds.intervals.length > MAX_RANGES)) return used;
    combinations *= bounds.intervals.length;
    used.push(bounds);
    if (!bounds.intervals.every((interval) => interval.point)) return used;
  }
  return used;
}

/** Under a collation, keys only give the candidates for equality, and only to a query with the same collation. */
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
    const bounds = cutBounds(low, high, MAX_KEY_STRING_BYTES);
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
 * A document sorts by the least or greatest of its values, whichever of its entries is read. Where another field is
 * the array, the entries of one of its values follow the order of the later fields.
 */
function sortsByArray(index: Index, sort: readonly IndexField[]): boolean {
  return sort.some(({ path }) => index.fields.some((field, at) => field.path === path && index.mayBeArray(at)));
}

/**
 * The direction in which the index gives the requested order, ignoring fields fixed to one value. `ordered` is empty
 * where a collation orders text differently from the keys.
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

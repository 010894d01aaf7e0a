import { BsonDoc, type BsonValue, canonicalOrder, isNumberType, typeOf } from '../bson/value.js';
import type { Collection } from '../catalog/collection.js';
import type { Collation } from '../compare/collation.js';
import { compareValues, equalValues } from '../compare/compare.js';
import { afterPrefix, encodeKey } from '../keystring/encode.js';
import type { LeafNode, MatchNode } from '../match/parse.js';
import { MAX_KEY_STRING_BYTES } from '../store/keys.js';
import type { QueryPlan } from './plan.js';

/** A filter for planning: conjunctive predicates by path. */
export interface Predicates {
  readonly byPath: ReadonlyMap<string, readonly LeafNode[]>;
  readonly conjuncts: readonly MatchNode[];
  readonly ors: readonly (readonly MatchNode[])[];
  /** The collation of their comparisons. */
  readonly collation: Collation | undefined;
}

/** Splits a filter at its top-level conjunction. */
export function predicatesOf(root: MatchNode, collation?: Collation): Predicates {
  const conjuncts = root.kind === 'and' ? root.children : [root];
  const byPath = new Map<string, LeafNode[]>();
  const ors: (readonly MatchNode[])[] = [];
  for (const node of conjuncts) {
    if (node.kind === 'or') ors.push(node.children);
    else for (const leaf of leavesOf(node, '')) byPath.set(leaf.path, [...(byPath.get(leaf.path) ?? []), leaf]);
  }
  return { byPath, conjuncts, ors, collation };
}

/**
 * Predicates that a node implies. `$elemMatch` on documents implies each of its conditions on the dotted path, but not
 * on the same element: usable for bounds, never instead of matching.
 */
function leavesOf(node: MatchNode, prefix: string): LeafNode[] {
  switch (node.kind) {
    case 'and':
      return node.children.flatMap((child) => leavesOf(child, prefix));
    case 'eq':
    case 'in':
    case 'range':
    case 'regex':
      return [prefix === '' ? node : { ...node, path: prefix + node.path }];
    case 'elemMatch':
      if (node.mode === 'value') return leavesOf(node.child, '').map((leaf) => ({ ...leaf, path: prefix + node.path }));
      return leavesOf(node.child, `${prefix}${node.path}.`);
    default:
      return [];
  }
}

/** Space for the hash of a cut key: longer keys use the full planner. */
const HASH_BYTES = 16;

/**
 * Plans the most common queries directly: one value of one uniquely indexed field, or one `_id` with further
 * conditions. The full planner would return the same plan, because nothing scores above one key with one record.
 */
export function planPoint(collection: Collection, root: MatchNode): QueryPlan | undefined {
  if (root.kind === 'eq') return pointOf(collection, root);
  if (root.kind !== 'and') return undefined;
  const id = root.children.find((node) => node.kind === 'eq' && node.path === '_id');
  const plan = id?.kind === 'eq' ? pointOf(collection, id) : undefined;
  return plan && { ...plan, residual: root.children.length > 1 };
}

function pointOf(collection: Collection, { path, value }: Extract<MatchNode, { kind: 'eq' }>): QueryPlan | undefined {
  // null also matches missing, arrays are indexed by element, and documents have other comparison rules.
  if (namesPosition(path) || value === null || Array.isArray(value) || value instanceof BsonDoc) return undefined;
  for (const index of collection.indexes) {
    const [field] = index.fields;
    if (!field || index.fields.length > 1 || field.path !== path || !index.unique) continue;
    if (index.building || index.multikey || index.cut || index.partialMatcher || index.spec.hidden) continue;
    const lower = encodeKey([value], [field.direction]);
    if (lower.length > MAX_KEY_STRING_BYTES - HASH_BYTES) return undefined;
    const range = { lower, upper: afterPrefix(lower), point: true };
    return { access: { kind: 'index', index, ranges: [range], direction: 1 }, residual: false, blockingSort: false };
  }
  return undefined;
}

/** Whether every document that matches all `given` also matches `wanted`; false when that is not provable. */
export function implies(given: readonly MatchNode[], wanted: MatchNode): boolean {
  if (wanted.kind === 'and') return wanted.children.every((child) => implies(given, child));
  if (wanted.kind === 'or')
    return wanted.children.some((child) => implies(given, child)) || impliesByBranches(given, wanted);
  return given.some((node) => nodeImplies(node, wanted));
}

/** `a in [1, 2]` implies `a = 1 or a = 2`: each value on its own must imply the disjunction. */
function impliesByBranches(given: readonly MatchNode[], wanted: MatchNode): boolean {
  return given.some((node) => {
    if (node.kind !== 'in' || node.regexes.length > 0 || node.values.length === 0) return false;
    return node.values.every((value) => implies([{ kind: 'eq', path: node.path, value }], wanted));
  });
}

function nodeImplies(node: MatchNode, wanted: MatchNode): boolean {
  if (node.kind === 'and') return implies(node.children, wanted);
  if (node.kind === 'or') return node.children.every((child) => implies([child], wanted));
  if (!('path' in node) || !('path' in wanted) || node.path !== wanted.path) return false;
  return leafImplies(node, wanted);
}

function leafImplies(node: LeafNode, wanted: LeafNode): boolean {
  switch (wanted.kind) {
    case 'eq':
      return node.kind === 'eq'
        ? equalValues(node.value, wanted.value)
        : everyValue(node, (v) => equalValues(v, wanted.value));
    case 'in':
      return everyValue(node, (value) => wanted.values.some((other) => equalValues(value, other)));
    case 'range':
      return (
        everyValue(node, (value) => inRange(value, wanted)) || (node.kind === 'range' && rangeImplies(node, wanted))
      );
    case 'exists':
      return (
        node.kind === 'exists' ||
        node.kind === 'range' ||
        node.kind === 'regex' ||
        node.kind === 'type' ||
        everyValue(node, (v) => v !== null)
      );
    case 'type':
      return (
        everyValue(
          node,
          (value) => !Array.isArray(value) && wanted.types.has(typeOf(value)) && !isNumberType(typeOf(value)),
        ) ||
        (node.kind === 'type' && [...node.types].every((type) => wanted.types.has(type)))
      );
    default:
      return false;
  }
}

/** Whether all values of an equality or a list pass. */
function everyValue(node: LeafNode, test: (value: BsonValue) => boolean): boolean {
  if (node.kind === 'eq') return test(node.value);
  return node.kind === 'in' && node.regexes.length === 0 && node.values.length > 0 && node.values.every(test);
}

type RangeLeaf = Extract<LeafNode, { kind: 'range' }>;

function samePlace(a: BsonValue, b: BsonValue): boolean {
  return canonicalOrder(typeOf(a)) === canonicalOrder(typeOf(b));
}

function inRange(value: BsonValue, range: RangeLeaf): boolean {
  if (Array.isArray(value) || value === null || !samePlace(value, range.value)) return false;
  const order = compareValues(value, range.value);
  switch (range.operator) {
    case 'gt':
      return order > 0;
    case 'gte':
      return order >= 0;
    case 'lt':
      return order < 0;
    case 'lte':
      return order <= 0;
  }
}

function rangeImplies(node: RangeLeaf, wanted: RangeLeaf): boolean {
  const upward = (leaf: RangeLeaf) => leaf.operator === 'gt' || leaf.operator === 'gte';
  if (upward(node) !== upward(wanted) || !samePlace(node.value, wanted.value)) return false;
  const strict = node.operator === 'gt' || node.operator === 'lt';
  const order = compareValues(node.value, wanted.value) * (upward(wanted) ? 1 : -1);
  return order > 0 || (order === 0 && (strict || wanted.operator === 'gte' || wanted.operator === 'lte'));
}

/**
 * `a.1` is both the second element of an array and the field `1` of each of its documents. A filter matches both, an
 * index holds one. Such indexes give an order, not bounds.
 */
export function namesPosition(path: string): boolean {
  return /(?:^|\.)\d+(?:\.|$)/.test(path);
}

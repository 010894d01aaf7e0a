import { canonicalOrder, isNumberType } from '../bson/types.js';
import { type BsonValue, typeOf } from '../bson/value.js';
import { compareValues, equalValues } from '../compare/compare.js';
import type { LeafNode, MatchNode } from '../match/node.js';

/** Whether every document that matches all `given` is sure to match `wanted`; "no" when it cannot be shown. */
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

/** For equalities and lists of them: whether all their values pass. */
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

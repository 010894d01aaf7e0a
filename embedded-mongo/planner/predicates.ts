import type { Collation } from '../compare/collation.js';
import type { LeafNode, MatchNode } from '../match/node.js';

/** A filter as planning sees it: predicates that must all hold, by path. */
export interface Predicates {
  readonly byPath: ReadonlyMap<string, readonly LeafNode[]>;
  readonly conjuncts: readonly MatchNode[];
  readonly ors: readonly (readonly MatchNode[])[];
  /** How they compare text. */
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
 * Predicates a node implies. `$elemMatch` on documents implies each of its conditions on the dotted path, though not
 * on the same element: bounds, never a replacement for matching.
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

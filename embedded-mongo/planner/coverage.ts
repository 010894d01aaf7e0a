import type { MatchNode } from '../match/node.js';
import { namesPosition } from './index-plan.js';
import type { QueryPlan } from './plan.js';

/** A query answered from keys: the places, among the index's fields, of those it needs. */
export interface Coverage {
  readonly fields: readonly number[];
}

/**
 * Whether the keys of a plan's index hold all that a query reads: the fields its command asks for, and those of its
 * filter where the ranges alone do not decide. Not under several keys a document, cut keys or folded text; not where
 * documents are sorted first, as what is sorted are records.
 */
export function coverageOf(plan: QueryPlan, root: MatchNode, reads: ReadonlySet<string>): Coverage | undefined {
  if (plan.access.kind !== 'index' || plan.blockingSort) return undefined;
  const { index } = plan.access;
  if (!index.keyTypes || index.multikey || index.cut || index.collated || index.spec.text) return undefined;
  const needed = new Set(reads);
  if (plan.residual && !addPaths(root, needed)) return undefined;
  const fields: number[] = [];
  for (const path of needed) {
    const at = index.fields.findIndex((field) => field.path === path);
    if (at < 0 || namesPosition(path)) return undefined;
    fields.push(at);
  }
  // One within another would be written twice.
  const nested = [...needed].some((path) => [...needed].some((other) => path.startsWith(`${other}.`)));
  return nested ? undefined : { fields };
}

/** Adds the paths a filter reads; false when they cannot be told. */
function addPaths(node: MatchNode, paths: Set<string>): boolean {
  switch (node.kind) {
    case 'and':
    case 'or':
    case 'nor':
      return node.children.every((child) => addPaths(child, paths));
    case 'not':
      return addPaths(node.child, paths);
    case 'never':
      return true;
    case 'sample':
    case 'expr':
    case 'schema':
    case 'text':
      return false;
    default:
      paths.add(node.path);
      return true;
  }
}

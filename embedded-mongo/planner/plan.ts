import { BsonDoc } from '../bson/value.js';
import type { Index } from '../catalog/index-definition.js';
import type { MatchNode } from '../match/parse.js';
import { namesPosition } from './predicates.js';

/** Key strings from `lower` up to but not including `upper`. */
export interface KeyRange {
  readonly lower: Buffer;
  readonly upper: Buffer;
  /** Every field of the index is fixed: `lower` is the one whole key. */
  readonly point: boolean;
}

export interface IndexAccess {
  readonly kind: 'index';
  readonly index: Index;
  readonly ranges: readonly KeyRange[];
  readonly direction: 1 | -1;
}

export type Access =
  | { readonly kind: 'collection'; readonly direction: 1 | -1 }
  | IndexAccess
  | { readonly kind: 'union'; readonly branches: readonly IndexAccess[] }
  | { readonly kind: 'nothing' };

/** How a query is answered. Explain prints exactly this. */
export interface QueryPlan {
  readonly access: Access;
  /** The ranges include documents that the filter does not: each must be matched. */
  readonly residual: boolean;
  /** The scan's order differs from the requested one: documents are sorted before the first is returned. */
  readonly blockingSort: boolean;
  /** The key holds everything that is read of a document; the document is fetched only where the key is not enough. */
  readonly covered?: Coverage | undefined;
}

/** A query answered from keys: the positions of the needed fields in the index. */
export interface Coverage {
  readonly fields: readonly number[];
}

/**
 * Whether the keys of a plan's index hold everything that a query reads: the fields of its command, and of its filter
 * where ranges alone do not decide. Excludes multikey indexes, cut keys, collations, and plans that sort, because a
 * sort reads records.
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
  // Nested fields would be written twice.
  const nested = [...needed].some((path) => [...needed].some((other) => path.startsWith(`${other}.`)));
  return nested ? undefined : { fields };
}

/** Adds the paths that a filter reads; returns false when they are unknown. */
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

export interface PlanContext {
  readonly filter: BsonDoc;
  readonly sort: BsonDoc | undefined;
  readonly skip: number;
  readonly limit: number | undefined;
  readonly projection: BsonDoc | undefined;
  /** The command only counts. */
  readonly counts?: boolean;
}

/** The figures of a run; without them only the plan is described. */
export interface RunFigures {
  readonly nReturned: number;
  readonly keysExamined: number;
  readonly docsExamined: number;
  /** Documents that passed the filter, before skip and limit. */
  readonly matched: number;
  readonly branches: readonly { readonly keysExamined: number; readonly docsExamined: number }[];
}

/** Prints the executed plan in MongoDB's stage names, innermost last. */
export function describePlan(plan: QueryPlan, context: PlanContext, run?: RunFigures): BsonDoc {
  const { sort, skip, limit, projection, counts } = context;
  const returned = run && { nReturned: run.nReturned };
  if (counts && countsKeys(plan)) return wrap('COUNT', countStage(plan.access, run), {}, counted(run));
  let stage = accessStage(plan, context, run);
  if (plan.blockingSort && sort) {
    const limited = limit === undefined ? {} : { limitAmount: limit + skip };
    const sorted = run && { nReturned: Math.min(run.matched, limit === undefined ? run.matched : limit + skip) };
    stage = wrap('SORT', stage, { sortPattern: sort, memLimit: 104_857_600, type: 'simple', ...limited }, sorted);
  }
  if (skip > 0) stage = wrap('SKIP', stage, { skipAmount: skip }, returned);
  if (limit !== undefined && !plan.blockingSort) stage = wrap('LIMIT', stage, { limitAmount: limit }, returned);
  if (counts) return wrap('COUNT', stage, {}, counted(run));
  const how = plan.covered ? 'PROJECTION_COVERED' : 'PROJECTION_DEFAULT';
  return projection ? wrap(how, stage, { transformBy: projection }, returned) : stage;
}

/** Whether a count needs no documents: the ranges contain exactly the counted entries, one for each document. */
export function countsKeys({ access, residual }: QueryPlan): boolean {
  return access.kind === 'index' && !residual && !access.index.multikey;
}

function counted(run: RunFigures | undefined): Record<string, unknown> | undefined {
  return run && { nReturned: 0, nCounted: run.nReturned };
}

function wrap(
  stage: string,
  inputStage: BsonDoc,
  fields: Record<string, unknown>,
  figures: Record<string, unknown> | undefined,
): BsonDoc {
  return BsonDoc.of({ stage, ...figures, ...fields, inputStage });
}

function countStage(access: Access, run: RunFigures | undefined): BsonDoc {
  if (access.kind !== 'index') return BsonDoc.of({ stage: 'EOF' });
  const figures = run ? { nReturned: run.nReturned, keysExamined: run.keysExamined } : {};
  const { index } = access;
  return BsonDoc.of({ stage: 'COUNT_SCAN', ...figures, keyPattern: index.spec.key, indexName: index.name });
}

function accessStage(plan: QueryPlan, { filter }: PlanContext, run: RunFigures | undefined): BsonDoc {
  const { access, residual } = plan;
  const shown = residual ? { filter } : {};
  if (plan.covered && access.kind === 'index') return indexStage(access, run, { shown, nReturned: run?.matched });
  const figures = run ? { nReturned: run.matched, docsExamined: run.docsExamined } : {};
  switch (access.kind) {
    case 'nothing':
      return BsonDoc.of({ stage: 'EOF', ...(run ? { nReturned: 0 } : {}) });
    case 'collection': {
      const direction = access.direction > 0 ? 'forward' : 'backward';
      return BsonDoc.of({ stage: 'COLLSCAN', ...figures, ...shown, direction });
    }
    default:
      return BsonDoc.of({ stage: 'FETCH', ...figures, ...shown, inputStage: keyStage(access, run) });
  }
}

function keyStage(access: Exclude<Access, { kind: 'nothing' | 'collection' }>, run: RunFigures | undefined): BsonDoc {
  if (access.kind === 'index') return indexStage(access, run);
  const inputStages = access.branches.map((branch, i) => indexStage(branch, run?.branches[i]));
  const figures = run ? { nReturned: run.docsExamined } : {};
  return BsonDoc.of({ stage: 'OR', ...figures, inputStages });
}

function indexStage(
  { index, ranges, direction }: IndexAccess,
  run: { readonly keysExamined: number; readonly docsExamined: number } | undefined,
  covered?: { readonly shown: Record<string, unknown>; readonly nReturned: number | undefined },
): BsonDoc {
  return BsonDoc.of({
    stage: index.spec.text ? 'TEXT_OR' : 'IXSCAN',
    ...(run ? { nReturned: covered?.nReturned ?? run.docsExamined, keysExamined: run.keysExamined } : {}),
    ...covered?.shown,
    keyPattern: index.spec.key,
    indexName: index.name,
    isMultiKey: index.multikey,
    isUnique: index.unique,
    isSparse: index.spec.sparse,
    isPartial: index.spec.partialFilter !== undefined,
    indexVersion: 2,
    direction: direction > 0 ? 'forward' : 'backward',
    ranges: ranges.length,
    points: ranges.filter((range) => range.point).length,
  });
}

import { BsonDoc } from '../bson/value.js';
import type { Access, IndexAccess, QueryPlan } from './plan.js';

export interface PlanContext {
  readonly filter: BsonDoc;
  readonly sort: BsonDoc | undefined;
  readonly skip: number;
  readonly limit: number | undefined;
  readonly projection: BsonDoc | undefined;
  /** The command only counts. */
  readonly counts?: boolean;
}

/** What a run of the plan did; left out, the plan alone is described. */
export interface RunFigures {
  readonly nReturned: number;
  readonly keysExamined: number;
  readonly docsExamined: number;
  /** Documents that passed the filter, before skip and limit. */
  readonly matched: number;
  readonly branches: readonly { readonly keysExamined: number; readonly docsExamined: number }[];
}

/** A plan in MongoDB's stage names, innermost last. Printed from the plan that runs, not from what it should be. */
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

/** Whether a count needs no documents: the ranges hold exactly the entries that count, one for each. */
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

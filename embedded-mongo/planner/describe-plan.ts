import { BsonDoc } from '../bson/value.js';
import type { Access, IndexAccess, QueryPlan } from './plan.js';

export interface PlanContext {
  readonly filter: BsonDoc;
  readonly sort: BsonDoc | undefined;
  readonly skip: number;
  readonly limit: number | undefined;
  readonly projection: BsonDoc | undefined;
}

/** A plan in MongoDB's stage names, innermost last. Printed from the plan that runs, not from what it should be. */
export function describePlan(plan: QueryPlan, context: PlanContext): BsonDoc {
  const { filter, sort, skip, limit, projection } = context;
  let stage = accessStage(plan, filter);
  if (plan.blockingSort && sort) {
    stage = wrap('SORT', stage, { sortPattern: sort, ...(limit === undefined ? {} : { limitAmount: limit + skip }) });
  }
  if (skip > 0) stage = wrap('SKIP', stage, { skipAmount: skip });
  if (limit !== undefined && !plan.blockingSort) stage = wrap('LIMIT', stage, { limitAmount: limit });
  return projection ? wrap('PROJECTION_DEFAULT', stage, { transformBy: projection }) : stage;
}

function wrap(stage: string, inputStage: BsonDoc, fields: Record<string, unknown>): BsonDoc {
  return BsonDoc.of({ stage, ...fields, inputStage });
}

function accessStage({ access, residual }: QueryPlan, filter: BsonDoc): BsonDoc {
  const shown = residual ? { filter } : {};
  if (access.kind === 'nothing') return BsonDoc.of({ stage: 'EOF' });
  if (access.kind === 'collection') {
    return BsonDoc.of({ stage: 'COLLSCAN', ...shown, direction: access.direction > 0 ? 'forward' : 'backward' });
  }
  return BsonDoc.of({ stage: 'FETCH', ...shown, inputStage: keyStage(access) });
}

function keyStage(access: Exclude<Access, { kind: 'nothing' | 'collection' }>): BsonDoc {
  return access.kind === 'index'
    ? indexStage(access)
    : BsonDoc.of({ stage: 'OR', inputStages: access.branches.map(indexStage) });
}

function indexStage({ index, ranges, direction }: IndexAccess): BsonDoc {
  return BsonDoc.of({
    stage: 'IXSCAN',
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

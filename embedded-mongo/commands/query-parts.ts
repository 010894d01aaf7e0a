import { BsonDoc, type BsonValue } from '../bson/value.js';
import type { Collection } from '../catalog/collection.js';
import type { IndexField } from '../catalog/index-definition.js';
import type { Collation } from '../compare/collation.js';
import { Execution, sortFields } from '../exec/execution.js';
import { type Matcher } from '../match/matcher.js';
import type { QueryPlan } from '../planner/plan.js';
import { planQuery } from '../planner/plan-query.js';
import type { ServerContext } from './command.js';
import { matcherFor } from './compiled-cache.js';
import { collationOf, type QueryScope } from './query-scope.js';

/** What find, count, distinct, update, delete and findAndModify have in common: which documents, in which order. */
export interface Query {
  readonly filter: BsonDoc;
  readonly sort: BsonDoc | undefined;
  readonly hint: BsonValue | undefined;
  readonly skip: number;
  readonly limit: number | undefined;
  /** Variables and collation; none for queries the server makes by itself. */
  readonly scope?: QueryScope;
}

export interface PlannedQuery {
  readonly matcher: Matcher;
  readonly plan: QueryPlan;
  readonly collation: Collation | undefined;
}

export function plan(collection: Collection, query: Query): PlannedQuery {
  const collation = collationOf(collection, query.scope);
  const matcher = matcherFor(query.filter, query.scope, collation);
  const sort: readonly IndexField[] = query.sort && query.sort.size > 0 ? sortFields(query.sort) : [];
  return { matcher, collation, plan: planQuery({ collection, root: matcher.root, sort, hint: query.hint, collation }) };
}

/** For `$indexStats`. */
function countUses({ access }: QueryPlan): void {
  if (access.kind === 'index') access.index.uses += 1;
  else if (access.kind === 'union') for (const { index } of access.branches) index.uses += 1;
}

/** Plans a query and makes it ready to step through. */
export function execute(context: ServerContext, collection: Collection, query: Query): Execution {
  const planned = plan(collection, query);
  countUses(planned.plan);
  return new Execution(
    { store: context.store, data: context.env.data },
    { collection, ...planned, sort: query.sort, skip: query.skip, limit: query.limit },
  );
}

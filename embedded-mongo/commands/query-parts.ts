import { BsonDoc, type BsonValue } from '../bson/value.js';
import type { Collection } from '../catalog/collection.js';
import type { IndexField } from '../catalog/index-definition.js';
import type { Collation } from '../compare/collation.js';
import { Execution, sortFields } from '../exec/execution.js';
import { probeKeys } from '../exec/probe-keys.js';
import { compileMatcher, type Matcher } from '../match/matcher.js';
import { textOf } from '../match/parse-text.js';
import type { IndexAccess, QueryPlan } from '../planner/plan.js';
import { type PlanInput, planQuery } from '../planner/plan-query.js';
import { textIndexOf } from '../planner/text-plan.js';
import { TextSearch } from '../text/text-search.js';
import type { ServerContext } from './command.js';
import { matcherFor } from './compiled-cache.js';
import { collationOf, expressionsOf, type QueryScope } from './query-scope.js';

/** What find, count, distinct, update, delete and findAndModify have in common: which documents, in which order. */
export interface Query {
  readonly filter: BsonDoc;
  readonly sort: BsonDoc | undefined;
  readonly hint: BsonValue | undefined;
  readonly skip: number;
  readonly limit: number | undefined;
  /** The paths read of each document; undefined for all of it. */
  readonly reads?: ReadonlySet<string> | undefined;
  /** Variables and collation; none for queries the server makes by itself. */
  readonly scope?: QueryScope;
  /** Where the filter was compiled before, for this collection. */
  readonly matcher?: Matcher;
}

export interface PlannedQuery {
  readonly matcher: Matcher;
  readonly plan: QueryPlan;
  readonly collation: Collation | undefined;
  readonly text: TextSearch | undefined;
}

export function plan(context: ServerContext, collection: Collection, query: Query): PlannedQuery {
  const input = planInput(context, collection, query);
  const { collation, matcher, text } = input;
  return { matcher, collation, text, plan: planQuery(input) };
}

/** What the planner is told of a query. */
export function planInput(
  { env }: ServerContext,
  collection: Collection,
  query: Query,
): PlanInput & Omit<PlannedQuery, 'plan'> {
  const collation = collationOf(collection, query.scope);
  const text = textSearchOf(collection, query.filter);
  const matcher = text
    ? compileMatcher(query.filter, { ...expressionsOf(query.scope ?? bareScope, collation), text })
    : (query.matcher ?? matcherFor(query.filter, query.scope, collation));
  const sort: readonly IndexField[] = query.sort && query.sort.size > 0 ? sortFields(query.sort) : [];
  const probe = (access: IndexAccess) => probeKeys(env.data, access);
  return {
    collection,
    matcher,
    root: matcher.root,
    sort,
    hint: query.hint,
    collation,
    text,
    reads: query.reads,
    probe,
  };
}

/** For `$indexStats`. */
function countUses({ access }: QueryPlan): void {
  if (access.kind === 'index') access.index.uses += 1;
  else if (access.kind === 'union') for (const { index } of access.branches) index.uses += 1;
}

const bareScope: QueryScope = { env: {}, variables: undefined, collation: undefined };

/** The `$text` of a filter, on the collection's one text index. */
function textSearchOf(collection: Collection, filter: BsonDoc): TextSearch | undefined {
  const given = textOf(filter);
  const spec = given && textIndexOf(collection)?.spec.text;
  return spec && new TextSearch(spec, given);
}

/** Plans a query and makes it ready to step through. */
export function execute(context: ServerContext, collection: Collection, query: Query): Execution {
  const planned = plan(context, collection, query);
  countUses(planned.plan);
  return new Execution(
    { store: context.store, data: context.env.data },
    { collection, ...planned, sort: query.sort, skip: query.skip, limit: query.limit },
  );
}

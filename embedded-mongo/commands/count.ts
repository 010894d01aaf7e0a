import { BsonDoc } from '../bson/value.js';
import type { Collection } from '../catalog/collection.js';
import { countIndexEntries } from '../exec/count-entries.js';
import type { Execution } from '../exec/execution.js';
import { TimeSlice } from '../exec/time-slice.js';
import { countsKeys } from '../planner/describe-plan.js';
import { collectionArgument, countArgument, docArgument, integerArgument } from './arguments.js';
import type { Command, ServerContext } from './command.js';
import { matcherFor } from './compiled-cache.js';
import { okReply } from './ok-reply.js';
import { execute, plan, type Query } from './query-parts.js';
import { scopeOf } from './query-scope.js';

export const countOptions = ['query', 'limit', 'skip', 'hint', 'collation', 'fields'] as const;

export const countCommand: Command = {
  name: 'count',
  options: countOptions,
  run: async ({ context, request, operation }) => {
    const { body, db } = request;
    const query = countQueryOf(context, body);
    const collection = context.catalog.get(db, collectionArgument(request));
    if (!collection) {
      matcherFor(query.filter, query.scope);
      return okReply({ n: 0 });
    }
    return okReply({
      n: await countDocuments(context, collection, query, new TimeSlice(context.system, operation)),
    });
  },
};

export function countQueryOf(context: ServerContext, body: BsonDoc): Query {
  const limit = Math.abs(integerArgument(body, 'limit') ?? 0);
  return {
    filter: docArgument(body, 'query') ?? new BsonDoc(),
    sort: undefined,
    hint: body.get('hint'),
    skip: countArgument(body, 'skip') ?? 0,
    limit: limit === 0 ? undefined : limit,
    reads: new Set(),
    scope: scopeOf(context, body),
  };
}

/** Documents counted between two looks at the clock. */
const documentsPerLook = 128;

/** Counts without reading documents where the counter or the keys alone can tell. */
export async function countDocuments(
  context: ServerContext,
  collection: Collection,
  query: Query,
  slice: TimeSlice,
): Promise<number> {
  const window = (total: number) => Math.min(Math.max(0, total - query.skip), query.limit ?? Number.POSITIVE_INFINITY);
  if (query.filter.size === 0 && query.hint === undefined) return window(collection.counters.documents);
  const chosen = plan(context, collection, query).plan;
  const { access } = chosen;
  if (access.kind === 'nothing') return 0;
  if (access.kind === 'index' && countsKeys(chosen))
    return window(await countIndexEntries(context.env.data, access, slice));
  return countSteps(execute(context, collection, query), slice);
}

async function countSteps(execution: Execution, slice: TimeSlice): Promise<number> {
  let n = 0;
  try {
    for (let step = execution.step(); step !== 'done'; step = execution.step()) {
      if (step === 'document') n += 1;
      if (step === 'again' || n % documentsPerLook === 0) await slice.breathe(() => execution.suspend());
    }
  } finally {
    execution.suspend();
  }
  return n;
}

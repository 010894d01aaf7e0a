import { compilePipeline } from '../aggregate/pipeline.js';
import type { AggregateEnv, CollectionName, Documents } from '../aggregate/stage.js';
import { BsonDoc } from '../bson/value.js';
import type { Collection } from '../catalog/collection.js';
import type { Collation } from '../compare/collation.js';
import { TimeSlice } from '../exec/time-slice.js';
import { leadingQuery } from './aggregate-pushdown.js';
import type { ServerContext } from './command.js';
import { matcherFor } from './compiled-cache.js';
import { pipelineFacts } from './pipeline-facts.js';
import { mergeInto, replaceCollection } from './pipeline-output.js';
import { execute, type Query } from './query-parts.js';
import type { QueryScope } from './query-scope.js';
import { withScore } from './text-score.js';
import { type ResolvedView, resolveView } from './view-source.js';

/** Documents copied out of the store at once; between two such lots nothing of it is held open. */
const lotDocuments = 128;
const lotBytes = 1024 * 1024;

/** The results of a query as the source of a pipeline. */
export async function* documentsOf(
  context: ServerContext,
  collection: Collection,
  query: Query,
  slice: TimeSlice,
  scored = false,
): Documents {
  const execution = execute(context, collection, query);
  for (let done = false; !done; ) {
    const lot: Buffer[] = [];
    let bytes = 0;
    while (!done && lot.length < lotDocuments && bytes < lotBytes && !slice.isOver()) {
      const step = execution.step();
      done = step === 'done';
      if (step !== 'document') continue;
      lot.push(scored ? withScore(execution.raw, execution.textScore()) : Buffer.from(execution.raw));
      bytes += execution.raw.length;
    }
    execution.suspend();
    yield* lot;
    await slice.breathe(() => undefined);
  }
}

/** What a command says around its pipeline. */
export interface PipelineAround {
  readonly name: string;
  readonly scope: QueryScope;
  readonly collation: Collation | undefined;
  readonly bypassValidation: boolean;
}

/** What a pipeline may do with the rest of the database. */
export function pipelineEnv(
  context: ServerContext,
  db: string,
  slice: TimeSlice,
  { name: own, scope, collation, bypassValidation }: PipelineAround,
): AggregateEnv {
  // Other collections are read as this one is, whatever their own collation (MongoDB: one collation per aggregation).
  const inner: QueryScope = { ...scope, collation: collation ?? 'simple' };
  const find = (name: CollectionName, filter: BsonDoc): Documents => {
    const view = context.catalog.view(name.database ?? db, name.collection);
    if (view) return throughView(resolveView(context, view), filter);
    const collection = context.catalog.get(name.database ?? db, name.collection);
    const query = { filter, sort: undefined, hint: undefined, skip: 0, limit: undefined, scope: inner };
    if (collection) return documentsOf(context, collection, query, slice);
    matcherFor(filter);
    return nothing();
  };
  const throughView = ({ view, source, pipeline }: ResolvedView, filter: BsonDoc): Documents => {
    const { query, rest } = leadingQuery([...pipeline, new BsonDoc(['$match'], [filter])], undefined);
    const collection = context.catalog.get(view.db, source);
    const documents = collection ? documentsOf(context, collection, { ...query, scope: inner }, slice) : nothing();
    return rest.length > 0 ? compilePipeline(rest, env, scope.variables).run(documents) : documents;
  };
  const env: AggregateEnv = {
    ...scope.env,
    ...(collation ? { collation } : {}),
    find,
    breathe: () => slice.breathe(() => undefined),
    readCollection: (name) => find(name, new BsonDoc()),
    out: (name, documents) =>
      replaceCollection(context, { db: name.database ?? db, name: name.collection }, documents, bypassValidation),
    merge: (target, documents) => {
      const { database, collection } = target.into;
      return mergeInto(context, { db: database ?? db, name: collection }, { ...target, bypassValidation }, documents);
    },
    facts: pipelineFacts(context, { db, name: own }),
  };
  return env;
}

async function* nothing(): Documents {
  yield* [];
}

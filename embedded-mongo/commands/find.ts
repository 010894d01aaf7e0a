import { BsonDoc } from '../bson/value.js';
import type { Collection } from '../catalog/collection.js';
import { MongoError } from '../errors.js';
import type { Tail } from '../exec/cursor-registry.js';
import { firstBatch, usualFirstBatch } from '../exec/cursor-reply.js';
import { ListStream, QueryStream } from '../exec/document-stream.js';
import { TailStream } from '../exec/tail-stream.js';
import { TimeSlice } from '../exec/time-slice.js';
import { projectedPaths } from '../project/plain.js';
import { booleanArgument, collectionArgument, countArgument, docArgument, integerArgument } from './arguments.js';
import type { Command, CommandCall, ServerContext } from './command.js';
import { matcherFor } from './compiled-cache.js';
import { findAsPipeline } from './find-as-pipeline.js';
import { projectorOf } from './projection.js';
import { execute, type Query } from './query-parts.js';
import { collationOf, type QueryScope, scopeOf } from './query-scope.js';
import { mentionsScore } from './text-score.js';

/** Options of find; `explain` takes the same ones. */
export const findOptions = [
  'filter',
  'sort',
  'projection',
  'hint',
  'skip',
  'limit',
  'batchSize',
  'singleBatch',
  'tailable',
  'awaitData',
  'noCursorTimeout',
  'allowDiskUse',
  'allowPartialResults',
  'collation',
  'let',
] as const;

export const findCommand: Command = { name: 'find', options: findOptions, run: find };

/** A negative limit is the old way to say "and no cursor". */
export function queryOf(
  context: ServerContext,
  body: BsonDoc,
): Query & { readonly singleBatch: boolean; readonly scope: QueryScope } {
  const filter = docArgument(body, 'filter') ?? new BsonDoc();
  const limit = integerArgument(body, 'limit') ?? 0;
  const projection = docArgument(body, 'projection');
  return {
    filter,
    sort: docArgument(body, 'sort'),
    hint: body.get('hint'),
    skip: countArgument(body, 'skip') ?? 0,
    limit: limit === 0 ? undefined : Math.abs(limit),
    reads: projection && projectedPaths(projection),
    singleBatch: limit < 0 || booleanArgument(body, 'singleBatch'),
    scope: scopeOf(context, body),
  };
}

function find(call: CommandCall): ReturnType<Command['run']> {
  const { context, request, operation } = call;
  const { body, db } = request;
  const name = collectionArgument(request);
  const namespace = `${db}.${name}`;
  if (mentionsScore(body.get('sort')) || mentionsScore(body.get('projection')))
    return findAsPipeline(call, { namespace, source: name, pipeline: [] });
  const query = queryOf(context, body);
  const collection = context.catalog.get(db, name);
  const slice = new TimeSlice(context.system, operation);
  const tailable = booleanArgument(body, 'tailable');
  const awaitData = booleanArgument(body, 'awaitData');
  if (awaitData && !tailable)
    throw new MongoError('FailedToParse', "Cannot set 'awaitData' without also setting 'tailable'");
  const input = {
    namespace,
    batchSize: countArgument(body, 'batchSize'),
    singleBatch: query.singleBatch,
    noTimeout: booleanArgument(body, 'noCursorTimeout'),
  };
  if (!collection) {
    // A wrong filter is an error even where there is nothing to match.
    const collation = collationOf(undefined, query.scope);
    projectorOf(body, matcherFor(query.filter, query.scope, collation), query.scope, collation);
    return firstBatch(context.cursors, { ...input, stream: new ListStream([]) }, slice);
  }
  if (tailable) checkTailable(collection, query);
  const execution = execute(context, collection, query);
  const projector = projectorOf(body, execution.matcher, query.scope, collationOf(collection, query.scope));
  const stream = tailable ? new TailStream(execution, projector) : new QueryStream(execution, projector);
  const tail = tailable ? tailOf(context, collection, awaitData) : undefined;
  const expectedBytes = projector ? 0 : expectedBatchBytes(collection, input.batchSize ?? usualFirstBatch, query.limit);
  return firstBatch(context.cursors, { ...input, stream, tail, expectedBytes }, slice);
}

/** A query that finds less than it asks for leaves some of this unused. */
const mostExpectedBytes = 2 * 1024 * 1024;

function expectedBatchBytes({ counters }: Collection, batchSize: number, limit = batchSize): number {
  const documents = Math.min(batchSize, limit, counters.documents);
  return documents === 0 ? 0 : Math.min(mostExpectedBytes, (documents * counters.sizeBytes) / counters.documents);
}

function checkTailable(collection: Collection, query: Query): void {
  if (!collection.options.capped) {
    throw new MongoError(
      'BadValue',
      `error processing query: tailable cursor requested on non capped collection ns:${collection.namespace}`,
    );
  }
  if (query.sort?.size || query.skip > 0) {
    throw new MongoError('BadValue', 'cannot use tailable option with a sort or a skip');
  }
}

function tailOf({ inserted }: ServerContext, collection: Collection, awaitData: boolean): Tail {
  return { awaitData, wait: (timeoutMs, gone) => inserted.wait(collection, timeoutMs, gone) };
}

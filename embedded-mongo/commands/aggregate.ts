import { compilePipeline, type Pipeline } from '../aggregate/pipeline.js';
import type { Documents } from '../aggregate/stage.js';
import { encodeDocument } from '../bson/encode.js';
import { BsonDoc, type BsonValue } from '../bson/value.js';
import { asNumber } from '../catalog/bson-arguments.js';
import type { Collection } from '../catalog/collection.js';
import { MongoError } from '../errors.js';
import { firstBatch } from '../exec/cursor-reply.js';
import { type DocumentStream, IteratorStream, ListStream, QueryStream } from '../exec/document-stream.js';
import { TimeSlice } from '../exec/time-slice.js';
import type { CommandRequest } from '../wire/request.js';
import { countShape } from './aggregate-count.js';
import { leadingQuery } from './aggregate-pushdown.js';
import { arrayArgument, booleanArgument, collectionArgument, countArgument, docArgument } from './arguments.js';
import type { Command, CommandCall, ServerContext } from './command.js';
import { matcherFor } from './compiled-cache.js';
import { countDocuments } from './count.js';
import { documentsOf, type PipelineAround, pipelineEnv } from './pipeline-env.js';
import { wholeDatabase } from './pipeline-facts.js';
import { execute, type Query } from './query-parts.js';
import { collationOf, scopeOf } from './query-scope.js';
import { mentionsScore, overScoreField } from './text-score.js';

export const aggregateCommand: Command = {
  name: 'aggregate',
  options: ['pipeline', 'cursor', 'explain', 'allowDiskUse', 'hint', 'collation', 'let', 'bypassDocumentValidation'],
  run: async (call) => {
    const { context, request, operation } = call;
    const { body, db } = request;
    const slice = new TimeSlice(context.system, operation);
    if (booleanArgument(body, 'explain'))
      throw new MongoError('BadValue', "use the explain command instead of aggregate's explain option");
    const cursor = docArgument(body, 'cursor');
    if (!cursor)
      throw new MongoError(
        'FailedToParse',
        "The 'cursor' option is required, except for aggregate with the explain argument",
      );
    const name = pipelineTarget(request);
    const input = {
      namespace: call.shownAs ?? `${db}.${name}`,
      batchSize: countArgument(cursor, 'batchSize'),
      singleBatch: false,
      noTimeout: false,
    };
    const stream = await open(call, name, slice);
    return firstBatch(context.cursors, { ...input, stream }, slice);
  },
};

async function open({ context, request }: CommandCall, name: string, slice: TimeSlice): Promise<DocumentStream> {
  const { body, db } = request;
  const scope = scopeOf(context, body);
  const leading = leadingQuery(arrayArgument(body, 'pipeline') ?? [], body.get('hint'));
  const scored = mentionsScore([...leading.rest]);
  const rest = scored ? overScoreField(leading.rest) : leading.rest;
  const query = { ...leading.query, scope };
  const collection = context.catalog.get(db, name);
  const counted = countShape(rest);
  if (counted) {
    const document = counted(await countOf(context, collection, query, slice));
    return new ListStream(document ? [encodeDocument(document)] : []);
  }
  // Compiled even where there is nothing to read: a wrong pipeline is an error on any collection.
  const pipeline =
    rest.length > 0
      ? compile(context, db, rest, {
          name,
          scope,
          collection,
          slice,
          bypassValidation: booleanArgument(body, 'bypassDocumentValidation'),
        })
      : undefined;
  if (!collection) matcherFor(query.filter, scope);
  if (!pipeline)
    return collection ? new QueryStream(execute(context, collection, query), undefined) : new ListStream([]);
  const source = collection ? documentsOf(context, collection, query, slice, scored) : noDocuments();
  return new IteratorStream(pipeline.run(source)[Symbol.asyncIterator]());
}

function compile(
  context: ServerContext,
  db: string,
  stages: readonly BsonValue[],
  around: Omit<PipelineAround, 'collation'> & { collection: Collection | undefined; slice: TimeSlice },
): Pipeline {
  const { scope, collection, slice } = around;
  const collation = collationOf(collection, scope);
  const env = pipelineEnv(context, db, slice, { ...around, collation });
  return compilePipeline(stages, env, scope.variables);
}

async function* noDocuments(): Documents {
  yield* [];
}

async function countOf(
  context: ServerContext,
  collection: Collection | undefined,
  query: Query,
  slice: TimeSlice,
): Promise<number> {
  if (collection) return countDocuments(context, collection, query, slice);
  matcherFor(query.filter, query.scope);
  return 0;
}

/** `{ aggregate: 1 }` is for pipelines that begin with documents of their own. */
function pipelineTarget(request: CommandRequest): string {
  const { body } = request;
  if (asNumber(body.values[0]) !== 1) return collectionArgument(request);
  const [first] = arrayArgument(body, 'pipeline') ?? [];
  const stage = first instanceof BsonDoc ? first.keys[0] : undefined;
  if (stage === '$documents' || stage === '$currentOp') return wholeDatabase;
  throw new MongoError('InvalidNamespace', '{aggregate: 1} needs a pipeline that begins with $documents or $currentOp');
}

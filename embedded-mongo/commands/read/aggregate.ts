import { compilePipeline, type Pipeline } from '../../aggregate/pipeline.js';
import type { Documents } from '../../aggregate/stage.js';
import { encodeDocument } from '../../bson/encode.js';
import { asNumber } from '../../bson/number.js';
import { BsonDoc, type BsonValue } from '../../bson/value.js';
import type { Collection } from '../../catalog/collection.js';
import { fail } from '../../errors.js';
import { firstBatch } from '../../exec/cursor-reply.js';
import { type DocumentStream, IteratorStream, ListStream, QueryStream } from '../../exec/document-stream.js';
import { TimeSlice } from '../../exec/operation.js';
import type { CommandRequest } from '../../wire/op-msg.js';
import * as arg from '../arguments.js';
import { type Command, type CommandCall, type ServerContext } from '../command.js';
import { countDocuments } from './count-and-distinct.js';
import { documentsOf, type PipelineAround, pipelineEnv, WHOLE_DATABASE } from './pipeline-env.js';
import { countShape, leadingQuery, mentionsScore, overScoreField } from './pipeline-rewrites.js';
import { collationOf, execute, matcherFor, type Query, scopeOf } from './query.js';

export const AGGREGATE_COMMAND: Command = {
  name: 'aggregate',
  options: ['pipeline', 'cursor', 'explain', 'allowDiskUse', 'hint', 'collation', 'let', 'bypassDocumentValidation'],
  run: async (call) => {
    const { context, request, operation } = call;
    const { body, db } = request;
    const slice = new TimeSlice(context.system, operation);
    if (arg.boolean(body, 'explain')) fail('BadValue', "use the explain command instead of aggregate's explain option");
    const cursor = arg.doc(body, 'cursor');
    if (!cursor)
      fail('FailedToParse', "The 'cursor' option is required, except for aggregate with the explain argument");
    const name = pipelineTarget(request);
    const input = {
      namespace: call.shownAs ?? `${db}.${name}`,
      batchSize: arg.count(cursor, 'batchSize'),
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
  const leading = leadingQuery(arg.array(body, 'pipeline') ?? [], body.get('hint'));
  const scored = mentionsScore([...leading.rest]);
  const rest = scored ? overScoreField(leading.rest) : leading.rest;
  const query = { ...leading.query, scope };
  const collection = context.catalog.get(db, name);
  const counted = countShape(rest);
  if (counted) {
    const document = counted(await countOf(context, collection, query, slice));
    return new ListStream(document ? [encodeDocument(document)] : []);
  }
  // Compiled even without a collection: a wrong pipeline is always an error.
  const pipeline =
    rest.length > 0
      ? compile(context, db, rest, {
          name,
          scope,
          collection,
          slice,
          bypassValidation: arg.boolean(body, 'bypassDocumentValidation'),
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

/** `{ aggregate: 1 }` is for pipelines that start with their own documents. */
function pipelineTarget(request: CommandRequest): string {
  const { body } = request;
  if (asNumber(body.values[0]) !== 1) return arg.collection(request);
  const [first] = arg.array(body, 'pipeline') ?? [];
  const stage = first instanceof BsonDoc ? first.keys[0] : undefined;
  if (stage === '$documents' || stage === '$currentOp' || stage === '$listLocalSessions') return WHOLE_DATABASE;
  fail('InvalidNamespace', '{aggregate: 1} needs a pipeline that begins with $documents or $currentOp');
}

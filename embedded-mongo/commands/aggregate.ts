import { encodeDocument } from '../bson/encode.js';
import { BsonDoc, type BsonValue } from '../bson/value.js';
import type { Collection } from '../catalog/collection.js';
import { MongoError } from '../errors.js';
import { firstBatch } from '../exec/cursor-reply.js';
import { type DocumentStream, ListStream, QueryStream } from '../exec/document-stream.js';
import { TimeSlice } from '../exec/time-slice.js';
import { countShape } from './aggregate-count.js';
import { leadingQuery } from './aggregate-pushdown.js';
import {
  arrayArgument,
  booleanArgument,
  collectionArgument,
  countArgument,
  docArgument,
  maxTimeMs,
  refuseCollation,
} from './arguments.js';
import type { Command, CommandCall, ServerContext } from './command.js';
import { matcherFor } from './compiled-cache.js';
import { countDocuments } from './count.js';
import { execute, type Query } from './query-parts.js';

export const aggregateCommand: Command = {
  name: 'aggregate',
  options: ['pipeline', 'cursor', 'explain', 'allowDiskUse', 'hint', 'collation', 'let', 'bypassDocumentValidation'],
  run: async (call) => {
    const { context, request } = call;
    const { body, db } = request;
    const slice = new TimeSlice(context.system, maxTimeMs(body));
    if (booleanArgument(body, 'explain'))
      throw new MongoError('BadValue', "use the explain command instead of aggregate's explain option");
    const cursor = docArgument(body, 'cursor');
    if (!cursor)
      throw new MongoError(
        'FailedToParse',
        "The 'cursor' option is required, except for aggregate with the explain argument",
      );
    refuseCollation(body);
    const name = collectionArgument(request);
    const input = {
      namespace: `${db}.${name}`,
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
  const { query, rest } = leadingQuery(arrayArgument(body, 'pipeline') ?? [], body.get('hint'));
  const collection = context.catalog.get(db, name);
  const counted = countShape(rest);
  if (counted) {
    const document = counted(await countOf(context, collection, query, slice));
    return new ListStream(document ? [encodeDocument(document)] : []);
  }
  if (rest.length > 0) return pipelineStream(rest);
  if (collection) return new QueryStream(execute(context, collection, query), undefined);
  matcherFor(query.filter);
  return new ListStream([]);
}

async function countOf(
  context: ServerContext,
  collection: Collection | undefined,
  query: Query,
  slice: TimeSlice,
): Promise<number> {
  if (collection) return countDocuments(context, collection, query, slice);
  matcherFor(query.filter);
  return 0;
}

function pipelineStream(stages: readonly BsonValue[]): DocumentStream {
  const [first] = stages;
  throw new MongoError(40324, `Unrecognized pipeline stage name: '${first instanceof BsonDoc ? first.keys[0] : ''}'`);
}

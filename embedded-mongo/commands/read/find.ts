import { Long } from 'bson';
import { BsonDoc } from '../../bson/value.js';
import type { Collection } from '../../catalog/collection.js';
import { words } from '../../checked-access.js';
import { fail } from '../../errors.js';
import type { Tail } from '../../exec/cursor-registry.js';
import { firstBatch, nextBatch, USUAL_FIRST_BATCH } from '../../exec/cursor-reply.js';
import { ListStream, QueryStream, TailStream } from '../../exec/document-stream.js';
import { TimeSlice } from '../../exec/operation.js';
import { projectedPaths } from '../../project/projection.js';
import type { CommandRequest } from '../../wire/op-msg.js';
import * as arg from '../arguments.js';
import { type Command, type CommandCall, missingField, okReply, type ServerContext } from '../command.js';
import { mentionsScore } from './pipeline-rewrites.js';
import { collationOf, execute, matcherFor, projectorOf, type Query, type QueryScope, scopeOf } from './query.js';
import { findAsPipeline } from './views.js';

/** Options of find and of its `explain`. */
const FIND_OPTIONS = words(`
    filter sort projection hint skip limit batchSize singleBatch tailable awaitData noCursorTimeout
    allowDiskUse allowPartialResults collation let`);

const FIND_COMMAND: Command = { name: 'find', options: FIND_OPTIONS, run: find };

export function queryOf(
  context: ServerContext,
  body: BsonDoc,
): Query & { readonly singleBatch: boolean; readonly scope: QueryScope } {
  const filter = arg.doc(body, 'filter') ?? new BsonDoc();
  const limit = arg.count(body, 'limit') ?? 0;
  const projection = arg.doc(body, 'projection');
  return {
    filter,
    sort: arg.doc(body, 'sort'),
    hint: body.get('hint'),
    skip: arg.count(body, 'skip') ?? 0,
    limit: limit === 0 ? undefined : limit,
    reads: projection && projectedPaths(projection),
    singleBatch: arg.boolean(body, 'singleBatch'),
    scope: scopeOf(context, body),
  };
}

function find(call: CommandCall): ReturnType<Command['run']> {
  const { context, request, operation } = call;
  const { body, db } = request;
  const name = arg.collection(request);
  const namespace = `${db}.${name}`;
  if (mentionsScore(body.get('sort')) || mentionsScore(body.get('projection')))
    return findAsPipeline(call, { namespace, source: name, pipeline: [] });
  const query = queryOf(context, body);
  const collection = context.catalog.get(db, name);
  const slice = new TimeSlice(context.system, operation);
  const tailable = arg.boolean(body, 'tailable');
  const awaitData = arg.boolean(body, 'awaitData');
  if (awaitData && !tailable) fail('FailedToParse', "Cannot set 'awaitData' without also setting 'tailable'");
  const input = {
    namespace,
    batchSize: arg.count(body, 'batchSize'),
    singleBatch: query.singleBatch,
    noTimeout: arg.boolean(body, 'noCursorTimeout'),
  };
  if (!collection) {
    // A wrong filter is an error even without a collection.
    const collation = collationOf(undefined, query.scope);
    projectorOf(body, matcherFor(query.filter, query.scope, collation), query.scope, collation);
    return firstBatch(context.cursors, { ...input, stream: new ListStream([]) }, slice);
  }
  if (tailable) checkTailable(collection, query);
  const execution = execute(context, collection, query);
  const projector = projectorOf(body, execution.matcher, query.scope, collationOf(collection, query.scope));
  const stream = tailable ? new TailStream(execution, projector) : new QueryStream(execution, projector);
  const tail = tailable ? tailOf(context, collection, awaitData) : undefined;
  const expectedBytes = projector
    ? 0
    : expectedBatchBytes(collection, input.batchSize ?? USUAL_FIRST_BATCH, query.limit);
  return firstBatch(context.cursors, { ...input, stream, tail, expectedBytes }, slice);
}

/** Limits the guess, because a query may return less than it asks for. */
const MOST_EXPECTED_BYTES = 2 * 1024 * 1024;

function expectedBatchBytes({ counters }: Collection, batchSize: number, limit = batchSize): number {
  const documents = Math.min(batchSize, limit, counters.documents);
  return documents === 0 ? 0 : Math.min(MOST_EXPECTED_BYTES, (documents * counters.sizeBytes) / counters.documents);
}

function checkTailable(collection: Collection, query: Query): void {
  if (!collection.options.capped)
    fail(
      'BadValue',
      `error processing query: tailable cursor requested on non capped collection ns:${collection.namespace}`,
    );
  if (query.sort?.size || query.skip > 0) fail('BadValue', 'cannot use tailable option with a sort or a skip');
}

function tailOf({ inserted }: ServerContext, collection: Collection, awaitData: boolean): Tail {
  return { awaitData, wait: (timeoutMs, gone) => inserted.wait(collection, timeoutMs, gone) };
}

/** The wait of a tailable cursor when the client sets none. */
const DEFAULT_AWAIT_MS = 1_000;

const GET_MORE: Command = {
  name: 'getMore',
  options: ['collection', 'batchSize'],
  run: ({ context, request, client, operation }) => {
    const { body, db } = request;
    const id = arg.long(body.values[0], 'getMore');
    const name = arg.string(body, 'collection') || missingField('getMore.collection');
    const batchSize = arg.count(body, 'batchSize');
    const cursor = context.cursors.acquire(id, `${db}.${name}`);
    const limitMs = arg.maxTimeMs(body);
    if (limitMs > 0 && !cursor.tail?.awaitData) {
      context.cursors.release(cursor, true);
      fail('BadValue', 'cannot set maxTimeMS on getMore command for a non-awaitData cursor');
    }
    const input = {
      cursor,
      batchSize: batchSize === 0 ? undefined : batchSize,
      awaitMs: limitMs > 0 ? limitMs : DEFAULT_AWAIT_MS,
      gone: client.gone,
    };
    context.cursors.follow(cursor, operation);
    return nextBatch(context.cursors, input);
  },
};

const KILL_CURSORS: Command = {
  name: 'killCursors',
  options: ['cursors'],
  run: ({ context, request }) => {
    const namespace = `${request.db}.${arg.collection(request)}`;
    const killed: Long[] = [];
    const notFound: Long[] = [];
    for (const id of cursorIds(request))
      (context.cursors.kill(id, namespace) ? killed : notFound).push(Long.fromBigInt(id));
    return okReply({ cursorsKilled: killed, cursorsNotFound: notFound, cursorsAlive: [], cursorsUnknown: [] });
  },
};

function cursorIds({ body }: CommandRequest): bigint[] {
  return (arg.array(body, 'cursors') ?? []).map((value, i) => arg.long(value, `cursors.${i}`));
}

export const CURSOR_COMMANDS: readonly Command[] = [FIND_COMMAND, GET_MORE, KILL_CURSORS];

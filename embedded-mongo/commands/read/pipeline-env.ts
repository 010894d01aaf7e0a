import { Long } from 'bson';
import { compilePipeline } from '../../aggregate/pipeline.js';
import type { AggregateEnv, CollectionName, Documents } from '../../aggregate/stage.js';
import { encodeDocument } from '../../bson/encode.js';
import { BsonDate, BsonDoc, type BsonValue } from '../../bson/value.js';
import type { Collection, View } from '../../catalog/collection.js';
import { describeIndex } from '../../catalog/index-definition.js';
import { words } from '../../checked-access.js';
import type { Collation } from '../../compare/collation.js';
import { fail } from '../../errors.js';
import { TimeSlice } from '../../exec/operation.js';
import { describeOperation } from '../admin/operations.js';
import * as arg from '../arguments.js';
import { type ServerContext } from '../command.js';
import { mergeInto, replaceCollection } from '../write/pipeline-output.js';
import { leadingQuery, withScore } from './pipeline-rewrites.js';
import { execute, matcherFor, type Query, type QueryScope } from './query.js';

/** Documents copied from the store at once; no LMDB reader is open between two lots. */
const LOT_DOCUMENTS = 128;
const LOT_BYTES = 1024 * 1024;

/** The results of a query as the source of a pipeline; with `scored` each carries its text score. */
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
    while (!done && lot.length < LOT_DOCUMENTS && bytes < LOT_BYTES && !slice.isOver()) {
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

/** The command's settings for its pipeline. */
export interface PipelineAround {
  readonly name: string;
  readonly scope: QueryScope;
  readonly collation: Collation | undefined;
  readonly bypassValidation: boolean;
}

/** Gives a pipeline access to the rest of the database. */
export function pipelineEnv(
  context: ServerContext,
  db: string,
  slice: TimeSlice,
  { name: own, scope, collation, bypassValidation }: PipelineAround,
): AggregateEnv {
  // All collections of an aggregation use its one collation (MongoDB manual).
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

interface Place {
  readonly db: string;
  readonly name: string;
}

/** Returns the documents of `$collStats`, `$indexStats` and `$currentOp`. */
function pipelineFacts(context: ServerContext, place: Place) {
  return (stage: string, options: BsonDoc): (() => Documents) => {
    if (stage === '$collStats') return collStats(context, place, options);
    if (stage === '$listLocalSessions') return localSessions(context, place, options);
    return stage === '$indexStats' ? indexStats(context, place, options) : currentOp(context, place, options);
  };
}

/** Options of MongoDB's stages that this server does not have. */
const UNSUPPORTED_OPTIONS: ReadonlySet<string> = new Set(
  words('latencyStats queryExecStats operationStats targetAllNodes truncateOps backtrace'),
);

function refuseUnknown(stage: string, options: BsonDoc, known: readonly string[]): void {
  const unknown = options.keys.find((key) => !known.includes(key));
  if (unknown === undefined) return;
  const reason = UNSUPPORTED_OPTIONS.has(unknown) ? 'is not supported by this server' : 'is an unknown field.';
  fail(40_415, `BSON field '${stage}.${unknown}' ${reason}`);
}

function collStats(context: ServerContext, { db, name }: Place, options: BsonDoc): () => Documents {
  refuseUnknown('$collStats', options, ['count', 'storageStats']);
  const storage = options.get('storageStats');
  const scale = storage instanceof BsonDoc ? (arg.integer(storage, 'scale') ?? 1) : 1;
  return async function* () {
    const collection =
      context.catalog.get(db, name) ?? fail('NamespaceNotFound', `Collection [${db}.${name}] not found.`);
    const { documents, sizeBytes } = collection.counters;
    const size = Long.fromNumber(Math.floor(sizeBytes / scale));
    const stats = BsonDoc.of({ ns: collection.namespace, localTime: BsonDate.fromMs(context.system.nowMs()) });
    if (storage !== undefined) {
      const nindexes = collection.readyIndexes.length;
      const capped = collection.options.capped !== undefined;
      const numbers = { size, count: documents, storageSize: size, nindexes, capped, scaleFactor: scale };
      stats.append('storageStats', BsonDoc.of(numbers));
    }
    if (options.has('count')) stats.append('count', Long.fromNumber(documents));
    yield encodeDocument(stats);
  };
}

/** Counts uses since the server started. */
function indexStats(context: ServerContext, { db, name }: Place, options: BsonDoc): () => Documents {
  if (options.size > 0) fail(28_803, 'The $indexStats stage specification must be an empty object');
  return async function* () {
    const since = BsonDate.fromMs(context.startedAtMs);
    for (const index of context.catalog.get(db, name)?.readyIndexes ?? []) {
      const accesses = { ops: Long.fromNumber(index.uses), since };
      const spec = describeIndex(index.spec);
      yield encodeDocument(
        BsonDoc.of({ name: index.name, key: index.spec.key, host: 'embedded-mongo', accesses, spec }),
      );
    }
  };
}

function currentOp(context: ServerContext, { db, name }: Place, options: BsonDoc): () => Documents {
  refuseUnknown('$currentOp', options, ['allUsers', 'localOps', 'idleConnections', 'idleCursors', 'idleSessions']);
  if (db !== 'admin' || name !== WHOLE_DATABASE)
    fail('InvalidNamespace', "$currentOp must be run against the 'admin' database with {aggregate: 1}");
  return async function* () {
    const nowMs = context.system.monotonicMs();
    for (const operation of context.operations.all()) yield encodeDocument(describeOperation(operation, nowMs));
  };
}

/** One user may be logged in to a unix socket or over TCP; all see all sessions. */
function localSessions(context: ServerContext, { name }: Place, options: BsonDoc): () => Documents {
  refuseUnknown('$listLocalSessions', options, ['users', 'allUsers']);
  if (name !== WHOLE_DATABASE)
    fail('InvalidNamespace', '$listLocalSessions must be run against a database with {aggregate: 1}');
  return async function* () {
    for (const session of context.sessions.list()) yield encodeDocument(session);
  };
}

/** The name behind `{ aggregate: 1 }`: a pipeline that starts with its own documents. */
export const WHOLE_DATABASE = '$cmd.aggregate';

/** Resolves a view to its underlying collection (which may not exist) and all pipelines in between. */
export interface ResolvedView {
  readonly view: View;
  readonly source: string;
  readonly pipeline: readonly BsonValue[];
}

export function resolveView({ catalog }: ServerContext, view: View): ResolvedView {
  let { viewOn: source, pipeline } = view;
  for (let next = catalog.view(view.db, source); next; next = catalog.view(view.db, source)) {
    pipeline = [...next.pipeline, ...pipeline];
    source = next.viewOn;
  }
  return { view, source, pipeline };
}

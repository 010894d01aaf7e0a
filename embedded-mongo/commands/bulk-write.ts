import { decodeDocument } from '../bson/decode.js';
import { encodeDocument } from '../bson/encode.js';
import { BsonDoc } from '../bson/value.js';
import { MongoError } from '../errors.js';
import { firstBatch } from '../exec/cursor-reply.js';
import { ListStream } from '../exec/document-stream.js';
import { TimeSlice } from '../exec/time-slice.js';
import type { WriteSteps } from '../txn/write-queue.js';
import {
  arrayArgument,
  booleanArgument,
  docArgument,
  integerArgument,
  requiredDoc,
  stringArgument,
} from './arguments.js';
import type { Command, ServerContext } from './command.js';
import { matcherFor } from './compiled-cache.js';
import { insertDocument } from './insert.js';
import { deleteMatching } from './modify.js';
import { type QueryScope, scopeOf, statementScope } from './query-scope.js';
import { refuseReplacement, runUpdate, type UpdateOutcome, updaterFactory } from './update-command.js';
import { refuseViewWrites } from './views.js';
import { statementError } from './write-reply.js';

/** Where an operation writes to. */
interface Target {
  readonly db: string;
  readonly name: string;
}

interface Totals {
  nErrors: number;
  nInserted: number;
  nMatched: number;
  nModified: number;
  nUpserted: number;
  nDeleted: number;
}

/** The client-level bulk of MongoDB 8.0: operations on several collections in one command. */
export const bulkWriteCommand: Command = {
  name: 'bulkWrite',
  options: ['ops', 'nsInfo', 'ordered', 'errorsOnly', 'bypassDocumentValidation', 'let', 'cursor'],
  run: async ({ context, request, operation }) => {
    const { body, sequences } = request;
    if (request.db !== 'admin')
      throw new MongoError('Unauthorized', 'bulkWrite may only be run against the admin database.');
    const scope = scopeOf(context, body, new BsonDoc());
    const operations = sequences.get('ops') ?? [];
    if (operations.length === 0) throw new MongoError('InvalidLength', 'May not specify an empty set of operations');
    const targets = (sequences.get('nsInfo') ?? []).map(targetOf);
    const options = {
      ordered: !body.has('ordered') || booleanArgument(body, 'ordered'),
      bypass: booleanArgument(body, 'bypassDocumentValidation'),
      errorsOnly: booleanArgument(body, 'errorsOnly'),
      scope,
    };
    const { totals, results } = await context.writes.runSteps(
      () => runAll(context, operations, targets, options),
      operation,
    );
    const batchSize = integerArgument(docArgument(body, 'cursor') ?? new BsonDoc(), 'batchSize');
    return firstBatch(
      context.cursors,
      {
        namespace: 'admin.$cmd.bulkWrite',
        stream: new ListStream(results),
        batchSize: batchSize ?? Number.POSITIVE_INFINITY,
        singleBatch: false,
        noTimeout: false,
        extra: BsonDoc.of({ ...totals }),
      },
      new TimeSlice(context.system, operation),
    );
  },
};

function targetOf(raw: Buffer): Target {
  const namespace = stringArgument(decodeDocument(raw), 'ns') ?? '';
  const dot = namespace.indexOf('.');
  if (dot <= 0) throw new MongoError('InvalidNamespace', `Invalid namespace specified: '${namespace}'`);
  return { db: namespace.slice(0, dot), name: namespace.slice(dot + 1) };
}

interface BulkOptions {
  readonly ordered: boolean;
  readonly bypass: boolean;
  readonly errorsOnly: boolean;
  readonly scope: QueryScope;
}

function* runAll(
  context: ServerContext,
  operations: readonly Buffer[],
  targets: readonly Target[],
  options: BulkOptions,
): WriteSteps<{ totals: Totals; results: Buffer[] }> {
  const totals = { nErrors: 0, nInserted: 0, nMatched: 0, nModified: 0, nUpserted: 0, nDeleted: 0 };
  const results: Buffer[] = [];
  for (const [idx, raw] of operations.entries()) {
    if (idx > 0) yield;
    try {
      const fields = yield* runOne(context, decodeDocument(raw), targets, options, totals);
      if (!options.errorsOnly) results.push(encodeDocument(BsonDoc.of({ ok: 1, idx, ...fields })));
    } catch (error) {
      const { code, message, extra } = statementError(error);
      totals.nErrors += 1;
      results.push(encodeDocument(BsonDoc.of({ ok: 0, idx, n: 0, code, errmsg: message, ...extra })));
      if (options.ordered) break;
    }
  }
  return { totals, results };
}

function* runOne(
  context: ServerContext,
  operation: BsonDoc,
  targets: readonly Target[],
  options: BulkOptions,
  totals: Totals,
): WriteSteps<Record<string, unknown>> {
  const kind = operation.keys[0];
  if (kind !== 'insert' && kind !== 'update' && kind !== 'delete') {
    throw new MongoError('FailedToParse', `Unrecognized operation of a bulk write: ${kind}`);
  }
  const target = targets[integerArgument(operation, kind) ?? -1];
  if (!target) throw new MongoError('BadValue', `BulkWrite ${kind} has an invalid nsInfo index`);
  if (context.catalog.view(target.db, target.name)) refuseViewWrites(`${target.db}.${target.name}`);
  if (kind === 'insert') return insertOne(context, operation, target, options, totals);
  return kind === 'update'
    ? yield* update(context, operation, target, options, totals)
    : yield* remove(context, operation, target, options, totals);
}

function insertOne(context: ServerContext, operation: BsonDoc, target: Target, options: BulkOptions, totals: Totals) {
  const document = encodeDocument(requiredDoc(operation, 'document', 'bulkWrite.ops'));
  insertDocument(context, context.catalog.getOrCreate(target.db, target.name), document, options.bypass);
  totals.nInserted += 1;
  return { n: 1 };
}

function* update(
  context: ServerContext,
  operation: BsonDoc,
  { db, name }: Target,
  options: BulkOptions,
  totals: Totals,
): WriteSteps<Record<string, unknown>> {
  const multi = booleanArgument(operation, 'multi');
  const filter = requiredDoc(operation, 'filter', 'bulkWrite.ops');
  const sort = docArgument(operation, 'sort');
  if (multi && sort) throw new MongoError('FailedToParse', 'Cannot specify sort with multi=true');
  const mods = operation.get('updateMods');
  if (multi) refuseReplacement(mods);
  const scope = statementScope(options.scope, operation, 'constants');
  const updaterFor = updaterFactory(mods, arrayArgument(operation, 'arrayFilters'), scope);
  const query = { filter, sort, hint: operation.get('hint'), skip: 0, limit: multi ? undefined : 1, scope };
  const outcome: UpdateOutcome = { matched: 0, modified: 0 };
  const statement = { query, updaterFor, multi, upsert: booleanArgument(operation, 'upsert') };
  yield* runUpdate(context, db, name, statement, options.bypass, outcome);
  totals.nMatched += outcome.matched;
  totals.nModified += outcome.modified;
  if (outcome.upsertedId === undefined) return { n: outcome.matched, nModified: outcome.modified };
  totals.nUpserted += 1;
  return { n: 1, nModified: 0, upserted: new BsonDoc(['_id'], [outcome.upsertedId]) };
}

function* remove(
  context: ServerContext,
  operation: BsonDoc,
  { db, name }: Target,
  options: BulkOptions,
  totals: Totals,
): WriteSteps<Record<string, unknown>> {
  const scope = statementScope(options.scope, operation);
  const filter = requiredDoc(operation, 'filter', 'bulkWrite.ops');
  const limit = booleanArgument(operation, 'multi') ? undefined : 1;
  const collection = context.catalog.get(db, name);
  if (!collection) matcherFor(filter, scope);
  const query = { filter, sort: undefined, hint: operation.get('hint'), skip: 0, limit, scope };
  const n = collection ? yield* deleteMatching(context, collection, query) : 0;
  totals.nDeleted += n;
  return { n };
}

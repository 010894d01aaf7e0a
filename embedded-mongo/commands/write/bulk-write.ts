import { decodeDocument } from '../../bson/decode.js';
import { encodeDocument } from '../../bson/encode.js';
import { BsonDoc } from '../../bson/value.js';
import { fail } from '../../errors.js';
import { firstBatch } from '../../exec/cursor-reply.js';
import { ListStream } from '../../exec/document-stream.js';
import { TimeSlice } from '../../exec/operation.js';
import type { WriteSteps } from '../../txn/write-queue.js';
import * as arg from '../arguments.js';
import { type Command, isOrdered, requireAdmin, type ServerContext } from '../command.js';
import { matcherFor, type QueryScope, scopeOf, statementScope } from '../read/query.js';
import { refuseViewWrites } from '../read/views.js';
import { insertDocument, statementError } from './insert.js';
import { deleteMatching } from './modify.js';
import { refuseReplacement, runUpdate, type UpdateOutcome, updaterFactory } from './update-and-delete.js';

/** The target of an operation. */
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
export const BULK_WRITE_COMMAND: Command = {
  name: 'bulkWrite',
  options: ['ops', 'nsInfo', 'ordered', 'errorsOnly', 'bypassDocumentValidation', 'let', 'cursor'],
  run: async ({ context, request, operation }) => {
    const { body, sequences } = request;
    requireAdmin(request);
    const scope = scopeOf(context, body, new BsonDoc());
    const operations = sequences.get('ops') ?? [];
    if (operations.length === 0) fail('InvalidLength', 'May not specify an empty set of operations');
    const targets = (sequences.get('nsInfo') ?? []).map(targetOf);
    const options = {
      ordered: isOrdered(body),
      bypass: arg.boolean(body, 'bypassDocumentValidation'),
      errorsOnly: arg.boolean(body, 'errorsOnly'),
      scope,
    };
    const { totals, results } = await context.writes.runSteps(() => runAll(context, operations, targets, options), {
      operation,
      frees: operations.every((raw) => decodeDocument(raw).keys[0] === 'delete'),
    });
    const batchSize = arg.integer(arg.doc(body, 'cursor') ?? new BsonDoc(), 'batchSize');
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
  const namespace = arg.string(decodeDocument(raw), 'ns') ?? '';
  const dot = namespace.indexOf('.');
  if (dot <= 0) fail('InvalidNamespace', `Invalid namespace specified: '${namespace}'`);
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
  if (kind !== 'insert' && kind !== 'update' && kind !== 'delete')
    fail('FailedToParse', `Unrecognized operation of a bulk write: ${kind}`);
  const target =
    targets[arg.integer(operation, kind) ?? -1] ?? fail('BadValue', `BulkWrite ${kind} has an invalid nsInfo index`);
  if (context.catalog.view(target.db, target.name)) refuseViewWrites(`${target.db}.${target.name}`);
  if (kind === 'insert') return insertOne(context, operation, target, options, totals);
  return kind === 'update'
    ? yield* update(context, operation, target, options, totals)
    : yield* remove(context, operation, target, options, totals);
}

function insertOne(context: ServerContext, operation: BsonDoc, target: Target, options: BulkOptions, totals: Totals) {
  const document = encodeDocument(arg.requiredDoc(operation, 'document', 'bulkWrite.ops'));
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
  const multi = arg.boolean(operation, 'multi');
  const filter = arg.requiredDoc(operation, 'filter', 'bulkWrite.ops');
  const sort = arg.doc(operation, 'sort');
  if (multi && sort) fail('FailedToParse', 'Cannot specify sort with multi=true');
  const mods = operation.get('updateMods');
  if (multi) refuseReplacement(mods);
  const scope = statementScope(options.scope, operation, 'constants');
  const updaterFor = updaterFactory(mods, arg.array(operation, 'arrayFilters'), scope);
  const query = { filter, sort, hint: operation.get('hint'), skip: 0, limit: multi ? undefined : 1, scope };
  const outcome: UpdateOutcome = { matched: 0, modified: 0 };
  const statement = { query, updaterFor, multi, upsert: arg.boolean(operation, 'upsert') };
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
  const filter = arg.requiredDoc(operation, 'filter', 'bulkWrite.ops');
  const limit = arg.boolean(operation, 'multi') ? undefined : 1;
  const collection = context.catalog.get(db, name);
  if (!collection) matcherFor(filter, scope);
  const query = { filter, sort: undefined, hint: operation.get('hint'), skip: 0, limit, scope };
  const n = collection ? yield* deleteMatching(context, collection, query) : 0;
  totals.nDeleted += n;
  return { n };
}

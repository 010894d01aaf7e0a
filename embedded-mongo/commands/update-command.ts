import { decodeDocument } from '../bson/decode.js';
import { BsonDoc, type BsonValue } from '../bson/value.js';
import type { Collection } from '../catalog/collection.js';
import { MongoError } from '../errors.js';
import type { WriteSteps } from '../txn/write-queue.js';
import { compileUpdate, type Updater } from '../update/updater.js';
import {
  arrayArgument,
  booleanArgument,
  checkBatchSize,
  collectionArgument,
  docArgument,
  requiredDoc,
} from './arguments.js';
import type { Command, ServerContext } from './command.js';
import { matcherFor } from './compiled-cache.js';
import { type UpdateCounts, updateMatching, upsert } from './modify.js';
import type { Query } from './query-parts.js';
import { collationOf, expressionsOf, type QueryScope, scopeOf, statementScope } from './query-scope.js';
import { statementError, type WriteError, writeReply } from './write-reply.js';

export interface UpdateStatement {
  readonly query: Query;
  /** Compiled against the collection it meets, whose collation it may follow. */
  readonly updaterFor: (collection: Collection | undefined) => Updater;
  readonly multi: boolean;
  readonly upsert: boolean;
}

export interface UpdateOutcome extends UpdateCounts {
  upsertedId?: BsonValue;
}

const statementFields: ReadonlySet<string> = new Set([
  'q',
  'u',
  'c',
  'multi',
  'upsert',
  'collation',
  'arrayFilters',
  'hint',
  'sort',
]);

export const updateCommand: Command = {
  name: 'update',
  options: ['updates', 'ordered', 'bypassDocumentValidation', 'let'],
  run: ({ context, request, operation }) => {
    const { db, body, sequences } = request;
    const name = collectionArgument(request);
    const statements = sequences.get('updates');
    if (!statements) throw new MongoError(40414, "BSON field 'update.updates' is missing but a required field");
    checkBatchSize(statements.length);
    const ordered = !body.has('ordered') || booleanArgument(body, 'ordered');
    const bypassValidation = booleanArgument(body, 'bypassDocumentValidation');
    const scope = scopeOf(context, body, new BsonDoc());
    return context.writes.runSteps(function* () {
      const total = { n: 0, nModified: 0 };
      const upserted: BsonValue[] = [];
      const errors: WriteError[] = [];
      for (const [index, raw] of statements.entries()) {
        if (index > 0) yield;
        const outcome: UpdateOutcome = { matched: 0, modified: 0 };
        try {
          const statement = parseUpdateStatement(scope, decodeDocument(raw));
          yield* runUpdate(context, db, name, statement, bypassValidation, outcome);
        } catch (error) {
          errors.push({ index, error: statementError(error) });
        }
        total.n += outcome.matched + (outcome.upsertedId === undefined ? 0 : 1);
        total.nModified += outcome.modified;
        if (outcome.upsertedId !== undefined) upserted.push(BsonDoc.of({ index }).append('_id', outcome.upsertedId));
        if (ordered && errors.length > 0) break;
      }
      return writeReply(total, errors, upserted);
    }, operation);
  },
};

export function parseUpdateStatement(commandScope: QueryScope, doc: BsonDoc): UpdateStatement {
  for (const field of doc.keys) {
    if (!statementFields.has(field))
      throw new MongoError(40415, `BSON field 'update.updates.${field}' is an unknown field`);
  }
  const filter = requiredDoc(doc, 'q', 'update.updates');
  const multi = booleanArgument(doc, 'multi');
  const sort = docArgument(doc, 'sort');
  if (multi && sort) throw new MongoError('FailedToParse', 'Cannot specify sort with multi=true');
  const update = doc.get('u');
  if (doc.has('c') && !Array.isArray(update)) {
    throw new MongoError(51198, 'Constant values may only be specified for pipeline updates');
  }
  const scope = statementScope(commandScope, doc);
  const updaterFor = updaterFactory(update, arrayArgument(doc, 'arrayFilters'), scope);
  if (multi) refuseReplacement(update);
  return {
    query: { filter, sort, hint: doc.get('hint'), skip: 0, limit: multi ? undefined : 1, scope },
    updaterFor,
    multi,
    upsert: booleanArgument(doc, 'upsert'),
  };
}

export function refuseReplacement(update: BsonValue | undefined): void {
  if (update instanceof BsonDoc && !update.keys[0]?.startsWith('$')) {
    throw new MongoError('FailedToParse', 'multi update is not supported for replacement-style update');
  }
}

/** Compiles an update once it is known which collection's collation it may follow. */
export function updaterFactory(
  update: BsonValue | undefined,
  arrayFilters: readonly BsonValue[] | undefined,
  scope: QueryScope,
): (collection: Collection | undefined) => Updater {
  if (!(update instanceof BsonDoc) && !Array.isArray(update)) {
    throw new MongoError('FailedToParse', 'Update argument must be either an object or an array');
  }
  return (collection) =>
    compileUpdate(update, {
      expressions: expressionsOf(scope, collationOf(collection, scope)),
      ...(arrayFilters ? { arrayFilters } : {}),
    });
}

/** One update statement; fills `outcome` as it goes. */
export function* runUpdate(
  context: ServerContext,
  db: string,
  name: string,
  statement: UpdateStatement,
  bypassValidation: boolean,
  outcome: UpdateOutcome,
): WriteSteps<void> {
  const { query } = statement;
  const existing = context.catalog.get(db, name);
  const matcher = matcherFor(query.filter, query.scope, collationOf(existing, query.scope));
  const input = { query: { ...query, matcher }, updater: statement.updaterFor(existing), bypassValidation };
  if (existing) yield* updateMatching(context, existing, input, outcome);
  if (outcome.matched > 0 || !statement.upsert) return;
  const collection = context.catalog.getOrCreate(db, name);
  outcome.upsertedId = upsert(context, collection, { ...input, matcher }).id;
}

import { decodeDocument } from '../../bson/decode.js';
import { BsonDoc, type BsonValue } from '../../bson/value.js';
import type { Collection } from '../../catalog/collection.js';
import { words } from '../../checked-access.js';
import { fail } from '../../errors.js';
import type { WriteSteps } from '../../txn/write-queue.js';
import { compileUpdate, type Updater } from '../../update/updater.js';
import * as arg from '../arguments.js';
import { type Command, missingField, refuseUnknown, type ServerContext, writesOf } from '../command.js';
import {
  collationOf,
  expressionsOf,
  matcherFor,
  type Query,
  type QueryScope,
  scopeOf,
  statementScope,
} from '../read/query.js';
import { statementError, type WriteError, writeReply } from './insert.js';
import { deleteMatching, type UpdateCounts, updateMatching, upsert } from './modify.js';

interface UpdateStatement {
  readonly query: Query;
  /** Compiled for its collection, because the collection's collation may apply. */
  readonly updaterFor: (collection: Collection | undefined) => Updater;
  readonly multi: boolean;
  readonly upsert: boolean;
}

export interface UpdateOutcome extends UpdateCounts {
  upsertedId?: BsonValue;
}

const STATEMENT_FIELDS = words('q u c multi upsert collation arrayFilters hint sort');

export const UPDATE_COMMAND: Command = {
  name: 'update',
  options: ['updates', 'ordered', 'bypassDocumentValidation', 'let'],
  run: (call) => {
    const { context, operation } = call;
    const { db, name, writes, ordered, bypassValidation } = writesOf(call, 'updates');
    const scope = scopeOf(context, call.request.body, new BsonDoc());
    return context.writes.runSteps(
      function* () {
        const total = { n: 0, nModified: 0 };
        const upserted: BsonValue[] = [];
        const errors: WriteError[] = [];
        for (const [index, raw] of writes.entries()) {
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
      },
      { operation },
    );
  },
};

function parseUpdateStatement(commandScope: QueryScope, doc: BsonDoc): UpdateStatement {
  refuseUnknown(doc, STATEMENT_FIELDS, 'update.updates');
  const filter = arg.requiredDoc(doc, 'q', 'update.updates');
  const multi = arg.boolean(doc, 'multi');
  const sort = arg.doc(doc, 'sort');
  if (multi && sort) fail('FailedToParse', 'Cannot specify sort with multi=true');
  const update = doc.get('u');
  if (doc.has('c') && !Array.isArray(update)) fail(51198, 'Constant values may only be specified for pipeline updates');
  const scope = statementScope(commandScope, doc);
  const updaterFor = updaterFactory(update, arg.array(doc, 'arrayFilters'), scope);
  if (multi) refuseReplacement(update);
  return {
    query: { filter, sort, hint: doc.get('hint'), skip: 0, limit: multi ? undefined : 1, scope },
    updaterFor,
    multi,
    upsert: arg.boolean(doc, 'upsert'),
  };
}

export function refuseReplacement(update: BsonValue | undefined): void {
  if (update instanceof BsonDoc && !update.keys[0]?.startsWith('$'))
    fail('FailedToParse', 'multi update is not supported for replacement-style update');
}

/** Returns a compiler that takes the collection, because the collection's collation may apply. */
export function updaterFactory(
  update: BsonValue | undefined,
  arrayFilters: readonly BsonValue[] | undefined,
  scope: QueryScope,
): (collection: Collection | undefined) => Updater {
  if (!(update instanceof BsonDoc) && !Array.isArray(update))
    fail('FailedToParse', 'Update argument must be either an object or an array');
  return (collection) =>
    compileUpdate(update, {
      expressions: expressionsOf(scope, collationOf(collection, scope)),
      ...(arrayFilters ? { arrayFilters } : {}),
    });
}

/** Runs one update statement and fills `outcome` on the way. */
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

const DELETE_FIELDS = ['q', 'limit', 'collation', 'hint'];

export const DELETE_COMMAND: Command = {
  name: 'delete',
  options: ['deletes', 'ordered', 'let'],
  run: (call) => {
    const { context, operation } = call;
    const { db, name, writes, ordered } = writesOf(call, 'deletes');
    const scope = scopeOf(context, call.request.body, new BsonDoc());
    return context.writes.runSteps(
      function* () {
        let deleted = 0;
        const errors: WriteError[] = [];
        for (const [index, raw] of writes.entries()) {
          if (index > 0) yield;
          try {
            const query = parseDeleteStatement(scope, decodeDocument(raw));
            const collection = context.catalog.get(db, name);
            if (collection) deleted += yield* deleteMatching(context, collection, query);
            else matcherFor(query.filter, query.scope);
          } catch (error) {
            errors.push({ index, error: statementError(error) });
            if (ordered) break;
          }
        }
        return writeReply({ n: deleted }, errors);
      },
      { operation, frees: true },
    );
  },
};

function parseDeleteStatement(commandScope: QueryScope, doc: BsonDoc): Query {
  refuseUnknown(doc, DELETE_FIELDS, 'delete.deletes');
  const limit = arg.integer(doc, 'limit');
  if (limit === undefined) missingField('delete.deletes.limit');
  if (limit !== 0 && limit !== 1)
    fail('FailedToParse', `The limit field in delete objects must be 0 or 1. Got ${limit}`);
  const filter = arg.requiredDoc(doc, 'q', 'delete.deletes');
  const scope = statementScope(commandScope, doc);
  return { filter, sort: undefined, hint: doc.get('hint'), skip: 0, limit: limit === 1 ? 1 : undefined, scope };
}

import { T } from '../bson/types.js';
import { BsonDoc, type BsonValue } from '../bson/value.js';
import type { Collection } from '../catalog/collection.js';
import { MongoError } from '../errors.js';
import type { WriteSteps } from '../txn/write-queue.js';
import type { Updater } from '../update/updater.js';
import { type FramedReply, ReplyWriter } from '../wire/reply.js';
import type { CommandRequest } from '../wire/request.js';
import { arrayArgument, booleanArgument, collectionArgument, docArgument } from './arguments.js';
import type { Command, ServerContext } from './command.js';
import { matcherFor } from './compiled-cache.js';
import { findTargets, updateOne, upsert } from './modify.js';
import { okDouble } from './ok-reply.js';
import { projectorOf } from './projection.js';
import type { Query } from './query-parts.js';
import { collationOf, scopeOf } from './query-scope.js';
import { updaterFactory } from './update-command.js';

interface FindAndModify {
  readonly query: Query;
  /** Undefined to remove. */
  readonly updaterFor: ((collection: Collection | undefined) => Updater) | undefined;
  readonly returnNew: boolean;
  readonly upsert: boolean;
  readonly bypassValidation: boolean;
  readonly projectFor: (collection: Collection | undefined) => (raw: Buffer) => Buffer;
}

interface Outcome {
  readonly n: number;
  /** The document asked for, undecoded. */
  readonly value: Buffer | null;
  readonly updatedExisting?: boolean;
  readonly upserted?: BsonValue;
}

export const findAndModifyCommand: Command = {
  name: 'findAndModify',
  aliases: ['findandmodify'],
  options: [
    'query',
    'sort',
    'remove',
    'update',
    'new',
    'fields',
    'upsert',
    'bypassDocumentValidation',
    'collation',
    'arrayFilters',
    'hint',
    'let',
  ],
  run: ({ context, request, operation }) => {
    const name = collectionArgument(request);
    const parsed = parse(context, request);
    return context.writes.runSteps(function* () {
      return reply(yield* findAndModify(context, request.db, name, parsed));
    }, operation);
  },
};

function parse(context: ServerContext, request: CommandRequest): FindAndModify {
  const { body } = request;
  const scope = scopeOf(context, body);
  const remove = booleanArgument(body, 'remove');
  const returnNew = booleanArgument(body, 'new');
  const wantsUpsert = booleanArgument(body, 'upsert');
  const update = body.get('update');
  if (remove && update !== undefined)
    throw new MongoError('FailedToParse', 'Cannot specify both an update and remove=true');
  if (remove && wantsUpsert) throw new MongoError('FailedToParse', 'Cannot specify both upsert=true and remove=true');
  if (remove && returnNew) {
    throw new MongoError(
      'FailedToParse',
      "Cannot specify both new=true and remove=true; 'remove' always returns the deleted document",
    );
  }
  if (!remove && update === undefined)
    throw new MongoError('FailedToParse', 'Either an update or remove=true must be specified');
  const filter = docArgument(body, 'query') ?? new BsonDoc();
  const projectFor = (collection: Collection | undefined) => {
    const collation = collationOf(collection, scope);
    const matcher = matcherFor(filter, scope, collation);
    return projectorOf(body, matcher, scope, collation, 'fields') ?? ((raw: Buffer) => raw);
  };
  const updaterFor = remove ? undefined : updaterFactory(update, arrayArgument(body, 'arrayFilters'), scope);
  const collection = context.catalog.get(request.db, collectionArgument(request));
  // Compiled here too: what is wrong with them is an error even where nothing matches.
  projectFor(collection);
  updaterFor?.(collection);
  return {
    query: { filter, sort: docArgument(body, 'sort'), hint: body.get('hint'), skip: 0, limit: 1, scope },
    updaterFor,
    returnNew,
    upsert: wantsUpsert,
    bypassValidation: booleanArgument(body, 'bypassDocumentValidation'),
    projectFor,
  };
}

function* findAndModify(context: ServerContext, db: string, name: string, parsed: FindAndModify): WriteSteps<Outcome> {
  const collection = context.catalog.get(db, name);
  const found = collection ? yield* modifyFirst(context, collection, parsed) : undefined;
  if (found) return found;
  if (!parsed.updaterFor) return { n: 0, value: null };
  if (!parsed.upsert) return { n: 0, value: null, updatedExisting: false };
  const target = context.catalog.getOrCreate(db, name);
  const { query } = parsed;
  const matcher = matcherFor(query.filter, query.scope, collationOf(target, query.scope));
  const inserted = upsert(context, target, { ...parsed, updater: parsed.updaterFor(target), matcher });
  const value = parsed.returnNew ? parsed.projectFor(target)(inserted.raw) : null;
  return { n: 1, value, updatedExisting: false, upserted: inserted.id };
}

/** Undefined when nothing matches. A target changed by others while the search paused is looked for again. */
function* modifyFirst(
  context: ServerContext,
  collection: Collection,
  parsed: FindAndModify,
): WriteSteps<Outcome | undefined> {
  const project = parsed.projectFor(collection);
  const updater = parsed.updaterFor?.(collection);
  for (;;) {
    const { rids, matcher } = yield* findTargets(context, collection, parsed.query);
    const [rid] = rids;
    if (rid === undefined) return undefined;
    const before = context.store.read(collection.id, rid);
    if (!before) continue;
    if (!updater) {
      if (!matcher.matches(before)) continue;
      const value = project(before);
      context.store.remove(collection, rid, before);
      return { n: 1, value };
    }
    const outcome = updateOne(context, collection, { ...parsed, updater, matcher, rid, before });
    if (outcome) return { n: 1, value: project(parsed.returnNew ? outcome.raw : before), updatedExisting: true };
  }
}

function reply({ n, value, updatedExisting, upserted }: Outcome): FramedReply {
  const last = BsonDoc.of({ n });
  if (updatedExisting !== undefined) last.append('updatedExisting', updatedExisting);
  if (upserted !== undefined) last.append('upserted', upserted);
  const writer = new ReplyWriter((value?.length ?? 0) + 128);
  const start = writer.open();
  writer.field('lastErrorObject', last);
  if (value) {
    writer.element(T.object, 'value');
    writer.raw(value, 0, value.length);
  } else writer.field('value', null);
  writer.field('ok', okDouble);
  writer.close(start);
  return writer.frame();
}

import { BsonDoc, type BsonValue, T } from '../../bson/value.js';
import type { Collection } from '../../catalog/collection.js';
import { words } from '../../checked-access.js';
import { fail } from '../../errors.js';
import type { WriteSteps } from '../../txn/write-queue.js';
import type { Updater } from '../../update/updater.js';
import { type CommandRequest, type FramedReply, ReplyWriter } from '../../wire/op-msg.js';
import * as arg from '../arguments.js';
import { type Command, okDouble, type ServerContext } from '../command.js';
import { collationOf, matcherFor, projectorOf, type Query, scopeOf } from '../read/query.js';
import { findTargets, updateOne, upsert } from './modify.js';
import { updaterFactory } from './update-and-delete.js';

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
  /** The returned document, undecoded. */
  readonly value: Buffer | null;
  readonly updatedExisting?: boolean;
  readonly upserted?: BsonValue;
}

export const FIND_AND_MODIFY_COMMAND: Command = {
  name: 'findAndModify',
  aliases: ['findandmodify'],
  options: words(`
    query sort remove update new fields upsert bypassDocumentValidation collation arrayFilters hint let`),
  run: ({ context, request, operation }) => {
    const name = arg.collection(request);
    const parsed = parse(context, request);
    return context.writes.runSteps(
      function* () {
        return reply(yield* findAndModify(context, request.db, name, parsed));
      },
      { operation, frees: parsed.updaterFor === undefined },
    );
  },
};

function parse(context: ServerContext, request: CommandRequest): FindAndModify {
  const { body } = request;
  const scope = scopeOf(context, body);
  const remove = arg.boolean(body, 'remove');
  const returnNew = arg.boolean(body, 'new');
  const wantsUpsert = arg.boolean(body, 'upsert');
  const update = body.get('update');
  if (remove && update !== undefined) fail('FailedToParse', 'Cannot specify both an update and remove=true');
  if (remove && wantsUpsert) fail('FailedToParse', 'Cannot specify both upsert=true and remove=true');
  if (remove && returnNew)
    fail('FailedToParse', "Cannot specify both new=true and remove=true; 'remove' always returns the deleted document");
  if (!remove && update === undefined) fail('FailedToParse', 'Either an update or remove=true must be specified');
  const filter = arg.doc(body, 'query') ?? new BsonDoc();
  const projectFor = (collection: Collection | undefined) => {
    const collation = collationOf(collection, scope);
    const matcher = matcherFor(filter, scope, collation);
    return projectorOf(body, matcher, scope, collation, 'fields') ?? ((raw: Buffer) => raw);
  };
  const updaterFor = remove ? undefined : updaterFactory(update, arg.array(body, 'arrayFilters'), scope);
  const collection = context.catalog.get(request.db, arg.collection(request));
  // Compiled here too: a wrong filter or update is an error even without a match.
  projectFor(collection);
  updaterFor?.(collection);
  return {
    query: { filter, sort: arg.doc(body, 'sort'), hint: body.get('hint'), skip: 0, limit: 1, scope },
    updaterFor,
    returnNew,
    upsert: wantsUpsert,
    bypassValidation: arg.boolean(body, 'bypassDocumentValidation'),
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

/** Returns undefined when nothing matches. Searches again when another write changed the target during a pause. */
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

import { decodeRef } from '../bson/decode.js';
import { encodeDocument } from '../bson/encode.js';
import { rawId } from '../bson/raw.js';
import type { BsonDoc, BsonValue } from '../bson/value.js';
import type { Collection } from '../catalog/collection.js';
import { MongoError } from '../errors.js';
import type { Matcher } from '../match/matcher.js';
import type { WriteSteps } from '../txn/write-queue.js';
import type { Updater } from '../update/updater.js';
import { upsertBase } from '../update/upsert.js';
import type { ServerContext } from './command.js';
import { checkDocumentAllowed } from './document-rules.js';
import { insertDocument } from './insert.js';
import { execute, type Query } from './query-parts.js';

/** Documents changed between two looks at the clock. */
const documentsPerStep = 32;

/**
 * Rids of the documents a write is about, found before the first change: an update that moves a document forward in
 * the index it is read from must not meet it again.
 */
export function* findTargets(
  context: ServerContext,
  collection: Collection,
  query: Query,
): WriteSteps<{ rids: number[]; matcher: Matcher }> {
  const execution = execute(context, collection, query);
  const rids: number[] = [];
  try {
    for (let step = execution.step(); step !== 'done'; step = execution.step()) {
      if (step === 'document') rids.push(execution.rid);
      if (step === 'again' || rids.length % documentsPerStep === 0) {
        // A group may end here, and with it the transaction that open iterators belong to.
        execution.suspend();
        yield;
      }
    }
  } finally {
    execution.suspend();
  }
  return { rids, matcher: execution.matcher };
}

export function* deleteMatching(context: ServerContext, collection: Collection, query: Query): WriteSteps<number> {
  const { rids, matcher } = yield* findTargets(context, collection, query);
  let deleted = 0;
  for (const [position, rid] of rids.entries()) {
    if (position > 0 && position % documentsPerStep === 0) yield;
    const raw = collection.dropped ? undefined : context.store.read(collection.id, rid);
    // Between steps others may have changed it.
    if (!raw || !matcher.matches(raw)) continue;
    context.store.remove(collection, rid, raw);
    deleted += 1;
  }
  return deleted;
}

export interface UpdateCounts {
  matched: number;
  modified: number;
}

export interface UpdateInput {
  readonly query: Query;
  readonly updater: Updater;
  readonly bypassValidation: boolean;
}

/** Updates what the query finds. Counts grow as it goes, so that a statement that fails midway tells what it did. */
export function* updateMatching(
  context: ServerContext,
  collection: Collection,
  input: UpdateInput,
  counts: UpdateCounts,
): WriteSteps<void> {
  const { rids, matcher } = yield* findTargets(context, collection, input.query);
  for (const [position, rid] of rids.entries()) {
    if (position > 0 && position % documentsPerStep === 0) yield;
    const before = collection.dropped ? undefined : context.store.read(collection.id, rid);
    if (!before) continue;
    const outcome = updateOne(context, collection, { ...input, matcher, rid, before });
    if (!outcome) continue;
    counts.matched += 1;
    if (outcome.changed) counts.modified += 1;
  }
}

export interface Target {
  readonly rid: number;
  readonly before: Buffer;
  readonly matcher: Matcher;
  readonly updater: Updater;
  readonly bypassValidation: boolean;
}

/** Updates one document; undefined when it no longer matches. */
export function updateOne(
  context: ServerContext,
  collection: Collection,
  target: Target,
): { raw: Buffer; changed: boolean } | undefined {
  const { before, matcher, updater } = target;
  const position = updater.needsPosition
    ? matcher.matchPosition(before)
    : { matched: matcher.matches(before), arrayIndex: -1 };
  if (!position.matched) return undefined;
  const updateContext = {
    isUpsertInsert: false,
    matchedArrayIndex: position.arrayIndex,
    nowMs: context.system.nowMs(),
  };
  const outcome = updater.apply(before, updateContext);
  if (!outcome.changed) return outcome;
  checkDocumentAllowed(context.system, collection, outcome.raw, before, target.bypassValidation);
  context.store.replace(collection, target.rid, before, outcome.raw);
  return outcome;
}

/** Inserts what the filter fixes and the update adds; gives the document and its id. */
export function upsert(
  context: ServerContext,
  collection: Collection,
  input: UpdateInput & { readonly matcher: Matcher },
): { raw: Buffer; id: BsonValue } {
  const { updater, matcher } = input;
  const base: BsonDoc = upsertBase(matcher.root, updater.kind === 'replacement' ? '_id' : undefined);
  const updateContext = { isUpsertInsert: true, matchedArrayIndex: -1, nowMs: context.system.nowMs() };
  const { raw } = updater.apply(encodeDocument(base), updateContext);
  const stored = insertDocument(context, collection, raw, input.bypassValidation);
  const id = rawId(stored);
  if (!id) throw new MongoError('InternalError', 'an upserted document has no _id');
  return { raw: stored, id: decodeRef(id) };
}

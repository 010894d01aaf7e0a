import { decodeRef } from '../../bson/decode.js';
import { encodeDocument } from '../../bson/encode.js';
import { rawId } from '../../bson/raw.js';
import type { BsonDoc, BsonValue } from '../../bson/value.js';
import type { Collection } from '../../catalog/collection.js';
import { fail } from '../../errors.js';
import type { Matcher } from '../../match/matcher.js';
import type { WriteSteps } from '../../txn/write-queue.js';
import { type Updater, upsertBase } from '../../update/updater.js';
import type { ServerContext } from '../command.js';
import { execute, type Query } from '../read/query.js';
import { checkDocumentAllowed, insertDocument } from './insert.js';

/** Documents changed between two clock checks. */
const DOCUMENTS_PER_STEP = 32;

/**
 * Finds the rids of the matching documents before the first change, so that an update that moves a document forward in
 * its index does not meet it again.
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
      if (step === 'again' || rids.length % DOCUMENTS_PER_STEP === 0) {
        // A group may end here, and its transaction owns the open iterators.
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
    if (position > 0 && position % DOCUMENTS_PER_STEP === 0) yield;
    const raw = collection.dropped ? undefined : context.store.read(collection.id, rid);
    // Other writes may have changed it between steps.
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

interface UpdateInput {
  readonly query: Query;
  readonly updater: Updater;
  readonly bypassValidation: boolean;
}

/**
 * Updates the matching documents. Counts grow on the way, so that a statement that fails midway reports its changes.
 */
export function* updateMatching(
  context: ServerContext,
  collection: Collection,
  input: UpdateInput,
  counts: UpdateCounts,
): WriteSteps<void> {
  const { rids, matcher } = yield* findTargets(context, collection, input.query);
  for (const [position, rid] of rids.entries()) {
    if (position > 0 && position % DOCUMENTS_PER_STEP === 0) yield;
    const before = collection.dropped ? undefined : context.store.read(collection.id, rid);
    if (!before) continue;
    const outcome = updateOne(context, collection, { ...input, matcher, rid, before });
    if (!outcome) continue;
    counts.matched += 1;
    if (outcome.changed) counts.modified += 1;
  }
}

interface Target {
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

/** Inserts the values that the filter fixes and the update adds. @returns the document and its id. */
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
  const id = rawId(stored) ?? fail('InternalError', 'an upserted document has no _id');
  return { raw: stored, id: decodeRef(id) };
}

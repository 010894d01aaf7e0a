import type { Documents, MergeTarget } from '../../aggregate/stage.js';
import { mergeDocuments } from '../../aggregate/stages/output.js';
import { decodeStored } from '../../bson/decode.js';
import { encodeDocument } from '../../bson/encode.js';
import { idIsFirst, rawId } from '../../bson/raw.js';
import { BsonDoc, type BsonValue } from '../../bson/value.js';
import type { Collection } from '../../catalog/collection.js';
import type { Index } from '../../catalog/index-definition.js';
import { fail, type MongoError } from '../../errors.js';
import { duplicateKeyError } from '../../store/duplicate-key.js';
import { clearOrphans, type WriteSteps } from '../../txn/write-queue.js';
import { compileUpdate } from '../../update/updater.js';
import { buildIndex } from '../catalog/indexes.js';
import type { ServerContext } from '../command.js';
import { insertDocument } from './insert.js';
import { findTargets, updateOne } from './modify.js';

interface Target {
  readonly db: string;
  readonly name: string;
}

/** Documents written by one write job. */
const LOT_DOCUMENTS = 100;

async function inLots(documents: Documents, write: (lot: readonly Buffer[]) => Promise<void>): Promise<void> {
  let lot: Buffer[] = [];
  for await (const raw of documents) {
    lot.push(raw);
    if (lot.length < LOT_DOCUMENTS) continue;
    await write(lot);
    lot = [];
  }
  if (lot.length > 0) await write(lot);
}

/** Names of the temporary collections of `$out`. */
export const OUTPUT_NAME = /^tmp\.agg_out\.[0-9a-f]{16}$/;

/** `$out` writes to a temporary collection, which replaces the target with its options and indexes at the end. */
export async function replaceCollection(
  context: ServerContext,
  { db, name }: Target,
  documents: Documents,
  bypassValidation: boolean,
): Promise<void> {
  const { catalog, writes } = context;
  if (catalog.view(db, name)) fail('CommandNotSupportedOnView', `Namespace ${db}.${name} is a view, not a collection`);
  const temporary = `tmp.agg_out.${context.system.randomBytes(8).toString('hex')}`;
  await writes.runSteps(function* () {
    const target = catalog.get(db, name);
    if (target?.options.capped) fail(17152, `namespace '${db}.${name}' is capped so it can't be used for $out`);
    const created = catalog.create(db, temporary, target?.options ?? {});
    for (const index of target?.readyIndexes ?? []) if (!index.isId) yield* buildIndex(context, created, index.spec);
  });
  try {
    await inLots(documents, (lot) =>
      writes.run(() => insertAll(context, catalog.get(db, temporary), lot, bypassValidation)),
    );
    await writes.run(() => takePlace(context, { db, name }, temporary));
  } catch (error) {
    await writes.run(() => {
      const left = catalog.get(db, temporary);
      if (left) catalog.drop(left);
    });
    throw error;
  } finally {
    context.inBackground(clearOrphans(context));
  }
}

function insertAll(
  context: ServerContext,
  collection: Collection | undefined,
  lot: readonly Buffer[],
  bypassValidation: boolean,
): void {
  if (!collection) fail('QueryPlanKilled', 'the collection $out was writing to has been dropped');
  for (const raw of lot) insertDocument(context, collection, raw, bypassValidation);
}

function takePlace({ catalog }: ServerContext, { db, name }: Target, temporary: string): void {
  const finished =
    catalog.get(db, temporary) ?? fail('QueryPlanKilled', 'the collection $out was writing to has been dropped');
  const replaced = catalog.get(db, name);
  if (replaced) catalog.drop(replaced);
  catalog.rename(finished, db, name);
}

/** `$merge` matches each document with the target document that has the same `on` fields. */
export async function mergeInto(
  context: ServerContext,
  into: Target,
  rules: MergeTarget & { readonly bypassValidation: boolean },
  documents: Documents,
): Promise<void> {
  await context.writes.run(() => checkMergeFields(context.catalog.getOrCreate(into.db, into.name), rules));
  await inLots(documents, (lot) =>
    context.writes.runSteps(function* () {
      for (const raw of lot) {
        yield* mergeOne(context, context.catalog.getOrCreate(into.db, into.name), rules, raw);
        yield;
      }
    }),
  );
}

/** Only a unique index guarantees that the `on` fields identify one document. */
function checkMergeFields(collection: Collection, target: MergeTarget): void {
  uniqueIndexOf(collection, target);
}

function uniqueIndexOf(collection: Collection, { on }: MergeTarget): Index {
  const wanted = [...on].sort().join();
  const unique = collection.readyIndexes.find(
    (index) =>
      index.keepsUnique &&
      index.spec.collation?.id === collection.collation?.id &&
      !index.partialMatcher &&
      index.fields
        .map(({ path }) => path)
        .sort()
        .join() === wanted,
  );
  return unique ?? fail(51183, 'Cannot find index to verify that join fields will be unique');
}

function* mergeOne(
  context: ServerContext,
  collection: Collection,
  rules: MergeTarget & { readonly bypassValidation: boolean },
  raw: Buffer,
): WriteSteps<void> {
  const query = { filter: filterOf(raw, rules.on), sort: undefined, hint: undefined, skip: 0, limit: 1 };
  const { rids, matcher } = yield* findTargets(context, collection, query);
  const [rid] = rids;
  const before = rid === undefined ? undefined : context.store.read(collection.id, rid);
  if (rid === undefined || !before) {
    if (rules.whenNotMatched === 'fail')
      fail(13113, '$merge could not find a matching document in the target collection');
    if (rules.whenNotMatched === 'insert') insertDocument(context, collection, raw, rules.bypassValidation);
    return;
  }
  if (rules.whenMatched === 'fail') throw alreadyThere(collection, rules, raw);
  if (rules.whenMatched === 'keepExisting') return;
  const wanted = withIdOf(before, matchedDocument(rules, before, raw));
  const updater = compileUpdate(decodeStored(wanted));
  updateOne(context, collection, { rid, before, matcher, updater, bypassValidation: rules.bypassValidation });
}

/** The error of an insert that finds the key taken. */
function alreadyThere(collection: Collection, rules: MergeTarget, raw: Buffer): MongoError {
  const index = uniqueIndexOf(collection, rules);
  const [key] = index.keysOf(raw).keys;
  return duplicateKeyError(collection, index, raw, key ?? Buffer.alloc(0));
}

function matchedDocument({ whenMatched }: MergeTarget, before: Buffer, incoming: Buffer): Buffer {
  if (typeof whenMatched === 'function') return whenMatched(before, incoming);
  return whenMatched === 'merge' ? mergeDocuments(before, incoming) : incoming;
}

function filterOf(raw: Buffer, on: readonly string[]): BsonDoc {
  const doc = decodeStored(raw);
  const filter = new BsonDoc();
  for (const path of on) {
    const value = valueAt(doc, path);
    if (value === undefined || value === null || Array.isArray(value)) {
      if (path === '_id' && value === undefined) return new BsonDoc(['_id'], [new BsonDoc(['$in'], [[]])]);
      fail(51132, `$merge write error: 'on' field '${path}' cannot be missing, null, undefined or an array`);
    }
    filter.append(path, new BsonDoc(['$eq'], [value]));
  }
  return filter;
}

function valueAt(doc: BsonDoc, path: string): BsonValue | undefined {
  let value: BsonValue | undefined = doc;
  for (const step of path.split('.')) value = value instanceof BsonDoc ? value.get(step) : undefined;
  return value;
}

/** A document without `_id` keeps the `_id` of its match. */
function withIdOf(existing: Buffer, incoming: Buffer): Buffer {
  if (idIsFirst(incoming) || rawId(incoming)) return incoming;
  const id = decodeStored(existing).get('_id');
  if (id === undefined) return incoming;
  const doc = decodeStored(incoming);
  return encodeDocument(new BsonDoc(['_id', ...doc.keys], [id, ...doc.values]));
}

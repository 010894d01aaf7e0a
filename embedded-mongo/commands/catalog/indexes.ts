import { encodeDocument } from '../../bson/encode.js';
import { BsonDoc, type BsonValue } from '../../bson/value.js';
import type { Collection } from '../../catalog/collection.js';
import {
  declareIndex,
  describeIndex,
  ID_INDEX_SPEC,
  type Index,
  type IndexSpec,
  isUnserved,
  parseIndexSpec,
  sameIndex,
  sameKey,
} from '../../catalog/index-definition.js';
import { fail } from '../../errors.js';
import { CollectionScan } from '../../exec/scans.js';
import { clearOrphans, FREES, type WriteSteps } from '../../txn/write-queue.js';
import * as arg from '../arguments.js';
import { type Command, listReply, missingField, okReply, requireCollection, type ServerContext } from '../command.js';

const CREATE_INDEXES: Command = {
  name: 'createIndexes',
  options: ['indexes', 'commitQuorum'],
  run: async ({ context, request, operation }) => {
    const { db, body } = request;
    const name = arg.collection(request);
    const specs = (arg.array(body, 'indexes') ?? []).map((spec) => {
      if (!(spec instanceof BsonDoc)) fail('TypeMismatch', 'The elements of the indexes array must be objects');
      if (context.permissiveIndexes && isUnserved(spec)) {
        const declared = declareIndex(spec);
        context.system.report('an index is declared, not served', `${db}.${name}.${declared.name}`);
        return declared;
      }
      return parseIndexSpec(spec, context.catalog.get(db, name)?.collation);
    });
    if (specs.length === 0) fail('BadValue', 'Must specify at least one index to create');
    const reply = await context.writes.runSteps(() => create(context, db, name, specs), { operation });
    await clearOrphans(context);
    return reply;
  },
};

function* create(context: ServerContext, db: string, name: string, specs: readonly IndexSpec[]): WriteSteps<BsonDoc> {
  const createdCollectionAutomatically = !context.catalog.get(db, name);
  const collection = context.catalog.getOrCreate(db, name);
  const before = collection.indexes.length;
  const missing: IndexSpec[] = [];
  for (const spec of specs) if (needsIndex(collection, spec, missing)) missing.push(spec);
  for (const spec of missing) yield* buildIndex(context, collection, spec);
  const after = collection.indexes.length;
  const note = missing.length === 0 ? { note: 'all indexes already exist' } : {};
  return okReply({ numIndexesBefore: before, numIndexesAfter: after, createdCollectionAutomatically, ...note });
}

/**
 * Accepts an identical index and rejects another one under the same name or key, among the indexes of the collection and
 * those before it in the same command.
 */
function needsIndex(collection: Collection, spec: IndexSpec, before: readonly IndexSpec[]): boolean {
  if (spec.key.size === 1 && spec.key.keys[0] === '_id') return refuseIdVariant(spec);
  for (const existing of [...collection.indexes.map((index) => index.spec), ...before]) {
    const sameName = existing.name === spec.name;
    if (sameKey(existing, spec)) {
      if (!sameIndex(existing, spec))
        fail(
          sameName ? 'IndexKeySpecsConflict' : 'IndexOptionsConflict',
          `An equivalent index already exists with a different name or options. Requested: ${spec.name}, existing: ${existing.name}`,
        );
      if (!sameName) fail('IndexOptionsConflict', `Index already exists with a different name: ${existing.name}`);
      return false;
    }
    if (sameName)
      fail(
        'IndexKeySpecsConflict',
        `An existing index has the same name as the requested index. When index names are not specified, they are auto generated and can cause conflicts. Requested index: ${spec.name}`,
      );
  }
  const otherText = spec.text && collection.indexes.find((index) => index.spec.text);
  if (otherText)
    fail(
      'CannotCreateIndex',
      `only one text index per collection allowed, found existing text index "${otherText.name}"`,
    );
  if (collection.indexes.length >= MAX_INDEXES)
    fail('CannotCreateIndex', `add index fails, too many indexes for ${collection.namespace}`);
  return true;
}

const MAX_INDEXES = 64;

function refuseIdVariant(spec: IndexSpec): false {
  if (spec.sparse || spec.partialFilter || !sameKey({ ...spec, collation: undefined }, ID_INDEX_SPEC))
    fail('InvalidIndexSpecificationOption', 'The _id index is unique, ascending and cannot be sparse or partial');
  return false;
}

const DROP_INDEXES: Command = {
  name: 'dropIndexes',
  aliases: ['deleteIndexes'],
  options: ['index'],
  run: async ({ context, request }) => {
    const { db, body } = request;
    const name = arg.collection(request);
    if (!body.has('index')) missingField('dropIndexes.index');
    const nIndexesWas = await context.writes.run(() => {
      const collection = requireCollection(context, db, name);
      const was = collection.indexes.length;
      for (const index of indexesToDrop(collection, body.get('index'))) context.catalog.dropIndex(collection, index);
      return was;
    }, FREES);
    await clearOrphans(context);
    return okReply({ nIndexesWas });
  },
};

function indexesToDrop(collection: Collection, wanted: BsonValue | undefined): Index[] {
  if (wanted === '*') return collection.indexes.filter((index) => !index.isId);
  if (Array.isArray(wanted)) return wanted.flatMap((one) => indexesToDrop(collection, one));
  const index = collection.indexes.find(({ spec }) =>
    wanted instanceof BsonDoc ? encodeDocument(spec.key).equals(encodeDocument(wanted)) : spec.name === wanted,
  );
  if (!index) {
    const message =
      typeof wanted === 'string' ? `index not found with name [${wanted}]` : "can't find index with that key";
    fail('IndexNotFound', message);
  }
  if (index.isId) fail('InvalidOptions', 'cannot drop _id index');
  return [index];
}

const LIST_INDEXES: Command = {
  name: 'listIndexes',
  options: ['cursor', 'includeBuildUUIDs', 'includeIndexBuildInfo'],
  run: (call) => {
    const { context, request } = call;
    const name = arg.collection(request);
    const collection =
      context.catalog.get(request.db, name) ?? fail('NamespaceNotFound', `ns does not exist: ${request.db}.${name}`);
    const documents = collection.readyIndexes.map((index) => encodeDocument(describeIndex(index.spec)));
    return listReply(call, collection.namespace, documents);
  },
};

export const INDEX_COMMANDS: readonly Command[] = [CREATE_INDEXES, DROP_INDEXES, LIST_INDEXES];

const DOCUMENTS_PER_STEP = 64;

/**
 * Builds an index in steps. Every write maintains the new index from the first step on, so the walk covers only
 * existing documents. Plans use the index when it is complete. A failed or interrupted build leaves nothing.
 */
export function* buildIndex(context: ServerContext, collection: Collection, spec: IndexSpec): WriteSteps<void> {
  const { catalog, store, env } = context;
  const index = catalog.addIndex(collection, spec, true);
  const scan = new CollectionScan(store, env.data, collection, 1);
  try {
    for (let n = 1; scan.next(); n++) {
      // LMDB reuses the buffer during the unique check.
      store.addToIndex(collection, index, scan.rid, Buffer.from(scan.raw));
      if (n % DOCUMENTS_PER_STEP === 0) yield;
      if (collection.dropped) fail('QueryPlanKilled', 'the collection was dropped during the index build');
      if (!collection.indexes.includes(index)) fail('QueryPlanKilled', 'the index was dropped during its build');
    }
  } catch (error) {
    if (collection.indexes.includes(index) && !collection.dropped) catalog.dropIndex(collection, index);
    throw error;
  }
  index.building = false;
  catalog.save(collection);
}

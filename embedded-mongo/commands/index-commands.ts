import { encodeDocument } from '../bson/encode.js';
import { BsonDoc, type BsonValue } from '../bson/value.js';
import type { Collection } from '../catalog/collection.js';
import {
  describeIndex,
  type Index,
  type IndexSpec,
  idIndexSpec,
  parseIndexSpec,
  sameIndex,
  sameKey,
} from '../catalog/index-definition.js';
import { MongoError } from '../errors.js';
import { clearOrphans } from '../txn/clear-orphans.js';
import type { WriteSteps } from '../txn/write-queue.js';
import { arrayArgument, collectionArgument } from './arguments.js';
import { listReply, requireCollection } from './catalog-commands.js';
import type { Command, ServerContext } from './command.js';
import { buildIndex } from './index-build.js';
import { okReply } from './ok-reply.js';

const createIndexes: Command = {
  name: 'createIndexes',
  options: ['indexes', 'commitQuorum'],
  run: async ({ context, request, operation }) => {
    const { db, body } = request;
    const name = collectionArgument(request);
    const specs = (arrayArgument(body, 'indexes') ?? []).map((spec) => {
      if (!(spec instanceof BsonDoc))
        throw new MongoError('TypeMismatch', 'The elements of the indexes array must be objects');
      return parseIndexSpec(spec, context.catalog.get(db, name)?.collation);
    });
    if (specs.length === 0) throw new MongoError('BadValue', 'Must specify at least one index to create');
    const reply = await context.writes.runSteps(() => create(context, db, name, specs), operation);
    await clearOrphans(context);
    return reply;
  },
};

function* create(context: ServerContext, db: string, name: string, specs: readonly IndexSpec[]): WriteSteps<BsonDoc> {
  const createdCollectionAutomatically = !context.catalog.get(db, name);
  const collection = context.catalog.getOrCreate(db, name);
  const before = collection.indexes.length;
  const missing = specs.filter((spec) => needsIndex(collection, spec));
  for (const spec of missing) yield* buildIndex(context, collection, spec);
  const after = collection.indexes.length;
  const note = missing.length === 0 ? { note: 'all indexes already exist' } : {};
  return okReply({ numIndexesBefore: before, numIndexesAfter: after, createdCollectionAutomatically, ...note });
}

/** Asking again for what is there is fine; asking for something else under the same name or key is not. */
function needsIndex(collection: Collection, spec: IndexSpec): boolean {
  if (spec.key.size === 1 && spec.key.keys[0] === '_id') return refuseIdVariant(spec);
  for (const { spec: existing } of collection.indexes) {
    const sameName = existing.name === spec.name;
    if (sameKey(existing, spec)) {
      if (!sameIndex(existing, spec)) {
        throw new MongoError(
          sameName ? 'IndexKeySpecsConflict' : 'IndexOptionsConflict',
          `An equivalent index already exists with a different name or options. Requested: ${spec.name}, existing: ${existing.name}`,
        );
      }
      if (!sameName)
        throw new MongoError('IndexOptionsConflict', `Index already exists with a different name: ${existing.name}`);
      return false;
    }
    if (sameName) {
      throw new MongoError(
        'IndexKeySpecsConflict',
        `An existing index has the same name as the requested index. When index names are not specified, they are auto generated and can cause conflicts. Requested index: ${spec.name}`,
      );
    }
  }
  const otherText = spec.text && collection.indexes.find((index) => index.spec.text);
  if (otherText)
    throw new MongoError(
      'CannotCreateIndex',
      `only one text index per collection allowed, found existing text index "${otherText.name}"`,
    );
  if (collection.indexes.length >= maxIndexes)
    throw new MongoError('CannotCreateIndex', `add index fails, too many indexes for ${collection.namespace}`);
  return true;
}

const maxIndexes = 64;

function refuseIdVariant(spec: IndexSpec): false {
  if (spec.sparse || spec.partialFilter || !sameKey({ ...spec, collation: undefined }, idIndexSpec)) {
    throw new MongoError(
      'InvalidIndexSpecificationOption',
      'The _id index is unique, ascending and cannot be sparse or partial',
    );
  }
  return false;
}

const dropIndexes: Command = {
  name: 'dropIndexes',
  aliases: ['deleteIndexes'],
  options: ['index'],
  run: async ({ context, request }) => {
    const { db, body } = request;
    const name = collectionArgument(request);
    if (!body.has('index'))
      throw new MongoError(40414, "BSON field 'dropIndexes.index' is missing but a required field");
    const nIndexesWas = await context.writes.run(() => {
      const collection = requireCollection(context, db, name);
      const was = collection.indexes.length;
      for (const index of indexesToDrop(collection, body.get('index'))) context.catalog.dropIndex(collection, index);
      return was;
    });
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
    const told =
      typeof wanted === 'string' ? `index not found with name [${wanted}]` : "can't find index with that key";
    throw new MongoError('IndexNotFound', told);
  }
  if (index.isId) throw new MongoError('InvalidOptions', 'cannot drop _id index');
  return [index];
}

const listIndexes: Command = {
  name: 'listIndexes',
  options: ['cursor', 'includeBuildUUIDs', 'includeIndexBuildInfo'],
  run: (call) => {
    const { context, request } = call;
    const name = collectionArgument(request);
    const collection = context.catalog.get(request.db, name);
    if (!collection) throw new MongoError('NamespaceNotFound', `ns does not exist: ${request.db}.${name}`);
    const documents = collection.readyIndexes.map((index) => encodeDocument(describeIndex(index.spec)));
    return listReply(call, collection.namespace, documents);
  },
};

export const indexCommands: readonly Command[] = [createIndexes, dropIndexes, listIndexes];

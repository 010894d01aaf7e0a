import { Binary } from 'bson';
import { decodeStored } from '../../bson/decode.js';
import { encodeDocument } from '../../bson/encode.js';
import { BsonDoc } from '../../bson/value.js';
import {
  type Collection,
  type CollectionOptions,
  describeOptions,
  describeView,
  type View,
} from '../../catalog/collection.js';
import { describeIndex, type Index } from '../../catalog/index-definition.js';
import { words } from '../../checked-access.js';
import { parseCollation } from '../../compare/collation.js';
import { fail, MongoError } from '../../errors.js';
import { clearOrphans, FREES, type WriteSteps } from '../../txn/write-queue.js';
import * as arg from '../arguments.js';
import { type Command, listReply, okReply, requireAdmin, requireCollection, type ServerContext } from '../command.js';
import { matcherFor } from '../read/query.js';
import { buildIndex } from './indexes.js';
import { changeView, createView } from './view-changes.js';

const CREATE: Command = {
  name: 'create',
  options: words(`
    capped size max validator validationLevel validationAction collation autoIndexId idIndex viewOn pipeline`),
  run: async ({ context, request }) => {
    const name = arg.collection(request);
    if (request.body.has('viewOn')) {
      await createView(context, request.db, name, request.body);
      return okReply();
    }
    if (request.body.has('pipeline')) fail('InvalidOptions', "'pipeline' requires 'viewOn'");
    const options = parseCreateOptions(request.body);
    await context.writes.run(() => {
      const existing = context.catalog.get(request.db, name);
      if (
        existing &&
        encodeDocument(describeOptions(existing.options)).equals(encodeDocument(describeOptions(options)))
      )
        return;
      context.catalog.create(request.db, name, options);
    });
    return okReply();
  },
};

const DROP: Command = {
  name: 'drop',
  options: [],
  run: async ({ context, request }) => {
    const name = arg.collection(request);
    const ns = `${request.db}.${name}`;
    const dropped = await context.writes.run(() => {
      const view = context.catalog.view(request.db, name);
      if (view) context.catalog.dropView(view);
      const collection = context.catalog.get(request.db, name);
      if (collection) context.catalog.drop(collection);
      return collection;
    }, FREES);
    context.inBackground(clearOrphans(context));
    return dropped ? okReply({ nIndexesWas: dropped.indexes.length, ns }) : okReply();
  },
};

const DROP_DATABASE: Command = {
  name: 'dropDatabase',
  options: [],
  run: async ({ context, request: { db } }) => {
    const dropped = await context.writes.run(() => {
      const collections = context.catalog.collections(db);
      for (const collection of collections) context.catalog.drop(collection);
      const views = context.catalog.viewsOf(db);
      for (const view of views) context.catalog.dropView(view);
      return collections.length + views.length;
    }, FREES);
    context.inBackground(clearOrphans(context));
    return dropped > 0 ? okReply({ dropped: db }) : okReply();
  },
};

const RENAME_COLLECTION: Command = {
  name: 'renameCollection',
  options: ['to', 'dropTarget'],
  run: async ({ context, request }) => {
    requireAdmin(request);
    const [fromDb, from] = splitNamespace(arg.collection(request));
    const [toDb, to] = splitNamespace(arg.string(request.body, 'to') ?? '');
    const dropTarget = arg.boolean(request.body, 'dropTarget');
    await context.writes.run(() => {
      const collection = context.catalog.get(fromDb, from);
      if (!collection) fail('NamespaceNotFound', `Source collection ${fromDb}.${from} does not exist`);
      const target = context.catalog.get(toDb, to);
      if (target === collection) fail('IllegalOperation', "Can't rename a collection to itself");
      if (target && !dropTarget) fail('NamespaceExists', 'target namespace exists');
      if (target) context.catalog.drop(target);
      context.catalog.rename(collection, toDb, to);
    });
    context.inBackground(clearOrphans(context));
    return okReply();
  },
};

function splitNamespace(namespace: string): [db: string, collection: string] {
  const dot = namespace.indexOf('.');
  if (dot <= 0) fail('InvalidNamespace', `Invalid namespace specified: ${namespace}`);
  return [namespace.slice(0, dot), namespace.slice(dot + 1)];
}

const LIST_COLLECTIONS: Command = {
  name: 'listCollections',
  options: ['filter', 'nameOnly', 'authorizedCollections', 'cursor'],
  run: (call) => {
    const { context, request } = call;
    const { body, db } = request;
    const matcher = matcherFor(arg.doc(body, 'filter') ?? new BsonDoc());
    const nameOnly = arg.boolean(body, 'nameOnly');
    const { catalog } = context;
    const documents = [
      ...catalog.collections(db).map((collection) => describeCollection(collection, nameOnly)),
      ...catalog.viewsOf(db).map((view) => listedView(view, nameOnly)),
    ]
      .map(encodeDocument)
      .filter((raw) => matcher.matches(raw));
    return listReply(call, `${db}.$cmd.listCollections`, documents);
  },
};

function describeCollection(collection: Collection, nameOnly: boolean): BsonDoc {
  const { name, options, uuid } = collection;
  if (nameOnly) return BsonDoc.of({ name, type: 'collection' });
  const [idIndex] = collection.indexes;
  return BsonDoc.of({
    name,
    type: 'collection',
    options: describeOptions(options),
    info: { readOnly: false, uuid: new Binary(uuid.buffer, Binary.SUBTYPE_UUID) },
    idIndex: idIndex ? describeIndex(idIndex.spec) : undefined,
  });
}

function listedView(view: View, nameOnly: boolean): BsonDoc {
  const doc = BsonDoc.of({ name: view.name, type: 'view' });
  return nameOnly ? doc : doc.append('options', describeView(view)).append('info', BsonDoc.of({ readOnly: true }));
}

const LIST_DATABASES: Command = {
  name: 'listDatabases',
  options: ['filter', 'nameOnly', 'authorizedDatabases'],
  run: ({ context, request }) => {
    requireAdmin(request);
    const nameOnly = arg.boolean(request.body, 'nameOnly');
    const matcher = matcherFor(arg.doc(request.body, 'filter') ?? new BsonDoc());
    const databases = context.catalog
      .databaseNames()
      .map((name) => ({ name, sizeOnDisk: BigInt(databaseBytes(context, name)), empty: false }))
      .filter((database) => matcher.matches(encodeDocument(BsonDoc.of(database))));
    if (nameOnly) return okReply({ databases: databases.map(({ name }) => ({ name })) });
    const totalSize = databases.reduce((sum, { sizeOnDisk }) => sum + sizeOnDisk, 0n);
    return okReply({ databases, totalSize, totalSizeMb: totalSize >> 20n });
  },
};

function databaseBytes(context: ServerContext, db: string): number {
  return context.catalog.collections(db).reduce((sum, { counters }) => sum + counters.sizeBytes, 0);
}

const COLL_MOD: Command = {
  name: 'collMod',
  options: ['validator', 'validationLevel', 'validationAction', 'index', 'viewOn', 'pipeline'],
  run: async ({ context, request }) => {
    const { db, body } = request;
    const name = arg.collection(request);
    const view = context.catalog.view(db, name);
    if (view) {
      await changeView(context, view, body);
      return okReply();
    }
    if (body.has('viewOn') || body.has('pipeline')) fail('InvalidOptions', `${db}.${name} is a collection, not a view`);
    return context.writes.runSteps(function* () {
      const collection = requireCollection(context, db, name);
      const change = arg.doc(body, 'index');
      const reply = change ? changeIndex(context, collection, change) : {};
      if (change && arg.boolean(change, 'unique')) yield* convertToUnique(context, collection, change);
      if (['validator', 'validationLevel', 'validationAction'].some((option) => body.has(option))) {
        const { capped, collation } = collection.options;
        const validation = parseCreateOptions(mergedValidation(collection, body));
        context.catalog.setOptions(collection, {
          ...validation,
          ...(capped ? { capped } : {}),
          ...(collation ? { collation } : {}),
        });
      }
      return okReply(reply);
    });
  },
};

function mergedValidation(collection: Collection, body: BsonDoc): BsonDoc {
  const merged = new BsonDoc();
  for (const name of ['validator', 'validationLevel', 'validationAction']) {
    const value = body.get(name) ?? describeOptions(collection.options).get(name);
    if (value !== undefined) merged.append(name, value);
  }
  return merged;
}

/** Its time to live, and whether plans may see it. */
function changeIndex(context: ServerContext, collection: Collection, change: BsonDoc): Record<string, unknown> {
  const seconds = arg.count(change, 'expireAfterSeconds');
  const known = ['expireAfterSeconds', 'hidden', 'prepareUnique', 'unique', 'name', 'keyPattern'];
  const hides = change.has('hidden');
  const changesUnique = change.has('prepareUnique') || change.has('unique');
  if ((seconds === undefined && !hides && !changesUnique) || change.keys.some((key) => !known.includes(key)))
    fail('InvalidOptions', 'collMod can change only expireAfterSeconds, hidden, prepareUnique and unique of an index');
  const index = indexNamed(collection, change);
  const changes: Record<string, unknown> = {};
  if (seconds !== undefined) {
    const before = index.spec.expireAfterSeconds;
    if (before !== undefined) changes['expireAfterSeconds_old'] = before;
    changes['expireAfterSeconds_new'] = seconds;
    index.spec = { ...index.spec, expireAfterSeconds: seconds };
  }
  if (hides) {
    const hidden = arg.boolean(change, 'hidden');
    if (index.isId) fail('BadValue', "can't hide _id index");
    changes['hidden_old'] = index.spec.hidden === true;
    changes['hidden_new'] = hidden;
    index.spec = { ...index.spec, hidden };
  }
  if (change.has('prepareUnique')) {
    const prepareUnique = arg.boolean(change, 'prepareUnique');
    changes['prepareUnique_old'] = index.spec.prepareUnique === true;
    changes['prepareUnique_new'] = prepareUnique;
    index.spec = { ...index.spec, prepareUnique };
  }
  if (arg.boolean(change, 'unique') && !index.spec.unique) changes['unique_new'] = true;
  context.catalog.save(collection);
  return changes;
}

/** Converts a prepared index to a unique one: builds the unique one, then drops the prepared one. */
function* convertToUnique(context: ServerContext, collection: Collection, change: BsonDoc): WriteSteps<void> {
  const index = indexNamed(collection, change);
  if (index.spec.unique) return;
  if (!index.spec.prepareUnique)
    fail('InvalidOptions', `cannot make index ${index.name} unique without 'prepareUnique'`);
  try {
    yield* buildIndex(context, collection, { ...index.spec, unique: true, prepareUnique: false });
  } catch (error) {
    if (!(error instanceof MongoError) || error.codeName !== 'DuplicateKey') throw error;
    fail(
      'CannotConvertIndexToUnique',
      'Cannot convert the index to unique. Please resolve conflicting documents before running collMod again.',
      { violations: yield* violationsOf(context, collection, index) },
    );
  }
  context.catalog.dropIndex(collection, index);
}

/** MongoDB also limits this list, by its size. */
const MAX_VIOLATIONS = 1_000;

/** The ids of documents that share a key, for each such key. Keys of a collation find candidates only, so it names none. */
function* violationsOf(context: ServerContext, collection: Collection, index: Index): WriteSteps<BsonDoc[]> {
  if (index.collated) return [];
  const groups = yield* context.store.sharedKeys(index.id, MAX_VIOLATIONS);
  return groups.map((rids) => {
    const raws = rids.map((rid) => context.store.read(collection.id, rid));
    return BsonDoc.of({ ids: raws.map((raw) => (raw ? decodeStored(raw).get('_id') : undefined) ?? null) });
  });
}

function indexNamed(collection: Collection, change: BsonDoc): Index {
  const name = arg.string(change, 'name');
  const pattern = arg.doc(change, 'keyPattern');
  const index = collection.indexes.find(({ spec }) =>
    pattern ? encodeDocument(spec.key).equals(encodeDocument(pattern)) : spec.name === name,
  );
  return (
    index ?? fail('IndexNotFound', `cannot find index ${name ?? 'of that key pattern'} for ns ${collection.namespace}`)
  );
}

export const CATALOG_COMMANDS: readonly Command[] = [
  CREATE,
  DROP,
  DROP_DATABASE,
  RENAME_COLLECTION,
  LIST_COLLECTIONS,
  LIST_DATABASES,
  COLL_MOD,
];

/** Options of `create`, and the validation part of `collMod`. */
function parseCreateOptions(body: BsonDoc): CollectionOptions {
  const given = arg.doc(body, 'collation');
  const collation = given && given.size > 0 ? parseCollation(given) : undefined;
  const validator = arg.doc(body, 'validator');
  if (validator) matcherFor(validator, undefined, collation);
  const level = arg.string(body, 'validationLevel');
  if (level !== undefined && level !== 'off' && level !== 'strict' && level !== 'moderate')
    fail('BadValue', `invalid validation level: ${level}`);
  const action = arg.string(body, 'validationAction');
  if (action !== undefined && action !== 'error' && action !== 'warn')
    fail('BadValue', `invalid validation action: ${action}`);
  return {
    ...parseCapped(body),
    ...(validator && validator.size > 0 ? { validator } : {}),
    ...(level === undefined ? {} : { validationLevel: level }),
    ...(action === 'warn' ? { validationAction: action } : {}),
    ...(collation ? { collation: collation.spec } : {}),
  };
}

function parseCapped(body: BsonDoc): Pick<CollectionOptions, 'capped'> {
  const sizeBytes = arg.count(body, 'size');
  const maxDocuments = arg.count(body, 'max');
  if (!arg.boolean(body, 'capped')) {
    if (sizeBytes !== undefined || maxDocuments !== undefined)
      fail('InvalidOptions', "the 'capped' field needs to be true when either the 'size' or 'max' fields are present");
    return {};
  }
  if (!sizeBytes) fail('InvalidOptions', "the 'size' field is required when 'capped' is true");
  return { capped: { sizeBytes, ...(maxDocuments ? { maxDocuments } : {}) } };
}

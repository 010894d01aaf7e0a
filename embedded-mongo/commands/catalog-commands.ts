import { Binary } from 'bson';
import { encodeDocument } from '../bson/encode.js';
import { BsonDoc } from '../bson/value.js';
import { describeOptions } from '../catalog/codec.js';
import type { Collection } from '../catalog/collection.js';
import { describeIndex } from '../catalog/index-definition.js';
import { describeView, type View } from '../catalog/view.js';
import { MongoError } from '../errors.js';
import { firstBatch } from '../exec/cursor-reply.js';
import { ListStream } from '../exec/document-stream.js';
import { TimeSlice } from '../exec/time-slice.js';
import { clearOrphans } from '../txn/clear-orphans.js';
import {
  booleanArgument,
  collectionArgument,
  countArgument,
  docArgument,
  requiredDoc,
  stringArgument,
} from './arguments.js';
import { parseCreateOptions } from './collection-arguments.js';
import type { Command, CommandCall, ServerContext } from './command.js';
import { matcherFor } from './compiled-cache.js';
import { okReply } from './ok-reply.js';
import { changeView, createView } from './view-commands.js';

const create: Command = {
  name: 'create',
  options: [
    'capped',
    'size',
    'max',
    'validator',
    'validationLevel',
    'validationAction',
    'collation',
    'autoIndexId',
    'idIndex',
    'viewOn',
    'pipeline',
  ],
  run: async ({ context, request }) => {
    const name = collectionArgument(request);
    if (request.body.has('viewOn')) {
      await createView(context, request.db, name, request.body);
      return okReply();
    }
    if (request.body.has('pipeline')) throw new MongoError('InvalidOptions', "'pipeline' requires 'viewOn'");
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

const drop: Command = {
  name: 'drop',
  options: [],
  run: async ({ context, request }) => {
    const name = collectionArgument(request);
    const ns = `${request.db}.${name}`;
    const dropped = await context.writes.run(() => {
      const view = context.catalog.view(request.db, name);
      if (view) context.catalog.dropView(view);
      const collection = context.catalog.get(request.db, name);
      if (collection) context.catalog.drop(collection);
      return collection;
    });
    context.inBackground(clearOrphans(context));
    return dropped ? okReply({ nIndexesWas: dropped.indexes.length, ns }) : okReply();
  },
};

const dropDatabase: Command = {
  name: 'dropDatabase',
  options: [],
  run: async ({ context, request: { db } }) => {
    const dropped = await context.writes.run(() => {
      const collections = context.catalog.collections(db);
      for (const collection of collections) context.catalog.drop(collection);
      const views = context.catalog.viewsOf(db);
      for (const view of views) context.catalog.dropView(view);
      return collections.length + views.length;
    });
    context.inBackground(clearOrphans(context));
    return dropped > 0 ? okReply({ dropped: db }) : okReply();
  },
};

const renameCollection: Command = {
  name: 'renameCollection',
  options: ['to', 'dropTarget'],
  run: async ({ context, request }) => {
    if (request.db !== 'admin')
      throw new MongoError('Unauthorized', 'renameCollection may only be run against the admin database.');
    const [fromDb, from] = splitNamespace(collectionArgument(request));
    const [toDb, to] = splitNamespace(stringArgument(request.body, 'to') ?? '');
    const dropTarget = booleanArgument(request.body, 'dropTarget');
    await context.writes.run(() => {
      const collection = context.catalog.get(fromDb, from);
      if (!collection) throw new MongoError('NamespaceNotFound', `Source collection ${fromDb}.${from} does not exist`);
      const target = context.catalog.get(toDb, to);
      if (target === collection) throw new MongoError('IllegalOperation', "Can't rename a collection to itself");
      if (target && !dropTarget) throw new MongoError('NamespaceExists', 'target namespace exists');
      if (target) context.catalog.drop(target);
      context.catalog.rename(collection, toDb, to);
    });
    context.inBackground(clearOrphans(context));
    return okReply();
  },
};

function splitNamespace(namespace: string): [db: string, collection: string] {
  const dot = namespace.indexOf('.');
  if (dot <= 0) throw new MongoError('InvalidNamespace', `Invalid namespace specified: ${namespace}`);
  return [namespace.slice(0, dot), namespace.slice(dot + 1)];
}

const listCollections: Command = {
  name: 'listCollections',
  options: ['filter', 'nameOnly', 'authorizedCollections', 'cursor'],
  run: (call) => {
    const { context, request } = call;
    const { body, db } = request;
    const matcher = matcherFor(docArgument(body, 'filter') ?? new BsonDoc());
    const nameOnly = booleanArgument(body, 'nameOnly');
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

/** Answers with documents at hand, as a cursor like any other. */
export function listReply(
  { context, request, operation }: CommandCall,
  namespace: string,
  documents: readonly Buffer[],
) {
  const cursor = docArgument(request.body, 'cursor') ?? new BsonDoc();
  const input = {
    namespace,
    stream: new ListStream(documents),
    batchSize: countArgument(cursor, 'batchSize'),
    singleBatch: false,
    noTimeout: false,
  };
  return firstBatch(context.cursors, input, new TimeSlice(context.system, operation));
}

const listDatabases: Command = {
  name: 'listDatabases',
  options: ['filter', 'nameOnly', 'authorizedDatabases'],
  run: ({ context, request }) => {
    if (request.db !== 'admin')
      throw new MongoError('Unauthorized', 'listDatabases may only be run against the admin database.');
    const nameOnly = booleanArgument(request.body, 'nameOnly');
    const matcher = matcherFor(docArgument(request.body, 'filter') ?? new BsonDoc());
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

const collMod: Command = {
  name: 'collMod',
  options: ['validator', 'validationLevel', 'validationAction', 'index', 'viewOn', 'pipeline'],
  run: async ({ context, request }) => {
    const { db, body } = request;
    const name = collectionArgument(request);
    const view = context.catalog.view(db, name);
    if (view) {
      await changeView(context, view, body);
      return okReply();
    }
    if (body.has('viewOn') || body.has('pipeline'))
      throw new MongoError('InvalidOptions', `${db}.${name} is a collection, not a view`);
    return context.writes.run(() => {
      const collection = requireCollection(context, db, name);
      const reply = body.has('index') ? changeIndex(context, collection, requiredDoc(body, 'index', 'collMod')) : {};
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
  const seconds = countArgument(change, 'expireAfterSeconds');
  const name = stringArgument(change, 'name');
  const pattern = docArgument(change, 'keyPattern');
  const known = ['expireAfterSeconds', 'hidden', 'name', 'keyPattern'];
  const hides = change.has('hidden');
  if ((seconds === undefined && !hides) || change.keys.some((key) => !known.includes(key))) {
    throw new MongoError('InvalidOptions', 'collMod can change only expireAfterSeconds and hidden of an index');
  }
  const index = collection.indexes.find(({ spec }) =>
    pattern ? encodeDocument(spec.key).equals(encodeDocument(pattern)) : spec.name === name,
  );
  if (!index)
    throw new MongoError(
      'IndexNotFound',
      `cannot find index ${name ?? 'of that key pattern'} for ns ${collection.namespace}`,
    );
  const told: Record<string, unknown> = {};
  if (seconds !== undefined) {
    const before = index.spec.expireAfterSeconds;
    if (before !== undefined) told['expireAfterSeconds_old'] = before;
    told['expireAfterSeconds_new'] = seconds;
    index.spec = { ...index.spec, expireAfterSeconds: seconds };
  }
  if (hides) {
    const hidden = booleanArgument(change, 'hidden');
    if (index.isId) throw new MongoError('BadValue', "can't hide _id index");
    told['hidden_old'] = index.spec.hidden === true;
    told['hidden_new'] = hidden;
    index.spec = { ...index.spec, hidden };
  }
  context.catalog.save(collection);
  return told;
}

export function requireCollection(context: ServerContext, db: string, name: string): Collection {
  const collection = context.catalog.get(db, name);
  if (!collection) throw new MongoError('NamespaceNotFound', `ns does not exist: ${db}.${name}`);
  return collection;
}

export const catalogCommands: readonly Command[] = [
  create,
  drop,
  dropDatabase,
  renameCollection,
  listCollections,
  listDatabases,
  collMod,
];

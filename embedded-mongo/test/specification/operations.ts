import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import {
  type BulkWriteResult,
  type ChangeStream,
  type ClientSession,
  type Collection,
  type Db,
  type FindCursor,
  GridFSBucket,
  type MongoClient,
  type ObjectId,
} from 'mongodb';
import type { Json } from './format.js';

/** Fits every parameter: test files hold options of every kind, and the driver's own checks of them are under test. */
type Any = never;

/** What an operation of a test file does with the driver, by the kind of the object it is called on. */
type Handler<T> = (target: T, args: Json) => Promise<unknown> | unknown;

const without = (args: Json, ...names: string[]): Any =>
  Object.fromEntries(Object.entries(args).filter(([name]) => !names.includes(name))) as Any;

/** `{ insertOne: { document } }` and its like, as the driver takes them. */
function requests(args: Json): Any {
  return args['requests'] as Any;
}

const COLLECTION_OPERATIONS: Record<string, Handler<Collection>> = {
  aggregate: (c, a) => c.aggregate(a['pipeline'] as Any, without(a, 'pipeline')).toArray(),
  bulkWrite: async (c, a) => bulkResult(await c.bulkWrite(requests(a), without(a, 'requests'))),
  count: (c, a) => c.count(a['filter'] as Any, without(a, 'filter')),
  createChangeStream: (c, a) => watching(c, a),
  countDocuments: (c, a) => c.countDocuments(a['filter'] as Any, without(a, 'filter')),
  estimatedDocumentCount: (c, a) => c.estimatedDocumentCount(a),
  createIndex: (c, a) => c.createIndex(a['keys'] as Any, without(a, 'keys')),
  dropIndex: (c, a) => c.dropIndex(a['name'] as string, without(a, 'name')),
  dropIndexes: (c, a) => c.dropIndexes(a),
  listIndexes: (c, a) => c.listIndexes(a).toArray(),
  listIndexNames: async (c, a) => (await c.listIndexes(a).toArray()).map(({ name }) => name),
  deleteMany: (c, a) => c.deleteMany(a['filter'] as Any, without(a, 'filter')),
  deleteOne: (c, a) => c.deleteOne(a['filter'] as Any, without(a, 'filter')),
  distinct: (c, a) => c.distinct(a['fieldName'] as string, a['filter'] as Any, without(a, 'fieldName', 'filter')),
  find: (c, a) => c.find(a['filter'] as Any, without(a, 'filter')).toArray(),
  findOne: (c, a) => c.findOne(a['filter'] as Any, without(a, 'filter')),
  createFindCursor: async (c, a) => opened(c.find(a['filter'] as Any, without(a, 'filter'))),
  findOneAndDelete: (c, a) => c.findOneAndDelete(a['filter'] as Any, returning(a, 'filter')),
  findOneAndReplace: (c, a) =>
    c.findOneAndReplace(a['filter'] as Any, a['replacement'] as Any, returning(a, 'filter', 'replacement')),
  findOneAndUpdate: (c, a) =>
    c.findOneAndUpdate(a['filter'] as Any, a['update'] as Any, returning(a, 'filter', 'update')),
  insertMany: (c, a) => c.insertMany(a['documents'] as Any, without(a, 'documents')),
  insertOne: (c, a) => c.insertOne(a['document'] as Any, without(a, 'document')),
  replaceOne: (c, a) => c.replaceOne(a['filter'] as Any, a['replacement'] as Any, without(a, 'filter', 'replacement')),
  updateMany: (c, a) => c.updateMany(a['filter'] as Any, a['update'] as Any, without(a, 'filter', 'update')),
  updateOne: (c, a) => c.updateOne(a['filter'] as Any, a['update'] as Any, without(a, 'filter', 'update')),
  rename: (c, a) => c.rename(a['to'] as string, without(a, 'to')),
};

function returning(args: Json, ...names: string[]): Any {
  const { returnDocument, ...rest } = without(args, ...names) as Json;
  return { ...rest, ...(returnDocument ? { returnDocument: String(returnDocument).toLowerCase() } : {}) } as Any;
}

function bulkResult(result: BulkWriteResult): Json {
  const { insertedCount, matchedCount, modifiedCount, deletedCount, upsertedCount, insertedIds, upsertedIds } = result;
  return { insertedCount, matchedCount, modifiedCount, deletedCount, upsertedCount, insertedIds, upsertedIds };
}

const DATABASE_OPERATIONS: Record<string, Handler<Db>> = {
  aggregate: (db, a) => db.aggregate(a['pipeline'] as Any, without(a, 'pipeline')).toArray(),
  createChangeStream: (db, a) => watching(db, a),
  listCollectionObjects: (db, a) => db.collections(without(a, 'filter')),
  createCollection: (db, a) => db.createCollection(a['collection'] as string, without(a, 'collection')),
  dropCollection: (db, a) => db.dropCollection(a['collection'] as string, without(a, 'collection')),
  listCollections: (db, a) => db.listCollections(a['filter'] as Any, without(a, 'filter')).toArray(),
  listCollectionNames: async (db, a) =>
    (await db.listCollections(a['filter'] as Any, { ...(without(a, 'filter') as Json), nameOnly: true }).toArray()).map(
      ({ name }) => name,
    ),
  modifyCollection: (db, a) => db.command({ collMod: a['collection'], ...(without(a, 'collection') as Json) }),
  runCommand: (db, a) => db.command(a['command'] as Any, without(a, 'command', 'commandName')),
  createCommandCursor: async (db, a) => {
    const cursor = db.runCursorCommand(a['command'] as Any, without(a, 'command', 'commandName', 'batchSize'));
    if (a['batchSize'] !== undefined) cursor.setBatchSize(a['batchSize'] as number);
    return opened(cursor);
  },
  runCursorCommand: (db, a) => db.runCursorCommand(a['command'] as Any, without(a, 'command', 'commandName')).toArray(),
};

const CLIENT_OPERATIONS: Record<string, Handler<MongoClient>> = {
  appendMetadata: (client, a) => client.appendMetadata(a['driverInfoOptions'] as Any),
  close: (client) => client.close(),
  createChangeStream: (client, a) => watching(client, a),
  clientBulkWrite: (client, a) => clientBulk(client, a),
  listDatabases: async (client, a) => (await client.db().admin().listDatabases(a)).databases,
  listDatabaseNames: async (client, a) =>
    (
      await client
        .db()
        .admin()
        .listDatabases({ ...a, nameOnly: true })
    ).databases.map(({ name }) => name),
};

/** `models` as the driver takes them: the name of the operation with its fields. */
async function clientBulk(client: MongoClient, args: Json): Promise<unknown> {
  const models = (args['models'] as Json[]).map((model) => {
    const [[name, fields] = []] = Object.entries(model);
    return { name, ...(fields as Json) };
  });
  const result = await client.bulkWrite(models as Any, without(args, 'models'));
  // The format names upserts by `upsertedId` alone.
  for (const one of result.updateResults?.values() ?? []) delete (one as Partial<typeof one>).didUpsert;
  return result;
}

/** A change stream that has sent its command. */
async function watching(target: Collection | Db | MongoClient, args: Json): Promise<ChangeStream> {
  const stream = target.watch(args['pipeline'] as Any, without(args, 'pipeline'));
  await stream.tryNext();
  return stream;
}

const BUCKET_OPERATIONS: Record<string, Handler<GridFSBucket>> = {
  delete: (bucket, a) => bucket.delete(a['id'] as ObjectId),
  download: (bucket, a) => buffer(bucket.openDownloadStream(a['id'] as ObjectId)),
  downloadByName: (bucket, a) =>
    buffer(bucket.openDownloadStreamByName(a['filename'] as string, without(a, 'filename'))),
  rename: (bucket, a) => bucket.rename(a['id'] as ObjectId, a['newFilename'] as string),
  drop: (bucket) => bucket.drop(),
  upload: (bucket, a) =>
    new Promise((resolve, reject) => {
      const { $$hexBytes } = a['source'] as { $$hexBytes: string };
      const stream = bucket.openUploadStream(a['filename'] as string, without(a, 'filename', 'source'));
      Readable.from([Buffer.from($$hexBytes, 'hex')])
        .pipe(stream)
        .on('error', reject)
        .on('finish', () => resolve(stream.id));
    }),
};

const SESSION_OPERATIONS: Record<string, Handler<ClientSession>> = {
  endSession: (session) => session.endSession(),
  startTransaction: (session, a) => session.startTransaction(a),
  commitTransaction: (session) => session.commitTransaction(),
  abortTransaction: (session) => session.abortTransaction(),
};

/** A cursor that has sent its command, as the creation of a cursor must. */
async function opened<T extends { hasNext(): Promise<boolean> }>(cursor: T): Promise<T> {
  await cursor.hasNext();
  return cursor;
}

const CURSOR_OPERATIONS: Record<string, Handler<FindCursor>> = {
  iterateUntilDocumentOrError: (cursor) => cursor.next(),
  iterateOnce: (cursor) => cursor.tryNext(),
  close: (cursor) => cursor.close(),
};

const byName: readonly [test: (target: unknown) => boolean, handlers: Record<string, Handler<never>>][] = [
  [(target) => target instanceof GridFSBucket, BUCKET_OPERATIONS],
  [(target) => nameOf(target) === 'Collection', COLLECTION_OPERATIONS],
  [(target) => nameOf(target) === 'Db', DATABASE_OPERATIONS],
  [(target) => nameOf(target) === 'MongoClient', CLIENT_OPERATIONS],
  [(target) => nameOf(target) === 'ClientSession', SESSION_OPERATIONS],
  [(target) => nameOf(target).endsWith('Cursor'), CURSOR_OPERATIONS],
];

const KNOWN: ReadonlySet<string> = new Set(byName.flatMap(([, handlers]) => Object.keys(handlers)));

export function isKnownOperation(name: string): boolean {
  return KNOWN.has(name);
}

export async function perform(target: unknown, name: string, args: Json): Promise<unknown> {
  const handlers = byName.find(([test]) => test(target))?.[1];
  const handler = handlers?.[name] as Handler<unknown> | undefined;
  if (!handler) throw new Error(`the runner does not know ${name} on ${nameOf(target)}`);
  return handler(target, args);
}

function nameOf(target: unknown): string {
  return typeof target === 'object' && target !== null ? target.constructor.name : typeof target;
}

import { BsonDate, BsonDoc } from '../bson/value.js';
import type { Collection } from '../catalog/collection.js';
import { MongoError } from '../errors.js';
import { booleanArgument, collectionArgument, integerArgument } from './arguments.js';
import { requireCollection } from './catalog-commands.js';
import type { Command } from './command.js';
import { followedVersion } from './handshake.js';
import { okReply } from './ok-reply.js';
import { validateCollection } from './validate-collection.js';

const collStats: Command = {
  name: 'collStats',
  aliases: ['collstats'],
  options: ['scale'],
  run: ({ context, request }) => {
    const scale = scaleOf(request.body);
    const name = collectionArgument(request);
    const collection = context.catalog.get(request.db, name);
    const ns = `${request.db}.${name}`;
    if (!collection)
      return okReply({ ns, size: 0, count: 0, storageSize: 0, nindexes: 0, totalIndexSize: 0, indexSizes: {} });
    const { documents, sizeBytes } = collection.counters;
    const { capped } = collection.options;
    return okReply({
      ns,
      size: scaled(sizeBytes, scale),
      count: documents,
      ...(documents > 0 ? { avgObjSize: Math.floor(sizeBytes / documents) } : {}),
      storageSize: scaled(sizeBytes, scale),
      capped: capped !== undefined,
      ...(capped ? { maxSize: scaled(capped.sizeBytes, scale), max: capped.maxDocuments ?? 0 } : {}),
      nindexes: collection.readyIndexes.length,
      scaleFactor: scale,
    });
  },
};

const dbStats: Command = {
  name: 'dbStats',
  aliases: ['dbstats'],
  options: ['scale', 'freeStorage'],
  run: ({ context, request: { db, body } }) => {
    const scale = scaleOf(body);
    const collections = context.catalog.collections(db);
    const sum = (measure: (collection: Collection) => number) =>
      collections.reduce((total, one) => total + measure(one), 0);
    const dataSize = sum(({ counters }) => counters.sizeBytes);
    return okReply({
      db,
      collections: collections.length,
      views: context.catalog.viewsOf(db).length,
      objects: sum(({ counters }) => counters.documents),
      dataSize: scaled(dataSize, scale),
      storageSize: scaled(dataSize, scale),
      indexes: sum(({ readyIndexes }) => readyIndexes.length),
      scaleFactor: scale,
    });
  },
};

function scaleOf(body: BsonDoc): number {
  const scale = integerArgument(body, 'scale') ?? 1;
  if (scale < 1) throw new MongoError(51024, `BSON field 'scale' value must be >= 1, actual value '${scale}'`);
  return scale;
}

function scaled(bytes: number, scale: number): number {
  return Math.floor(bytes / scale);
}

const serverStatus: Command = {
  name: 'serverStatus',
  options: ['repl', 'metrics', 'locks', 'tcmalloc', 'sharding'],
  run: ({ context }) => {
    const uptimeMs = context.system.nowMs() - context.startedAtMs;
    return okReply({
      host: 'embedded-mongo',
      version: followedVersion,
      process: 'embedded-mongo',
      pid: process.pid,
      uptime: Math.floor(uptimeMs / 1_000),
      uptimeMillis: uptimeMs,
      localTime: BsonDate.fromMs(context.system.nowMs()),
      connections: { current: context.openConnections() },
      eventLoop: { ...context.loop.read() },
      orphanedPrefixes: context.catalog.orphanPrefixes().length,
      metrics: { cursor: { open: { total: context.cursors.size } } },
      storageEngine: { name: 'lmdb', persistent: true, readOnly: false },
    });
  },
};

/** Clients ask for this one alone (shells, test runners); there is nothing else to tune. */
const parameters = new Map<string, unknown>([
  ['featureCompatibilityVersion', { version: '8.0' }],
  ['enableTestCommands', false],
]);

const getParameter: Command = {
  name: 'getParameter',
  options: [...parameters.keys(), 'allParameters'],
  run: ({ request: { body } }) => {
    const all = body.get('getParameter') === '*' || booleanArgument(body, 'allParameters');
    const wanted = [...parameters].filter(([name]) => all || body.has(name));
    if (wanted.length === 0) throw new MongoError('InvalidOptions', 'no option found to get');
    return okReply(Object.fromEntries(wanted));
  },
};

const validate: Command = {
  name: 'validate',
  options: ['full', 'metadata', 'checkBSONConformance', 'background', 'repair'],
  run: ({ context, request, operation }) => {
    if (booleanArgument(request.body, 'repair')) throw new MongoError('BadValue', "'repair' is not supported");
    const collection = requireCollection(context, request.db, collectionArgument(request));
    // In steps of write groups: what memory counts and what the store holds agree there.
    return context.writes.runSteps(() => validateCollection(context, collection), operation);
  },
};

export const diagnosticCommands: readonly Command[] = [collStats, dbStats, serverStatus, getParameter, validate];

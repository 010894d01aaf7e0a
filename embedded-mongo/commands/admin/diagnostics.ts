import { arch, cpus, hostname, type as osType, release, totalmem } from 'node:os';
import { asNumber } from '../../bson/number.js';
import { BsonDate, BsonDoc } from '../../bson/value.js';
import type { Collection } from '../../catalog/collection.js';
import { fail } from '../../errors.js';
import * as arg from '../arguments.js';
import { validateCollection } from '../catalog/validate-collection.js';
import { type Command, okReply, requireCollection, type ServerContext } from '../command.js';
import { FOLLOWED_VERSION } from '../session/handshake.js';

const COLL_STATS: Command = {
  name: 'collStats',
  aliases: ['collstats'],
  options: ['scale'],
  run: ({ context, request }) => {
    const scale = scaleOf(request.body);
    const name = arg.collection(request);
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

const DB_STATS: Command = {
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
  const scale = arg.integer(body, 'scale') ?? 1;
  if (scale < 1) fail(51024, `BSON field 'scale' value must be >= 1, actual value '${scale}'`);
  return scale;
}

function scaled(bytes: number, scale: number): number {
  return Math.floor(bytes / scale);
}

const SERVER_STATUS: Command = {
  name: 'serverStatus',
  options: ['repl', 'metrics', 'locks', 'tcmalloc', 'sharding'],
  run: ({ context }) => {
    const uptimeMs = context.system.nowMs() - context.startedAtMs;
    return okReply({
      host: 'embedded-mongo',
      version: FOLLOWED_VERSION,
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

/** The parameters that shells and test runners ask for. */
const PARAMETERS = new Map<string, (context: ServerContext) => unknown>([
  ['featureCompatibilityVersion', () => ({ version: '8.0' })],
  ['enableTestCommands', ({ failPoint }) => failPoint !== undefined],
]);

const GET_PARAMETER: Command = {
  name: 'getParameter',
  options: [...PARAMETERS.keys(), 'allParameters'],
  run: ({ context, request: { body } }) => {
    const all = body.get('getParameter') === '*' || arg.boolean(body, 'allParameters');
    const wanted = [...PARAMETERS].filter(([name]) => all || body.has(name));
    if (wanted.length === 0) fail('InvalidOptions', 'no option found to get');
    return okReply(Object.fromEntries(wanted.map(([name, read]) => [name, read(context)])));
  },
};

const VALIDATE: Command = {
  name: 'validate',
  // Drivers still send scandata, which later servers ignore.
  options: ['full', 'scandata', 'metadata', 'checkBSONConformance', 'background', 'repair'],
  run: ({ context, request, operation }) => {
    if (arg.boolean(request.body, 'repair')) fail('BadValue', "'repair' is not supported");
    const collection = requireCollection(context, request.db, arg.collection(request));
    // Runs in steps of write groups, where memory counters and the store agree.
    return context.writes.runSteps(() => validateCollection(context, collection), { operation, frees: true });
  },
};

export const DIAGNOSTIC_COMMANDS: readonly Command[] = [COLL_STATS, DB_STATS, SERVER_STATUS, GET_PARAMETER, VALIDATE];

// Commands that shells send about the server itself.

const GET_LOG: Command = {
  name: 'getLog',
  options: [],
  run: ({ request: { body } }) => {
    const name = body.values[0];
    if (name === '*') return okReply({ names: ['global', 'startupWarnings'] });
    if (name !== 'global' && name !== 'startupWarnings') fail('OperationFailed', `No log named '${String(name)}'`);
    // Faults go to standard error, one line each; the server keeps none in memory.
    return okReply({ totalLinesWritten: 0, log: [] });
  },
};

const GET_CMD_LINE_OPTS: Command = {
  name: 'getCmdLineOpts',
  options: [],
  run: ({ context }) =>
    okReply({
      argv: ['embedded-mongo'],
      parsed: { security: { authorization: context.tcp ? 'enabled' : 'disabled' } },
    }),
};

const HOST_INFO: Command = {
  name: 'hostInfo',
  options: [],
  run: ({ context }) =>
    okReply({
      system: {
        currentTime: BsonDate.fromMs(context.system.nowMs()),
        hostname: hostname(),
        cpuAddrSize: 64,
        memSizeMB: Math.floor(totalmem() / 1024 ** 2),
        numCores: cpus().length,
        cpuArch: arch(),
      },
      os: { type: osType(), name: osType(), version: release() },
    }),
};

/** There is no profiler: reading its level works, enabling it is an error. */
const PROFILE: Command = {
  name: 'profile',
  options: ['slowms', 'sampleRate'],
  run: ({ request: { body } }) => {
    const level = asNumber(body.values[0]) ?? arg.integer(body, 'profile');
    if (level !== 0 && level !== -1) fail('CommandNotSupported', 'there is no profiler here');
    return okReply({ was: 0, slowms: 100, sampleRate: 1 });
  },
};

const REPL_SET_GET_STATUS: Command = {
  name: 'replSetGetStatus',
  options: [],
  run: () => {
    fail('NoReplicationEnabled', 'not running with --replSet');
  },
};

export const SHELL_COMMANDS: readonly Command[] = [GET_LOG, GET_CMD_LINE_OPTS, HOST_INFO, PROFILE, REPL_SET_GET_STATUS];

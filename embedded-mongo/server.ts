import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { createServer, type Server as NetServer, type Socket } from 'node:net';
import { BsonDoc } from './bson/value.js';
import { Catalog } from './catalog/catalog.js';
import type { Collection } from './catalog/collection.js';
import type { ServerContext } from './commands/command.js';
import { runCommand } from './commands/registry.js';
import { MongoError } from './errors.js';
import { CursorRegistry } from './exec/cursor-registry.js';
import { InsertSignal } from './exec/insert-signal.js';
import { LoopMonitor } from './exec/loop-monitor.js';
import { OperationRegistry } from './exec/operation.js';
import { Maintenance } from './maintenance.js';
import { DataDirectoryError } from './store/data-directory-error.js';
import { checkDataFile } from './store/data-file.js';
import { DocumentStore } from './store/document-store.js';
import { type Environment, openEnvironment } from './store/environment.js';
import { accepts, type OwnerLock, takeOwnerLock } from './store/owner-lock.js';
import { realSystem, type System } from './system.js';
import { type CommitMode, type GroupCommit, groupCommit } from './txn/group-commit.js';
import { roomGuard } from './txn/room-guard.js';
import { giveUpAfterFailedWrite, isFailedWrite } from './txn/storage-failure.js';
import { WriteQueue } from './txn/write-queue.js';
import { Connection } from './wire/connection.js';

export interface ServerOptions {
  readonly dataDir: string;
  readonly socketPath: string;
  readonly commitMode?: CommitMode;
  /** How often expired documents are looked for; MongoDB's `ttlMonitorSleepSecs` is 60 s. */
  readonly ttlIntervalMs?: number;
  /** First size of the memory map; lmdb makes it larger when it is full. */
  readonly mapSizeBytes?: number;
  readonly system?: System;
}

export interface RunningServer {
  readonly socketPath: string;
  /** Finishes the writes under way, closes connections and files. */
  close(): Promise<void>;
}

const defaultTtlIntervalMs = 60_000;
/** Of one client that does not read: beyond it no further answers are made for it. A usual reply stays below. */
const unsentBytes = 1024 * 1024;

/** Opens a data directory and serves it on a unix socket. Refusals are `DataDirectoryError`. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const system = options.system ?? realSystem;
  mkdirSync(options.dataDir, { recursive: true, mode: 0o700 });
  const listener = createServer({ highWaterMark: unsentBytes });
  // Until it is ready to answer; what connects now only wants to know whether somebody lives here.
  listener.on('connection', (socket) => socket.destroy());
  await listen(listener, options.socketPath);
  let lock: OwnerLock | undefined;
  let env: Environment | undefined;
  try {
    lock = await takeOwnerLock(options.dataDir, options.socketPath, system.randomBytes(8).toString('hex'));
    const state = checkDataFile(options.dataDir);
    env = openOrRefuse(options);
    const context = await openContext(env, options, system);
    if (state === 'suspect') await checkEverything(context, options.dataDir);
    return serve(listener, context, lock, options);
  } catch (error) {
    await env?.close();
    lock?.release();
    await new Promise<void>((resolve) => listener.close(() => resolve()));
    throw error;
  }
}

/** The socket comes first: its liveness is what tells other starters that the directory is taken. */
async function listen(listener: NetServer, socketPath: string): Promise<void> {
  if (await accepts(socketPath)) throw new DataDirectoryError('in-use', `${socketPath} is served by another process`);
  rmSync(socketPath, { force: true });
  await new Promise<void>((resolve, reject) => {
    listener.once('error', reject);
    listener.listen(socketPath, resolve);
  });
  chmodSync(socketPath, 0o600);
}

function openOrRefuse({ dataDir, mapSizeBytes }: ServerOptions): Environment {
  try {
    return openEnvironment(dataDir, mapSizeBytes);
  } catch (error) {
    if (error instanceof DataDirectoryError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    if (isFailedWrite(error)) throw new DataDirectoryError('no-room', `there is no room in ${dataDir}: ${reason}`);
    throw new DataDirectoryError('damaged', `${dataDir} cannot be opened: ${reason}; restore a backup`);
  }
}

async function openContext(env: Environment, options: ServerOptions, system: System): Promise<ServerContext> {
  const catalog = new Catalog(env.catalog, system.randomBytes);
  const inserted = new InsertSignal();
  let touched: readonly Collection[] = [];
  const hooks = {
    beforeCommit: () => {
      touched = catalog.saveCounters();
    },
    afterAbort: (failure: unknown) => {
      giveUpAfterFailedWrite(failure, options.dataDir, system);
      catalog.load();
    },
    afterFlush: () => inserted.notify(touched),
  };
  const requireRoom = roomGuard(options.dataDir, system);
  const commit = groupCommit(env, options.commitMode ?? 'auto', system);
  const guarded: GroupCommit = async (work, large) => {
    requireRoom();
    return commit(work, large);
  };
  const writes = new WriteQueue(guarded, hooks, system.monotonicMs);
  if (!catalog.load()) {
    requireEmpty(env, options.dataDir);
    await writes.run(() => catalog.initialise());
  }
  await writes.run(() => dropUnfinishedIndexes(catalog));
  return {
    system,
    env,
    catalog,
    store: new DocumentStore(env.data, catalog),
    writes,
    cursors: new CursorRegistry(system),
    inserted,
    operations: new OperationRegistry(system),
    loop: new LoopMonitor(),
    startedAtMs: system.nowMs(),
    openConnections: () => 0,
    inBackground: (work) => {
      work.catch((error: unknown) => {
        if (!isShutdown(error)) system.report('work in the background failed', error);
      });
    },
  };
}

/** Records without a catalog are not a new database but the rest of one. */
function requireEmpty(env: Environment, dataDir: string): void {
  const [key] = env.data.getKeys({ limit: 1 });
  if (key) throw new DataDirectoryError('damaged', `${dataDir} has records but no catalog; restore a backup`);
}

/** The file was shorter than its root says: it serves only if nothing that is in use was missing. */
async function checkEverything(context: ServerContext, dataDir: string): Promise<void> {
  const client = { id: 0, gone: new AbortController().signal };
  for (const { db, name } of context.catalog.all()) {
    const body = BsonDoc.of({ validate: name });
    const reply = await runCommand(context, { name: 'validate', db, body, sequences: new Map() }, client);
    if (reply instanceof BsonDoc && reply.get('valid') === true) continue;
    throw new DataDirectoryError('damaged', `${dataDir} is cut short: ${db}.${name} is not whole; restore a backup`);
  }
}

/** Whoever asked for an index that was still being built has not been told that it exists. */
function dropUnfinishedIndexes(catalog: Catalog): void {
  for (const collection of catalog.all()) {
    for (const index of collection.indexes) if (index.building) catalog.dropIndex(collection, index);
  }
}

function isShutdown(error: unknown): boolean {
  return error instanceof MongoError && error.codeName === 'ShutdownInProgress';
}

function serve(listener: NetServer, base: ServerContext, lock: OwnerLock, options: ServerOptions): RunningServer {
  const connections = new Set<Connection>();
  const context: ServerContext = { ...base, openConnections: () => connections.size };
  let nextConnectionId = 1;
  listener.removeAllListeners('connection');
  listener.on('error', (error) => context.system.report('the socket failed', error));
  listener.on('connection', (socket: Socket) => {
    const connection = new Connection(
      nextConnectionId++,
      socket,
      (request, client) => runCommand(context, request, client),
      (error) => context.system.report('a command failed', error),
    );
    connections.add(connection);
    socket.once('close', () => connections.delete(connection));
  });
  const maintenance = new Maintenance(context, options.ttlIntervalMs ?? defaultTtlIntervalMs);
  maintenance.start();
  context.loop.start();
  return {
    socketPath: options.socketPath,
    close: async () => {
      const closed = new Promise<void>((resolve) => listener.close(() => resolve()));
      maintenance.stop();
      context.loop.stop();
      await context.writes.close(new MongoError('ShutdownInProgress', 'the server is shutting down'));
      for (const connection of connections) connection.close();
      context.cursors.closeAll();
      await closed;
      await context.env.close();
      lock.release();
    },
  };
}

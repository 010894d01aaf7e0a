import { Long, ObjectId } from 'bson';
import { AuthSession } from '../auth/scram.js';
import { BsonDoc } from '../bson/value.js';
import { Catalog } from '../catalog/catalog.js';
import type { Collection } from '../catalog/collection.js';
import type { ServerContext } from '../commands/command.js';
import { runCommand } from '../commands/registry.js';
import { OUTPUT_NAME } from '../commands/write/pipeline-output.js';
import { MongoError } from '../errors.js';
import { CursorRegistry, InsertSignal } from '../exec/cursor-registry.js';
import { LoopMonitor, OperationRegistry } from '../exec/operation.js';
import { SessionRegistry } from '../exec/session-registry.js';
import type { Encryption } from '../store/data-cipher.js';
import { DataDirectoryError } from '../store/data-directory.js';
import type { DiskRoom } from '../store/disk-room.js';
import { DocumentStore } from '../store/document-store.js';
import { type Environment, openEnvironment } from '../store/environment.js';
import { type CommitMode, giveUpAfterFailedWrite, groupCommit, isFailedWrite } from '../txn/group-commit.js';
import { FREES, WriteQueue } from '../txn/write-queue.js';
import type { System } from './system.js';

export interface DataOptions {
  readonly dataDir: string;
  readonly commitMode?: CommitMode;
  /** First size of the memory map; lmdb makes it larger when it is full. */
  readonly mapSizeBytes?: number;
  /** The data keys of an encrypted folder. A new folder is encrypted when they are given. */
  readonly encryption?: Encryption;
}

export function openOrRefuse({ dataDir, ...options }: DataOptions): Environment {
  try {
    return openEnvironment(dataDir, options);
  } catch (error) {
    if (error instanceof DataDirectoryError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    if (isFailedWrite(error)) throw noRoom(dataDir, error);
    throw new DataDirectoryError('damaged', `${dataDir} cannot be opened: ${reason}; restore a backup`);
  }
}

function noRoom(dataDir: string, error: unknown): DataDirectoryError {
  const reason = error instanceof Error ? error.message : String(error);
  return new DataDirectoryError('no-room', `the disk of ${dataDir} is full: ${reason}`);
}

/** Creates the services of all commands over an opened environment. */
export async function openContext(
  env: Environment,
  options: DataOptions,
  system: System,
  room: DiskRoom,
): Promise<ServerContext> {
  const catalog = new Catalog(env.catalog, system.randomBytes);
  const inserted = new InsertSignal();
  const writes = openWriteQueue(env, catalog, inserted, options, system, room);
  if (!loaded(catalog, options.dataDir)) {
    requireEmpty(env, options.dataDir);
    await writes.run(() => catalog.initialise()).catch(refuseNewOnFullDisk);
  }
  if (hasUnfinished(catalog)) await writes.run(() => dropUnfinished(catalog), FREES).catch(leaveOnFullDisk);
  return {
    system,
    env,
    catalog,
    store: new DocumentStore(env, catalog),
    writes,
    room,
    cursors: new CursorRegistry(system),
    inserted,
    operations: new OperationRegistry(system),
    sessions: new SessionRegistry(system),
    loop: new LoopMonitor(),
    startedAtMs: system.nowMs(),
    topologyVersion: BsonDoc.of({ processId: new ObjectId(system.randomBytes(12)), counter: Long.ZERO }),
    nameSecret: system.randomBytes(32),
    openConnections: () => 0,
    tcp: false,
    permissiveIndexes: false,
    failPoint: undefined,
    inBackground: (work) => {
      work.catch((error: unknown) => {
        if (!isShutdown(error)) system.report('work in the background failed', error);
      });
    },
  };
}

function openWriteQueue(
  env: Environment,
  catalog: Catalog,
  inserted: InsertSignal,
  options: DataOptions,
  system: System,
  room: DiskRoom,
): WriteQueue {
  let touched: readonly Collection[] = [];
  const hooks = {
    beforeCommit: () => {
      touched = catalog.saveCounters();
    },
    afterAbort: (failure: unknown) => {
      giveUpAfterFailedWrite(failure, options.dataDir, system);
      try {
        catalog.load();
      } catch (error) {
        // The abort names no reason when the write of the root page failed. The next read does.
        giveUpAfterFailedWrite(error, options.dataDir, system);
        throw error;
      }
    },
    afterFlush: () => inserted.notify(touched),
  };
  const commit = groupCommit(env, options.commitMode ?? 'auto', system);
  return new WriteQueue(commit, hooks, system.monotonicMs, room);
}

/** @throws DataDirectoryError for a catalog that its keys do not open */
function loaded(catalog: Catalog, dataDir: string): boolean {
  try {
    return catalog.load();
  } catch (error) {
    // The first transaction of the environment failed to write its root page.
    if (isFailedWrite(error)) throw noRoom(dataDir, error);
    if (!(error instanceof MongoError)) throw error;
    throw new DataDirectoryError('damaged', `${dataDir} is damaged: ${error.message}; restore a backup`);
  }
}

/** Records without a catalog are the remains of a database, not a new one. */
function requireEmpty(env: Environment, dataDir: string): void {
  const [key] = env.data.getKeys({ limit: 1 });
  if (key) throw new DataDirectoryError('damaged', `${dataDir} has records but no catalog; restore a backup`);
}

/** Checks a file that is shorter than its root says: it is served only when no used page is missing. */
export async function checkEverything(context: ServerContext, dataDir: string): Promise<void> {
  const client = { id: 0, gone: new AbortController().signal, auth: new AuthSession(false), close: () => undefined };
  for (const { db, name } of context.catalog.all()) {
    const body = BsonDoc.of({ validate: name });
    const command = { name: 'validate', db, body, sequences: new Map() };
    // Pages beyond the end may contain anything, so a read error also means damage.
    const reply = await (async () => runCommand(context, command, client))().catch((error: unknown) => error);
    if (reply instanceof BsonDoc && reply.get('valid') === true) continue;
    const cause = reply instanceof Error ? { cause: reply } : {};
    const message = `${dataDir} is cut short: ${db}.${name} is not whole; restore a backup`;
    throw new DataDirectoryError('damaged', message, cause);
  }
}

function refuseNewOnFullDisk(error: unknown): never {
  if (isOutOfSpace(error)) throw new DataDirectoryError('no-room', error.message);
  throw error;
}

/** A full disk must not block the start: unfinished work stays hidden until a later start drops it. */
function leaveOnFullDisk(error: unknown): void {
  if (!isOutOfSpace(error)) throw error;
}

function isOutOfSpace(error: unknown): error is MongoError {
  return error instanceof MongoError && error.codeName === 'OutOfDiskSpace';
}

function hasUnfinished(catalog: Catalog): boolean {
  return [...catalog.all()].some(
    ({ name, indexes }) => OUTPUT_NAME.test(name) || indexes.some(({ building }) => building),
  );
}

/** No client has an acknowledgement for an unfinished index build or an `$out` in progress. */
function dropUnfinished(catalog: Catalog): void {
  for (const collection of catalog.all()) {
    if (OUTPUT_NAME.test(collection.name)) catalog.drop(collection);
    else for (const index of collection.indexes) if (index.building) catalog.dropIndex(collection, index);
  }
}

function isShutdown(error: unknown): boolean {
  return error instanceof MongoError && error.codeName === 'ShutdownInProgress';
}

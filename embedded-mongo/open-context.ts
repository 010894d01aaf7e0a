import { AuthSession } from './auth/session.js';
import { BsonDoc } from './bson/value.js';
import { Catalog } from './catalog/catalog.js';
import type { Collection } from './catalog/collection.js';
import type { ServerContext } from './commands/command.js';
import { outputName } from './commands/pipeline-output.js';
import { runCommand } from './commands/registry.js';
import { MongoError } from './errors.js';
import { CursorRegistry } from './exec/cursor-registry.js';
import { InsertSignal } from './exec/insert-signal.js';
import { LoopMonitor } from './exec/loop-monitor.js';
import { OperationRegistry } from './exec/operation.js';
import { DataDirectoryError } from './store/data-directory-error.js';
import { DocumentStore } from './store/document-store.js';
import { type Environment, openEnvironment } from './store/environment.js';
import type { System } from './system.js';
import { type CommitMode, type GroupCommit, groupCommit } from './txn/group-commit.js';
import { roomGuard } from './txn/room-guard.js';
import { giveUpAfterFailedWrite, isFailedWrite } from './txn/storage-failure.js';
import { WriteQueue } from './txn/write-queue.js';

export interface DataOptions {
  readonly dataDir: string;
  readonly commitMode?: CommitMode;
  /** First size of the memory map; lmdb makes it larger when it is full. */
  readonly mapSizeBytes?: number;
}

export function openOrRefuse({ dataDir, mapSizeBytes }: DataOptions): Environment {
  try {
    return openEnvironment(dataDir, mapSizeBytes);
  } catch (error) {
    if (error instanceof DataDirectoryError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    if (isFailedWrite(error)) throw new DataDirectoryError('no-room', `there is no room in ${dataDir}: ${reason}`);
    throw new DataDirectoryError('damaged', `${dataDir} cannot be opened: ${reason}; restore a backup`);
  }
}

/** Everything commands work with, on an environment just opened. */
export async function openContext(env: Environment, options: DataOptions, system: System): Promise<ServerContext> {
  const catalog = new Catalog(env.catalog, system.randomBytes);
  const inserted = new InsertSignal();
  const writes = openWriteQueue(env, catalog, inserted, options, system);
  if (!catalog.load()) {
    requireEmpty(env, options.dataDir);
    await writes.run(() => catalog.initialise());
  }
  await writes.run(() => dropUnfinished(catalog));
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
    nameSecret: system.randomBytes(32),
    openConnections: () => 0,
    tcp: false,
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
): WriteQueue {
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
  return new WriteQueue(guarded, hooks, system.monotonicMs);
}

/** Records without a catalog are not a new database but the rest of one. */
function requireEmpty(env: Environment, dataDir: string): void {
  const [key] = env.data.getKeys({ limit: 1 });
  if (key) throw new DataDirectoryError('damaged', `${dataDir} has records but no catalog; restore a backup`);
}

/** The file was shorter than its root says: it serves only if nothing that is in use was missing. */
export async function checkEverything(context: ServerContext, dataDir: string): Promise<void> {
  const client = { id: 0, gone: new AbortController().signal, auth: new AuthSession(false), close: () => undefined };
  for (const { db, name } of context.catalog.all()) {
    const body = BsonDoc.of({ validate: name });
    const command = { name: 'validate', db, body, sequences: new Map() };
    // Pages that lie beyond the end may read as anything: what cannot be read at all is not whole either.
    const reply = await (async () => runCommand(context, command, client))().catch((error: unknown) => error);
    if (reply instanceof BsonDoc && reply.get('valid') === true) continue;
    const cause = reply instanceof Error ? { cause: reply } : {};
    const message = `${dataDir} is cut short: ${db}.${name} is not whole; restore a backup`;
    throw new DataDirectoryError('damaged', message, cause);
  }
}

/** Whoever asked for an index still being built, or an `$out` not yet in place, has not been told that it exists. */
function dropUnfinished(catalog: Catalog): void {
  for (const collection of catalog.all()) {
    if (outputName.test(collection.name)) catalog.drop(collection);
    else for (const index of collection.indexes) if (index.building) catalog.dropIndex(collection, index);
  }
}

function isShutdown(error: unknown): boolean {
  return error instanceof MongoError && error.codeName === 'ShutdownInProgress';
}

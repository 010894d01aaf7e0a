import type { Socket } from 'node:net';
import { AuthSession } from '../auth/scram.js';
import { ensureFirstUser } from '../auth/users.js';
import { BsonDate, BsonDoc } from '../bson/value.js';
import type { Collection } from '../catalog/collection.js';
import type { Index } from '../catalog/index-definition.js';
import { FailPoint } from '../commands/admin/fail-point.js';
import type { ServerContext } from '../commands/command.js';
import { runCommand } from '../commands/registry.js';
import { deleteMatching } from '../commands/write/modify.js';
import { MongoError } from '../errors.js';
import { diskRoom } from '../store/disk-room.js';
import { checkDataFile, type Environment } from '../store/environment.js';
import { finishFirstStart, markFirstStart } from '../store/first-start.js';
import { type OwnerLock, takeOwnerLock } from '../store/owner-lock.js';
import { makePrivate, tightenFiles } from '../store/private-files.js';
import { finishReEncryption } from '../store/re-encrypt.js';
import { clearOrphans, FREES } from '../txn/write-queue.js';
import { Connection } from '../wire/connection.js';
import { type Listener, listenOnSocket, listenOnTcp, type TcpOptions } from './listen.js';
import { checkEverything, type DataOptions, openContext, openOrRefuse } from './open-context.js';
import { REAL_SYSTEM, type System } from './system.js';

const CURSOR_SWEEP_MS = 60_000;
const SPARE_CHECK_MS = 60_000;

/** Background work: expired documents, remains of dropped collections, idle cursors. */
export class Maintenance {
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #context: ServerContext;
  readonly #ttlIntervalMs: number;

  constructor(context: ServerContext, ttlIntervalMs: number) {
    this.#context = context;
    this.#ttlIntervalMs = ttlIntervalMs;
  }

  start(): void {
    this.#every(this.#ttlIntervalMs, () => this.#removeExpired());
    this.#every(CURSOR_SWEEP_MS, async () => this.#context.cursors.closeIdle());
    this.#every(SPARE_CHECK_MS, async () => this.#context.room.keepSpare());
    this.#context.inBackground(clearOrphans(this.#context));
  }

  stop(): void {
    for (const timer of this.#timers) clearInterval(timer);
  }

  #every(intervalMs: number, work: () => Promise<void>): void {
    let running = false;
    const tick = () => {
      if (running) return;
      running = true;
      const finished = work().finally(() => {
        running = false;
      });
      this.#context.inBackground(finished);
    };
    this.#timers.push(setInterval(tick, intervalMs).unref());
  }

  async #removeExpired(): Promise<void> {
    for (const collection of this.#context.catalog.all()) {
      for (const index of collection.readyIndexes) {
        if (index.spec.expireAfterSeconds !== undefined)
          await this.#expire(collection, index, index.spec.expireAfterSeconds);
      }
    }
  }

  /** Dates only: a field of another type, or none, never expires (MongoDB manual, "TTL Indexes"). */
  async #expire(collection: Collection, index: Index, afterSeconds: number): Promise<void> {
    const [field] = index.fields;
    if (!field) return;
    const expired = BsonDate.fromMs(this.#context.system.nowMs() - afterSeconds * 1_000);
    const filter = BsonDoc.of({ [field.path]: { $lte: expired } });
    const query = { filter, sort: undefined, hint: index.name, skip: 0, limit: undefined };
    await this.#context.writes.runSteps(() => deleteMatching(this.#context, collection, query), FREES);
  }
}

export interface ServerOptions extends DataOptions {
  /** The unix socket, for the owner alone. Without one, TCP is required. */
  readonly socketPath?: string;
  /** A TCP port, in addition to the socket or instead of it; its clients must log in. */
  readonly tcp?: TcpOptions;
  /** The interval of the TTL search; MongoDB's `ttlMonitorSleepSecs` is 60 s. */
  readonly ttlIntervalMs?: number;
  /** Offers `configureFailPoint`, for tests of clients. */
  readonly testCommands?: boolean;
  /** Accepts geo, wildcard and hashed indexes as declarations without entries, for tests of other programs' schemas. */
  readonly permissiveIndexes?: boolean;
  readonly system?: System;
}

export interface RunningServer {
  /** "" when it listens on TCP alone. */
  readonly socketPath: string;
  readonly port?: number;
  /** Finishes running writes, closes connections and files. */
  close(): Promise<void>;
}

const DEFAULT_TTL_INTERVAL_MS = 60_000;

/** Opens a data directory and serves it. @throws DataDirectoryError when the directory is rejected. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const system = options.system ?? REAL_SYSTEM;
  makePrivate(options.dataDir);
  const listeners: Listener[] = [];
  let lock: OwnerLock | undefined;
  let env: Environment | undefined;
  try {
    // Before it binds: a dead server's lock may name the address that this one binds again.
    lock = await takeOwnerLock(options.dataDir, system.randomBytes(4).toString('hex'));
    if (options.socketPath !== undefined) listeners.push(await listenOnSocket(options.socketPath));
    if (options.tcp) listeners.push(await listenOnTcp(options.tcp));
    const port = listeners.find((listener) => listener.port !== undefined)?.port;
    lock.publish(options.socketPath === undefined ? { port: port ?? 0 } : { socketPath: options.socketPath });
    finishReEncryption(options.dataDir);
    const state = checkDataFile(options.dataDir);
    const room = diskRoom(options.dataDir, system);
    room.giveSpareIfFull();
    if (state === 'new') markFirstStart(options.dataDir);
    env = openOrRefuse(options);
    tightenFiles(options.dataDir);
    const context = await openContext(env, options, system, room);
    finishFirstStart(options.dataDir);
    if (state === 'suspect') await checkEverything(context, options.dataDir);
    if (options.tcp) await ensureFirstUser(context, options.dataDir);
    room.keepSpare();
    const close = serve(listeners, context, lock, options);
    return { socketPath: options.socketPath ?? '', ...(port === undefined ? {} : { port }), close };
  } catch (error) {
    await env?.close();
    await Promise.all(listeners.map((listener) => listener.close()));
    await lock?.release();
    throw error;
  }
}

/** Starts serving. @returns the function that stops it. */
function serve(
  listeners: readonly Listener[],
  base: ServerContext,
  lock: OwnerLock,
  options: ServerOptions,
): () => Promise<void> {
  const connections = new Set<Connection>();
  const context: ServerContext = {
    ...base,
    tcp: options.tcp !== undefined,
    permissiveIndexes: options.permissiveIndexes === true,
    failPoint: options.testCommands ? new FailPoint() : undefined,
    openConnections: () => connections.size,
  };
  let nextConnectionId = 1;
  const onConnection = (socket: Socket, authenticates: boolean) => {
    const connection = new Connection(
      nextConnectionId++,
      new AuthSession(authenticates),
      socket,
      (request, client) => runCommand(context, request, client),
      (error) => context.system.report('a command failed', error),
    );
    connections.add(connection);
    socket.once('close', () => connections.delete(connection));
  };
  for (const listener of listeners) {
    listener.serve(
      (socket) => onConnection(socket, listener.authenticates),
      (error) => context.system.report('the socket failed', error),
    );
  }
  const maintenance = new Maintenance(context, options.ttlIntervalMs ?? DEFAULT_TTL_INTERVAL_MS);
  maintenance.start();
  context.loop.start();
  return async () => {
    const closed = Promise.all(listeners.map((listener) => listener.close()));
    maintenance.stop();
    context.loop.stop();
    await context.writes.close(new MongoError('ShutdownInProgress', 'the server is shutting down'));
    for (const connection of connections) connection.close();
    // A read that paused between two slices would go on after the files are closed.
    await context.operations.close();
    context.cursors.closeAll();
    await closed;
    await context.env.close();
    await lock.release();
  };
}

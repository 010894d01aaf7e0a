import { mkdirSync } from 'node:fs';
import type { Socket } from 'node:net';
import { ensureFirstUser } from './auth/first-user.js';
import { AuthSession } from './auth/session.js';
import type { ServerContext } from './commands/command.js';
import { FailPoint } from './commands/fail-point.js';
import { runCommand } from './commands/registry.js';
import { MongoError } from './errors.js';
import { type Listener, listenOnSocket, listenOnTcp, type TcpOptions } from './listen.js';
import { Maintenance } from './maintenance.js';
import { checkEverything, type DataOptions, openContext, openOrRefuse } from './open-context.js';
import { checkDataFile } from './store/data-file.js';
import type { Environment } from './store/environment.js';
import { type OwnerLock, takeOwnerLock } from './store/owner-lock.js';
import { realSystem, type System } from './system.js';
import { Connection } from './wire/connection.js';

export interface ServerOptions extends DataOptions {
  /** The unix socket, for the owner alone. Without one TCP must be given. */
  readonly socketPath?: string;
  /** A TCP port beside it, or instead of it where the platform has no unix sockets; whoever comes there logs in. */
  readonly tcp?: TcpOptions;
  /** How often expired documents are looked for; MongoDB's `ttlMonitorSleepSecs` is 60 s. */
  readonly ttlIntervalMs?: number;
  /** Offers `configureFailPoint`, for tests of clients. */
  readonly testCommands?: boolean;
  readonly system?: System;
}

export interface RunningServer {
  /** "" when it listens on TCP alone. */
  readonly socketPath: string;
  readonly port?: number;
  /** Finishes the writes under way, closes connections and files. */
  close(): Promise<void>;
}

const defaultTtlIntervalMs = 60_000;

/** Opens a data directory and serves it. Refusals are `DataDirectoryError`. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const system = options.system ?? realSystem;
  mkdirSync(options.dataDir, { recursive: true, mode: 0o700 });
  const listeners: Listener[] = [];
  let lock: OwnerLock | undefined;
  let env: Environment | undefined;
  try {
    if (options.socketPath !== undefined) listeners.push(await listenOnSocket(options.socketPath));
    if (options.tcp) listeners.push(await listenOnTcp(options.tcp));
    const port = listeners.find((listener) => listener.port !== undefined)?.port;
    const address = options.socketPath === undefined ? { port: port ?? 0 } : { socketPath: options.socketPath };
    lock = await takeOwnerLock(options.dataDir, address, system.randomBytes(8).toString('hex'));
    const state = checkDataFile(options.dataDir);
    env = openOrRefuse(options);
    const context = await openContext(env, options, system);
    if (state === 'suspect') await checkEverything(context, options.dataDir);
    if (options.tcp) await ensureFirstUser(context, options.dataDir);
    const close = serve(listeners, context, lock, options);
    return { socketPath: options.socketPath ?? '', ...(port === undefined ? {} : { port }), close };
  } catch (error) {
    await env?.close();
    lock?.release();
    await Promise.all(listeners.map((listener) => listener.close()));
    throw error;
  }
}

/** Begins to answer; gives what ends it. */
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
  const maintenance = new Maintenance(context, options.ttlIntervalMs ?? defaultTtlIntervalMs);
  maintenance.start();
  context.loop.start();
  return async () => {
    const closed = Promise.all(listeners.map((listener) => listener.close()));
    maintenance.stop();
    context.loop.stop();
    await context.writes.close(new MongoError('ShutdownInProgress', 'the server is shutting down'));
    for (const connection of connections) connection.close();
    context.cursors.closeAll();
    await closed;
    await context.env.close();
    lock.release();
  };
}

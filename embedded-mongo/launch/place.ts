import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord } from '../checked-access.js';
import type { RunningServer, ServerOptions } from '../server/server.js';
import {
  DataDirectoryError,
  type DataDirectoryFault,
  FIRST_USER,
  PASSWORD_FILE_NAME,
} from '../store/data-directory.js';
import { MAX_SOCKET_PATH_BYTES, newSocketPath, removeDeadSocket } from '../store/sockets.js';

/** The options for a child or thread. */
export type StartMessage = Omit<ServerOptions, 'system'>;

/** The reply of a child or thread: ready when it has no error; `port` is the TCP port, if any. */
export interface ReadyMessage {
  readonly port?: number;
  readonly error?: { readonly fault?: DataDirectoryFault; readonly message: string };
}

/** @returns the start message of a parent; throws on any other message. */
export function readStartMessage(message: unknown): StartMessage {
  if (isStartMessage(message)) return message;
  throw new Error('the database got a start message without a data directory');
}

function isStartMessage(message: unknown): message is StartMessage {
  return isRecord(message) && typeof message['dataDir'] === 'string';
}

/** Parent and child have one version, so only the shape is checked. */
export function isReadyMessage(message: unknown): message is ReadyMessage {
  return isRecord(message) && (message['error'] === undefined || isRecord(message['error']));
}

export function readyMessage({ port }: RunningServer): ReadyMessage {
  return port === undefined ? {} : { port };
}

export function failureMessage(error: unknown): ReadyMessage {
  const message = error instanceof Error ? error.message : String(error);
  return { error: error instanceof DataDirectoryError ? { fault: error.fault, message } : { message } };
}

/** The address of a server before its start, and its cleanup. */
export interface Place {
  readonly listen: Pick<ServerOptions, 'socketPath' | 'tcp'>;
  /** Removes the socket of an ended server. Leaves it if another server uses the path. */
  remove(): Promise<void>;
}

/** A unix socket, plus TCP on request; loopback TCP alone where the platform has no unix sockets. */
export function placeFor(
  options: Pick<ServerOptions, 'dataDir' | 'tcp'> & { readonly transport?: 'socket' | 'tcp' },
  socketPath?: string,
): Place {
  const transport = options.transport ?? (process.platform === 'win32' ? 'tcp' : 'socket');
  if (transport === 'tcp') return { listen: { tcp: options.tcp ?? { port: 0 } }, remove: async () => undefined };
  const path = socketPath === undefined ? ownSocketPath(options.dataDir) : checkedSocketPath(socketPath);
  const tcp = options.tcp ? { tcp: options.tcp } : {};
  return { listen: { socketPath: path, ...tcp }, remove: () => removeDeadSocket(path) };
}

/** The address fields of `Running`. */
export function reachedAt(
  place: Place,
  port: number | undefined,
  dataDir: string,
): { uri: string; socketPath: string; port?: number } {
  const { socketPath } = place.listen;
  if (socketPath !== undefined)
    return { uri: `mongodb://${encodeURIComponent(socketPath)}/`, socketPath, ...(port === undefined ? {} : { port }) };
  const password = encodeURIComponent(readFileSync(join(dataDir, PASSWORD_FILE_NAME), 'utf8').trim());
  const uri = `mongodb://${FIRST_USER}:${password}@127.0.0.1:${port}/?authSource=admin`;
  return { uri, socketPath: '', ...(port === undefined ? {} : { port }) };
}

function ownSocketPath(dataDir: string): string {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  return newSocketPath(dataDir, 'db', randomBytes(4).toString('hex'));
}

function checkedSocketPath(given: string): string {
  if (!given.endsWith('.sock'))
    throw new Error(`a socket path must end in .sock, because drivers recognise sockets by that ending: ${given}`);
  if (Buffer.byteLength(given) > MAX_SOCKET_PATH_BYTES)
    throw new Error(`the socket path is longer than ${MAX_SOCKET_PATH_BYTES} bytes: ${given}`);
  return given;
}

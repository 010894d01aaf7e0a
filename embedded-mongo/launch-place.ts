import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { firstUser, passwordFileName } from './auth/password-file.js';
import type { ServerOptions } from './server.js';

/** Where a server that is about to be started will listen, and how to clean up after it. */
export interface Place {
  readonly listen: Pick<ServerOptions, 'socketPath' | 'tcp'>;
  remove(): void;
}

/** A `sockaddr_un` holds 108 bytes with its end mark on Linux, 104 on others. */
const maxSocketPathBytes = 103;

/** A unix socket, beside TCP if that is asked for; loopback TCP alone where the platform has no unix sockets. */
export function placeFor(
  options: Pick<ServerOptions, 'dataDir' | 'tcp'> & { readonly transport?: 'socket' | 'tcp' },
  socketPath?: string,
): Place {
  const transport = options.transport ?? (process.platform === 'win32' ? 'tcp' : 'socket');
  if (transport === 'tcp') return { listen: { tcp: options.tcp ?? { port: 0 } }, remove: () => undefined };
  const place = socketPlace(socketPath, options.dataDir);
  const tcp = options.tcp ? { tcp: options.tcp } : {};
  return { listen: { socketPath: place.socketPath, ...tcp }, remove: place.remove };
}

/** The part of `Running` that says how to reach it. */
export function reachedAt(
  place: Place,
  port: number | undefined,
  dataDir: string,
): { uri: string; socketPath: string; port?: number } {
  const { socketPath } = place.listen;
  if (socketPath !== undefined) {
    return { uri: `mongodb://${encodeURIComponent(socketPath)}/`, socketPath, ...(port === undefined ? {} : { port }) };
  }
  const password = encodeURIComponent(readFileSync(join(dataDir, passwordFileName), 'utf8').trim());
  const uri = `mongodb://${firstUser}:${password}@127.0.0.1:${port}/?authSource=admin`;
  return { uri, socketPath: '', ...(port === undefined ? {} : { port }) };
}

/** The given path, else one in the data directory, else (where that is too long) in a private temporary directory. */
function socketPlace(given: string | undefined, dataDir: string): { socketPath: string; remove(): void } {
  if (given !== undefined) {
    if (!given.endsWith('.sock'))
      throw new Error(`a socket path must end in .sock, for drivers tell it by that: ${given}`);
    if (Buffer.byteLength(given) > maxSocketPathBytes)
      throw new Error(`the socket path is longer than ${maxSocketPathBytes} bytes: ${given}`);
    return { socketPath: given, remove: () => rmSync(given, { force: true }) };
  }
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const inDirectory = join(dataDir, `db-${randomBytes(4).toString('hex')}.sock`);
  if (Buffer.byteLength(inDirectory) <= maxSocketPathBytes) {
    return { socketPath: inDirectory, remove: () => rmSync(inDirectory, { force: true }) };
  }
  const directory = mkdtempSync(join(tmpdir(), 'embedded-mongo-socket-'));
  return { socketPath: join(directory, 'db.sock'), remove: () => rmSync(directory, { recursive: true, force: true }) };
}

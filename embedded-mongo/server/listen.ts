import { chmodSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { accepts, DataDirectoryError } from '../store/data-directory.js';

export interface TcpOptions {
  /** Default 127.0.0.1; other addresses than loopback need TLS. */
  readonly host?: string;
  /** 0 uses any free port. */
  readonly port: number;
  /** Paths of PEM files. */
  readonly tls?: { readonly certFile: string; readonly keyFile: string };
}

/** A listener. Connections before `serve` are closed: they only probe whether a server is alive. */
export interface Listener {
  /** Whether clients must log in. */
  readonly authenticates: boolean;
  /** Of a TCP listener. */
  readonly port?: number;
  serve(onConnection: (socket: Socket) => void, onError: (error: unknown) => void): void;
  close(): Promise<void>;
}

const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', '::1', 'localhost']);

/** A live socket shows other starters that the directory is in use; its permissions admit only the owner. */
export async function listenOnSocket(socketPath: string): Promise<Listener> {
  if (await accepts({ socketPath }))
    throw new DataDirectoryError('in-use', `${socketPath} is served by another process`);
  // A restart may bind a socket whose private folder went with the dead server.
  if (process.platform !== 'win32') mkdirSync(dirname(socketPath), { recursive: true, mode: 0o700 });
  rmSync(socketPath, { force: true });
  const server = createServer();
  const listener = listenerOn(server, 'connection', false);
  await bound(server, () => server.listen(socketPath));
  chmodSync(socketPath, 0o600);
  return listener;
}

export async function listenOnTcp({ host = '127.0.0.1', port, tls }: TcpOptions): Promise<Listener> {
  if (!tls && !LOOPBACK.has(host))
    throw new Error(
      `listening on ${host} needs TLS, because others on the network could read and change the data without it`,
    );
  const server = tls
    ? createTlsServer({ cert: readFileSync(tls.certFile), key: readFileSync(tls.keyFile) })
    : createServer();
  const listener = listenerOn(server, tls ? 'secureConnection' : 'connection', true);
  await bound(server, () => server.listen(port, host));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a TCP listener has no port');
  return { ...listener, port: address.port };
}

function listenerOn(server: Server, event: 'connection' | 'secureConnection', authenticates: boolean): Listener {
  server.on(event, (socket: Socket) => socket.destroy());
  return {
    authenticates,
    serve: (onConnection, onError) => {
      server.removeAllListeners(event);
      server.on(event, onConnection);
      server.on('error', onError);
      // A client without TLS, or one that gives up, is not a server fault.
      server.on('tlsClientError', (_error: unknown, socket: Socket) => socket.destroy());
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

async function bound(server: Server, listen: () => void): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.once('listening', resolve);
    listen();
  });
  server.removeAllListeners('error');
}

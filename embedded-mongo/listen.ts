import { chmodSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { DataDirectoryError } from './store/data-directory-error.js';
import { accepts } from './store/owner-lock.js';

export interface TcpOptions {
  /** 127.0.0.1 unless given; anything but loopback needs TLS. */
  readonly host?: string;
  /** 0 takes any free one. */
  readonly port: number;
  /** Paths of PEM files. */
  readonly tls?: { readonly certFile: string; readonly keyFile: string };
}

/** One way in. What comes before it is told to serve is closed: it only wants to know whether somebody lives here. */
export interface Listener {
  /** Whether who comes this way must prove who he is. */
  readonly authenticates: boolean;
  /** Of a TCP listener. */
  readonly port?: number;
  serve(onConnection: (socket: Socket) => void, onError: (error: unknown) => void): void;
  close(): Promise<void>;
}

const loopback: ReadonlySet<string> = new Set(['127.0.0.1', '::1', 'localhost']);

/** The socket's liveness is what tells other starters that the directory is taken; its permissions admit the owner. */
export async function listenOnSocket(socketPath: string): Promise<Listener> {
  if (await accepts({ socketPath })) {
    throw new DataDirectoryError('in-use', `${socketPath} is served by another process`);
  }
  rmSync(socketPath, { force: true });
  const server = createServer();
  const listener = listenerOn(server, 'connection', false);
  await bound(server, () => server.listen(socketPath));
  chmodSync(socketPath, 0o600);
  return listener;
}

export async function listenOnTcp({ host = '127.0.0.1', port, tls }: TcpOptions): Promise<Listener> {
  if (!tls && !loopback.has(host)) {
    throw new Error(`listening on ${host} needs TLS: without it anybody on the way could read and alter the data`);
  }
  const server = tls
    ? createTlsServer({ cert: readFileSync(tls.certFile), key: readFileSync(tls.keyFile) })
    : createServer();
  const listener = listenerOn(server, tls ? 'secureConnection' : 'connection', true);
  await bound(server, () => server.listen(port, host));
  return { ...listener, port: (server.address() as AddressInfo).port };
}

function listenerOn(server: Server, event: 'connection' | 'secureConnection', authenticates: boolean): Listener {
  server.on(event, (socket: Socket) => socket.destroy());
  return {
    authenticates,
    serve: (onConnection, onError) => {
      server.removeAllListeners(event);
      server.on(event, onConnection);
      server.on('error', onError);
      // A client that cannot do TLS, or gives up half way, is no fault of ours.
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

import { connect, type NetConnectOpts } from 'node:net';

export type DataDirectoryFault = 'in-use' | 'foreign' | 'damaged' | 'format' | 'no-room' | 'not-private' | 'locked';

/** The reason why a data directory was rejected at start; nothing in it was changed. */
export class DataDirectoryError extends Error {
  constructor(
    readonly fault: DataDirectoryFault,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'DataDirectoryError';
  }
}

/** The user created when a data directory is first served over TCP. */
export const FIRST_USER = 'admin';
/** The file with that user's password, readable by the owner; it is not updated when the password changes. */
export const PASSWORD_FILE_NAME = 'password';

/** The address of a server on this machine. */
export type Address = { readonly socketPath: string } | { readonly port: number };

/** For `connect`; TCP is loopback. */
export function connectOptions(address: Address): NetConnectOpts {
  return 'port' in address ? { host: '127.0.0.1', port: address.port } : { path: address.socketPath };
}

export function textOf(address: Address): string {
  return 'port' in address ? `port ${address.port}` : address.socketPath;
}

/** Whether a server listens there. */
export function accepts(address: Address): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(connectOptions(address));
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    // EAGAIN: its queue is full, so it is alive. All other errors: no server.
    socket.once('error', (error) => resolve(codeOf(error) === 'EAGAIN'));
  });
}

/** How long a connection must stay open to count as served: a starting server closes connections at once. */
const SERVED_AFTER_MS = 300;

/** Whether a server answers on a unix socket, instead of only having bound it. */
export function serves(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(socketPath);
    const timer = setTimeout(() => finish(true), SERVED_AFTER_MS);
    const finish = (served: boolean) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(served);
    };
    socket.once('close', () => finish(false));
    socket.once('error', () => finish(false));
  });
}

export function codeOf(error: unknown): string | undefined {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : undefined;
}

import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Config } from '../shared/config/config.js';
import { StartRefused } from '../shared/errors/start-refused.js';

/** Listens on the configured address. @throws StartRefused */
export function listenOn(server: Server, { port, host }: Pick<Config, 'port' | 'host'>): Promise<void> {
  return new Promise((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException) =>
      reject(new StartRefused(`${host}:${port} cannot be listened on (${error.code})`));
    server.once('error', onError);
    server.listen({ port, host }, () => {
      server.off('error', onError);
      resolve();
    });
  });
}

/** A client on this machine reaches a server on all addresses by these. */
const LOOPBACK_OF_ANY: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** @returns `http://host:port`, with the port in use. */
export function urlOf(server: Server): string {
  const address: AddressInfo | string | null = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('the server does not listen on a port');
  const host = LOOPBACK_OF_ANY[address.address] ?? address.address;
  return `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`;
}

import type { Config } from '../shared/config/config.js';
import { StartRefused } from '../shared/errors/start-refused.js';

/** As much of an HTTP server as listening needs. */
export interface Listener {
  listen(address: { readonly port: number; readonly host: string }): Promise<string>;
}

/** @returns `http://host:port`, with the port that was really taken. @throws StartRefused */
export async function listenOn(server: Listener, config: Pick<Config, 'port' | 'host'>): Promise<string> {
  return server.listen({ port: config.port, host: config.host }).catch((error: NodeJS.ErrnoException) => {
    if (error.syscall !== 'listen' && error.syscall !== 'getaddrinfo') throw error;
    throw new StartRefused(`${config.host}:${config.port} cannot be listened on (${error.code})`);
  });
}

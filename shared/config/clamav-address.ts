import { z } from 'zod';

export interface ClamavAddress {
  readonly host: string;
  readonly port: number;
}

/** clamd's own default (clamd.conf, TCPSocket in Debian's examples). */
const DEFAULT_PORT = 3310;
const ADDRESS = /^(\[[0-9a-f:.]+\]|[A-Za-z0-9._-]+)(?::(\d{1,5}))?$/i;

/** `host`, `host:port`, `[::1]:3310`. */
export const clamavAddress = z
  .string()
  .regex(ADDRESS, 'a host name or address, and a port if it is not 3310')
  .transform((text): ClamavAddress => {
    const [, host = '', port] = ADDRESS.exec(text) ?? [];
    return { host: host.replace(/^\[|\]$/g, ''), port: port === undefined ? DEFAULT_PORT : Number(port) };
  })
  .refine(({ port }) => port >= 1 && port <= 65_535, 'a port between 1 and 65535');

import { createServer, type IncomingHttpHeaders, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Certificate } from './self-signed.js';

/** A request that came in. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly atMs: number;
}

export interface Receiver {
  /** `http(s)://host:port` */
  readonly url: string;
  readonly received: readonly Received[];
  /** Connections that were opened to it. */
  readonly connections: () => number;
  /** How it answers from now on; 200 at first. */
  answer: (response: ServerResponse, request: Received) => void;
  /** Resolves when so many requests have come. @throws after a minute */
  until(count: number): Promise<readonly Received[]>;
  close(): Promise<void>;
}

const DEADLINE_MS = 150_000;

/** A receiver of webhooks in this process. @param tls makes it an `https` one under this name. */
export async function startReceiver(tls?: Certificate & { readonly host: string }): Promise<Receiver> {
  const received: Received[] = [];
  const sockets = new Set<Socket>();
  let opened = 0;
  let waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  const listener: RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const one = {
        path: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks),
        atMs: performance.now(),
      };
      received.push(one);
      receiver.answer(response, one);
      for (const { count, resolve } of waiting) if (received.length >= count) resolve();
      waiting = waiting.filter(({ count }) => received.length < count);
    });
  };
  const server = tls ? createTlsServer(tls, listener) : createServer(listener);
  server.on('connection', (socket: Socket) => {
    opened += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const receiver: Receiver = {
    url: tls ? `https://${tls.host}:${port}` : `http://127.0.0.1:${port}`,
    received,
    connections: () => opened,
    answer: (response) => void response.writeHead(200).end('ok'),
    until: async (count) => {
      if (received.length >= count) return received;
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new Error(`${received.length} of ${count} requests came`)), DEADLINE_MS);
      });
      const enough = new Promise<void>((resolve) => waiting.push({ count, resolve }));
      await Promise.race([enough, late]).finally(() => clearTimeout(timer));
      return received;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}

import { createServer, type IncomingMessage, request as requestOf, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What goes wrong with one request, in its place in the order of requests. */
export type Fault =
  /** The proxy answers itself; the service sees nothing. */
  | { readonly kind: 'answer'; readonly status: number; readonly retryAfterSeconds?: number }
  /** The service answers, and the connection ends after so many bytes of its body. */
  | { readonly kind: 'cut'; readonly afterBytes: number }
  /**
   * The same, but the connection stays open until `cut()`: a client loses what it has not read when a connection ends. The
   * body comes in chunks, so that it is unended even behind its last byte.
   */
  | { readonly kind: 'held'; readonly afterBytes: number }
  /** The service answers, and the connection ends before a byte of it. */
  | { readonly kind: 'lost' }
  /** Bytes of the answer's body from `at` on are other bytes. */
  | { readonly kind: 'changed'; readonly at: number };

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
}

export interface FaultyProxy {
  readonly url: string;
  readonly seen: readonly SeenRequest[];
  /** Ends the connections that are held. */
  cut(): void;
  close(): Promise<void>;
}

/**
 * Starts a proxy before a service. Each request whose path matches takes the next fault; when there are no more, requests
 * pass unchanged.
 */
export async function startFaultyProxy(target: string, on: RegExp, faults: readonly Fault[]): Promise<FaultyProxy> {
  const waiting = [...faults];
  const held = new Set<ServerResponse>();
  const seen: SeenRequest[] = [];
  const server = createServer((request, response) => {
    const { method = 'GET', url: path = '/', headers } = request;
    seen.push({ method, path, headers });
    const fault = on.test(`${method} ${path}`) ? waiting.shift() : undefined;
    if (fault?.kind === 'answer') {
      request.resume();
      const retry = fault.retryAfterSeconds === undefined ? {} : { 'retry-after': String(fault.retryAfterSeconds) };
      response.writeHead(fault.status, { 'content-type': 'text/plain', ...retry }).end('not now');
      return;
    }
    if (fault?.kind === 'held') held.add(response);
    forward(target, request, response, fault);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A server that listens on a port has an address with it.
  const { port } = server.address() as AddressInfo;
  const cut = (): void => {
    for (const response of held) response.destroy();
    held.clear();
  };
  const close = (): Promise<void> => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(() => resolve()));
  };
  return { url: `http://127.0.0.1:${port}`, seen, cut, close };
}

function forward(target: string, request: IncomingMessage, response: ServerResponse, fault: Fault | undefined): void {
  const { method, headers: asked } = request;
  const onward = requestOf(`${target}${request.url}`, { method, headers: asked }, (answer) => {
    if (fault?.kind === 'lost') {
      // The service has done its work when its answer is complete.
      answer.resume().once('end', () => response.destroy());
      return;
    }
    const headers = { ...answer.headers };
    if (fault?.kind === 'held') delete headers['content-length'];
    response.writeHead(answer.statusCode ?? 502, headers);
    let sentBytes = 0;
    answer.on('data', (chunk: Buffer) => {
      if (response.destroyed) return;
      const from = sentBytes;
      sentBytes += chunk.length;
      if ((fault?.kind === 'cut' || fault?.kind === 'held') && sentBytes > fault.afterBytes) {
        const last = chunk.subarray(0, fault.afterBytes - from);
        response.write(last, () => fault.kind === 'cut' && response.destroy());
        answer.destroy();
      } else response.write(fault?.kind === 'changed' ? changed(chunk, fault.at - from) : chunk);
    });
    answer.on('end', () => fault?.kind !== 'held' && response.end());
  });
  onward.on('error', () => response.destroy());
  request.pipe(onward);
}

function changed(chunk: Buffer, index: number): Buffer {
  const copy = Buffer.from(chunk);
  const byte = copy[index];
  if (byte !== undefined) copy[index] = byte ^ 1;
  return copy;
}

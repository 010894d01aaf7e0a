import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { within } from '../clock/timers.js';

/** A server that can be taken out of service without losing a request. */
export interface LameDuck {
  readonly draining: boolean;
  /**
   * Takes no new connections and asks each client, with `Connection: close` on its next answer, not to come back on the
   * old one. Resolves when every connection is gone, or after `maxMs`, when idle ones are cut; a request under way is
   * never cut.
   */
  drain(maxMs: number): Promise<void>;
}

/**
 * Closing idle connections at once, as `server.close()` does, races with a request that a client is just sending on
 * one; who answers it first and closes then loses nothing (RFC 9112 section 9.6).
 */
export function lameDuckOf(server: Server): LameDuck {
  const underWay = new Map<Socket, number>();
  const answers = new Set<ServerResponse>();
  let draining = false;
  let emptied = (): void => {};
  const asksToClose = (response: ServerResponse): void => {
    if (!response.headersSent) response.setHeader('connection', 'close');
  };
  server.on('connection', (socket) => {
    underWay.set(socket, 0);
    socket.once('close', () => {
      underWay.delete(socket);
      if (underWay.size === 0) emptied();
    });
  });
  // Before the application's own listener, so that its answer carries the header.
  server.prependListener('request', ({ socket }, response) => {
    underWay.set(socket, (underWay.get(socket) ?? 0) + 1);
    answers.add(response);
    if (draining) asksToClose(response);
    response.once('close', () => {
      answers.delete(response);
      const count = underWay.get(socket);
      if (count !== undefined) underWay.set(socket, count - 1);
    });
  });
  return {
    get draining() {
      return draining;
    },
    async drain(maxMs) {
      draining = true;
      // Of node:net, not of node:http: that one also cuts idle connections.
      NetServer.prototype.close.call(server);
      for (const response of answers) asksToClose(response);
      if (underWay.size === 0) return;
      const empty = new Promise<void>((resolve) => {
        emptied = resolve;
      });
      await within(maxMs, empty);
      for (const [socket, requests] of underWay) if (requests === 0) socket.destroy();
    },
  };
}

import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { delay } from '../../shared/clock/timers.js';

/** Bytes of an answered request that are still read and discarded. */
const MAX_UNREAD_BYTES = 67_108_864;
/** Time that an answered request has to end. */
const MAX_UNREAD_MS = 10_000;
const LOOK_EVERY_MS = 50;

/**
 * Lets a client that still sends its body read the answer. A connection that closes at once is reset while the client
 * writes, and the client sees a broken connection instead of the error (RFC 9112 section 9.6). The rest of the body is
 * read and discarded, up to {@link MAX_UNREAD_BYTES} and {@link MAX_UNREAD_MS}; then the connection is closed.
 */
export function discardUnreadBodies(server: FastifyInstance): void {
  server.addHook('onSend', (request, reply, payload, done) => {
    // Fastify asks to close after a body that it did not read.
    if (isUnread(request.raw) && request.raw.httpVersion !== '1.0') reply.removeHeader('connection');
    done(null, payload);
  });
  server.addHook('onResponse', (request, _reply, done) => {
    if (isUnread(request.raw)) void discard(request.raw);
    done();
  });
}

/** A request that was not received over a connection has no such member: nothing more of it comes. */
const isUnread = ({ complete }: Partial<Pick<IncomingMessage, 'complete'>>): boolean => complete === false;

/** Node discards the rest of an answered request by itself, without an event for its bytes; so they are looked at now and then. */
async function discard(message: IncomingMessage): Promise<void> {
  const { socket } = message;
  const bytesBefore = socket.bytesRead;
  message.resume();
  for (let waitedMs = 0; !message.complete && !socket.destroyed; waitedMs += LOOK_EVERY_MS) {
    if (socket.bytesRead - bytesBefore > MAX_UNREAD_BYTES || waitedMs >= MAX_UNREAD_MS) {
      socket.destroy();
      return;
    }
    await delay(LOOK_EVERY_MS);
  }
}

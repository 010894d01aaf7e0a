import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';

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
    if (!request.raw.complete && request.raw.httpVersion !== '1.0') reply.removeHeader('connection');
    done(null, payload);
  });
  server.addHook('onResponse', (request, _reply, done) => {
    if (!request.raw.complete) discard(request.raw);
    done();
  });
}

/** Node discards the rest of an answered request by itself, without an event for its bytes; so they are looked at now and then. */
function discard(message: IncomingMessage): void {
  const { socket } = message;
  const bytesBefore = socket.bytesRead;
  let looks = 0;
  const timer = setInterval(() => {
    looks += 1;
    if (message.complete || socket.destroyed) return clearInterval(timer);
    if (socket.bytesRead - bytesBefore > MAX_UNREAD_BYTES || looks * LOOK_EVERY_MS >= MAX_UNREAD_MS) socket.destroy();
  }, LOOK_EVERY_MS).unref();
  message.resume();
}

import { randomBytes } from 'node:crypto';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import Fastify, { type FastifyInstance } from 'fastify';
import { LentStream } from '../../../rest-facade/streams/lent-stream.js';

// Memory of a chunk is spoilt as soon as the next one is asked for: what reaches the client tells whether it had left.

const MIB = 1_048_576;
const CHUNKS = 24;

let app: FastifyInstance;
let sent: Buffer[] = [];
let ended = 0;

async function* lent(fails: boolean): AsyncGenerator<Buffer> {
  try {
    for (let n = 0; n < CHUNKS; n++) {
      if (fails && n === 5) throw new Error('damaged');
      const chunk = randomBytes(MIB);
      sent.push(Buffer.from(chunk));
      yield chunk;
      chunk.fill(0);
    }
  } finally {
    ended++;
  }
}

beforeAll(async () => {
  app = Fastify();
  app.get('/whole', (_, reply) => reply.header('content-length', CHUNKS * MIB).send(new LentStream(lent(false))));
  app.get('/broken', (_, reply) => reply.header('content-length', CHUNKS * MIB).send(new LentStream(lent(true))));
  await app.listen({ host: '127.0.0.1', port: 0 });
});

afterAll(() => app.close());

const ask = (path: string): Socket => {
  sent = [];
  ended = 0;
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
  return socket;
};

/** The body of an answer, read by one who stops after every piece. */
async function readSlowly(socket: Socket): Promise<Buffer> {
  const parts: Buffer[] = [];
  try {
    for await (const part of socket as AsyncIterable<Buffer>) {
      parts.push(part);
      await new Promise((resolve) => setImmediate(resolve));
    }
  } catch {
    // Cut off: what came before it is what was read.
  }
  const whole = Buffer.concat(parts);
  return whole.subarray(whole.indexOf('\r\n\r\n') + 4);
}

test('no chunk is asked for before the one before it has left, however slowly it is read', async () => {
  const body = await readSlowly(ask('/whole'));
  expect(body.length).toBe(CHUNKS * MIB);
  expect(body.equals(Buffer.concat(sent))).toBe(true);
  expect(ended).toBe(1);
});

test('a source that fails cuts the answer short of its length', async () => {
  const body = await readSlowly(ask('/broken'));
  expect(body.length).toBeLessThanOrEqual(5 * MIB);
  expect(Buffer.concat(sent).subarray(0, body.length).equals(body)).toBe(true);
  expect(ended).toBe(1);
});

test('a client that leaves in the middle ends the source', async () => {
  const socket = ask('/whole');
  await new Promise((resolve) => socket.once('data', resolve));
  socket.destroy();
  while (ended === 0) await new Promise((resolve) => setImmediate(resolve));
  expect(sent.length).toBeLessThan(CHUNKS);
});

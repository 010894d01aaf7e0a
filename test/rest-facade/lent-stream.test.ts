import { randomBytes } from 'node:crypto';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import Fastify, { type FastifyInstance } from 'fastify';
import { LentStream } from '../../rest-facade/streams/lent-stream.js';

// The source overwrites a chunk when the next one is read, so the received bytes show whether the chunk was sent in time.

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
    // After the cut the client keeps the bytes that it read before.
  }
  const whole = Buffer.concat(parts);
  return whole.subarray(whole.indexOf('\r\n\r\n') + 4);
}

it('reads a chunk only after the previous one was sent, however slowly the client reads', async () => {
  const body = await readSlowly(ask('/whole'));
  expect(body.length).toBe(CHUNKS * MIB);
  expect(body.equals(Buffer.concat(sent))).toBe(true);
  expect(ended).toBe(1);
});

it('truncates the answer when the source fails', async () => {
  const body = await readSlowly(ask('/broken'));
  expect(body.length).toBeLessThanOrEqual(5 * MIB);
  expect(Buffer.concat(sent).subarray(0, body.length).equals(body)).toBe(true);
  expect(ended).toBe(1);
});

it('ends the source when the client disconnects', async () => {
  const socket = ask('/whole');
  await new Promise((resolve) => socket.once('data', resolve));
  socket.destroy();
  while (ended === 0) await new Promise((resolve) => setImmediate(resolve));
  expect(sent.length).toBeLessThan(CHUNKS);
});

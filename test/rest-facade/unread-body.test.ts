import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type FacadeKit, facadeKit, KEYS } from './facade-kit.js';

let kit: FacadeKit;
let port: number;
beforeAll(async () => {
  kit = await facadeKit();
  await kit.server.listen({ port: 0, host: '127.0.0.1' });
  port = (kit.server.server.address() as AddressInfo).port;
});
afterAll(() => kit.close());

const MIB = 1_048_576;
const head = (key: string, framing: string): string =>
  `POST /v1/tenants HTTP/1.1\r\nhost: x\r\nx-api-key: ${key}\r\ncontent-type: application/json\r\n${framing}\r\n\r\n`;

/** What a socket receives until `isWhole` of it. */
async function received(socket: Socket, isWhole: (text: string) => boolean): Promise<string> {
  let text = '';
  while (!isWhole(text)) {
    const [chunk] = await once(socket, 'data');
    text += String(chunk);
  }
  return text;
}

const send = async (socket: Socket, bytes: Buffer): Promise<void> => {
  if (!socket.write(bytes)) await once(socket, 'drain');
};

describe('a client that still sends its body reads the error', () => {
  it.each([
    ['a body over its limit', KEYS.operator, 413, false],
    ['a body over its limit in chunks', KEYS.operator, 413, true],
    ['a key that nobody has', 'key-of-nobody', 401, false],
  ])('of %s, and its connection stays open', async (_what, key, status, isChunked) => {
    const socket = connect(port, '127.0.0.1');
    const piece = Buffer.alloc(MIB, 0x20);
    const framed = isChunked ? Buffer.concat([Buffer.from('100000\r\n'), piece, Buffer.from('\r\n')]) : piece;
    socket.write(head(key, isChunked ? 'transfer-encoding: chunked' : `content-length: ${20 * MIB}`));
    const answer = received(socket, (text) => text.endsWith('}'));
    await send(socket, framed);
    await send(socket, framed);
    expect(await answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    for (let sent = 2; sent < 20; sent += 1) await send(socket, framed);
    if (isChunked) await send(socket, Buffer.from('0\r\n\r\n'));
    const next = received(socket, (text) => text.includes('\r\n\r\n'));
    socket.write('GET /v1/healthz HTTP/1.1\r\nhost: x\r\n\r\n');
    expect(await next).toMatch(/^HTTP\/1.1 200 /);
    socket.destroy();
  });

  it('and is cut off after 64 MiB more', async () => {
    const socket = connect(port, '127.0.0.1');
    const cut = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    socket.on('error', () => undefined);
    socket.write(head(KEYS.operator, `content-length: ${1024 * MIB}`));
    const answer = received(socket, (text) => text.endsWith('}'));
    const piece = Buffer.alloc(MIB, 0x20);
    let sent = 0;
    for (; !socket.destroyed && sent < 512; sent += 1) {
      if (!socket.write(piece)) await Promise.race([once(socket, 'drain').catch(() => undefined), cut]);
    }
    expect(await answer).toMatch(/^HTTP\/1.1 413 /);
    await cut;
    expect(sent).toBeLessThan(512);
  });
});

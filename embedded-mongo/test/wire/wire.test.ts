import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BSON } from 'mongodb';
import { crc32c } from '../../wire/op-msg.js';
import { startTestServer, type TestServer } from '../test-server.js';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

/** A bare connection: sends bytes, collects replies, knows when it was closed. */
class RawClient {
  #received = Buffer.alloc(0);
  readonly #socket: Socket;
  #wake: () => void = () => undefined;
  closed = false;

  constructor() {
    this.#socket = connect(server.running.socketPath);
    this.#socket.on('data', (chunk) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      this.#wake();
    });
    this.#socket.on('error', () => this.#socket.destroy());
    this.#socket.on('close', () => {
      this.closed = true;
      this.#wake();
    });
  }

  send(bytes: Buffer): void {
    this.#socket.write(bytes);
  }

  /** The next reply's document; undefined when the server closed the connection. */
  async reply(): Promise<Record<string, unknown> | undefined> {
    for (;;) {
      const length = this.#received.length >= 4 ? this.#received.readInt32LE(0) : Number.POSITIVE_INFINITY;
      if (this.#received.length >= length) {
        const message = this.#received.subarray(0, length);
        this.#received = this.#received.subarray(length);
        return BSON.deserialize(message.subarray(message.readInt32LE(12) === 1 ? 36 : 21));
      }
      if (this.closed) return undefined;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  end(): void {
    this.#socket.destroy();
  }
}

function message(opCode: number, body: Buffer, length = body.length + 16): Buffer {
  const header = Buffer.alloc(16);
  header.writeInt32LE(length, 0);
  header.writeInt32LE(1, 4);
  header.writeInt32LE(opCode, 12);
  return Buffer.concat([header, body]);
}

function opMsg(sections: Buffer, flags = 0): Buffer {
  const bits = Buffer.alloc(4);
  bits.writeUInt32LE(flags, 0);
  return message(2013, Buffer.concat([bits, sections]));
}

function body(document: Record<string, unknown>): Buffer {
  return Buffer.concat([Buffer.from([0]), BSON.serialize({ ...document, $db: 'wire' })]);
}

function sequence(name: string, ...documents: Record<string, unknown>[]): Buffer {
  const content = Buffer.concat([Buffer.from(`${name}\0`), ...documents.map((document) => BSON.serialize(document))]);
  const length = Buffer.alloc(4);
  length.writeInt32LE(content.length + 4, 0);
  return Buffer.concat([Buffer.from([1]), length, content]);
}

async function exchange(bytes: Buffer): Promise<Record<string, unknown> | undefined> {
  const client = new RawClient();
  client.send(bytes);
  const reply = await client.reply();
  client.end();
  return reply;
}

describe('OP_MSG', () => {
  it('accepts documents in a separate section or in the body', async () => {
    const own = Buffer.concat([body({ insert: 'c' }), sequence('documents', { _id: 1 }, { _id: 2 })]);
    expect(await exchange(opMsg(own))).toMatchObject({ n: 2, ok: 1 });
    expect(await exchange(opMsg(body({ insert: 'c', documents: [{ _id: 3 }] })))).toMatchObject({ n: 1, ok: 1 });
  });

  it('answers in order for one packet and for single bytes', async () => {
    const client = new RawClient();
    client.send(Buffer.concat([opMsg(body({ ping: 1 })), opMsg(body({ nope: 1 })), opMsg(body({ ping: 1 }))]));
    expect([await client.reply(), await client.reply(), await client.reply()]).toMatchObject([
      { ok: 1 },
      { ok: 0, code: 59 },
      { ok: 1 },
    ]);
    for (const byte of opMsg(body({ ping: 1 }))) client.send(Buffer.from([byte]));
    expect(await client.reply()).toMatchObject({ ok: 1 });
    client.end();
  });

  it('sends no reply to moreToCome, and the next command sees its writes', async () => {
    const client = new RawClient();
    client.send(Buffer.concat([opMsg(body({ insert: 'more', documents: [{}] }), 2), opMsg(body({ count: 'more' }))]));
    expect(await client.reply()).toMatchObject({ n: 1 });
    client.end();
  });

  it('verifies the checksum if present', async () => {
    const unsigned = opMsg(body({ ping: 1 }), 1);
    unsigned.writeInt32LE(unsigned.length + 4, 0);
    const checksum = Buffer.alloc(4);
    checksum.writeUInt32LE(crc32c(unsigned), 0);
    expect(await exchange(Buffer.concat([unsigned, checksum]))).toMatchObject({ ok: 1 });
    checksum.writeUInt32LE(7, 0);
    expect(await exchange(Buffer.concat([unsigned, checksum]))).toBeUndefined();
  });

  it('computes the CRC-32C check value', () => {
    expect(crc32c(Buffer.from('123456789'))).toBe(0xe3069283);
  });
});

describe('OP_QUERY', () => {
  const query = (document: Record<string, unknown>) =>
    message(
      2004,
      Buffer.concat([
        Buffer.alloc(4),
        Buffer.from('admin.$cmd\0'),
        Buffer.alloc(4),
        Buffer.from([255, 255, 255, 255]),
        BSON.serialize(document),
      ]),
    );

  it('is accepted for hello only', async () => {
    expect(await exchange(query({ ismaster: 1 }))).toMatchObject({ ismaster: true, ok: 1 });
    expect(await exchange(query({ ping: 1 }))).toMatchObject({ ok: 0, code: 352 });
  });
});

describe('malformed input', () => {
  const badString = Buffer.from(body({ ping: 'abc' }));
  badString.writeInt32LE(9_999, badString.indexOf('ping') + 5);

  it.each<[string, Buffer, unknown]>([
    ['a length below the header', message(2013, Buffer.alloc(0), 3), undefined],
    ['a negative length', message(2013, Buffer.alloc(0), -1), undefined],
    ['a length above the limit', message(2013, Buffer.alloc(0), 60_000_000), undefined],
    ['an unknown operation', message(9, Buffer.alloc(20)), undefined],
    ['unknown required flags', opMsg(body({ ping: 1 }), 16), undefined],
    ['an empty OP_MSG', message(2013, Buffer.alloc(4)), undefined],
    ['an unknown section', opMsg(Buffer.concat([Buffer.from([7]), BSON.serialize({})])), { ok: 0, code: 40432 }],
    ['two bodies', opMsg(Buffer.concat([body({ ping: 1 }), body({ ping: 1 })])), { ok: 0, code: 40430 }],
    ['no body', opMsg(sequence('documents', { a: 1 })), { ok: 0, code: 40587 }],
    ['a string longer than its document', opMsg(badString), { ok: 0, code: 22 }],
    ['a body cut short', opMsg(body({ ping: 1 }).subarray(0, 12)), { ok: 0, code: 22 }],
    ['no $db', opMsg(Buffer.concat([Buffer.from([0]), BSON.serialize({ ping: 1 })])), { ok: 0, code: 40571 }],
    [
      'a bad $db',
      opMsg(Buffer.concat([Buffer.from([0]), BSON.serialize({ ping: 1, $db: 'a.b' })])),
      { ok: 0, code: 73 },
    ],
  ])('rejects %s and keeps the server running', async (_name, bytes, expected) => {
    const reply = await exchange(bytes);
    if (expected === undefined) expect(reply).toBeUndefined();
    else expect(reply).toMatchObject(expected as Record<string, unknown>);
    expect(await exchange(opMsg(body({ ping: 1 })))).toMatchObject({ ok: 1 });
  });

  it('never stops the server with random bytes after a valid header', async () => {
    let state = 12_345;
    const random = () => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
      return state;
    };
    for (let round = 0; round < 100; round++) {
      const bytes = Buffer.from(opMsg(body({ insert: 'fuzz', documents: [{ a: 'text', b: [1, { c: 2 }] }] })));
      for (let n = 0; n < 3; n++) bytes[16 + (random() % (bytes.length - 16))] = random() & 0xff;
      const client = new RawClient();
      client.send(bytes);
      client.send(opMsg(body({ ping: 1 })));
      await client.reply();
      client.end();
    }
    expect(await exchange(opMsg(body({ ping: 1 })))).toMatchObject({ ok: 1 });
  });
});

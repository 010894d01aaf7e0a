import { randomBytes } from 'node:crypto';
import { connect, type NetConnectOpts, type Socket } from 'node:net';
import { Binary } from 'bson';
import { clientFinal, MECHANISM } from '../auth/scram.js';
import { decodeDocument } from '../bson/decode.js';
import { encodeDocument } from '../bson/encode.js';
import { asNumber } from '../bson/number.js';
import { BsonDoc } from '../bson/value.js';
import { fail } from '../errors.js';
import { FrameReader, HEADER_BYTES } from './frame-reader.js';
import { OP_MSG } from './op-msg.js';

interface Waiting {
  resolve(reply: BsonDoc): void;
  reject(error: Error): void;
}

/** A client for backup and check: one connection, ordered answers, no pool, no retries. */
export class WireClient {
  readonly #reader = new FrameReader();
  readonly #waiting: Waiting[] = [];
  #requestId = 0;
  readonly #socket: Socket;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => this.#receive(chunk));
    socket.on('error', (error) => this.#fail(error));
    socket.on('close', () => this.#fail(new Error('the database closed the connection')));
  }

  static connect(address: NetConnectOpts): Promise<WireClient> {
    return new Promise((resolve, reject) => {
      const socket = connect(address);
      socket.once('error', reject);
      socket.once('connect', () => {
        socket.off('error', reject);
        resolve(new WireClient(socket));
      });
    });
  }

  /** Sends one command; rejects with its error unless it answers `ok: 1`. */
  async command(db: string, fields: Record<string, unknown>): Promise<BsonDoc> {
    const reply = await this.#send(encodeDocument(BsonDoc.of({ ...fields, $db: db })));
    if (asNumber(reply.get('ok')) === 1) return reply;
    fail(asNumber(reply.get('code')) ?? 'UnknownError', String(reply.get('errmsg')));
  }

  /** Logs in with SCRAM-SHA-256 (RFC 5802) and verifies that the server knows the password too. */
  async logIn(user: string, password: string): Promise<void> {
    const nonce = randomBytes(24).toString('base64');
    const bare = `n=${user},r=${nonce}`;
    const start = {
      saslStart: 1,
      mechanism: MECHANISM,
      payload: payload(`n,,${bare}`),
      options: { skipEmptyExchange: true },
    };
    const first = await this.command('admin', start);
    const { message, expected } = await clientFinal(bare, textIn(first), password, nonce);
    const conversationId = first.get('conversationId');
    const last = await this.command('admin', { saslContinue: 1, conversationId, payload: payload(message) });
    if (textIn(last) !== expected) throw new Error('the server does not know the password: it is not the one expected');
  }

  close(): void {
    this.#socket.destroy();
  }

  #send(body: Buffer): Promise<BsonDoc> {
    const prefix = Buffer.alloc(HEADER_BYTES + 5);
    prefix.writeInt32LE(prefix.length + body.length, 0);
    prefix.writeInt32LE(++this.#requestId, 4);
    prefix.writeInt32LE(OP_MSG, 12);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#socket.write(Buffer.concat([prefix, body]));
    });
  }

  #receive(chunk: Buffer): void {
    try {
      for (const message of this.#reader.push(chunk))
        this.#waiting.shift()?.resolve(decodeDocument(Buffer.from(message), HEADER_BYTES + 5));
    } catch (error) {
      this.#fail(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #fail(error: Error): void {
    this.#socket.destroy();
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }
}

function payload(text: string): Binary {
  return new Binary(Buffer.from(text));
}

function textIn(reply: BsonDoc): string {
  const found = reply.get('payload');
  return found instanceof Binary ? Buffer.from(found.buffer.subarray(0, found.position)).toString('utf8') : '';
}

import { connect, type Socket } from 'node:net';
import { deserialize } from 'bson';

/** Offset of the reply document in an OP_MSG: header, flag bits, section kind. */
const BODY_OFFSET = 21;

/** One connection, one request at a time. Decodes nothing, because the bench measures the server. */
class WireConnection {
  readonly #socket: Socket;
  #parts: Buffer[] = [];
  #received = 0;
  #expected = 0;
  #waiting: { resolve(reply: Buffer): void; reject(error: Error): void } | undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    socket.on('error', (error) => this.#waiting?.reject(error));
    socket.on('close', () => this.#waiting?.reject(new Error('the server closed the connection')));
  }

  call(message: Buffer): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#socket.write(message);
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    if (this.#received === 0) this.#expected = chunk.readInt32LE(0);
    this.#received += chunk.length;
    if (this.#received < this.#expected) {
      this.#parts.push(chunk);
      return;
    }
    const reply = this.#parts.length === 0 ? chunk : Buffer.concat([...this.#parts, chunk]);
    this.#parts = [];
    this.#received = 0;
    this.#waiting?.resolve(reply);
  }
}

/** One connection per caller; a call takes a free one. */
export class WirePool {
  readonly #all: WireConnection[] = [];
  readonly #free: WireConnection[] = [];

  static async open(socketPath: string, connections: number): Promise<WirePool> {
    const pool = new WirePool();
    for (let n = 0; n < connections; n++) {
      const socket = await new Promise<Socket>((resolve, reject) => {
        const opened = connect(socketPath, () => resolve(opened));
        opened.once('error', reject);
      });
      pool.#all.push(new WireConnection(socket));
    }
    pool.#free.push(...pool.#all);
    return pool;
  }

  /** Returns the undecoded reply; throws for a failed command. */
  async call(message: Buffer): Promise<Buffer> {
    const connection = this.#free.pop();
    if (!connection) throw new Error('more callers than connections');
    const reply = await connection.call(message);
    this.#free.push(connection);
    // Every successful reply ends with `ok: 1` as a double and the end mark of the document.
    if (reply.readDoubleLE(reply.length - 9) !== 1) throw new Error(JSON.stringify(replyDocument(reply)));
    return reply;
  }

  close(): void {
    for (const connection of this.#all) connection.close();
  }
}

export const replyDocument = (reply: Buffer): Record<string, unknown> => deserialize(reply.subarray(BODY_OFFSET));

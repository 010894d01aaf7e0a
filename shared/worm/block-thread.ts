import { Worker } from 'node:worker_threads';
import { compiledFile } from '../threads/compiled-file.js';
import type { StoredBlock } from './blob-medium.js';
import type { BlockAnswer, BlockRequest, BlockThreadPlace } from './block-messages.js';
import { BLOB_BLOCK_BYTES } from './worm-store.js';

/** Rooms that wait to be filled again. */
const MOST_ROOMS = 16;
/** It holds blocks and nothing else. */
const HEAP_LIMITS = { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: 256 } as const;

type Told = (answer: BlockAnswer) => void;

/**
 * The service's end of the thread of blocks, which is started by the first work and again after it has ended. What is under
 * way in a thread that ends fails as a database out of reach does.
 */
export class BlockThread {
  readonly #place: BlockThreadPlace;
  readonly #underWay = new Map<number, Told>();
  readonly #rooms: ArrayBuffer[] = [];
  /** Memory of blocks that came from the thread: nothing else is ever sent to it. */
  readonly #lent = new WeakSet<ArrayBufferLike>();
  #worker: Worker | null = null;
  #lastId = 0;

  constructor(place: BlockThreadPlace) {
    this.#place = place;
  }

  /** Memory for one block: what came back from the last writes, where there is some. */
  room(): Buffer {
    const room = this.#rooms.pop();
    return room === undefined ? Buffer.allocUnsafeSlow(BLOB_BLOCK_BYTES) : Buffer.from(room);
  }

  /** Durable when it resolves, with the SHA-256 of what was written. The memory beneath `data` is taken: it must be nobody else's. */
  write(fileId: string, n: number, data: Buffer): Promise<string> {
    return new Promise((resolve, reject) => {
      const id = this.#begin((answer) => {
        this.#end(id);
        if (answer.kind === 'fault') return reject(faultOf(answer));
        if (answer.kind !== 'written') return;
        this.#keep(answer.room);
        resolve(answer.sha256);
      });
      this.#ask({ kind: 'write', id, fileId, n, data }, data.buffer as ArrayBuffer);
    });
  }

  /** Blocks in order, a few of them ahead of their reader. */
  async *read(fileId: string, first: number, last: number): AsyncGenerator<StoredBlock> {
    const come: BlockAnswer[] = [];
    let wake: (() => void) | null = null;
    const id = this.#begin((answer) => {
      come.push(answer);
      wake?.();
    });
    try {
      this.#ask({ kind: 'read', id, fileId, first, last });
      for (;;) {
        const answer = come.shift();
        if (answer === undefined) await new Promise<void>((resolve) => (wake = resolve));
        else if (answer.kind === 'fault') throw faultOf(answer);
        else if (answer.kind !== 'block') return;
        else {
          const { buffer, byteOffset, byteLength } = answer.data;
          this.#lent.add(buffer);
          yield { n: answer.n, data: Buffer.from(buffer, byteOffset, byteLength) };
          this.#ask({ kind: 'taken', id });
        }
      }
    } finally {
      this.#ask({ kind: 'stop', id });
      this.#end(id);
    }
  }

  /** A block that came by `read`; others are left to the collector. */
  giveBack({ buffer }: Buffer): void {
    if (this.#lent.delete(buffer)) this.#ask({ kind: 'room', room: buffer as ArrayBuffer }, buffer as ArrayBuffer);
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
    this.#rooms.length = 0;
  }

  #begin(told: Told): number {
    const id = ++this.#lastId;
    this.#underWay.set(id, told);
    this.#worker ??= this.#start();
    // Work under way keeps the process, as a request to the database would; an idle thread does not.
    this.#worker.ref();
    return id;
  }

  #end(id: number): void {
    this.#underWay.delete(id);
    if (this.#underWay.size === 0) this.#worker?.unref();
  }

  #ask(request: BlockRequest, ...rooms: ArrayBuffer[]): void {
    this.#worker?.postMessage(request, rooms);
  }

  #keep(room: ArrayBuffer): void {
    if (room.byteLength === BLOB_BLOCK_BYTES && this.#rooms.length < MOST_ROOMS) this.#rooms.push(room);
  }

  #start(): Worker {
    const worker = new Worker(compiledFile(import.meta.url, 'block-thread-main.js'), {
      workerData: this.#place,
      resourceLimits: HEAP_LIMITS,
    });
    worker.on('message', (answer: BlockAnswer) => this.#underWay.get(answer.id)?.(answer));
    // Told to whoever waits, by `exit` that follows.
    worker.on('error', () => undefined);
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = null;
      for (const [id, told] of [...this.#underWay]) told({ kind: 'fault', id, ...ENDED });
    });
    return worker;
  }
}

const ENDED = { name: 'MongoNetworkError', message: 'the thread of blocks has ended' } as const;

const faultOf = ({ name, message }: BlockAnswer & { readonly kind: 'fault' }): Error =>
  Object.assign(new Error(message), { name });

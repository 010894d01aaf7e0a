import { Worker } from 'node:worker_threads';
import { compiledFile } from '../../threads/compiled-file.js';
import type { StoredBlock } from '../blobs/medium.js';
import { BLOB_BLOCK_BYTES } from '../worm-store.js';
import type { BlockAnswer, BlockRequest, BlockThreadPlace } from './block-messages.js';

/** Limit of buffers kept for reuse. */
const MOST_ROOMS = 16;
/** The thread holds only blocks. */
const HEAP_LIMITS = { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: 256 } as const;

type Told = (answer: BlockAnswer) => void;

/**
 * The service's end of the block thread. The first job starts the thread; a job after its end starts it again. Running jobs
 * of a thread that ends fail like those of an unreachable database.
 */
export class BlockThread {
  readonly #place: BlockThreadPlace;
  readonly #underWay = new Map<number, Told>();
  readonly #rooms: ArrayBuffer[] = [];
  /** Memory of blocks from the thread; only this memory is sent back. */
  readonly #lent = new WeakMap<ArrayBufferLike, ArrayBuffer>();
  #worker: Worker | null = null;
  #lastId = 0;

  constructor(place: BlockThreadPlace) {
    this.#place = place;
  }

  /** Returns memory for one block; reuses the memory of earlier writes. */
  room(): Buffer<ArrayBuffer> {
    const room = this.#rooms.pop();
    return room === undefined ? Buffer.allocUnsafeSlow(BLOB_BLOCK_BYTES) : Buffer.from(room);
  }

  /** Writes a block, durable when it resolves. Takes the memory of `data`, which no one else may use. @returns its SHA-256 */
  write(fileId: string, n: number, data: Buffer<ArrayBuffer>): Promise<string> {
    return new Promise((resolve, reject) => {
      const id = this.#begin((answer) => {
        this.#end(id);
        if (answer.kind === 'fault') return reject(faultOf(answer));
        if (answer.kind !== 'written') return;
        this.#keep(answer.room);
        resolve(answer.sha256);
      });
      this.#ask({ kind: 'write', id, fileId, n, data }, data.buffer);
    });
  }

  /** Reads blocks in order and prefetches a few. */
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
          this.#lent.set(buffer, buffer);
          yield { n: answer.n, data: Buffer.from(buffer, byteOffset, byteLength) };
          this.#ask({ kind: 'taken', id });
        }
      }
    } finally {
      this.#ask({ kind: 'stop', id });
      this.#end(id);
    }
  }

  /** Returns the memory of a block from `read`; the garbage collector frees other blocks. */
  giveBack({ buffer }: Buffer): void {
    const room = this.#lent.get(buffer);
    if (room === undefined) return;
    this.#lent.delete(room);
    this.#ask({ kind: 'room', room }, room);
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
    this.#rooms.length = 0;
  }

  #begin(told: Told): number {
    const id = ++this.#lastId;
    this.#underWay.set(id, told);
    this.#worker ??= this.#start();
    // A running job keeps the process alive, like a database request; an idle thread does not.
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
    // The `exit` event that follows reports the error to the waiting callers.
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

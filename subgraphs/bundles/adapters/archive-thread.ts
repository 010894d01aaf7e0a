import { Worker } from 'node:worker_threads';
import type { Clock } from '../../../shared/clock/clock.js';
import { problem } from '../../../shared/errors/problem.js';
import { compiledFile } from '../../../shared/threads/compiled-file.js';
import type { BlobPlace, WormBlob, WormStore, WormTenant } from '../../../shared/worm/worm-store.js';
import type { ArchiveStore, SealedEntry } from '../service/ports/archive.js';
import type { FromThread, SentEntry, ThreadData, ToThread } from './archive-messages.js';

/** Blocks of two archives, twice over; the thread's own code is a few. */
const MOST_HEAP_MB = 512;
const YOUNG_HEAP_MB = 32;

export interface ThreadDeps {
  readonly worm: WormStore;
  readonly place: BlobPlace;
  readonly clock: Clock;
}

interface Waiting {
  readonly tenant: WormTenant;
  readonly told: (bytes: number) => Promise<void>;
  readonly resolve: (blob: WormBlob) => void;
  readonly reject: (error: unknown) => void;
  /** Why it was told to end. */
  cause?: { readonly error: unknown };
}

/** A thread that stores archives: begun with the first one, and kept. It reads, writes and commits by itself. */
export class ArchiveThread implements ArchiveStore {
  readonly #deps: ThreadDeps;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #ids = 0;

  constructor(deps: ThreadDeps) {
    this.#deps = deps;
  }

  store(tenant: WormTenant, entries: readonly SealedEntry[], told: Waiting['told']): Promise<WormBlob> {
    const id = ++this.#ids;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { tenant, told, resolve, reject });
      const sent = entries.map(({ path, size, content }): SentEntry => ({ path, size, content }));
      this.#send({ kind: 'store', id, tenant, entries: sent, nowMs: this.#deps.clock.nowMs() });
    });
  }

  /** What is under way is left: what was stored of it is nothing to anybody. */
  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  #send(message: ToThread): void {
    this.#worker ??= this.#begun();
    this.#worker.postMessage(message);
  }

  #begun(): Worker {
    const workerData: ThreadData = { place: this.#deps.place };
    const resourceLimits = { maxOldGenerationSizeMb: MOST_HEAP_MB, maxYoungGenerationSizeMb: YOUNG_HEAP_MB };
    const worker = new Worker(compiledFile(import.meta.url, 'archive-thread-main.js'), { workerData, resourceLimits });
    worker.on('message', (message: FromThread) => void this.#heard(message));
    let failure: unknown;
    worker.on('error', (error) => {
      failure = error;
    });
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = undefined;
      const error = new Error('the thread that stores archives has ended', { cause: failure });
      for (const [id, { reject }] of this.#waiting) {
        this.#waiting.delete(id);
        reject(error);
      }
    });
    // It keeps no process alive by itself; a build that waits for it does not either.
    worker.unref();
    return worker;
  }

  async #heard(message: FromThread): Promise<void> {
    const waiting = this.#waiting.get(message.id);
    if (waiting === undefined) return;
    if (message.kind === 'told') return this.#told(message.id, waiting, message.bytes);
    if (message.kind === 'record') return this.#record(message.id, waiting, message.records);
    this.#waiting.delete(message.id);
    if (waiting.cause) waiting.reject(waiting.cause.error);
    else if (message.kind === 'stored') waiting.resolve(message.blob);
    else waiting.reject(errorOf(message));
  }

  async #told(id: number, waiting: Waiting, bytes: number): Promise<void> {
    try {
      await waiting.told(bytes);
    } catch (error) {
      // The thread says when it has ended: until then it reads files that are the caller's to close.
      waiting.cause ??= { error };
      this.#send({ kind: 'cancel', id });
    }
  }

  async #record(id: number, { tenant }: Waiting, records: (FromThread & { kind: 'record' })['records']): Promise<void> {
    const failure = await this.#deps.worm
      .forTenant(tenant)
      .putRecords(records)
      .then(
        () => null,
        (error: unknown) => (error as Error).message,
      );
    this.#send({ kind: 'recorded', id, failure });
  }
}

const errorOf = ({ code, text }: FromThread & { kind: 'failed' }): Error =>
  code === null ? new Error(text) : problem(code, { internal: text });

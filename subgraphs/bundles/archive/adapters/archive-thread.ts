import { Worker } from 'node:worker_threads';
import type { Clock } from '../../../../shared/clock/clock.js';
import { problem } from '../../../../shared/errors/problem.js';
import { compiledFile } from '../../../../shared/threads/compiled-file.js';
import type { BlobPlace, WormBlob, WormStore, WormTenant } from '../../../../shared/worm/worm-store.js';
import type { ArchiveStore, SealedEntry } from '../ports.js';
import type { FromThread, SentEntry, ThreadData, ToThread } from './archive-messages.js';

/** Room for two copies of the blocks of two archives; the code of the thread is small. */
const MOST_HEAP_MB = 512;
const YOUNG_HEAP_MB = 32;

interface ThreadDeps {
  readonly worm: WormStore;
  readonly place: BlobPlace;
  readonly clock: Clock;
}

interface Waiting {
  readonly tenant: WormTenant;
  readonly onProgress: (bytes: number) => Promise<void>;
  readonly resolve: (blob: WormBlob) => void;
  readonly reject: (error: unknown) => void;
  /** Why the archive was cancelled. */
  cause?: { readonly error: unknown };
}

/**
 * Stores archives on a thread, which starts with the first one and stays. It reads, writes and commits on its own
 * connection.
 */
export class ArchiveThread implements ArchiveStore {
  readonly #deps: ThreadDeps;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #ids = 0;

  constructor(deps: ThreadDeps) {
    this.#deps = deps;
  }

  store(tenant: WormTenant, entries: readonly SealedEntry[], onProgress: Waiting['onProgress']): Promise<WormBlob> {
    const id = ++this.#ids;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { tenant, onProgress, resolve, reject });
      const sent = entries.map(({ path, size, content }): SentEntry => ({ path, size, content }));
      this.#send({ kind: 'store', id, tenant, entries: sent, nowMs: this.#deps.clock.nowMs() });
    });
  }

  /** Abandons archives in progress: nothing refers to their blocks. */
  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  #send(message: ToThread): void {
    this.#worker ??= this.#start();
    this.#worker.postMessage(message);
  }

  #start(): Worker {
    const workerData: ThreadData = { place: this.#deps.place };
    const resourceLimits = { maxOldGenerationSizeMb: MOST_HEAP_MB, maxYoungGenerationSizeMb: YOUNG_HEAP_MB };
    const worker = new Worker(compiledFile(import.meta.url, 'archive-thread-main.js'), { workerData, resourceLimits });
    worker.on('message', (message: FromThread) => void this.#receive(message));
    let failure: unknown;
    worker.on('error', (error) => {
      failure = error;
    });
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = undefined;
      const error = new Error('the thread that stores archives has exited', { cause: failure });
      for (const [id, { reject }] of this.#waiting) {
        this.#waiting.delete(id);
        reject(error);
      }
    });
    // The thread keeps no process alive; neither does a build that waits for it.
    worker.unref();
    return worker;
  }

  async #receive(message: FromThread): Promise<void> {
    const waiting = this.#waiting.get(message.id);
    if (waiting === undefined) return;
    if (message.kind === 'progress') return this.#progress(message.id, waiting, message.bytes);
    if (message.kind === 'record') return this.#record(message.id, waiting, message.records);
    this.#waiting.delete(message.id);
    if (waiting.cause) waiting.reject(waiting.cause.error);
    else if (message.kind === 'stored') waiting.resolve(message.blob);
    else waiting.reject(errorOf(message));
  }

  async #progress(id: number, waiting: Waiting, bytes: number): Promise<void> {
    try {
      await waiting.onProgress(bytes);
    } catch (error) {
      // The thread confirms the end: until then it reads files that the caller must not close.
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
        (error: unknown) => (error instanceof Error ? error.message : String(error)),
      );
    this.#send({ kind: 'recorded', id, failure });
  }
}

const errorOf = ({ code, text }: FromThread & { kind: 'failed' }): Error =>
  code === null ? new Error(text) : problem(code, { internal: text });

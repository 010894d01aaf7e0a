import { availableParallelism } from 'node:os';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { RecordJudge } from '../checks/record-judge.js';
import type { BatchJudge, RecordBatch } from '../platform.js';
import { nodePlatform } from './node-platform.js';

/** Worker data that marks a thread of this file as a worker. */
const ROLE = 'eas-judge';
/** Batches that this thread verifies itself: a small bundle is done before a worker has started. */
const BATCHES_IN_LINE = 4;
const MOST_WORKERS = 8;

interface Waiting {
  readonly resolve: (faults: Uint8Array) => void;
  readonly reject: (fault: unknown) => void;
}

interface Hand {
  readonly worker: Worker;
  /** In the order of the sent batches. */
  readonly waiting: Waiting[];
}

/** Verifies batches of records in worker threads that run this command's file. */
export class JudgePool implements BatchJudge {
  readonly #own = new RecordJudge(nodePlatform);
  readonly #hands: Hand[] = [];
  #inLine = 0;

  async judge(batch: RecordBatch): Promise<Uint8Array> {
    if (this.#inLine < BATCHES_IN_LINE) {
      this.#inLine++;
      return this.#own.judge(batch);
    }
    const hand = this.#leastBusy();
    return new Promise((resolve, reject) => {
      hand.waiting.push({ resolve, reject });
      const rooms = [batch.lines, batch.rows, batch.hashes]
        .map(({ buffer }) => buffer)
        .filter((buffer) => buffer instanceof ArrayBuffer);
      hand.worker.postMessage(batch, rooms);
    });
  }

  async close(): Promise<void> {
    await Promise.all(this.#hands.map(({ worker }) => worker.terminate()));
  }

  #leastBusy(): Hand {
    const [idlest] = [...this.#hands].sort((a, b) => a.waiting.length - b.waiting.length);
    const full = this.#hands.length >= Math.min(availableParallelism(), MOST_WORKERS);
    return idlest !== undefined && (full || idlest.waiting.length === 0) ? idlest : this.#hire();
  }

  #hire(): Hand {
    const worker = new Worker(new URL(import.meta.url), { workerData: ROLE });
    const hand: Hand = { worker, waiting: [] };
    worker.on('message', (faults: Uint8Array) => hand.waiting.shift()?.resolve(faults));
    worker.on('error', (fault) => {
      for (const { reject } of hand.waiting.splice(0)) reject(fault);
    });
    this.#hands.push(hand);
    return hand;
  }
}

/** Returns true in a worker thread, and starts to verify the batches that it receives. */
export function servesAsJudge(): boolean {
  if (isMainThread || workerData !== ROLE) return false;
  const judge = new RecordJudge(nodePlatform);
  parentPort?.on('message', (batch: RecordBatch) => parentPort?.postMessage(judge.judge(batch)));
  return true;
}

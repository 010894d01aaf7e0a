import { availableParallelism } from 'node:os';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { RecordJudge } from '../checks/record-judge.js';
import type { BatchJudge, RecordBatch } from '../platform.js';
import { nodePlatform } from './node-platform.js';

/** Told to a worker, so that this file knows itself for one. */
const ROLE = 'eas-judge';
/** Smaller bundles are judged before a worker has started. */
const BATCHES_IN_LINE = 4;
const MOST_WORKERS = 8;

interface Waiting {
  readonly resolve: (faults: Uint8Array) => void;
  readonly reject: (fault: unknown) => void;
}

interface Hand {
  readonly worker: Worker;
  /** In the order in which their batches were sent. */
  readonly waiting: Waiting[];
}

/** Judges batches of records in worker threads, which run the very file that this command is. */
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
      const rooms = [batch.lines, batch.rows, batch.hashes].map(({ buffer }) => buffer as ArrayBuffer);
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

/** True in a worker, which then judges what it is sent. */
export function servesAsJudge(): boolean {
  if (isMainThread || workerData !== ROLE) return false;
  const judge = new RecordJudge(nodePlatform);
  parentPort?.on('message', (batch: RecordBatch) => parentPort?.postMessage(judge.judge(batch)));
  return true;
}

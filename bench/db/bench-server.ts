import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Running, startChild } from '../../embedded-mongo/index.js';
import type { Processes } from '../support/cpu.js';
import { EVENT_INDEXES, eventBytes } from './events.js';
import { commandMessage } from './messages.js';
import { WirePool } from './wire-client.js';

/** The embedded database in a separate process, on a separate folder. */
export interface BenchServer {
  readonly folder: string;
  readonly running: Running;
  readonly processes: Processes;
  stop(): Promise<void>;
}

export async function startServer(): Promise<BenchServer> {
  const folder = await mkdtemp(join(tmpdir(), 'eas-bench-db-'));
  const running = await startChild({ dataDir: join(folder, 'data') });
  return {
    folder,
    running,
    processes: { client: process.pid, ...(running.pid === undefined ? {} : { database: running.pid }) },
    stop: async () => {
      await running.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export async function createEvents(pool: WirePool, collection: string): Promise<void> {
  await pool.call(commandMessage({ createIndexes: collection, indexes: EVENT_INDEXES }));
}

/** Documents per insert while filling a collection. */
const FILL_BATCH = 500;

/** Fills a collection with the events `from` to `to`. */
export async function fillEvents(
  pool: WirePool,
  collection: string,
  from: number,
  to: number,
  fillerBytes?: number,
): Promise<void> {
  for (let start = from; start < to; start += FILL_BATCH) {
    const count = Math.min(FILL_BATCH, to - start);
    const documents = Array.from({ length: count }, (_, i) => eventBytes(start + i, fillerBytes));
    await pool.call(commandMessage({ insert: collection }, documents));
  }
}

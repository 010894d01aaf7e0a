import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type AdapterItem,
  DEFAULT_ADAPTER_LIMITS,
  type FormatAdapter,
} from '../../subgraphs/ledger/formats/format-adapter.js';

// Common parts of the benchmarks of formats: each reads the same bytes with our adapter and with another reader.

export const OPTIONS = { strict: false, receivedAt: '2026-01-01T00:00:00.000Z', limits: DEFAULT_ADAPTER_LIMITS };
const CHUNK_BYTES = 64 * 1024;

/** The size of a file of messages; FORMATS_MEGABYTES makes it smaller on a busy machine. */
export const fileBytes = Number(process.env['FORMATS_MEGABYTES'] ?? 16) * 1024 * 1024;

/** Reads everything with our adapter. @throws Error for a rejected message or another number of events */
export async function readWithAdapter(
  adapter: Pick<FormatAdapter, 'read'>,
  chunks: AsyncIterable<Uint8Array>,
  expected: number,
  note: (item: AdapterItem) => void = () => undefined,
): Promise<void> {
  let events = 0;
  for await (const item of adapter.read(chunks, OPTIONS)) {
    note(item);
    if (item.kind === 'event') events += 1;
    else if (item.kind === 'refused') throw new Error(`refused: ${item.code}`);
  }
  if (events !== expected) throw new Error(`${events} events of ${expected}`);
}

/** Yields the bytes in chunks like a request; neither side reads a disk. */
export async function* chunksOf(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) yield bytes.subarray(at, at + CHUNK_BYTES);
}

export interface Reading {
  readonly seconds: number;
  readonly cpuSeconds: number;
}

/** Measures wall time and processor time. */
export async function readingOf(work: () => Promise<void>): Promise<Reading> {
  const cpu = process.cpuUsage();
  const started = performance.now();
  await work();
  const { user, system } = process.cpuUsage(cpu);
  return { seconds: (performance.now() - started) / 1_000, cpuSeconds: (user + system) / 1e6 };
}

/** Writes texts into a temporary file until it has this size, and deletes it after the work. */
export async function withFile<T>(
  sizeBytes: number,
  textOf: (n: number) => string,
  work: (file: { readonly path: string; readonly bytes: number; readonly texts: number }) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'format-bench-'));
  try {
    const path = join(folder, 'messages');
    const file = await open(path, 'w');
    let [bytes, texts] = [0, 0];
    try {
      for (; bytes < sizeBytes; texts += 1) bytes += (await file.write(textOf(texts))).bytesWritten;
    } finally {
      await file.close();
    }
    return await work({ path, bytes, texts });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

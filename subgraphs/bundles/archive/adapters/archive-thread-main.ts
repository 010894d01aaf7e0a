import { parentPort, workerData } from 'node:worker_threads';
import { Problem } from '../../../../shared/errors/problem.js';
import { openPlacedBlobs, type PlacedBlobs } from '../../../../shared/worm/blobs/placed-blobs.js';
import { zipOf } from '../../../../shared/zip/write-archive.js';
import type { SealedEntry } from '../ports.js';
import { readableEntries } from './archive-entries.js';
import type { FromThread, SentEntry, ThreadData, ToThread } from './archive-messages.js';

// The thread of archive-thread.ts. It holds the blocks of the current archives and little else.

const PROGRESS_EVERY_BYTES = 4 * 1_048_576;

interface Recording {
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

const { place }: ThreadData = workerData;
const cancelled = new Set<number>();
const recording = new Map<number, Recording>();
let opened: Promise<PlacedBlobs> | undefined;

const send = (message: FromThread): void => parentPort?.postMessage(message);

async function store({ id, tenant, entries, nowMs }: ToThread & { kind: 'store' }): Promise<void> {
  const put = (records: (FromThread & { kind: 'record' })['records']): Promise<void> => {
    send({ kind: 'record', id, records });
    return new Promise((resolve, reject) => recording.set(id, { resolve, reject }));
  };
  try {
    opened ??= openPlacedBlobs(place);
    const blobs = (await opened).forTenant(tenant, { put }, nowMs);
    const readable = readableEntries(entries.map(sealedEntry), (sha256) => blobs.read(sha256));
    const blob = await blobs
      .put(withProgress(id, zipOf(readable.entries)), Number.MAX_SAFE_INTEGER)
      .finally(() => readable.close());
    send({ kind: 'stored', id, blob });
  } catch (error) {
    // The next archive reconnects to the database.
    await opened?.catch(() => {
      opened = undefined;
    });
    const { internal } = error instanceof Problem ? error.details : {};
    const code = error instanceof Problem ? error.code : null;
    send({ kind: 'failed', id, code, text: internal ?? String(error instanceof Error ? error.message : error) });
  } finally {
    cancelled.delete(id);
  }
}

/** A sent Buffer arrives as a Uint8Array. */
const sealedEntry = ({ path, size, content }: SentEntry): SealedEntry => ({
  path,
  size,
  content:
    content instanceof Uint8Array ? Buffer.from(content.buffer, content.byteOffset, content.byteLength) : content,
});

async function* withProgress(id: number, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  let sentBytes = 0;
  for await (const chunk of chunks) {
    if (cancelled.has(id)) throw new Error('the archive was cancelled');
    bytes += chunk.length;
    if (bytes - sentBytes >= PROGRESS_EVERY_BYTES) {
      sentBytes = bytes;
      send({ kind: 'progress', id, bytes });
    }
    yield chunk;
  }
}

function recorded({ id, failure }: ToThread & { kind: 'recorded' }): void {
  const waiting = recording.get(id);
  recording.delete(id);
  if (failure === null) waiting?.resolve();
  else waiting?.reject(new Error(failure));
}

parentPort?.on('message', (message: ToThread) => {
  if (message.kind === 'store') void store(message);
  else if (message.kind === 'cancel') cancelled.add(message.id);
  else recorded(message);
});

import { parentPort, workerData } from 'node:worker_threads';
import { Problem } from '../../../shared/errors/problem.js';
import { openPlacedBlobs, type PlacedBlobs } from '../../../shared/worm/placed-blobs.js';
import type { SealedEntry } from '../service/ports/archive.js';
import { readableEntries } from './archive-entries.js';
import type { FromThread, SentEntry, ThreadData, ToThread } from './archive-messages.js';
import { zipOf } from './zip-archive.js';

// The thread of archive-thread.ts: it holds the blocks of an archive under way, and next to nothing else.

const TELL_EVERY_BYTES = 4 * 1_048_576;

interface Recording {
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

const { place } = workerData as ThreadData;
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
      .put(told(id, zipOf(readable.entries)), Number.MAX_SAFE_INTEGER)
      .finally(() => readable.close());
    send({ kind: 'stored', id, blob });
  } catch (error) {
    // The next archive tries to reach the database anew.
    await opened?.catch(() => {
      opened = undefined;
    });
    const { internal } = error instanceof Problem ? error.details : {};
    const code = error instanceof Problem ? error.code : null;
    send({ kind: 'failed', id, code, text: internal ?? (error as Error).message });
  } finally {
    cancelled.delete(id);
  }
}

/** Bytes keep their class when they are sent, and not their own. */
const sealedEntry = ({ path, size, content }: SentEntry): SealedEntry => ({
  path,
  size,
  content:
    content instanceof Uint8Array ? Buffer.from(content.buffer, content.byteOffset, content.byteLength) : content,
});

async function* told(id: number, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  let toldBytes = 0;
  for await (const chunk of chunks) {
    if (cancelled.has(id)) throw new Error('the archive is not wanted any more');
    bytes += chunk.length;
    if (bytes - toldBytes >= TELL_EVERY_BYTES) {
      toldBytes = bytes;
      send({ kind: 'told', id, bytes });
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

import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../../clock/clock.js';
import { plainClient } from '../../db/plain-client.js';
import { GridFsBlobs } from '../blobs/gridfs-blobs.js';
import { readAhead } from '../blobs/in-flight.js';
import { BLOCKS_A_BATCH } from '../blobs/medium.js';
import { contentKeysOf } from '../keys/open-keys.js';
import { SealedBlobs } from '../keys/sealed-blobs.js';
import { BLOB_BLOCK_BYTES } from '../worm-store.js';
import type { BlockAnswer, BlockRequest, BlockThreadPlace } from './block-messages.js';

// The block thread: moves blocks of large contents between the service and the database; see threaded-blobs.ts.

/** Limit of blocks of one read that wait in the service. */
const BLOCKS_AHEAD = 8;
const POOL_SIZE = 16;
const MOST_ROOMS = 16;

const { uri, database, epochKeys }: BlockThreadPlace = workerData;
const db = plainClient(uri, POOL_SIZE).db(database);
const medium = new SealedBlobs(
  new GridFsBlobs(db, db, systemClock),
  contentKeysOf({ db, retention: db, clock: systemClock, epochKeys }),
);

/** Flow control of a read: limits the blocks that the reader has not taken. */
class Reading {
  #left = BLOCKS_AHEAD;
  #wake: (() => void) | null = null;
  stopped = false;

  async turn(): Promise<void> {
    while (this.#left === 0 && !this.stopped) await new Promise<void>((resolve) => (this.#wake = resolve));
    this.#left--;
  }

  taken(): void {
    this.#left++;
    this.#wake?.();
  }

  stop(): void {
    this.stopped = true;
    this.#wake?.();
  }
}

/** Memory that readers returned. */
const rooms: ArrayBuffer[] = [];

/** Copies a block into separate memory, because the driver's buffer holds a whole batch. */
function ownCopy(data: Buffer): Uint8Array<ArrayBuffer> {
  // A damaged block is passed on unchanged; the reader detects it.
  if (data.length > BLOB_BLOCK_BYTES) return new Uint8Array(data);
  const room = rooms.pop() ?? new ArrayBuffer(BLOB_BLOCK_BYTES);
  const own = new Uint8Array(room, 0, data.length);
  own.set(data);
  return own;
}

function keep(room: ArrayBuffer): void {
  if (room.byteLength === BLOB_BLOCK_BYTES && rooms.length < MOST_ROOMS) rooms.push(room);
}

const readings = new Map<number, Reading>();

const tell = (answer: BlockAnswer, ...rooms: ArrayBuffer[]): void => parentPort?.postMessage(answer, rooms);

async function write({ id, fileId, n, data }: BlockRequest & { readonly kind: 'write' }): Promise<void> {
  const room = data.buffer;
  const sha256 = await medium.upload(fileId).block(n, Buffer.from(room, data.byteOffset, data.byteLength));
  tell({ kind: 'written', id, sha256, room }, room);
}

async function read({ id, fileId, first, last }: BlockRequest & { readonly kind: 'read' }): Promise<void> {
  const reading = new Reading();
  readings.set(id, reading);
  try {
    for await (const { n, data } of readAhead(medium.blocks(fileId, first, last), BLOCKS_A_BATCH)) {
      await reading.turn();
      if (reading.stopped) return;
      const own = ownCopy(data);
      tell({ kind: 'block', id, n, data: own }, own.buffer);
    }
    tell({ kind: 'end', id });
  } finally {
    readings.delete(id);
  }
}

function serve(request: BlockRequest): Promise<void> | void {
  if (request.kind === 'room') return keep(request.room);
  if (request.kind === 'taken') return readings.get(request.id)?.taken();
  if (request.kind === 'stop') return readings.get(request.id)?.stop();
  return request.kind === 'write' ? write(request) : read(request);
}

parentPort?.on('message', async (request: BlockRequest) => {
  try {
    await serve(request);
  } catch (error) {
    const { name, message } = error instanceof Error ? error : new Error(String(error));
    if ('id' in request) tell({ kind: 'fault', id: request.id, name, message });
  }
});

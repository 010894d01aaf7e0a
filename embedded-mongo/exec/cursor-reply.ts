import { BsonDoc } from '../bson/value.js';
import { type FramedReply, ReplyWriter } from '../wire/op-msg.js';
import type { Cursor, CursorRegistry, Tail } from './cursor-registry.js';
import type { DocumentStream } from './document-stream.js';
import { TimeSlice } from './operation.js';

/** MongoDB's default size of a first batch, in documents. */
export const USUAL_FIRST_BATCH = 101;

interface FirstBatchInput {
  readonly namespace: string;
  readonly stream: DocumentStream;
  readonly batchSize: number | undefined;
  readonly singleBatch: boolean;
  readonly noTimeout: boolean;
  readonly tail?: Tail | undefined;
  /** Estimated bytes of this batch's documents. */
  readonly expectedBytes?: number;
  /** Reply fields other than the cursor. */
  readonly extra?: BsonDoc;
}

/** Replies to a command that opens a cursor; keeps the cursor only when documents remain. */
export function firstBatch(
  cursors: CursorRegistry,
  input: FirstBatchInput,
  slice: TimeSlice,
): Promise<FramedReply> | FramedReply {
  const { stream } = input;
  const bounded = input.singleBatch || input.batchSize !== undefined;
  const batch = new BatchWriter('firstBatch', input.expectedBytes ?? 0, bounded);
  let rest: Rest | Promise<Rest>;
  try {
    rest = fill(batch, stream, undefined, input.batchSize ?? USUAL_FIRST_BATCH, slice);
  } catch (error) {
    stream.close();
    throw error;
  }
  if (!(rest instanceof Promise)) return finishFirst(cursors, input, slice, batch, rest);
  return rest.then(
    (later) => finishFirst(cursors, input, slice, batch, later),
    (error: unknown) => {
      stream.close();
      throw error;
    },
  );
}

function finishFirst(
  cursors: CursorRegistry,
  input: FirstBatchInput,
  slice: TimeSlice,
  batch: BatchWriter,
  rest: Rest,
): FramedReply {
  const { namespace, stream, tail } = input;
  if (input.singleBatch || (rest === 'exhausted' && !tail)) {
    stream.close();
    return batch.finish(0n, namespace, input.extra);
  }
  stream.suspend();
  const pending = rest === 'exhausted' || rest === 'unknown' ? undefined : rest;
  const { noTimeout } = input;
  const batchBytes = batch.documentBytes;
  const cursor = cursors.add({ namespace, stream, slice, tail, noTimeout, pending, batchBytes });
  return batch.finish(cursor.id, namespace, input.extra);
}

interface NextBatchInput {
  readonly cursor: Cursor;
  readonly batchSize: number | undefined;
  readonly awaitMs: number;
  readonly gone: AbortSignal;
}

/** Replies to getMore. A tailable cursor that awaits data waits once for new documents. */
export async function nextBatch(cursors: CursorRegistry, input: NextBatchInput): Promise<FramedReply> {
  const { cursor, gone } = input;
  const { slice } = cursor;
  let alive = false;
  try {
    const size = input.batchSize ?? Number.POSITIVE_INFINITY;
    const batch = new BatchWriter('nextBatch', cursor.batchBytes, input.batchSize !== undefined);
    let rest = await fill(batch, cursor.stream, cursor.pending, size, slice);
    if (batch.count === 0 && cursor.tail?.awaitData && !cursor.killed) {
      cursor.stream.suspend();
      await cursor.tail.wait(input.awaitMs, gone);
      rest = await fill(batch, cursor.stream, undefined, size, slice);
    }
    cursor.batchBytes = batch.documentBytes;
    cursor.pending = rest === 'exhausted' || rest === 'unknown' ? undefined : rest;
    alive = rest !== 'exhausted' || cursor.tail !== undefined;
    return batch.finish(alive && !cursor.killed ? cursor.id : 0n, cursor.namespace);
  } finally {
    cursors.release(cursor, alive);
  }
}

/** The state after a batch: a document that starts the next one, the end, or unknown when no document was asked for. */
type Rest = Buffer | 'exhausted' | 'unknown';

/**
 * Fills a batch. Reads one document ahead even when the batch is full, so that the last batch is marked as last;
 * drivers rely on it. Returns synchronously while the stream does.
 */
function fill(
  batch: BatchWriter,
  stream: DocumentStream,
  pending: Buffer | undefined,
  size: number,
  slice: TimeSlice,
): Rest | Promise<Rest> {
  if (size === 0) return pending ?? 'unknown';
  let next = pending ?? stream.next(slice);
  for (;;) {
    if (next instanceof Promise) return fillLater(batch, stream, next, size, slice);
    if (next === undefined) return 'exhausted';
    if (batch.count >= size || !batch.add(next)) return Buffer.from(next);
    next = stream.next(slice);
  }
}

async function fillLater(
  batch: BatchWriter,
  stream: DocumentStream,
  first: Promise<Buffer | undefined>,
  size: number,
  slice: TimeSlice,
): Promise<Rest> {
  let next: Promise<Buffer | undefined> | Buffer | undefined = first;
  for (;;) {
    const document: Buffer | undefined = next instanceof Promise ? await next : next;
    if (document === undefined) return 'exhausted';
    if (batch.count >= size || !batch.add(document)) return Buffer.from(document);
    next = stream.next(slice);
  }
}

/** Documents of one reply together: the wire's own limit is three times that. */
const MAX_BATCH_BYTES = 16 * 1024 * 1024;
/**
 * The batch limit when the client sets no batch size. The server and the client then work on cached memory. A reader
 * of the first megabyte does not pin 16 MB.
 */
const USUAL_BATCH_BYTES = 2 * 1024 * 1024;
/** Usually one small document, which comes from Node's buffer pool. */
const LEAST_BYTES = 2_000;
/** Fields around the documents. */
const FRAME_BYTES = 256;
/** Element headers, and sizes above the average. */
const HEADER_SHARE = 1.05;

/** Element headers (type and position as name) of the first positions; beyond them they are made one by one. */
const headers = Array.from({ length: 1_024 }, (_, i) => elementHeader(i));

function elementHeader(position: number): Buffer {
  return Buffer.from(`\x03${position}\0`, 'latin1');
}

/** The fixed bytes of a reply before its documents: lengths are filled in when it is complete. */
function head(batchName: string): Buffer {
  return Buffer.concat([
    INT32_ROOM,
    Buffer.from('\x03cursor\0'),
    INT32_ROOM,
    Buffer.from(`\x04${batchName}\0`),
    INT32_ROOM,
  ]);
}

const INT32_ROOM = Buffer.alloc(4);
const HEADS = { firstBatch: head('firstBatch'), nextBatch: head('nextBatch') } as const;
/** The end mark of the array, then the cursor's id. */
const ID_FIELD = Buffer.from('\0\x12id\0');
const OK_FIELD = Buffer.from('\x01ok\0\0\0\0\0\0\0\xf0\x3f', 'latin1');

/** Builds a cursor reply by copying documents straight into the message that goes to the socket. */
class BatchWriter {
  count = 0;
  readonly #writer: ReplyWriter;
  readonly #document: number;
  readonly #cursor: number;
  readonly #array: number;
  readonly #startBytes: number;
  readonly #limitBytes: number;

  /** `expectedBytes` avoids growing step by step; a batch with a given size is as long as the client asked for. */
  constructor(batchName: 'firstBatch' | 'nextBatch', expectedBytes: number, bounded: boolean) {
    this.#limitBytes = bounded ? MAX_BATCH_BYTES : USUAL_BATCH_BYTES;
    const initialBytes = Math.ceil(Math.min(expectedBytes, this.#limitBytes) * HEADER_SHARE) + FRAME_BYTES;
    this.#writer = new ReplyWriter(Math.max(LEAST_BYTES, initialBytes));
    this.#document = this.#writer.length;
    const fixed = HEADS[batchName];
    this.#writer.raw(fixed, 0, fixed.length);
    this.#startBytes = this.#writer.length;
    this.#array = this.#startBytes - 4;
    this.#cursor = this.#document + 4 + '\x03cursor\0'.length;
  }

  get documentBytes(): number {
    return this.#writer.length - this.#startBytes;
  }

  /** Copies the document in, unless the reply would grow too large; the first always fits. */
  add(raw: Buffer): boolean {
    if (this.count > 0 && this.documentBytes + raw.length > this.#limitBytes) return false;
    const header = headers[this.count] ?? elementHeader(this.count);
    this.#writer.raw(header, 0, header.length);
    this.#writer.raw(raw, 0, raw.length);
    this.count += 1;
    return true;
  }

  finish(cursorId: bigint, namespace: string, extra?: BsonDoc): FramedReply {
    const writer = this.#writer;
    writer.raw(ID_FIELD, 0, ID_FIELD.length);
    writer.setLength(this.#array, writer.length - ID_FIELD.length + 1);
    writer.int64(cursorId);
    writer.field('ns', namespace);
    writer.byte(0);
    writer.setLength(this.#cursor, writer.length);
    if (extra) for (const [name, value] of extra) writer.field(name, value);
    writer.raw(OK_FIELD, 0, OK_FIELD.length);
    writer.byte(0);
    writer.setLength(this.#document, writer.length);
    return writer.frame();
  }
}

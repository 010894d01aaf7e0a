import type { BsonDoc } from '../bson/value.js';
import type { FramedReply } from '../wire/reply.js';
import { BatchWriter } from './batch-writer.js';
import type { Cursor, CursorRegistry, Tail } from './cursor-registry.js';
import type { DocumentStream } from './document-stream.js';
import type { TimeSlice } from './time-slice.js';

/** MongoDB's number of documents in a first batch whose size the client leaves open. */
export const usualFirstBatch = 101;

export interface FirstBatchInput {
  readonly namespace: string;
  readonly stream: DocumentStream;
  readonly batchSize: number | undefined;
  readonly singleBatch: boolean;
  readonly noTimeout: boolean;
  readonly tail?: Tail | undefined;
  /** A guess at the bytes of the documents of this batch. */
  readonly expectedBytes?: number;
  /** Fields of the reply beside its cursor. */
  readonly extra?: BsonDoc;
}

/** Answers a command that opens a cursor; the cursor is only kept when something is left for it. */
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
    rest = fill(batch, stream, undefined, input.batchSize ?? usualFirstBatch, slice);
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

export interface NextBatchInput {
  readonly cursor: Cursor;
  readonly batchSize: number | undefined;
  readonly awaitMs: number;
  readonly gone: AbortSignal;
}

/** Answers getMore. A tailable cursor that awaits data waits once for something to come. */
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

/** What a batch left: a document that begins the next one, nothing, or (not asked for any) one cannot say. */
type Rest = Buffer | 'exhausted' | 'unknown';

/**
 * Fills a batch. The next document is looked for even when the batch is full, so that the last batch says it is the
 * last: drivers count on it. Gives its result at once as long as the stream does.
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

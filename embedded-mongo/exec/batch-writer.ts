import { Long } from 'bson';
import type { BsonWriter } from '../bson/encode.js';
import { T } from '../bson/types.js';
import type { BsonDoc } from '../bson/value.js';
import { type FramedReply, frame, replyWriter } from '../wire/reply.js';

/** Documents of one reply together: the wire's own limit is three times that. */
const maxBatchBytes = 16 * 1024 * 1024;
/** Small first batches (one document, mostly) come from Node's buffer pool; later ones are large anyway. */
const initialBytes = { firstBatch: 2_000, nextBatch: 65_536 } as const;

/** Element headers (type and position as name) of the first positions; beyond them they are made one by one. */
const headers = Array.from({ length: 1_024 }, (_, i) => elementHeader(i));

function elementHeader(position: number): Buffer {
  return Buffer.from(`\x03${position}\0`, 'latin1');
}

/** Builds a cursor reply by copying documents straight into the message that goes to the socket. */
export class BatchWriter {
  count = 0;
  private readonly writer: BsonWriter;
  private readonly document: number;
  private readonly cursor: number;
  private readonly array: number;
  private readonly startBytes: number;

  constructor(batchName: 'firstBatch' | 'nextBatch') {
    this.writer = replyWriter(initialBytes[batchName]);
    this.document = this.writer.open();
    this.writer.element(T.object, 'cursor');
    this.cursor = this.writer.open();
    this.writer.element(T.array, batchName);
    this.array = this.writer.open();
    this.startBytes = this.writer.length;
  }

  /** Copies the document in, unless the reply would grow too large; the first always fits. */
  add(raw: Buffer): boolean {
    if (this.count > 0 && this.writer.length - this.startBytes + raw.length > maxBatchBytes) return false;
    const header = headers[this.count] ?? elementHeader(this.count);
    this.writer.raw(header, 0, header.length);
    this.writer.raw(raw, 0, raw.length);
    this.count += 1;
    return true;
  }

  finish(cursorId: bigint, namespace: string, extra?: BsonDoc): FramedReply {
    const { writer } = this;
    writer.close(this.array);
    writer.field('id', Long.fromBigInt(cursorId));
    writer.field('ns', namespace);
    writer.close(this.cursor);
    if (extra) for (const [name, value] of extra) writer.field(name, value);
    writer.element(T.double, 'ok');
    writer.raw(oneAsDouble, 0, 8);
    writer.close(this.document);
    return frame(writer);
  }
}

const oneAsDouble = Buffer.alloc(8);
oneAsDouble.writeDoubleLE(1);

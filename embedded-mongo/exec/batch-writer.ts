import type { BsonDoc } from '../bson/value.js';
import { type FramedReply, ReplyWriter } from '../wire/reply.js';

/** Documents of one reply together: the wire's own limit is three times that. */
const maxBatchBytes = 16 * 1024 * 1024;
/**
 * Where the client leaves the size to us a batch ends here: server and client work on memory that is still in their
 * caches, and nobody holds 16 MB for a reader that wants the first megabyte.
 */
const usualBatchBytes = 2 * 1024 * 1024;
/** One small document, mostly: comes from Node's buffer pool. */
const leastBytes = 2_000;
/** Fields around the documents. */
const frameBytes = 256;
/** Element headers, and sizes above the average. */
const headerShare = 1.05;

/** Element headers (type and position as name) of the first positions; beyond them they are made one by one. */
const headers = Array.from({ length: 1_024 }, (_, i) => elementHeader(i));

function elementHeader(position: number): Buffer {
  return Buffer.from(`\x03${position}\0`, 'latin1');
}

/** The fixed bytes of a reply before its documents: lengths are filled in when it is complete. */
function head(batchName: string): Buffer {
  return Buffer.concat([
    int32Room,
    Buffer.from('\x03cursor\0'),
    int32Room,
    Buffer.from(`\x04${batchName}\0`),
    int32Room,
  ]);
}

const int32Room = Buffer.alloc(4);
const heads = { firstBatch: head('firstBatch'), nextBatch: head('nextBatch') } as const;
/** The end mark of the array, then the cursor's id. */
const idField = Buffer.from('\0\x12id\0');
const okField = Buffer.from('\x01ok\0\0\0\0\0\0\0\xf0\x3f', 'latin1');

/** Builds a cursor reply by copying documents straight into the message that goes to the socket. */
export class BatchWriter {
  count = 0;
  private readonly writer: ReplyWriter;
  private readonly document: number;
  private readonly cursor: number;
  private readonly array: number;
  private readonly startBytes: number;

  private readonly limitBytes: number;

  /** `expectedBytes` of documents spare growing step by step; a bounded batch is as long as the client asked for. */
  constructor(batchName: 'firstBatch' | 'nextBatch', expectedBytes: number, bounded: boolean) {
    this.limitBytes = bounded ? maxBatchBytes : usualBatchBytes;
    const initialBytes = Math.ceil(Math.min(expectedBytes, this.limitBytes) * headerShare) + frameBytes;
    this.writer = new ReplyWriter(Math.max(leastBytes, initialBytes));
    this.document = this.writer.length;
    const fixed = heads[batchName];
    this.writer.raw(fixed, 0, fixed.length);
    this.startBytes = this.writer.length;
    this.array = this.startBytes - 4;
    this.cursor = this.document + 4 + '\x03cursor\0'.length;
  }

  get documentBytes(): number {
    return this.writer.length - this.startBytes;
  }

  /** Copies the document in, unless the reply would grow too large; the first always fits. */
  add(raw: Buffer): boolean {
    if (this.count > 0 && this.documentBytes + raw.length > this.limitBytes) return false;
    const header = headers[this.count] ?? elementHeader(this.count);
    this.writer.raw(header, 0, header.length);
    this.writer.raw(raw, 0, raw.length);
    this.count += 1;
    return true;
  }

  finish(cursorId: bigint, namespace: string, extra?: BsonDoc): FramedReply {
    const { writer } = this;
    writer.raw(idField, 0, idField.length);
    writer.setLength(this.array, writer.length - idField.length + 1);
    writer.int64(cursorId);
    writer.field('ns', namespace);
    writer.byte(0);
    writer.setLength(this.cursor, writer.length);
    if (extra) for (const [name, value] of extra) writer.field(name, value);
    writer.raw(okField, 0, okField.length);
    writer.byte(0);
    writer.setLength(this.document, writer.length);
    return writer.frame();
  }
}

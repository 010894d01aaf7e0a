import { BsonWriter, encodeDocument } from '../bson/encode.js';
import { BsonDoc } from '../bson/value.js';
import type { MongoError } from '../errors.js';
import { leastPooledBytes, messageBuffers } from './buffer-pool.js';
import { headerBytes } from './frame-reader.js';
import { opMsg } from './op-msg.js';

/** Header, flag bits and section kind that precede the reply document. */
const replyPrefixBytes = headerBytes + 4 + 1;
const prefix = Buffer.alloc(replyPrefixBytes);
const opReply = 1;
const opReplyPrefixBytes = headerBytes + 20;

/** A reply document whose bytes were laid with room for the message header before them: sent without another copy. */
export class FramedReply {
  /** @param memory what to give back to the pool when the message is sent. */
  constructor(
    readonly message: Buffer,
    readonly memory?: Buffer,
  ) {}
}

export type ReplyBody = BsonDoc | Buffer | FramedReply;

/** A writer that begins after the header; `frame` ends it. */
export class ReplyWriter extends BsonWriter {
  readonly memoryTaken: Buffer | undefined;

  constructor(sizeBytes: number) {
    const neededBytes = sizeBytes + replyPrefixBytes;
    const taken = neededBytes < leastPooledBytes ? undefined : messageBuffers.take(neededBytes);
    super(taken ?? neededBytes);
    this.memoryTaken = taken;
    this.raw(prefix, 0, replyPrefixBytes);
  }

  frame(): FramedReply {
    return new FramedReply(this.finish(), this.memoryTaken);
  }
}

/** The whole OP_MSG message for a reply. */
export function toOpMsg(body: ReplyBody, requestId: number, responseTo: number): Buffer {
  const message = body instanceof FramedReply ? body.message : withPrefix(toBytes(body), replyPrefixBytes);
  writeHeader(message, requestId, responseTo, opMsg);
  message.writeUInt32LE(0, headerBytes);
  message[headerBytes + 4] = 0;
  return message;
}

/** The OP_REPLY a legacy hello is answered with: flags "await capable", no cursor, one document. */
export function toOpReply(body: ReplyBody, requestId: number, responseTo: number): Buffer {
  const message = withPrefix(toBytes(body), opReplyPrefixBytes);
  writeHeader(message, requestId, responseTo, opReply);
  message.writeInt32LE(8, 16);
  message.fill(0, 20, 32);
  message.writeInt32LE(1, 32);
  return message;
}

/** The body of a failed command. */
export function errorReply(error: MongoError): BsonDoc {
  const reply = BsonDoc.of({ ok: 0, errmsg: error.message, code: error.code, codeName: error.codeName });
  for (const [name, value] of Object.entries(error.extra ?? {})) {
    if (!reply.has(name)) for (const [key, bson] of BsonDoc.of({ [name]: value })) reply.append(key, bson);
  }
  return reply;
}

function toBytes(body: ReplyBody): Buffer {
  if (body instanceof FramedReply) return body.message.subarray(replyPrefixBytes);
  return body instanceof BsonDoc ? encodeDocument(body) : body;
}

function withPrefix(document: Buffer, prefixBytes: number): Buffer {
  const message = Buffer.allocUnsafe(prefixBytes + document.length);
  document.copy(message, prefixBytes);
  return message;
}

function writeHeader(message: Buffer, requestId: number, responseTo: number, opCode: number): void {
  message.writeInt32LE(message.length, 0);
  message.writeInt32LE(requestId, 4);
  message.writeInt32LE(responseTo, 8);
  message.writeInt32LE(opCode, 12);
}

import { checkDocument, decodeDocument, decodeRef } from '../bson/decode.js';
import { BsonWriter, encodeDocument } from '../bson/encode.js';
import { cstringEnd, ElementCursor, RawRef, readLength } from '../bson/raw.js';
import { BsonDoc, T } from '../bson/value.js';
import { fail, MongoError } from '../errors.js';
import { HEADER_BYTES, LEAST_POOLED_BYTES, messageBuffers } from './frame-reader.js';

/**
 * One received command. Document sequences (`documents`, `updates`, `deletes`, `ops`, `nsInfo`) are raw slices, from a
 * separate section or from the body.
 */
export interface CommandRequest {
  readonly name: string;
  readonly db: string;
  readonly body: BsonDoc;
  readonly sequences: ReadonlyMap<string, readonly Buffer[]>;
}

export const OP_MSG = 2013;

const FLAG_CHECKSUM = 1;
const FLAG_MORE_TO_COME = 2;
const FLAG_EXHAUST_ALLOWED = 1 << 16;
/** Bits 0-15 must be understood, bits 16-31 may be ignored (OP_MSG specification, "flagBits"). */
const UNKNOWN_REQUIRED_BITS = 0xffff & ~(FLAG_CHECKSUM | FLAG_MORE_TO_COME);

/** Arguments kept as raw documents, because the store would encode them again. */
const RAW_ARGUMENTS: ReadonlySet<string> = new Set(['documents', 'updates', 'deletes', 'ops', 'nsInfo']);

interface OpMsg {
  readonly moreToCome: boolean;
  /** Whether the client takes several replies to one request. */
  readonly exhaustAllowed: boolean;
  /** Parses the sections; an error here is an error reply, while a framing error closes the connection. */
  request(): CommandRequest;
}

/** Reads the frame of an OP_MSG; throws ProtocolError when flags or checksum are wrong. */
export function readOpMsg(message: Buffer): OpMsg {
  if (message.length < HEADER_BYTES + 4 + 1 + 5) fail('ProtocolError', 'OP_MSG is too short');
  const flags = message.readUInt32LE(HEADER_BYTES);
  if ((flags & UNKNOWN_REQUIRED_BITS) !== 0) fail(50670, `OP_MSG has unknown flag bits ${flags}`);
  let end = message.length;
  if ((flags & FLAG_CHECKSUM) !== 0) {
    end -= 4;
    if (crc32c(message.subarray(0, end)) !== message.readUInt32LE(end))
      fail('ProtocolError', 'OP_MSG checksum does not match its contents');
  }
  return {
    moreToCome: (flags & FLAG_MORE_TO_COME) !== 0,
    exhaustAllowed: (flags & FLAG_EXHAUST_ALLOWED) !== 0,
    request: () => readSections(message.subarray(0, end), HEADER_BYTES + 4),
  };
}

function readSections(message: Buffer, start: number): CommandRequest {
  const sequences = new Map<string, Buffer[]>();
  let body: Buffer | undefined;
  let at = start;
  while (at < message.length) {
    const kind = message[at] ?? 0;
    at += 1;
    const length = readLength(message, at);
    const section = message.subarray(at, at + length);
    if (kind === 0 && body === undefined) body = section;
    else if (kind === 0) fail(40430, 'Multiple body sections in message');
    else if (kind === 1) readSequence(section, sequences);
    else fail(40432, `Unknown section kind: ${kind}`);
    at += Math.max(length, 5);
  }
  if (!body) fail(40587, 'OP_MSG messages must have a body');
  return toRequest(body, sequences);
}

function readSequence(section: Buffer, sequences: Map<string, Buffer[]>): void {
  const nameEnd = cstringEnd(section, 4);
  const name = section.toString('utf8', 4, nameEnd);
  if (sequences.has(name)) fail(40431, `Duplicate document sequence: ${name}`);
  const documents: Buffer[] = [];
  let at = nameEnd + 1;
  while (at < section.length) {
    const end = at + checkDocument(section, at);
    documents.push(section.subarray(at, end));
    at = end;
  }
  sequences.set(name, documents);
}

/** Walks the top level of the body once: decodes plain arguments and slices raw ones. */
function toRequest(raw: Buffer, sequences: Map<string, Buffer[]>): CommandRequest {
  checkDocument(raw);
  const body = new BsonDoc();
  const cursor = new ElementCursor(raw);
  const ref = new RawRef();
  while (cursor.next()) {
    const name = cursor.name;
    if (cursor.type === T.array && RAW_ARGUMENTS.has(name) && body.size > 0) {
      if (sequences.has(name)) fail(40433, `Duplicate field between body and document sequence ${name}`);
      sequences.set(name, sliceArray(raw, cursor.valueStart, name));
    } else if (body.has(name)) {
      fail(40415, `BSON field '${name}' is a duplicate field`);
    } else {
      body.append(name, decodeRef(cursor.into(ref)));
    }
  }
  const name = body.keys[0] ?? fail('CommandNotFound', "no such command: ''");
  const db = body.get('$db');
  if (typeof db !== 'string') fail(40571, 'OP_MSG requests require a $db argument');
  if (!isDatabaseName(db)) fail('InvalidNamespace', `Invalid database name: '${db}'`);
  return { name, db, body, sequences };
}

function sliceArray(raw: Buffer, offset: number, argument: string): Buffer[] {
  const documents: Buffer[] = [];
  const cursor = new ElementCursor(raw, offset);
  while (cursor.next()) {
    if (cursor.type !== T.object)
      fail('TypeMismatch', `BSON field '${argument}.${cursor.name}' is the wrong type, expected type 'object'`);
    documents.push(raw.subarray(cursor.valueStart, cursor.valueEnd));
  }
  return documents;
}

/** Database names: not empty, under 64 bytes, none of `/\. "$` nor NUL (MongoDB manual, "Naming Restrictions"). */
function isDatabaseName(name: string): boolean {
  return name.length > 0 && Buffer.byteLength(name) < 64 && !/[/\\. "$\0]/.test(name);
}

export const OP_QUERY = 2004;

const HELLO_NAMES: ReadonlySet<string> = new Set(['hello', 'ismaster', 'isMaster']);

/** A driver's first message: hello in the legacy framing. No other legacy message is supported. */
export function readOpQuery(message: Buffer): CommandRequest {
  const nameEnd = cstringEnd(message, HEADER_BYTES + 4);
  const bodyStart = nameEnd + 1 + 8;
  checkDocument(message, bodyStart);
  const body = decodeDocument(message, bodyStart);
  const name = body.keys[0] ?? '';
  if (!HELLO_NAMES.has(name))
    fail(352, `Unsupported OP_QUERY command: ${name}. The client driver may require an upgrade.`);
  const db = message.toString('utf8', HEADER_BYTES + 4, nameEnd).split('.')[0] ?? 'admin';
  return { name, db, body, sequences: new Map() };
}

const POLYNOMIAL = 0x82f63b78;

const TABLE = new Uint32Array(256).map((_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ POLYNOMIAL : value >>> 1;
  return value >>> 0;
});

/** CRC-32C (Castagnoli), the checksum an OP_MSG may carry at its end. */
export function crc32c(bytes: Buffer): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = (crc >>> 8) ^ (TABLE[(crc ^ byte) & 0xff] ?? 0);
  return (crc ^ 0xffffffff) >>> 0;
}

/** Header, flag bits and section kind that precede the reply document. */
const REPLY_PREFIX_BYTES = HEADER_BYTES + 4 + 1;
const PREFIX = Buffer.alloc(REPLY_PREFIX_BYTES);
const OP_REPLY = 1;
const OP_REPLY_PREFIX_BYTES = HEADER_BYTES + 20;

/** A reply document with room for the message header before it, sent without another copy. */
export class FramedReply {
  /** @param memory the buffer to return to the pool when the message is sent. */
  constructor(
    readonly message: Buffer,
    readonly memory?: Buffer,
  ) {}
}

export type ReplyBody = BsonDoc | Buffer | FramedReply;

/** A writer that starts after the header; `frame` completes it. */
export class ReplyWriter extends BsonWriter {
  readonly memoryTaken: Buffer | undefined;

  constructor(sizeBytes: number) {
    const neededBytes = sizeBytes + REPLY_PREFIX_BYTES;
    const taken = neededBytes < LEAST_POOLED_BYTES ? undefined : messageBuffers.take(neededBytes);
    super(taken ?? neededBytes);
    this.memoryTaken = taken;
    this.raw(PREFIX, 0, REPLY_PREFIX_BYTES);
  }

  frame(): FramedReply {
    return new FramedReply(this.finish(), this.memoryTaken);
  }
}

/** The whole OP_MSG message for a reply. */
/** @param moreToCome whether another reply follows without a request */
export function toOpMsg(body: ReplyBody, requestId: number, responseTo: number, moreToCome = false): Buffer {
  const message = body instanceof FramedReply ? body.message : withPrefix(toBytes(body), REPLY_PREFIX_BYTES);
  writeHeader(message, requestId, responseTo, OP_MSG);
  message.writeUInt32LE(moreToCome ? FLAG_MORE_TO_COME : 0, HEADER_BYTES);
  message[HEADER_BYTES + 4] = 0;
  return message;
}

/** The OP_REPLY to a legacy hello: flags "await capable", no cursor, one document. */
export function toOpReply(body: ReplyBody, requestId: number, responseTo: number): Buffer {
  const message = withPrefix(toBytes(body), OP_REPLY_PREFIX_BYTES);
  writeHeader(message, requestId, responseTo, OP_REPLY);
  message.writeInt32LE(8, 16);
  message.fill(0, 20, 32);
  message.writeInt32LE(1, 32);
  return message;
}

/** The body of a failed command. */
export function errorReply(error: MongoError): BsonDoc {
  const reply = BsonDoc.of({ ok: 0, errmsg: error.message, code: error.code, codeName: error.codeName });
  const extra = Object.entries(error.extra ?? {}).filter(([name]) => !reply.has(name));
  return reply.appendAll(Object.fromEntries(extra));
}

/** A reply as a document, for one that must be changed before it is sent. */
export function replyDocument(body: ReplyBody): BsonDoc {
  return body instanceof BsonDoc ? body : decodeDocument(toBytes(body));
}

function toBytes(body: ReplyBody): Buffer {
  if (body instanceof FramedReply) return body.message.subarray(REPLY_PREFIX_BYTES);
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

import { checkDocument } from '../bson/check.js';
import { decodeRef } from '../bson/decode.js';
import { cstringEnd, ElementCursor, RawRef, readLength } from '../bson/raw.js';
import { T } from '../bson/types.js';
import { BsonDoc } from '../bson/value.js';
import { MongoError } from '../errors.js';
import { crc32c } from './crc32c.js';
import { headerBytes } from './frame-reader.js';
import type { CommandRequest } from './request.js';

export const opMsg = 2013;

const flagChecksum = 1;
const flagMoreToCome = 2;
/** Bits 0-15 must be understood, bits 16-31 may be ignored (OP_MSG specification, "flagBits"). */
const unknownRequiredBits = 0xffff & ~(flagChecksum | flagMoreToCome);

/** Arguments kept as raw documents; decoding them would only be undone again by the store. */
const rawArguments: ReadonlySet<string> = new Set(['documents', 'updates', 'deletes', 'ops', 'nsInfo']);

export interface OpMsg {
  readonly moreToCome: boolean;
  /** Parses the sections; a fault here is an error reply, while a fault of framing closes the connection. */
  request(): CommandRequest;
}

/** Reads the frame of an OP_MSG; throws ProtocolError when flags or checksum are wrong. */
export function readOpMsg(message: Buffer): OpMsg {
  if (message.length < headerBytes + 4 + 1 + 5) throw new MongoError('ProtocolError', 'OP_MSG is too short');
  const flags = message.readUInt32LE(headerBytes);
  if ((flags & unknownRequiredBits) !== 0) throw new MongoError(50670, `OP_MSG has unknown flag bits ${flags}`);
  let end = message.length;
  if ((flags & flagChecksum) !== 0) {
    end -= 4;
    if (crc32c(message.subarray(0, end)) !== message.readUInt32LE(end)) {
      throw new MongoError('ProtocolError', 'OP_MSG checksum does not match its contents');
    }
  }
  return {
    moreToCome: (flags & flagMoreToCome) !== 0,
    request: () => readSections(message.subarray(0, end), headerBytes + 4),
  };
}

function readSections(message: Buffer, start: number): CommandRequest {
  const sequences = new Map<string, Buffer[]>();
  let body: Buffer | undefined;
  let at = start;
  while (at < message.length) {
    const kind = message[at] as number;
    at += 1;
    const length = readLength(message, at);
    const section = message.subarray(at, at + length);
    if (kind === 0 && body === undefined) body = section;
    else if (kind === 0) throw new MongoError(40430, 'Multiple body sections in message');
    else if (kind === 1) readSequence(section, sequences);
    else throw new MongoError(40432, `Unknown section kind: ${kind}`);
    at += Math.max(length, 5);
  }
  if (!body) throw new MongoError(40587, 'OP_MSG messages must have a body');
  return toRequest(body, sequences);
}

function readSequence(section: Buffer, sequences: Map<string, Buffer[]>): void {
  const nameEnd = cstringEnd(section, 4);
  const name = section.toString('utf8', 4, nameEnd);
  if (sequences.has(name)) throw new MongoError(40431, `Duplicate document sequence: ${name}`);
  const documents: Buffer[] = [];
  let at = nameEnd + 1;
  while (at < section.length) {
    const end = at + checkDocument(section, at);
    documents.push(section.subarray(at, end));
    at = end;
  }
  sequences.set(name, documents);
}

/** Walks the top level of the body once: plain arguments are decoded, raw ones cut into slices. */
function toRequest(raw: Buffer, sequences: Map<string, Buffer[]>): CommandRequest {
  checkDocument(raw);
  const body = new BsonDoc();
  const cursor = new ElementCursor(raw);
  const ref = new RawRef();
  while (cursor.next()) {
    const name = cursor.name;
    if (cursor.type === T.array && rawArguments.has(name) && body.size > 0) {
      if (sequences.has(name))
        throw new MongoError(40433, `Duplicate field between body and document sequence ${name}`);
      sequences.set(name, sliceArray(raw, cursor.valueStart, name));
    } else if (body.has(name)) {
      throw new MongoError(40415, `BSON field '${name}' is a duplicate field`);
    } else {
      body.append(name, decodeRef(cursor.into(ref)));
    }
  }
  const name = body.keys[0];
  if (name === undefined) throw new MongoError('CommandNotFound', "no such command: ''");
  const db = body.get('$db');
  if (typeof db !== 'string') throw new MongoError(40571, 'OP_MSG requests require a $db argument');
  if (!isDatabaseName(db)) throw new MongoError('InvalidNamespace', `Invalid database name: '${db}'`);
  return { name, db, body, sequences };
}

function sliceArray(raw: Buffer, offset: number, argument: string): Buffer[] {
  const documents: Buffer[] = [];
  const cursor = new ElementCursor(raw, offset);
  while (cursor.next()) {
    if (cursor.type !== T.object) {
      throw new MongoError(
        'TypeMismatch',
        `BSON field '${argument}.${cursor.name}' is the wrong type, expected type 'object'`,
      );
    }
    documents.push(raw.subarray(cursor.valueStart, cursor.valueEnd));
  }
  return documents;
}

/** Database names: not empty, under 64 bytes, none of `/\. "$` nor NUL (MongoDB manual, "Naming Restrictions"). */
export function isDatabaseName(name: string): boolean {
  return name.length > 0 && Buffer.byteLength(name) < 64 && !/[/\\. "$\0]/.test(name);
}

import type { Socket } from 'node:net';
import { BSON, type Document } from 'mongodb';

// The part of MongoDB's wire protocol that the driver speaks to a replica set: OP_MSG, and OP_QUERY for the first hello.

const HEADER_BYTES = 16;
const OP_REPLY = 1;
const OP_QUERY = 2004;
const OP_MSG = 2013;

/** A reply; `drop` closes the connection, and `silent` never answers. */
export type Answer = Document | 'drop' | 'silent';
type Handle = (command: Document) => Promise<Answer>;

/** Serves the commands of one connection in order. */
export function serveWire(socket: Socket, handle: Handle): void {
  let bytes = Buffer.alloc(0);
  let turn = Promise.resolve();
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk: Buffer) => {
    bytes = Buffer.concat([bytes, chunk]);
    while (bytes.length >= HEADER_BYTES && bytes.length >= bytes.readInt32LE(0)) {
      const message = bytes.subarray(0, bytes.readInt32LE(0));
      bytes = bytes.subarray(message.length);
      turn = turn.then(async () => {
        const answer = await answerTo(handle, commandOf(message));
        if (answer === 'drop') socket.destroy();
        else if (answer !== 'silent' && !socket.destroyed) socket.write(replyTo(message, answer));
      });
    }
  });
}

/** An error of the fake itself reaches the test as the server's. */
const answerTo = (handle: Handle, command: Document): Promise<Answer> =>
  handle(command).catch((error: unknown) => ({ ok: 0, code: 8, codeName: 'UnknownError', errmsg: String(error) }));

/** The command with its document sequences as plain lists. */
function commandOf(message: Buffer): Document {
  if (message.readInt32LE(12) === OP_QUERY) {
    const nameEnd = message.indexOf(0, HEADER_BYTES + 4);
    return documentAt(message, nameEnd + 1 + 8);
  }
  let command: Document = {};
  let at = HEADER_BYTES + 4;
  while (at < message.length) {
    const kind = message[at];
    const size = message.readInt32LE(at + 1);
    if (kind === 0) command = { ...documentAt(message, at + 1), ...command };
    else command = { ...command, ...sequenceAt(message, at + 1, size) };
    at += 1 + size;
  }
  return command;
}

function sequenceAt(message: Buffer, start: number, size: number): Document {
  const nameEnd = message.indexOf(0, start + 4);
  const documents: Document[] = [];
  for (let at = nameEnd + 1; at < start + size; at += message.readInt32LE(at)) documents.push(documentAt(message, at));
  return { [message.toString('utf8', start + 4, nameEnd)]: documents };
}

const documentAt = (message: Buffer, at: number): Document =>
  BSON.deserialize(message.subarray(at, at + message.readInt32LE(at)), { promoteBuffers: true });

function replyTo(request: Buffer, answer: Document): Buffer {
  const isQuery = request.readInt32LE(12) === OP_QUERY;
  const body = BSON.serialize(answer);
  // Flags, cursor, start and count of an OP_REPLY; flags and section kind of an OP_MSG.
  const prefix = isQuery ? Buffer.alloc(20) : Buffer.alloc(5);
  if (isQuery) {
    prefix.writeInt32LE(8, 0);
    prefix.writeInt32LE(1, 16);
  }
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeInt32LE(HEADER_BYTES + prefix.length + body.length, 0);
  header.writeInt32LE(request.readInt32LE(4), 8);
  header.writeInt32LE(isQuery ? OP_REPLY : OP_MSG, 12);
  return Buffer.concat([header, prefix, body]);
}

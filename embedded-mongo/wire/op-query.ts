import { checkDocument } from '../bson/check.js';
import { decodeDocument } from '../bson/decode.js';
import { cstringEnd } from '../bson/raw.js';
import { MongoError } from '../errors.js';
import { headerBytes } from './frame-reader.js';
import type { CommandRequest } from './request.js';

export const opQuery = 2004;

const helloNames: ReadonlySet<string> = new Set(['hello', 'ismaster', 'isMaster']);

/** The first message of a driver's connection: hello in the old framing. Everything else in it has been removed. */
export function readOpQuery(message: Buffer): CommandRequest {
  const nameEnd = cstringEnd(message, headerBytes + 4);
  const bodyStart = nameEnd + 1 + 8;
  checkDocument(message, bodyStart);
  const body = decodeDocument(message, bodyStart);
  const name = body.keys[0] ?? '';
  if (!helloNames.has(name)) {
    throw new MongoError(352, `Unsupported OP_QUERY command: ${name}. The client driver may require an upgrade.`);
  }
  const db = message.toString('utf8', headerBytes + 4, nameEnd).split('.')[0] ?? 'admin';
  return { name, db, body, sequences: new Map() };
}

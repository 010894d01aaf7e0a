import { type Document, serialize } from 'bson';

const OP_MSG = 2013;
const HEADER_BYTES = 16;
const DATABASE = 'bench';

/** Encodes a command as OP_MSG; documents to insert are in a separate section, as drivers send them. */
export function commandMessage(command: Document, documents?: readonly Uint8Array[]): Buffer {
  const body = serialize({ ...command, $db: DATABASE });
  const sections = [Buffer.from([0]), body];
  if (documents) sections.push(documentSection(documents));
  const header = Buffer.alloc(HEADER_BYTES + 4);
  const length = sections.reduce((sum, section) => sum + section.length, header.length);
  header.writeInt32LE(length, 0);
  header.writeInt32LE(1, 4);
  header.writeInt32LE(OP_MSG, 12);
  return Buffer.concat([header, ...sections]);
}

function documentSection(documents: readonly Uint8Array[]): Buffer {
  const name = Buffer.from('documents\0');
  const head = Buffer.alloc(1 + 4);
  head[0] = 1;
  head.writeInt32LE(
    documents.reduce((sum, bytes) => sum + bytes.length, 4 + name.length),
    1,
  );
  return Buffer.concat([head, name, ...documents]);
}

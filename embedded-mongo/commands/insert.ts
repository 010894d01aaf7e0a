import { ObjectId } from 'bson';
import { BsonWriter } from '../bson/encode.js';
import { ElementCursor, idIsFirst, rawId } from '../bson/raw.js';
import type { Collection } from '../catalog/collection.js';
import { MongoError } from '../errors.js';
import { booleanArgument, checkBatchSize, collectionArgument } from './arguments.js';
import type { Command, ServerContext } from './command.js';
import { checkDocumentAllowed } from './document-rules.js';
import { statementError, type WriteError, writeReply } from './write-reply.js';

export const insertCommand: Command = {
  name: 'insert',
  options: ['documents', 'ordered', 'bypassDocumentValidation'],
  run: ({ context, request, operation }) => {
    const { db, body, sequences } = request;
    const name = collectionArgument(request);
    const documents = sequences.get('documents');
    if (!documents) throw new MongoError(40414, "BSON field 'insert.documents' is missing but a required field");
    checkBatchSize(documents.length);
    const ordered = !body.has('ordered') || booleanArgument(body, 'ordered');
    const bypass = booleanArgument(body, 'bypassDocumentValidation');
    return context.writes.runSteps(function* () {
      let collection = context.catalog.getOrCreate(db, name);
      const errors: WriteError[] = [];
      let inserted = 0;
      for (const [index, document] of documents.entries()) {
        if (index > 0 && index % documentsPerStep === 0) {
          yield;
          if (collection.dropped) collection = context.catalog.getOrCreate(db, name);
        }
        try {
          insertDocument(context, collection, document, bypass);
          inserted += 1;
        } catch (error) {
          errors.push({ index, error: statementError(error) });
          if (ordered) break;
        }
      }
      return writeReply({ n: inserted }, errors);
    }, operation);
  },
};

const documentsPerStep = 64;

/** Stores one document; gives the bytes as stored, which begin with `_id`. */
export function insertDocument(
  context: ServerContext,
  collection: Collection,
  raw: Buffer,
  bypassValidation: boolean,
): Buffer {
  const stored = withIdFirst(raw, context);
  checkDocumentAllowed(context.system, collection, stored, undefined, bypassValidation);
  context.store.insert(collection, stored);
  return stored;
}

/** Drivers send `_id` first; where it is missing or elsewhere, it is put there, as MongoDB does. */
function withIdFirst(raw: Buffer, { system }: ServerContext): Buffer {
  if (idIsFirst(raw)) return raw;
  const id = rawId(raw);
  const writer = new BsonWriter(raw.length + 24);
  const start = writer.open();
  if (id) writer.rawElement('_id', id);
  else writer.field('_id', newObjectId(system.nowMs()));
  const cursor = new ElementCursor(raw);
  while (cursor.next()) {
    if (cursor.name !== '_id') writer.raw(raw, cursor.elementStart, cursor.valueEnd);
  }
  writer.close(start);
  return writer.finish();
}

function newObjectId(nowMs: number): ObjectId {
  return new ObjectId(ObjectId.generate(Math.floor(nowMs / 1_000)));
}

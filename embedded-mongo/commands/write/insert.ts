import { ObjectId } from 'bson';
import { decodeRef } from '../../bson/decode.js';
import { BsonWriter } from '../../bson/encode.js';
import { ElementCursor, idIsFirst, RawRef, rawId } from '../../bson/raw.js';
import { BsonDoc, type BsonValue, T } from '../../bson/value.js';
import type { Collection } from '../../catalog/collection.js';
import { fail, MongoError } from '../../errors.js';
import { collatedExpressions } from '../../match/matcher.js';
import { validationDetails } from '../../match/validation-details.js';
import type { System } from '../../server/system.js';
import { type Command, okDouble, type ServerContext, writesOf } from '../command.js';
import { MAX_BSON_OBJECT_BYTES } from '../session/handshake.js';

/** A failed statement in a command that otherwise succeeds. */
export interface WriteError {
  readonly index: number;
  readonly error: MongoError;
}

function writeErrorDoc({ index, error }: WriteError): BsonDoc {
  return BsonDoc.of({ index, code: error.code })
    .appendAll(error.extra ?? {})
    .append('errmsg', error.message);
}

/** The reply of insert, update and delete: counts first, then what failed. */
export function writeReply(
  counts: Record<string, unknown>,
  errors: readonly WriteError[],
  upserted: readonly BsonValue[] = [],
): BsonDoc {
  const reply = BsonDoc.of(counts);
  if (upserted.length > 0) reply.append('upserted', [...upserted]);
  if (errors.length > 0) reply.append('writeErrors', errors.map(writeErrorDoc));
  return reply.append('ok', okDouble);
}

/** Returns an error that the client may see; rethrows all others, which abort the group. */
export function statementError(error: unknown): MongoError {
  if (error instanceof MongoError) return error;
  throw error;
}

export const INSERT_COMMAND: Command = {
  name: 'insert',
  options: ['documents', 'ordered', 'bypassDocumentValidation'],
  run: (call) => {
    const { context, operation } = call;
    const { db, name, writes, ordered, bypassValidation } = writesOf(call, 'documents');
    return context.writes.runSteps(
      function* () {
        let collection = context.catalog.getOrCreate(db, name);
        const errors: WriteError[] = [];
        let inserted = 0;
        for (const [index, document] of writes.entries()) {
          if (index > 0 && index % DOCUMENTS_PER_STEP === 0) {
            yield;
            if (collection.dropped) collection = context.catalog.getOrCreate(db, name);
          }
          try {
            insertDocument(context, collection, document, bypassValidation);
            inserted += 1;
          } catch (error) {
            errors.push({ index, error: statementError(error) });
            if (ordered) break;
          }
        }
        return writeReply({ n: inserted }, errors);
      },
      { operation },
    );
  },
};

const DOCUMENTS_PER_STEP = 64;

/** Stores one document. @returns the stored bytes, which begin with `_id`. */
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

/** Puts `_id` first, as MongoDB does; drivers usually send it so. */
function withIdFirst(raw: Buffer, { system }: ServerContext): Buffer {
  if (idIsFirst(raw)) return raw;
  const id = rawId(raw);
  const writer = new BsonWriter(raw.length + 24);
  const start = writer.open();
  if (id) writer.rawElement('_id', id);
  else writer.field('_id', newObjectId(system.nowMs()));
  const cursor = new ElementCursor(raw);
  while (cursor.next()) if (cursor.name !== '_id') writer.raw(raw, cursor.elementStart, cursor.valueEnd);
  writer.close(start);
  return writer.finish();
}

function newObjectId(nowMs: number): ObjectId {
  return new ObjectId(ObjectId.generate(Math.floor(nowMs / 1_000)));
}

/** Checks a document before it is stored; `before` is the document it replaces. */
export function checkDocumentAllowed(
  system: System,
  collection: Collection,
  raw: Buffer,
  before: Buffer | undefined,
  bypassValidation: boolean,
): void {
  if (raw.length > MAX_BSON_OBJECT_BYTES)
    fail(
      'BSONObjectTooLarge',
      `object to insert too large. size in bytes: ${raw.length}, max size: ${MAX_BSON_OBJECT_BYTES}`,
    );
  if (!before) checkId(raw);
  if (!bypassValidation) validate(system, collection, raw, before);
}

function checkId(raw: Buffer): void {
  const id = rawId(raw) ?? fail('InternalError', 'a document without _id reached the store');
  if (id.type === T.array || id.type === T.regex || id.type === T.undefined) {
    const name = id.type === T.array ? 'array' : id.type === T.regex ? 'regex' : 'undefined';
    fail('InvalidIdField', `The '_id' value cannot be of type ${name}`);
  }
  if (id.type === T.object && startsWithDollar(id))
    fail('DollarPrefixedFieldName', "_id fields may not contain '$'-prefixed fields");
}

function startsWithDollar(id: RawRef): boolean {
  const value = decodeRef(id);
  return value instanceof BsonDoc && value.keys.some((key) => key.startsWith('$'));
}

function validate(system: System, collection: Collection, raw: Buffer, before: Buffer | undefined): void {
  const { validator, options } = collection;
  if (!validator || options.validationLevel === 'off' || validator.matches(raw)) return;
  // "moderate": documents that were already invalid may stay invalid.
  if (options.validationLevel === 'moderate' && before && !validator.matches(before)) return;
  if (options.validationAction === 'warn') {
    // Values stay out of the log because they may be personal data.
    system.report('Document would fail validation', `collection ${collection.namespace}`);
    return;
  }
  const id = rawId(raw);
  const failingDocumentId = id ? decodeRef(id) : null;
  const details = validationDetails(options.validator ?? new BsonDoc(), raw, collatedExpressions(collection.collation));
  const errInfo = new BsonDoc(['failingDocumentId', 'details'], [failingDocumentId, details]);
  fail('DocumentValidationFailure', 'Document failed validation', { errInfo });
}

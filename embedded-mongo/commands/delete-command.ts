import { decodeDocument } from '../bson/decode.js';
import { BsonDoc } from '../bson/value.js';
import { MongoError } from '../errors.js';
import { booleanArgument, checkBatchSize, collectionArgument, integerArgument, requiredDoc } from './arguments.js';
import type { Command } from './command.js';
import { matcherFor } from './compiled-cache.js';
import { deleteMatching } from './modify.js';
import type { Query } from './query-parts.js';
import { type QueryScope, scopeOf, statementScope } from './query-scope.js';
import { statementError, type WriteError, writeReply } from './write-reply.js';

const statementFields: ReadonlySet<string> = new Set(['q', 'limit', 'collation', 'hint']);

export const deleteCommand: Command = {
  name: 'delete',
  options: ['deletes', 'ordered', 'let'],
  run: ({ context, request, operation }) => {
    const { db, body, sequences } = request;
    const name = collectionArgument(request);
    const statements = sequences.get('deletes');
    if (!statements) throw new MongoError(40414, "BSON field 'delete.deletes' is missing but a required field");
    checkBatchSize(statements.length);
    const ordered = !body.has('ordered') || booleanArgument(body, 'ordered');
    const scope = scopeOf(context, body, new BsonDoc());
    return context.writes.runSteps(function* () {
      let deleted = 0;
      const errors: WriteError[] = [];
      for (const [index, raw] of statements.entries()) {
        if (index > 0) yield;
        try {
          const query = parseDeleteStatement(scope, decodeDocument(raw));
          const collection = context.catalog.get(db, name);
          if (collection) deleted += yield* deleteMatching(context, collection, query);
          else matcherFor(query.filter, query.scope);
        } catch (error) {
          errors.push({ index, error: statementError(error) });
          if (ordered) break;
        }
      }
      return writeReply({ n: deleted }, errors);
    }, operation);
  },
};

function parseDeleteStatement(commandScope: QueryScope, doc: BsonDoc): Query {
  for (const field of doc.keys) {
    if (!statementFields.has(field))
      throw new MongoError(40415, `BSON field 'delete.deletes.${field}' is an unknown field`);
  }
  const limit = integerArgument(doc, 'limit');
  if (limit === undefined)
    throw new MongoError(40414, "BSON field 'delete.deletes.limit' is missing but a required field");
  if (limit !== 0 && limit !== 1) {
    throw new MongoError('FailedToParse', `The limit field in delete objects must be 0 or 1. Got ${limit}`);
  }
  const filter = requiredDoc(doc, 'q', 'delete.deletes');
  const scope = statementScope(commandScope, doc);
  return { filter, sort: undefined, hint: doc.get('hint'), skip: 0, limit: limit === 1 ? 1 : undefined, scope };
}

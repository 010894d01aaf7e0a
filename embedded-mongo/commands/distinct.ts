import { DistinctValues } from '../aggregate/distinct.js';
import { BsonDoc } from '../bson/value.js';
import { MongoError } from '../errors.js';
import { TimeSlice } from '../exec/time-slice.js';
import { collectionArgument, docArgument, stringArgument } from './arguments.js';
import type { Command } from './command.js';
import { matcherFor } from './compiled-cache.js';
import { okReply } from './ok-reply.js';
import { execute } from './query-parts.js';
import { collationOf, scopeOf } from './query-scope.js';

export const distinctCommand: Command = {
  name: 'distinct',
  options: ['key', 'query', 'hint', 'collation'],
  run: async ({ context, request, operation }) => {
    const { body, db } = request;
    const path = stringArgument(body, 'key');
    if (!path) throw new MongoError(40414, "BSON field 'distinct.key' is missing but a required field");
    const filter = docArgument(body, 'query') ?? new BsonDoc();
    const collection = context.catalog.get(db, collectionArgument(request));
    const scope = scopeOf(context, body);
    const distinct = new DistinctValues(path, collationOf(collection, scope));
    if (!collection) matcherFor(filter, scope);
    else {
      const slice = new TimeSlice(context.system, operation);
      const query = {
        filter,
        sort: undefined,
        hint: body.get('hint'),
        skip: 0,
        limit: undefined,
        scope,
        reads: new Set([path]),
      };
      const execution = execute(context, collection, query);
      for (let step = execution.step(); step !== 'done'; step = execution.step()) {
        if (step === 'document') distinct.add(execution.raw);
        if (slice.isOver()) await slice.breathe(() => execution.suspend());
      }
      execution.suspend();
    }
    return okReply({ values: distinct.values() });
  },
};

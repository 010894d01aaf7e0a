import { decodeDocument } from '../bson/decode.js';
import { BsonDoc, type BsonValue } from '../bson/value.js';
import { MongoError } from '../errors.js';
import type { Operation } from '../exec/operation.js';
import { TimeSlice } from '../exec/time-slice.js';
import { describePlan } from '../planner/describe-plan.js';
import type { CommandRequest } from '../wire/request.js';
import { leadingQuery } from './aggregate-pushdown.js';
import { arrayArgument, docArgument, requiredDoc, stringArgument } from './arguments.js';
import type { Command, ServerContext } from './command.js';
import { countQueryOf } from './count.js';
import { queryOf } from './find.js';
import { followedVersion } from './handshake.js';
import { okReply } from './ok-reply.js';
import { execute, plan, type Query } from './query-parts.js';
import { scopeOf } from './query-scope.js';

export const explainCommand: Command = {
  name: 'explain',
  options: ['verbosity'],
  run: async ({ context, request, operation }) => {
    const inner = requiredDoc(request.body, 'explain', 'explain');
    const verbosity = stringArgument(request.body, 'verbosity') ?? 'allPlansExecution';
    if (!['queryPlanner', 'executionStats', 'allPlansExecution'].includes(verbosity)) {
      throw new MongoError(
        'FailedToParse',
        `verbosity string must be one of {'queryPlanner', 'executionStats', 'allPlansExecution'}`,
      );
    }
    const name = inner.values[0];
    if (typeof name !== 'string') throw new MongoError('InvalidNamespace', 'the explained command names no collection');
    const query = explainedQuery(context, inner, request);
    const reply: Record<string, unknown> = {
      explainVersion: '1',
      queryPlanner: queryPlanner(context, request.db, name, query, inner),
    };
    if (verbosity !== 'queryPlanner') {
      reply['executionStats'] = await executionStats(context, request.db, name, query, operation);
    }
    return okReply({ ...reply, command: inner, serverInfo: { version: followedVersion } });
  },
};

/** The reading part of any command that has one. Writes are never carried out by explain. */
function explainedQuery(context: ServerContext, inner: BsonDoc, request: CommandRequest): Query {
  const scope = scopeOf(context, inner);
  const command = inner.keys[0] ?? '';
  switch (command) {
    case 'find':
      return queryOf(context, inner);
    case 'count':
      return countQueryOf(context, inner);
    case 'distinct':
      return { ...wholeQuery(docArgument(inner, 'query'), inner.get('hint'), undefined), scope };
    case 'aggregate':
      return { ...leadingQuery(arrayArgument(inner, 'pipeline') ?? [], inner.get('hint')).query, scope };
    case 'findAndModify':
      return {
        ...wholeQuery(docArgument(inner, 'query'), inner.get('hint'), 1),
        sort: docArgument(inner, 'sort'),
        scope,
      };
    case 'update':
    case 'delete':
      return statementQuery(context, inner, request, command);
    default:
      throw new MongoError('CommandNotFound', `Explain failed due to unknown or unsupported command: ${command}`);
  }
}

function wholeQuery(filter: BsonDoc | undefined, hint: BsonValue | undefined, limit: number | undefined): Query {
  return { filter: filter ?? new BsonDoc(), sort: undefined, hint, skip: 0, limit };
}

function statementQuery(
  context: ServerContext,
  inner: BsonDoc,
  request: CommandRequest,
  command: 'update' | 'delete',
): Query {
  const argument = `${command}s`;
  const [own] = arrayArgument(inner, argument) ?? [];
  const [sequence] = request.sequences.get(argument) ?? [];
  const statement = sequence ? decodeDocument(sequence) : own;
  if (!(statement instanceof BsonDoc))
    throw new MongoError('FailedToParse', `explain needs one statement in ${argument}`);
  const query = wholeQuery(requiredDoc(statement, 'q', argument), statement.get('hint'), undefined);
  return { ...query, scope: scopeOf(context, inner, statement) };
}

function queryPlanner(context: ServerContext, db: string, name: string, query: Query, inner: BsonDoc): BsonDoc {
  const collection = context.catalog.get(db, name);
  const winningPlan = collection
    ? describePlan(plan(collection, query).plan, { ...query, projection: docArgument(inner, 'projection') })
    : BsonDoc.of({ stage: 'EOF' });
  return BsonDoc.of({
    namespace: `${db}.${name}`,
    parsedQuery: query.filter,
    indexFilterSet: false,
    winningPlan,
    rejectedPlans: [],
  });
}

async function executionStats(
  context: ServerContext,
  db: string,
  name: string,
  query: Query,
  operation: Operation,
): Promise<BsonDoc> {
  const collection = context.catalog.get(db, name);
  const startMs = context.system.monotonicMs();
  const totals = { nReturned: 0, totalKeysExamined: 0, totalDocsExamined: 0 };
  if (collection) {
    const slice = new TimeSlice(context.system, operation);
    const execution = execute(context, collection, query);
    for (let step = execution.step(); step !== 'done'; step = execution.step()) {
      if (step === 'document') totals.nReturned += 1;
      if (slice.isOver()) await slice.breathe(() => execution.suspend());
    }
    execution.suspend();
    totals.totalKeysExamined = execution.keysExamined;
    totals.totalDocsExamined = execution.docsExamined;
  }
  const executionTimeMillis = Math.round(context.system.monotonicMs() - startMs);
  return BsonDoc.of({ executionSuccess: true, ...totals, executionTimeMillis });
}

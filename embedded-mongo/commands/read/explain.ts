import { decodeDocument } from '../../bson/decode.js';
import { BsonDoc, type BsonValue } from '../../bson/value.js';
import type { Collection } from '../../catalog/collection.js';
import { fail } from '../../errors.js';
import { eachDocument } from '../../exec/execution.js';
import { TimeSlice } from '../../exec/operation.js';
import { countsKeys, describePlan, type PlanContext, type RunFigures } from '../../planner/plan.js';
import { planQuery, rejectedPlans } from '../../planner/plan-query.js';
import type { CommandRequest } from '../../wire/op-msg.js';
import * as arg from '../arguments.js';
import { type Command, type CommandCall, okReply, type ServerContext } from '../command.js';
import { FOLLOWED_VERSION } from '../session/handshake.js';
import { countDocuments, countQueryOf } from './count-and-distinct.js';
import { queryOf } from './find.js';
import { resolveView } from './pipeline-env.js';
import { leadingQuery } from './pipeline-rewrites.js';
import { execute, planInput, type Query, scopeOf } from './query.js';
import { findStages } from './views.js';

const VERBOSITIES = ['queryPlanner', 'executionStats', 'allPlansExecution'];

export const EXPLAIN_COMMAND: Command = {
  name: 'explain',
  options: ['verbosity'],
  run: async (call) => {
    const { body, db } = call.request;
    const asked = arg.requiredDoc(body, 'explain', 'explain');
    const verbosity = arg.string(body, 'verbosity') ?? 'allPlansExecution';
    if (!VERBOSITIES.includes(verbosity))
      fail('FailedToParse', `verbosity string must be one of {'${VERBOSITIES.join("', '")}'}`);
    const inner = throughView(call.context, db, asked);
    const name = inner.values[0];
    if (typeof name !== 'string') fail('InvalidNamespace', 'the explained command names no collection');
    const explained = explainedQuery(call.context, inner, call.request);
    const collection = call.context.catalog.get(db, name);
    const parts = await describe(call, collection, explained, verbosity !== 'queryPlanner');
    const cursor = { queryPlanner: parts.planner(`${db}.${name}`), ...parts.stats };
    const stages = explained.rest.length > 0 ? { stages: [{ $cursor: cursor }, ...explained.rest] } : {};
    return okReply({
      explainVersion: '1',
      ...cursor,
      ...stages,
      command: asked,
      serverInfo: { version: FOLLOWED_VERSION },
    });
  },
};

interface Explained {
  readonly query: Query;
  readonly context: Pick<PlanContext, 'projection' | 'counts'>;
  /** Stages of a pipeline that work on what the query gives. */
  readonly rest: readonly BsonValue[];
}

/** A command on a view runs as a pipeline on the underlying collection. */
function throughView(context: ServerContext, db: string, inner: BsonDoc): BsonDoc {
  const name = inner.values[0];
  const view = typeof name === 'string' ? context.catalog.view(db, name) : undefined;
  if (!view) return inner;
  const { source, pipeline } = resolveView(context, view);
  return new BsonDoc(['aggregate', 'pipeline'], [source, [...pipeline, ...stagesOf(inner)]]);
}

function stagesOf(inner: BsonDoc): readonly BsonValue[] {
  const match = () => {
    const filter = arg.doc(inner, 'query');
    return filter ? [new BsonDoc(['$match'], [filter])] : [];
  };
  switch (inner.keys[0]) {
    case 'find':
      return findStages(inner);
    case 'aggregate':
      return arg.array(inner, 'pipeline') ?? [];
    case 'count':
    case 'distinct':
      return match();
    default:
      fail('CommandNotSupportedOnView', 'a view can only be read');
  }
}

/** The reading part of a command. Explain never writes. */
function explainedQuery(context: ServerContext, inner: BsonDoc, request: CommandRequest): Explained {
  const scope = scopeOf(context, inner);
  const command = inner.keys[0] ?? '';
  const plain = (query: Query, counts = false): Explained => ({
    query: { scope, ...query },
    context: { projection: command === 'find' ? arg.doc(inner, 'projection') : undefined, counts },
    rest: [],
  });
  switch (command) {
    case 'find':
      return plain(queryOf(context, inner));
    case 'count':
      return plain(countQueryOf(context, inner), true);
    case 'distinct':
      return plain({
        ...wholeQuery(arg.doc(inner, 'query'), inner.get('hint'), undefined),
        reads: new Set([arg.string(inner, 'key') ?? '']),
      });
    case 'aggregate': {
      const { query, rest } = leadingQuery(arg.array(inner, 'pipeline') ?? [], inner.get('hint'));
      return { ...plain(query), rest };
    }
    case 'findAndModify':
    case 'findandmodify': {
      const query = wholeQuery(arg.doc(inner, 'query'), inner.get('hint'), 1);
      return plain({ ...query, sort: arg.doc(inner, 'sort') });
    }
    case 'update':
    case 'delete':
      return plain(statementQuery(context, inner, request, command));
    default:
      fail('CommandNotFound', `Explain failed due to unknown or unsupported command: ${command}`);
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
  const [own] = arg.array(inner, argument) ?? [];
  const [sequence] = request.sequences.get(argument) ?? [];
  const statement = sequence ? decodeDocument(sequence) : own;
  if (!(statement instanceof BsonDoc)) fail('FailedToParse', `explain needs one statement in ${argument}`);
  const query = wholeQuery(arg.requiredDoc(statement, 'q', argument), statement.get('hint'), undefined);
  return { ...query, scope: scopeOf(context, inner, statement) };
}

interface Parts {
  planner(namespace: string): BsonDoc;
  readonly stats: Record<string, unknown>;
}

async function describe(
  call: CommandCall,
  collection: Collection | undefined,
  { query, context: shown }: Explained,
  runs: boolean,
): Promise<Parts> {
  const input = collection && planInput(call.context, collection, query);
  const plan = input
    ? planQuery(input)
    : ({ access: { kind: 'nothing' }, residual: false, blockingSort: false } as const);
  const planContext = { ...query, ...shown };
  const rejected = input ? rejectedPlans(input, plan).map((other) => describePlan(other, planContext)) : [];
  const planner = (namespace: string) =>
    BsonDoc.of({
      namespace,
      parsedQuery: query.filter,
      indexFilterSet: false,
      winningPlan: describePlan(plan, planContext),
      rejectedPlans: rejected,
    });
  if (!runs) return { planner, stats: {} };
  const startMs = call.context.system.monotonicMs();
  const counting = shown.counts === true && countsKeys(plan);
  const figures = collection ? await (counting ? countRun : stepRun)(call, collection, query) : NOTHING_RUN;
  const executionStats = {
    executionSuccess: true,
    nReturned: shown.counts ? 0 : figures.nReturned,
    executionTimeMillis: Math.round(call.context.system.monotonicMs() - startMs),
    totalKeysExamined: figures.keysExamined,
    totalDocsExamined: figures.docsExamined,
    executionStages: describePlan(plan, planContext, figures),
  };
  return { planner, stats: { executionStats } };
}

const NOTHING_RUN: RunFigures = { nReturned: 0, keysExamined: 0, docsExamined: 0, matched: 0, branches: [] };

async function countRun(call: CommandCall, collection: Collection, query: Query): Promise<RunFigures> {
  const slice = new TimeSlice(call.context.system, call.operation);
  const all = await countDocuments(call.context, collection, { ...query, skip: 0, limit: undefined }, slice);
  const nReturned = Math.min(Math.max(0, all - query.skip), query.limit ?? all);
  return { ...NOTHING_RUN, nReturned, keysExamined: all, matched: all };
}

async function stepRun(call: CommandCall, collection: Collection, query: Query): Promise<RunFigures> {
  const slice = new TimeSlice(call.context.system, call.operation);
  const execution = execute(call.context, collection, query);
  let nReturned = 0;
  await eachDocument(execution, slice, () => {
    nReturned += 1;
  });
  const { keysExamined, docsExamined, matched, branches } = execution;
  return { nReturned, keysExamined, docsExamined, matched, branches };
}

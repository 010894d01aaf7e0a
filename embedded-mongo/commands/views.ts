import { DistinctValues } from '../aggregate/distinct.js';
import type { Documents } from '../aggregate/stage.js';
import { BsonDoc, type BsonValue, toBson } from '../bson/value.js';
import type { View } from '../catalog/view.js';
import { parseCollation } from '../compare/collation.js';
import { MongoError } from '../errors.js';
import { TimeSlice } from '../exec/time-slice.js';
import type { ReplyBody } from '../wire/reply.js';
import { aggregateCommand } from './aggregate.js';
import {
  arrayArgument,
  booleanArgument,
  countArgument,
  docArgument,
  integerArgument,
  stringArgument,
} from './arguments.js';
import type { Command, CommandCall, ServerContext } from './command.js';
import { okReply } from './ok-reply.js';
import { pipelineEnv } from './pipeline-env.js';
import { collationOf, scopeOf } from './query-scope.js';
import { type ResolvedView, resolveView } from './view-source.js';

/** Commands that name a view as they would a collection, or do not speak of its documents. */
const indifferent: ReadonlySet<string> = new Set([
  'create',
  'drop',
  'collMod',
  'getMore',
  'killCursors',
  'listCollections',
]);

/** Error 166 in MongoDB's words. */
export function refuseViewWrites(namespace: string): never {
  throw new MongoError('CommandNotSupportedOnView', `Namespace ${namespace} is a view, not a collection`);
}

/** Answers a command that names a view; undefined when it may run as on a collection. */
export function runOnView(command: Command, call: CommandCall, view: View): Promise<ReplyBody> | ReplyBody | undefined {
  if (indifferent.has(command.name)) return undefined;
  const resolved = resolveView(call.context, view);
  checkCollation(call.request.body, view);
  switch (command.name) {
    case 'find':
      return aggregateInstead(call, resolved, findStages(call.request.body));
    case 'aggregate':
      return aggregateInstead(call, resolved, arrayArgument(call.request.body, 'pipeline') ?? []);
    case 'count':
      return count(call, view);
    case 'distinct':
      return distinct(call, view);
    default:
      return refuseViewWrites(`${view.db}.${view.name}`);
  }
}

/** A view has one collation, and a read may not ask for another (code 167). */
function checkCollation(body: BsonDoc, view: View): void {
  const asked = docArgument(body, 'collation');
  if (!asked || asked.size === 0) return;
  const own = view.collation && parseCollation(view.collation)?.id;
  if (parseCollation(asked)?.id !== own)
    throw new MongoError(167, `Cannot override a view's default collation: ${view.db}.${view.name}`);
}

/** The same read, as a pipeline on the collection the view stands on. */
function aggregateInstead(
  call: CommandCall,
  { view, source, pipeline }: ResolvedView,
  stages: readonly BsonValue[],
): Promise<ReplyBody> | ReplyBody {
  const { request } = call;
  const body = new BsonDoc(['aggregate', 'pipeline'], [source, [...pipeline, ...stages]]);
  body.append('cursor', docArgument(request.body, 'cursor') ?? cursorOf(request.body));
  body.append('collation', view.collation ?? BsonDoc.of({ locale: 'simple' }));
  for (const name of ['let', 'hint', 'allowDiskUse', 'explain', 'bypassDocumentValidation']) {
    const value = request.body.get(name);
    if (value !== undefined) body.append(name, value);
  }
  return aggregateCommand.run({
    ...call,
    shownAs: `${view.db}.${view.name}`,
    request: { ...request, name: 'aggregate', body },
  });
}

function cursorOf(body: BsonDoc): BsonDoc {
  const size = countArgument(body, 'batchSize');
  const limit = integerArgument(body, 'limit') ?? 0;
  // A single batch must hold all there is: a cursor left open would be read by nobody.
  const single = limit < 0 || booleanArgument(body, 'singleBatch');
  const batch = single && limit !== 0 ? Math.abs(limit) : size;
  return batch === undefined ? new BsonDoc() : BsonDoc.of({ batchSize: batch });
}

function findStages(body: BsonDoc): BsonValue[] {
  if (booleanArgument(body, 'tailable')) throw new MongoError('BadValue', 'a view cannot be tailed');
  const limit = Math.abs(integerArgument(body, 'limit') ?? 0);
  const stages: BsonValue[] = [];
  const add = (name: string, value: BsonValue | undefined) => {
    if (value !== undefined) stages.push(new BsonDoc([name], [value]));
  };
  const whole = (value: number) => (value > 0 ? toBson(value) : undefined);
  const [filter, sort, projection] = ['filter', 'sort', 'projection'].map((name) => docArgument(body, name));
  if (filter?.size) add('$match', filter);
  if (sort?.size) add('$sort', sort);
  add('$skip', whole(countArgument(body, 'skip') ?? 0));
  add('$limit', whole(limit));
  if (projection?.size) add('$project', projection);
  return stages;
}

/** The documents of a view that match a filter. */
function viewDocuments(
  call: CommandCall,
  view: View,
  filter: BsonDoc | undefined,
): { documents: Documents; slice: TimeSlice } {
  const { context, request, operation } = call;
  const slice = new TimeSlice(context.system, operation);
  const scope = scopeOf(context, withCollation(request.body, view));
  const around = { name: view.name, scope, collation: collationOf(undefined, scope), bypassValidation: false };
  const env = pipelineEnv(context, request.db, slice, around);
  return { documents: env.find({ collection: view.name }, filter ?? new BsonDoc()), slice };
}

function withCollation(body: BsonDoc, { collation }: View): BsonDoc {
  return new BsonDoc([...body.keys], [...body.values]).set('collation', collation ?? BsonDoc.of({ locale: 'simple' }));
}

async function count(call: CommandCall, view: View): Promise<ReplyBody> {
  const { body } = call.request;
  const skip = countArgument(body, 'skip') ?? 0;
  const limit = Math.abs(integerArgument(body, 'limit') ?? 0) || Number.POSITIVE_INFINITY;
  const { documents } = viewDocuments(call, view, docArgument(body, 'query'));
  let seen = 0;
  for await (const _document of documents) {
    seen += 1;
    if (seen - skip >= limit) break;
  }
  return okReply({ n: Math.max(0, seen - skip) });
}

async function distinct(call: CommandCall, view: View): Promise<ReplyBody> {
  const { body } = call.request;
  const path = stringArgument(body, 'key');
  if (!path) throw new MongoError(40414, "BSON field 'distinct.key' is missing but a required field");
  const values = new DistinctValues(path, view.collation && parseCollation(view.collation));
  const { documents } = viewDocuments(call, view, docArgument(body, 'query'));
  for await (const raw of documents) values.add(raw);
  return okReply({ values: values.values() });
}

/** What a command's first field names, if that is a view; most servers have none. */
export function viewNamed(context: ServerContext, db: string, value: BsonValue | undefined): View | undefined {
  if (!context.catalog.hasViews || typeof value !== 'string') return undefined;
  return context.catalog.view(db, value);
}

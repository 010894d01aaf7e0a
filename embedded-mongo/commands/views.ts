import { DistinctValues } from '../aggregate/distinct.js';
import type { Documents } from '../aggregate/stage.js';
import { BsonDoc, type BsonValue } from '../bson/value.js';
import type { View } from '../catalog/view.js';
import { parseCollation } from '../compare/collation.js';
import { MongoError } from '../errors.js';
import { TimeSlice } from '../exec/time-slice.js';
import type { ReplyBody } from '../wire/reply.js';
import { arrayArgument, countArgument, docArgument, integerArgument, stringArgument } from './arguments.js';
import type { Command, CommandCall, ServerContext } from './command.js';
import { asPipeline, findAsPipeline, type PipelineSource } from './find-as-pipeline.js';
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
      return findAsPipeline(call, sourceOf(resolved));
    case 'aggregate':
      return asPipeline(call, sourceOf(resolved), arrayArgument(call.request.body, 'pipeline') ?? []);
    case 'count':
      return count(call, view);
    case 'distinct':
      return distinct(call, view);
    default:
      return refuseViewWrites(`${view.db}.${view.name}`);
  }
}

function sourceOf({ view, source, pipeline }: ResolvedView): PipelineSource {
  return { namespace: `${view.db}.${view.name}`, source, pipeline, collation: view.collation ?? simple };
}

const simple = BsonDoc.of({ locale: 'simple' });

/** A view has one collation, and a read may not ask for another (code 167). */
function checkCollation(body: BsonDoc, view: View): void {
  const asked = docArgument(body, 'collation');
  if (!asked || asked.size === 0) return;
  const own = view.collation && parseCollation(view.collation)?.id;
  if (parseCollation(asked)?.id !== own)
    throw new MongoError(167, `Cannot override a view's default collation: ${view.db}.${view.name}`);
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
  return new BsonDoc([...body.keys], [...body.values]).set('collation', collation ?? simple);
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

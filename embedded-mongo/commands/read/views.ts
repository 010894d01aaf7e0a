import type { Documents } from '../../aggregate/stage.js';
import { BsonDoc, type BsonValue, toBson } from '../../bson/value.js';
import type { View } from '../../catalog/collection.js';
import { words } from '../../checked-access.js';
import { parseCollation } from '../../compare/collation.js';
import { fail } from '../../errors.js';
import { TimeSlice } from '../../exec/operation.js';
import type { ReplyBody } from '../../wire/op-msg.js';
import * as arg from '../arguments.js';
import { type Command, type CommandCall, missingField, okReply, type ServerContext } from '../command.js';
import { AGGREGATE_COMMAND } from './aggregate.js';
import { DistinctValues } from './count-and-distinct.js';
import { pipelineEnv, type ResolvedView, resolveView } from './pipeline-env.js';
import { includesField, mentionsScore } from './pipeline-rewrites.js';
import { collationOf, scopeOf } from './query.js';

/** Commands that treat a view as a collection, or do not read its documents. */
const INDIFFERENT: ReadonlySet<string> = new Set(words('create drop collMod getMore killCursors listCollections'));

/** Error 166 with MongoDB's text. */
export function refuseViewWrites(namespace: string): never {
  fail('CommandNotSupportedOnView', `Namespace ${namespace} is a view, not a collection`);
}

/** Runs a command that names a view; returns undefined when it may run as on a collection. */
export function runOnView(command: Command, call: CommandCall, view: View): Promise<ReplyBody> | ReplyBody | undefined {
  if (INDIFFERENT.has(command.name)) return undefined;
  const resolved = resolveView(call.context, view);
  checkCollation(call.request.body, view);
  switch (command.name) {
    case 'find':
      return findAsPipeline(call, sourceOf(resolved));
    case 'aggregate':
      return asPipeline(call, sourceOf(resolved), arg.array(call.request.body, 'pipeline') ?? []);
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
  const asked = arg.doc(body, 'collation');
  if (!asked || asked.size === 0) return;
  const own = view.collation && parseCollation(view.collation)?.id;
  if (parseCollation(asked)?.id !== own)
    fail(167, `Cannot override a view's default collation: ${view.db}.${view.name}`);
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
  const skip = arg.count(body, 'skip') ?? 0;
  const limit = Math.abs(arg.integer(body, 'limit') ?? 0) || Number.POSITIVE_INFINITY;
  const { documents } = viewDocuments(call, view, arg.doc(body, 'query'));
  let seen = 0;
  for await (const _document of documents) {
    seen += 1;
    if (seen - skip >= limit) break;
  }
  return okReply({ n: Math.max(0, seen - skip) });
}

async function distinct(call: CommandCall, view: View): Promise<ReplyBody> {
  const { body } = call.request;
  const path = arg.string(body, 'key') || missingField('distinct.key');
  const values = new DistinctValues(path, view.collation && parseCollation(view.collation));
  const { documents } = viewDocuments(call, view, arg.doc(body, 'query'));
  for await (const raw of documents) values.add(raw);
  return okReply({ values: values.values() });
}

/** Returns the view that a command's first field names, if any; most servers have no views. */
export function viewNamed(context: ServerContext, db: string, value: BsonValue | undefined): View | undefined {
  if (!context.catalog.hasViews || typeof value !== 'string') return undefined;
  return context.catalog.view(db, value);
}

/** The source and the shown name of a read that runs as a pipeline. */
interface PipelineSource {
  readonly namespace: string;
  readonly source: string;
  readonly pipeline: readonly BsonValue[];
  /** Undefined uses the command's collation. */
  readonly collation?: BsonDoc;
}

/** Answers a find on a view, or a find by text score, by a pipeline. */
export function findAsPipeline(call: CommandCall, source: PipelineSource): Promise<ReplyBody> | ReplyBody {
  return asPipeline(call, source, findStages(call.request.body));
}

/** Runs the read as a pipeline on the underlying collection. */
function asPipeline(
  call: CommandCall,
  { namespace, source, pipeline, collation }: PipelineSource,
  stages: readonly BsonValue[],
): Promise<ReplyBody> | ReplyBody {
  const { request } = call;
  const body = new BsonDoc(['aggregate', 'pipeline'], [source, [...pipeline, ...stages]]);
  body.append('cursor', arg.doc(request.body, 'cursor') ?? cursorOf(request.body));
  const compared = collation ?? arg.doc(request.body, 'collation');
  if (compared) body.append('collation', compared);
  for (const name of ['let', 'hint', 'allowDiskUse', 'explain', 'bypassDocumentValidation']) {
    const value = request.body.get(name);
    if (value !== undefined) body.append(name, value);
  }
  return AGGREGATE_COMMAND.run({
    ...call,
    shownAs: namespace,
    request: { ...request, name: 'aggregate', body },
  });
}

function cursorOf(body: BsonDoc): BsonDoc {
  const size = arg.count(body, 'batchSize');
  const limit = arg.integer(body, 'limit') ?? 0;
  // A single batch must hold all results, because no getMore follows.
  const single = limit < 0 || arg.boolean(body, 'singleBatch');
  const batch = single && limit !== 0 ? Math.abs(limit) : size;
  return batch === undefined ? new BsonDoc() : BsonDoc.of({ batchSize: batch });
}

export function findStages(body: BsonDoc): BsonValue[] {
  if (arg.boolean(body, 'tailable')) fail('BadValue', 'neither a view nor a search by score can be tailed');
  const limit = Math.abs(arg.integer(body, 'limit') ?? 0);
  const stages: BsonValue[] = [];
  const add = (name: string, value: BsonValue | undefined) => {
    if (value !== undefined) stages.push(new BsonDoc([name], [value]));
  };
  const whole = (value: number) => (value > 0 ? toBson(value) : undefined);
  const [filter, sort, projection] = ['filter', 'sort', 'projection'].map((name) => arg.doc(body, name));
  if (filter?.size) add('$match', filter);
  if (sort?.size) add('$sort', sort);
  add('$skip', whole(arg.count(body, 'skip') ?? 0));
  add('$limit', whole(limit));
  if (projection?.size) stages.push(...projectionStages(projection));
  return stages;
}

/** Metadata alone keeps the whole document; next to included fields it is one of them. */
function projectionStages(projection: BsonDoc): BsonDoc[] {
  const scores = new BsonDoc();
  const fields = new BsonDoc();
  for (const [name, value] of projection) (mentionsScore(value) ? scores : fields).append(name, value);
  if (scores.size === 0 || [...fields].some(([name, value]) => name !== '_id' && includesField(value)))
    return [new BsonDoc(['$project'], [projection])];
  const left = fields.size > 0 ? [new BsonDoc(['$project'], [fields])] : [];
  return [...left, new BsonDoc(['$addFields'], [scores])];
}

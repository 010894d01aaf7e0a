import { BsonDoc, type BsonValue, toBson } from '../bson/value.js';
import { MongoError } from '../errors.js';
import type { ReplyBody } from '../wire/reply.js';
import { aggregateCommand } from './aggregate.js';
import { booleanArgument, countArgument, docArgument, integerArgument } from './arguments.js';
import type { CommandCall } from './command.js';
import { mentionsScore } from './text-score.js';

/** Where a read that is carried out as a pipeline gets its documents from, and what it is called. */
export interface PipelineSource {
  readonly namespace: string;
  readonly source: string;
  readonly pipeline: readonly BsonValue[];
  /** Undefined for what the command asks. */
  readonly collation?: BsonDoc;
}

/** A find that only a pipeline can answer: on a view, or by the score of its `$text`. */
export function findAsPipeline(call: CommandCall, source: PipelineSource): Promise<ReplyBody> | ReplyBody {
  return asPipeline(call, source, findStages(call.request.body));
}

/** The same read, as a pipeline on the collection underneath. */
export function asPipeline(
  call: CommandCall,
  { namespace, source, pipeline, collation }: PipelineSource,
  stages: readonly BsonValue[],
): Promise<ReplyBody> | ReplyBody {
  const { request } = call;
  const body = new BsonDoc(['aggregate', 'pipeline'], [source, [...pipeline, ...stages]]);
  body.append('cursor', docArgument(request.body, 'cursor') ?? cursorOf(request.body));
  const compared = collation ?? docArgument(request.body, 'collation');
  if (compared) body.append('collation', compared);
  for (const name of ['let', 'hint', 'allowDiskUse', 'explain', 'bypassDocumentValidation']) {
    const value = request.body.get(name);
    if (value !== undefined) body.append(name, value);
  }
  return aggregateCommand.run({
    ...call,
    shownAs: namespace,
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

export function findStages(body: BsonDoc): BsonValue[] {
  if (booleanArgument(body, 'tailable'))
    throw new MongoError('BadValue', 'neither a view nor a search by score can be tailed');
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
  if (projection?.size) stages.push(...projectionStages(projection));
  return stages;
}

/** Metadata alone leaves a document whole; beside fields taken it is one of them. */
function projectionStages(projection: BsonDoc): BsonDoc[] {
  const scores = new BsonDoc();
  const fields = new BsonDoc();
  for (const [name, value] of projection) (mentionsScore(value) ? scores : fields).append(name, value);
  if (scores.size === 0 || [...fields].some(([name, value]) => name !== '_id' && takes(value)))
    return [new BsonDoc(['$project'], [projection])];
  const left = fields.size > 0 ? [new BsonDoc(['$project'], [fields])] : [];
  return [...left, new BsonDoc(['$addFields'], [scores])];
}

function takes(value: BsonValue): boolean {
  return value !== false && !(value !== null && typeof value === 'object' && 'value' in value && value.value === 0);
}

import { maxDocumentBytes } from '../bson/check.js';
import { emptyDocument } from '../bson/raw.js';
import { BsonDoc, type BsonValue, isDoc } from '../bson/value.js';
import { MongoError } from '../errors.js';
import type { MatchExpressions } from '../match/matcher.js';
import { Frame } from './expr/frame.js';
import { type AggregateEnv, type Documents, type Emit, PipelineScope, type Stage, type StageRun } from './stage.js';
import { shorthands, stageTable } from './stage-table.js';
import { sortStage, wholeArgument } from './stages/order.js';
import { sourceStages } from './stages/sources.js';

/** A pipeline compiled once; it may run several times, but not twice at the same moment. */
export interface Pipeline {
  /** Whether its last stage writes, so that it yields no documents. */
  readonly writes: boolean;
  run(source: Documents): Documents;
}

/** Compiles an aggregation pipeline; stages and operators that are unknown or not supported are errors here. */
export function compilePipeline(stages: readonly BsonValue[], env: AggregateEnv, variables?: Frame): Pipeline {
  const scope = new PipelineScope(env);
  if (variables) scope.bind(variables);
  const run = compileStages(stages, scope);
  const last = stages.at(-1);
  const mayGrow = stages.some((stage) => isDoc(stage) && growing.has(stage.keys[0] ?? ''));
  return {
    writes: isDoc(last) && (last.keys[0] === '$out' || last.keys[0] === '$merge'),
    run: mayGrow ? (source) => refuseLarge(run(source)) : run,
  };
}

function compileStages(specs: readonly BsonValue[], scope: PipelineScope): (source: Documents) => Documents {
  const expanded = specs.flatMap(expand);
  const stages = expanded.map((spec, at) => compileStage(spec, at, expanded, scope));
  return (source) => chain(stages, source, scope.env);
}

interface StageSpec {
  readonly name: string;
  readonly argument: BsonValue;
}

/** Stages that are shorthand for others are written out. */
function expand(spec: BsonValue): StageSpec[] {
  if (!isDoc(spec) || spec.size !== 1) {
    throw new MongoError(40_323, 'A pipeline stage specification object must contain exactly one field.');
  }
  const [name, argument] = [spec.keys[0] ?? '', spec.values[0] as BsonValue];
  const writeOut = shorthands[name];
  if (writeOut) return writeOut(argument).flatMap(expand);
  return [{ name, argument }];
}

function compileStage(
  { name, argument }: StageSpec,
  at: number,
  all: readonly StageSpec[],
  scope: PipelineScope,
): Stage {
  if ((name === '$out' || name === '$merge') && at < all.length - 1) {
    throw new MongoError(40_601, `${name} can only be the final stage in the pipeline`);
  }
  if (name === '$sort') return sortStage(argument, scope, keptAfter(all.slice(at + 1)));
  if (sourceStages.has(name) && at > 0) {
    throw new MongoError(40_602, `${name} is only valid as the first stage in a pipeline`);
  }
  if (name === '$changeStream') {
    throw new MongoError(40_573, 'The $changeStream stage is only supported on replica sets');
  }
  const compile = stageTable[name];
  if (!compile) throw new MongoError(40_324, `Unrecognized pipeline stage name: '${name}'`);
  return compile({ argument, scope, name, compileInner: compileStages, compileUpdate: compileUpdatePipeline });
}

/** How many sorted documents the stages right behind a `$sort` let through. */
function keptAfter(following: readonly StageSpec[]): number {
  let skipped = 0;
  for (const { name, argument } of following) {
    if (name === '$skip') skipped += wholeArgument(argument, name, 0n);
    else return name === '$limit' ? skipped + wholeArgument(argument, name, 1n) : Number.POSITIVE_INFINITY;
  }
  return Number.POSITIVE_INFINITY;
}

/** Runs neighbouring local stages as one generator, so that a document passes them without waiting in between. */
function chain(stages: readonly Stage[], source: Documents, { breathe }: AggregateEnv): Documents {
  let documents = source;
  let local: StageRun[] = [];
  for (const stage of stages) {
    if (stage.kind === 'local') {
      local.push(stage.start());
      continue;
    }
    if (local.length > 0) documents = runLocal(local, documents, breathe);
    local = [];
    documents = stage.run(documents);
  }
  return local.length > 0 ? runLocal(local, documents, breathe) : documents;
}

/** Stages may make documents larger than stored ones may be; between stages that is allowed, on the way out not. */
async function* refuseLarge(documents: Documents): Documents {
  for await (const raw of documents) {
    if (raw.length > maxDocumentBytes) {
      throw new MongoError('BSONObjectTooLarge', `a result document is larger than ${maxDocumentBytes} bytes`);
    }
    yield raw;
  }
}

/** Only these can make one large document of many, or a large one of a small one. */
const growing = new Set([
  '$group',
  '$lookup',
  '$graphLookup',
  '$facet',
  '$addFields',
  '$set',
  '$project',
  '$replaceRoot',
  '$replaceWith',
  '$bucket',
  '$bucketAuto',
  '$setWindowFields',
  '$fill',
]);

async function* runLocal(runs: readonly StageRun[], source: Documents, breathe: AggregateEnv['breathe']): Documents {
  const ready: Buffer[] = [];
  const emitters: Emit[] = [(raw) => ready.push(raw)];
  for (const run of runs.toReversed()) {
    const next = emitters[0] as Emit;
    emitters.unshift((raw) => run.push(raw, next));
  }
  const enter = emitters[0] as Emit;
  if (!runs.some((run) => run.full)) {
    for await (const raw of source) {
      enter(raw);
      if (ready.length > 0) yield* ready.splice(0);
      if (runs.some((run) => run.full)) break;
    }
  }
  for (const [at, run] of runs.entries()) {
    for (const _pause of run.finish?.(emitters[at + 1] as Emit) ?? []) {
      if (ready.length > 0) yield* ready.splice(0);
      await breathe?.();
    }
  }
  yield* ready;
}

/** What a `find` can do for a pipeline: its leading filter, sort, skip and limit, in that order, and the rest. */
export interface LeadingStages {
  readonly filter: BsonDoc;
  readonly sort: BsonDoc | undefined;
  readonly skip: number;
  readonly limit: number | undefined;
  readonly rest: readonly BsonValue[];
}

export function splitLeading(stages: readonly BsonValue[]): LeadingStages {
  const filters: BsonDoc[] = [];
  let at = 0;
  const argumentOf = (name: string): BsonValue | undefined => {
    const stage = stages[at];
    return isDoc(stage) && stage.size === 1 && stage.keys[0] === name ? stage.values[0] : undefined;
  };
  for (let filter = argumentOf('$match'); isDoc(filter); filter = argumentOf('$match')) {
    filters.push(filter);
    at++;
  }
  const sort = argumentOf('$sort');
  if (isDoc(sort)) at++;
  const skip = argumentOf('$skip');
  if (skip !== undefined) at++;
  const limit = argumentOf('$limit');
  if (limit !== undefined) at++;
  const [only] = filters;
  return {
    filter:
      filters.length === 1 && only ? only : filters.length === 0 ? new BsonDoc() : new BsonDoc(['$and'], [filters]),
    sort: isDoc(sort) ? sort : undefined,
    skip: skip === undefined ? 0 : wholeArgument(skip, '$skip', 0n),
    limit: limit === undefined ? undefined : wholeArgument(limit, '$limit', 1n),
    rest: stages.slice(at),
  };
}

const updateStages = new Set(['$addFields', '$set', '$project', '$unset', '$replaceRoot', '$replaceWith']);

/** The pipelines an update may be: document by document, without other collections; runs at once. */
export function compileUpdatePipeline(
  stages: readonly BsonValue[],
  { env, frame }: MatchExpressions,
): (raw: Buffer, variables?: Frame) => Buffer {
  const scope = new PipelineScope({ ...env, readCollection: refuseReading, find: refuseReading });
  scope.bind(frame(Frame.of(emptyDocument).root));
  const compiled = stages.flatMap(expand).map((spec) => {
    if (!updateStages.has(spec.name)) {
      throw new MongoError('InvalidOptions', `${spec.name} is not allowed to be used within an update`);
    }
    return compileStage(spec, 0, [spec], scope);
  });
  return (raw, variables) => {
    if (variables) scope.bind(variables);
    let current = raw;
    for (const stage of compiled) {
      if (stage.kind !== 'local') continue;
      stage.start().push(current, (result) => {
        current = result;
      });
    }
    return current;
  };
}

function refuseReading(): never {
  throw new MongoError('InvalidOptions', 'an update cannot read other collections');
}

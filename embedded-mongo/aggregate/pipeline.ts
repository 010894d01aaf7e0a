import { MAX_DOCUMENT_BYTES } from '../bson/decode.js';
import { EMPTY_DOCUMENT } from '../bson/raw.js';
import { type BsonDoc, type BsonValue, isDoc } from '../bson/value.js';
import { itemAt, words } from '../checked-access.js';
import { fail } from '../errors.js';
import type { MatchExpressions } from '../match/matcher.js';
import { Frame } from './expr/frame.js';
import { type AggregateEnv, type Documents, type Emit, PipelineScope, type Stage, type StageRun } from './stage.js';
import { bucketAutoStage } from './stages/bucket-auto.js';
import { densifyStage } from './stages/densify.js';
import { bucketStages, groupStage } from './stages/group.js';
import { type CompileInner, graphLookupStage, lookupStage, unionStage } from './stages/join.js';
import { limitStage, sampleStage, skipStage, sortByCountStages, sortStage, wholeArgument } from './stages/order.js';
import { type CompileUpdate, facetStage, mergeStage, outStage } from './stages/output.js';
import {
  addFieldsStage,
  countStage,
  documentsStage,
  matchStage,
  projectStage,
  redactStage,
  replaceStage,
  SOURCE_STAGES,
  serverStage,
  unsetStage,
  unwindStage,
} from './stages/shape.js';
import { fillStages, windowStage } from './stages/window.js';

/** A compiled pipeline. It may run several times, but not concurrently. */
export interface Pipeline {
  /** Whether the last stage writes, so that the pipeline yields no documents. */
  readonly writes: boolean;
  run(source: Documents): Documents;
}

/** Compiles an aggregation pipeline. Unknown and unsupported stages and operators are errors here. */
export function compilePipeline(stages: readonly BsonValue[], env: AggregateEnv, variables?: Frame): Pipeline {
  const scope = new PipelineScope(env);
  if (variables) scope.bind(variables);
  const run = compileStages(stages, scope);
  const last = stages.at(-1);
  const mayGrow = stages.some((stage) => isDoc(stage) && GROWING.has(stage.keys[0] ?? ''));
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

/** Expands stages that are shorthand for others. */
function expand(spec: BsonValue): StageSpec[] {
  if (!isDoc(spec) || spec.size !== 1)
    fail(40_323, 'A pipeline stage specification object must contain exactly one field.');
  const [name, argument] = [spec.keys[0] ?? '', spec.values[0] ?? null];
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
  if ((name === '$out' || name === '$merge') && at < all.length - 1)
    fail(40_601, `${name} can only be the final stage in the pipeline`);
  if (name === '$sort') return sortStage(argument, scope, keptAfter(all.slice(at + 1)));
  if (SOURCE_STAGES.has(name) && at > 0) fail(40_602, `${name} is only valid as the first stage in a pipeline`);
  if (name === '$changeStream') fail(40_573, 'The $changeStream stage is only supported on replica sets');
  const compile = stageTable[name] ?? fail(40_324, `Unrecognized pipeline stage name: '${name}'`);
  return compile({ argument, scope, name, compileInner: compileStages, compileUpdate: compileUpdatePipeline });
}

/** @returns the number of sorted documents that the stages after a `$sort` need. */
function keptAfter(following: readonly StageSpec[]): number {
  let skipped = 0;
  for (const { name, argument } of following) {
    if (name === '$skip') skipped += wholeArgument(argument, name, 0n);
    else return name === '$limit' ? skipped + wholeArgument(argument, name, 1n) : Number.POSITIVE_INFINITY;
  }
  return Number.POSITIVE_INFINITY;
}

/** Runs neighbouring local stages as one generator, so that a document passes them without an await in between. */
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

/** Limits result documents to the stored size; documents between stages may be larger. */
async function* refuseLarge(documents: Documents): Documents {
  for await (const raw of documents) {
    if (raw.length > MAX_DOCUMENT_BYTES)
      fail('BSONObjectTooLarge', `a result document is larger than ${MAX_DOCUMENT_BYTES} bytes`);
    yield raw;
  }
}

/** Only these stages can produce a document larger than their input. */
const GROWING = new Set(
  words(`
    $group $lookup $graphLookup $facet $addFields $set $project $replaceRoot $replaceWith $bucket $bucketAuto
    $setWindowFields $fill`),
);

async function* runLocal(runs: readonly StageRun[], source: Documents, breathe: AggregateEnv['breathe']): Documents {
  const ready: Buffer[] = [];
  const emitters: Emit[] = [(raw) => ready.push(raw)];
  for (const run of runs.toReversed()) {
    const next = itemAt(emitters, 0);
    emitters.unshift((raw) => run.push(raw, next));
  }
  const enter = itemAt(emitters, 0);
  if (!runs.some((run) => run.full)) {
    for await (const raw of source) {
      enter(raw);
      if (ready.length > 0) yield* ready.splice(0);
      if (runs.some((run) => run.full)) break;
    }
  }
  for (const [at, run] of runs.entries()) {
    for (const _pause of run.finish?.(itemAt(emitters, at + 1)) ?? []) {
      if (ready.length > 0) yield* ready.splice(0);
      await breathe?.();
    }
  }
  yield* ready;
}

const UPDATE_STAGES = new Set(['$addFields', '$set', '$project', '$unset', '$replaceRoot', '$replaceWith']);

/** Compiles the pipeline of an update: document by document, without other collections, synchronous. */
export function compileUpdatePipeline(
  stages: readonly BsonValue[],
  { env, frame }: MatchExpressions,
): (raw: Buffer, variables?: Frame) => Buffer {
  const scope = new PipelineScope({ ...env, readCollection: refuseReading, find: refuseReading });
  scope.bind(frame(Frame.of(EMPTY_DOCUMENT).root));
  const compiled = stages.flatMap(expand).map((spec) => {
    if (!STAGE_NAMES.includes(spec.name)) fail(40_324, `Unrecognized pipeline stage name: '${spec.name}'`);
    if (!UPDATE_STAGES.has(spec.name))
      fail('InvalidOptions', `${spec.name} is not allowed to be used within an update`);
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
  fail('InvalidOptions', 'an update cannot read other collections');
}

/** The input for compiling a stage; the given compilers compile its sub-pipelines. */
interface StageCall {
  readonly argument: BsonValue;
  readonly scope: PipelineScope;
  readonly name: string;
  readonly compileInner: CompileInner;
  readonly compileUpdate: CompileUpdate;
}

const plain =
  (compile: (argument: BsonValue, scope: PipelineScope, name: string) => Stage) =>
  ({ argument, scope, name }: StageCall): Stage =>
    compile(argument, scope, name);

const nesting =
  (compile: (argument: BsonValue, scope: PipelineScope, compileInner: CompileInner) => Stage) =>
  ({ argument, scope, compileInner }: StageCall): Stage =>
    compile(argument, scope, compileInner);

/** All stages except `$sort`, which also reads the stages after it. */
const stageTable: Readonly<Record<string, (call: StageCall) => Stage>> = {
  $match: plain(matchStage),
  $project: plain(projectStage),
  $addFields: plain(addFieldsStage),
  $set: plain(addFieldsStage),
  $unset: plain(unsetStage),
  $replaceRoot: plain(replaceStage),
  $replaceWith: plain(replaceStage),
  $redact: plain(redactStage),
  $unwind: plain(unwindStage),
  $count: plain(countStage),
  $group: plain(groupStage),
  $bucketAuto: plain(bucketAutoStage),
  $setWindowFields: plain(windowStage),
  $densify: plain(densifyStage),
  $limit: plain(limitStage),
  $skip: plain(skipStage),
  $sample: plain(sampleStage),
  $out: plain(outStage),
  $merge: ({ argument, scope, compileUpdate }) => mergeStage(argument, scope, compileUpdate),
  $graphLookup: plain(graphLookupStage),
  $lookup: nesting(lookupStage),
  $unionWith: nesting(unionStage),
  $facet: nesting(facetStage),
  $documents: plain(documentsStage),
  $collStats: plain(serverStage),
  $indexStats: plain(serverStage),
  $currentOp: plain(serverStage),
  $listLocalSessions: plain(serverStage),
};

/** Stages that are shorthand for others. */
const shorthands: Readonly<Record<string, (argument: BsonValue) => BsonDoc[]>> = {
  $bucket: bucketStages,
  $fill: fillStages,
  $sortByCount: sortByCountStages,
};

export const STAGE_NAMES: readonly string[] = [...Object.keys(stageTable), ...Object.keys(shorthands), '$sort'];

import type { BsonDoc, BsonValue } from '../bson/value.js';
import type { PipelineScope, Stage } from './stage.js';
import { bucketAutoStage } from './stages/bucket-auto.js';
import { densifyStage } from './stages/densify.js';
import { fillStages } from './stages/fill.js';
import { bucketStages, groupStage } from './stages/group.js';
import { type CompileInner, graphLookupStage, lookupStage, unionStage } from './stages/join.js';
import { limitStage, sampleStage, skipStage, sortByCountStages } from './stages/order.js';
import { type CompileUpdate, facetStage, mergeStage, outStage } from './stages/output.js';
import { redactStage } from './stages/redact.js';
import {
  addFieldsStage,
  countStage,
  matchStage,
  projectStage,
  replaceStage,
  unsetStage,
  unwindStage,
} from './stages/shape.js';
import { documentsStage, serverStage } from './stages/sources.js';
import { windowStage } from './stages/window.js';

/** What a stage is compiled from; pipelines within it are compiled by the compiler that is given. */
export interface StageCall {
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

/** Every stage but `$sort`, which also looks at what follows it. */
export const stageTable: Readonly<Record<string, (call: StageCall) => Stage>> = {
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
};

/** Stages that are short for others. */
export const shorthands: Readonly<Record<string, (argument: BsonValue) => BsonDoc[]>> = {
  $bucket: bucketStages,
  $fill: fillStages,
  $sortByCount: sortByCountStages,
};

export const stageNames: readonly string[] = [...Object.keys(stageTable), ...Object.keys(shorthands), '$sort'];

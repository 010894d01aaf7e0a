import { encodeDocument } from '../../bson/encode.js';
import { emptyDocument } from '../../bson/raw.js';
import { type BsonValue, isDoc } from '../../bson/value.js';
import { MongoError } from '../../errors.js';
import type { Documents, PipelineScope, Stage } from '../stage.js';
import { documentOf } from './shape.js';

/** Stages that begin a pipeline with documents of their own; what came before is not asked. */

export const sourceStages: ReadonlySet<string> = new Set(['$documents', '$collStats', '$indexStats', '$currentOp']);

/** They tell of the collection the command names, which a pipeline inside another does not. */
export function refuseFactsWithin(stages: readonly BsonValue[], stage: string): void {
  for (const inner of stages) {
    const name = isDoc(inner) ? (inner.keys[0] ?? '') : '';
    if (!sourceStages.has(name) || (name === '$documents' && stage !== '$facet')) continue;
    throw new MongoError(40_600, `${name} is not allowed to be used within a ${stage} stage`);
  }
}

function source(documents: () => Documents): Stage {
  return { kind: 'remote', run: documents };
}

export function documentsStage(value: BsonValue, scope: PipelineScope): Stage {
  const expression = scope.compiler.expression(value);
  return source(async function* () {
    const documents = expression(scope.frame(emptyDocument));
    if (!Array.isArray(documents)) throw new MongoError(5_858_203, 'an array is expected for $documents');
    for (const document of documents) {
      if (!isDoc(document)) throw new MongoError(40_228, 'every element of $documents must evaluate to an object');
      yield encodeDocument(document);
    }
  });
}

/** Facts about the server, which it gives through the environment. */
export function serverStage(value: BsonValue, { env }: PipelineScope, stage: string): Stage {
  const options = documentOf(value, stage);
  const { facts } = env;
  if (!facts) throw new MongoError('InvalidOptions', `${stage} is not allowed here`);
  const documents = facts(stage, options);
  return source(async function* () {
    yield* documents();
  });
}

import { decodeStored, decodeValue } from '../../bson/decode.js';
import { encodeDocument } from '../../bson/encode.js';
import { T } from '../../bson/types.js';
import { BsonDoc, type BsonValue, isDoc } from '../../bson/value.js';
import { MongoError } from '../../errors.js';
import type { MatchExpressions } from '../../match/matcher.js';
import { Frame } from '../expr/frame.js';
import { MemoryBudget } from '../memory-budget.js';
import type { Documents, MergeTarget, PipelineScope, Stage, WhenMatched } from '../stage.js';
import { type CompileInner, collectionName } from './join.js';
import { documentOf } from './shape.js';
import { refuseFactsWithin } from './sources.js';

/** `$out` and `$merge`: the pipeline's documents go into a collection, and nothing comes out. */

export function outStage(value: BsonValue, { env }: PipelineScope): Stage {
  const unknown = isDoc(value) ? value.keys.find((key) => key !== 'db' && key !== 'coll') : undefined;
  if (unknown) throw new MongoError('FailedToParse', `$out option '${unknown}' is not supported by this server`);
  const name = collectionName(value, '$out');
  return sink((source) => {
    if (!env.out) throw new MongoError('InvalidOptions', '$out is not allowed here');
    return env.out(name, source);
  });
}

/** Compiles the pipeline of an update; given by the pipeline compiler, which these stages must not import. */
export type CompileUpdate = (
  stages: readonly BsonValue[],
  expressions: MatchExpressions,
) => (raw: Buffer, variables?: Frame) => Buffer;

export function mergeStage(value: BsonValue, scope: PipelineScope, compileUpdate: CompileUpdate): Stage {
  const { env } = scope;
  const target = parseMerge(value, scope, compileUpdate);
  return sink((source) => {
    if (!env.merge) throw new MongoError('InvalidOptions', '$merge is not allowed here');
    return env.merge(target, source);
  });
}

function sink(write: (source: Documents) => Promise<void>): Stage {
  return {
    kind: 'remote',
    run: async function* (source) {
      await write(source);
      yield* [];
    },
  };
}

const matchedActions = ['replace', 'keepExisting', 'merge', 'fail'] as const;
const unmatchedActions = ['insert', 'discard', 'fail'] as const;

function parseMerge(value: BsonValue, scope: PipelineScope, compileUpdate: CompileUpdate): MergeTarget {
  const spec = isDoc(value) && value.has('into') ? value : new BsonDoc(['into'], [value]);
  const unknown = spec.keys.find((key) => !['into', 'on', 'let', 'whenMatched', 'whenNotMatched'].includes(key));
  if (unknown) throw new MongoError('FailedToParse', `$merge option '${unknown}' is not supported by this server`);
  const on = spec.get('on') ?? '_id';
  const names = (Array.isArray(on) ? on : [on]).map((name) => {
    if (typeof name === 'string') return name;
    throw new MongoError(51_186, "$merge 'on' must be a string or an array of strings");
  });
  return {
    into: collectionName(spec.get('into'), '$merge'),
    on: names,
    whenMatched: parseMatched(spec, scope, compileUpdate),
    whenNotMatched: oneOf(unmatchedActions, spec.get('whenNotMatched') ?? 'insert', 'whenNotMatched'),
  };
}

/** A pipeline works on the existing document; `let` speaks of the incoming one, which is `$$new` unless told otherwise. */
function parseMatched(spec: BsonDoc, scope: PipelineScope, compileUpdate: CompileUpdate): WhenMatched {
  const value = spec.get('whenMatched') ?? 'merge';
  const given = spec.get('let');
  if (!Array.isArray(value)) {
    if (given !== undefined) throw new MongoError(51_199, "Cannot use 'let' variables with 'whenMatched' mode");
    return oneOf(matchedActions, value, 'whenMatched');
  }
  const names = documentOf(given ?? BsonDoc.of({ new: '$$ROOT' }), "$merge 'let'");
  const bound = [...names].map(([name, argument]) => ({ name, value: scope.compiler.expression(argument) }));
  const inner = scope.inner(names.keys);
  const update = compileUpdate(value, { env: inner.env, frame: (root) => new Frame(root) });
  return (existing, incoming) => {
    const outer = scope.frame(incoming);
    return update(
      existing,
      bound.reduce((frame, { name, value: of }) => frame.with(name, of(outer)), outer),
    );
  };
}

function oneOf<V extends string>(known: readonly V[], value: BsonValue, option: string): V {
  const found = known.find((one) => one === value);
  if (found !== undefined) return found;
  throw new MongoError('BadValue', `$merge option '${option}' must be one of ${known.join(', ')}`);
}

/** `whenMatched: 'merge'`: the incoming fields over the existing document. */
export function mergeDocuments(existing: Buffer, incoming: Buffer): Buffer {
  const merged = decodeStored(existing);
  for (const [key, value] of decodeStored(incoming)) merged.set(key, value);
  return encodeDocument(merged);
}

/** Every sub-pipeline sees all documents; the result is one document with an array for each. */
export function facetStage(value: BsonValue, scope: PipelineScope, compileInner: CompileInner): Stage {
  const spec = documentOf(value, '$facet');
  if (spec.size === 0) throw new MongoError(40_169, 'the $facet specification must be a non-empty object');
  const facets = [...spec].map(([name, stages]) => {
    if (!Array.isArray(stages)) throw new MongoError(40_170, `arguments to $facet must be arrays, ${name} is not`);
    for (const stage of stages) refuseInFacet(stage);
    refuseFactsWithin(stages, '$facet');
    return { name, run: compileInner(stages, scope) };
  });
  return {
    kind: 'remote',
    run: async function* (source) {
      const held: Buffer[] = [];
      const memory = new MemoryBudget('$facet');
      for await (const raw of source) {
        memory.charge(raw.length);
        held.push(raw);
      }
      const result = new BsonDoc();
      for (const { name, run } of facets) {
        const values: BsonValue[] = [];
        for await (const raw of run(replay(held))) values.push(decodeValue(T.object, raw, 0, raw.length));
        result.append(name, values);
      }
      yield encodeDocument(result);
    },
  };
}

function refuseInFacet(stage: BsonValue): void {
  const name = isDoc(stage) ? stage.keys[0] : undefined;
  if (name !== '$out' && name !== '$merge' && name !== '$facet') return;
  throw new MongoError(40_600, `${name} is not allowed to be used within a $facet stage`);
}

async function* replay(held: readonly Buffer[]): Documents {
  yield* held;
}

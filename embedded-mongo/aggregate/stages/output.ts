import { decodeStored, decodeValue } from '../../bson/decode.js';
import { encodeDocument } from '../../bson/encode.js';
import { BsonDoc, type BsonValue, isDoc, T } from '../../bson/value.js';
import { fail } from '../../errors.js';
import type { MatchExpressions } from '../../match/matcher.js';
import { typeNameOf } from '../expr/compiler.js';
import { Frame } from '../expr/frame.js';
import {
  type Documents,
  MemoryBudget,
  type MergeTarget,
  type PipelineScope,
  remoteStage,
  type Stage,
  type WhenMatched,
} from '../stage.js';
import { type CompileInner, collectionName } from './join.js';
import { documentOf, refuseFactsWithin } from './shape.js';

/** `$out` and `$merge` write the documents to a collection and yield none. */

export function outStage(value: BsonValue, { env }: PipelineScope): Stage {
  const unknown = isDoc(value) ? value.keys.find((key) => key !== 'db' && key !== 'coll') : undefined;
  if (unknown) fail('FailedToParse', `$out option '${unknown}' is not supported by this server`);
  if (typeof value !== 'string' && !isDoc(value))
    fail(16_990, `$out only supports a string or object argument, but found ${typeNameOf(value)}`);
  const name = collectionName(value, '$out');
  return sink((source) => {
    if (!env.out) fail('InvalidOptions', '$out is not allowed here');
    return env.out(name, source);
  });
}

/** Compiles the pipeline of an update. The pipeline compiler passes it in, because stages must not import it. */
export type CompileUpdate = (
  stages: readonly BsonValue[],
  expressions: MatchExpressions,
) => (raw: Buffer, variables?: Frame) => Buffer;

export function mergeStage(value: BsonValue, scope: PipelineScope, compileUpdate: CompileUpdate): Stage {
  const { env } = scope;
  const target = parseMerge(value, scope, compileUpdate);
  return sink((source) => {
    if (!env.merge) fail('InvalidOptions', '$merge is not allowed here');
    return env.merge(target, source);
  });
}

function sink(write: (source: Documents) => Promise<void>): Stage {
  return remoteStage(async function* (source) {
    await write(source);
    yield* [];
  });
}

const MATCHED_ACTIONS = ['replace', 'keepExisting', 'merge', 'fail'] as const;
const UNMATCHED_ACTIONS = ['insert', 'discard', 'fail'] as const;

function parseMerge(value: BsonValue, scope: PipelineScope, compileUpdate: CompileUpdate): MergeTarget {
  if (typeof value !== 'string' && !isDoc(value))
    fail(51_182, `$merge only supports a string or object argument, not ${typeNameOf(value)}`);
  const spec = isDoc(value) ? value : new BsonDoc(['into'], [value]);
  const unknown = spec.keys.find((key) => !['into', 'on', 'let', 'whenMatched', 'whenNotMatched'].includes(key));
  if (unknown) fail(40_415, `BSON field '$merge.${unknown}' is an unknown field.`);
  if (!spec.has('into')) fail(40_414, "BSON field '$merge.into' is missing but a required field");
  const on = spec.get('on') ?? '_id';
  if (Array.isArray(on) && on.length === 0)
    fail(51_187, "If explicitly specifying $merge 'on', must include at least one field");
  const names = (Array.isArray(on) ? on : [on]).map((name) => {
    return typeof name === 'string' ? name : fail(51_186, mergeOnText(on));
  });
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) fail(31_465, `Found a duplicate field '${twice}'`);
  return {
    into: collectionName(spec.get('into'), '$merge'),
    on: names,
    whenMatched: parseMatched(spec, scope, compileUpdate),
    whenNotMatched: oneOf(UNMATCHED_ACTIONS, spec.get('whenNotMatched') ?? 'insert', 'whenNotMatched'),
  };
}

/** MongoDB's text has two spaces. */
function mergeOnText(on: BsonValue): string {
  if (Array.isArray(on)) return "$merge 'on' array elements must be strings";
  return `$merge 'on' field  must be either a string or an array of strings, but found ${typeNameOf(on)}`;
}

/**
 * Compiles a `whenMatched` pipeline. It runs on the existing document; `let` reads the incoming one, `$$new` by
 * default.
 */
function parseMatched(spec: BsonDoc, scope: PipelineScope, compileUpdate: CompileUpdate): WhenMatched {
  const value = spec.get('whenMatched') ?? 'merge';
  const given = spec.get('let');
  if (!Array.isArray(value)) {
    if (given !== undefined) fail(51_199, "Cannot use 'let' variables with 'whenMatched' mode");
    return oneOf(MATCHED_ACTIONS, value, 'whenMatched');
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
  if (option === 'whenMatched' && typeof value !== 'string')
    fail(51_191, `$merge ${option} must be either a string or an array, but found ${typeNameOf(value)}`);
  fail('BadValue', `Enumeration value '${String(value)}' for field '$merge.${option}' is not a valid value.`);
}

/** `whenMatched: 'merge'`: the incoming fields over the existing document. */
export function mergeDocuments(existing: Buffer, incoming: Buffer): Buffer {
  const merged = decodeStored(existing);
  for (const [key, value] of decodeStored(incoming)) merged.set(key, value);
  return encodeDocument(merged);
}

/** Runs every sub-pipeline over all documents; the result is one document with an array for each. */
export function facetStage(value: BsonValue, scope: PipelineScope, compileInner: CompileInner): Stage {
  const spec = documentOf(value, '$facet');
  if (spec.size === 0) fail(40_169, 'the $facet specification must be a non-empty object');
  const facets = [...spec].map(([name, stages]) => {
    if (!Array.isArray(stages))
      fail(40_170, `arguments to $facet must be arrays, ${name} is type ${typeNameOf(stages)}`);
    for (const stage of stages) refuseInFacet(stage);
    refuseFactsWithin(stages, '$facet');
    return { name, run: compileInner(stages, scope) };
  });
  return remoteStage(async function* (source) {
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
  });
}

function refuseInFacet(stage: BsonValue): void {
  const name = isDoc(stage) ? stage.keys[0] : undefined;
  if (name !== '$out' && name !== '$merge' && name !== '$facet') return;
  fail(40_600, `${name} is not allowed to be used within a $facet stage`);
}

async function* replay(held: readonly Buffer[]): Documents {
  yield* held;
}

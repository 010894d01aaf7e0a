import { Long } from 'bson';
import { decodeStored } from '../../bson/decode.js';
import { integerOf, isNumber, toNumber } from '../../bson/number.js';
import { compilePath } from '../../bson/raw.js';
import { BsonDoc, type BsonValue, isDoc, T, typeOf } from '../../bson/value.js';
import { fail } from '../../errors.js';
import { arrayOf, LazyNode, type Slot } from '../../update/tree.js';
import { type ExpressionCompiler, typeNameOf } from '../expr/compiler.js';
import { type Expression, Frame, readPath } from '../expr/frame.js';
import {
  type AggregateEnv,
  type CollectionName,
  type Documents,
  MemoryBudget,
  type PipelineScope,
  remoteStage,
  type Stage,
} from '../stage.js';
import { documentOf, refuseFactsWithin, setSlot } from './shape.js';

/** Builds the runner of a sub-pipeline. The pipeline compiler passes it in, because stages must not import it. */
export type CompileInner = (stages: readonly BsonValue[], scope: PipelineScope) => (source: Documents) => Documents;

export function collectionName(value: BsonValue | undefined, stage: string): CollectionName {
  if (typeof value === 'string' && value !== '') return { collection: value };
  const database = isDoc(value) ? value.get('db') : undefined;
  const collection = isDoc(value) ? value.get('coll') : undefined;
  if (typeof collection !== 'string' || typeof database !== 'string')
    fail('FailedToParse', `${stage} needs the name of a collection`);
  return { database, collection };
}

/** A whole document's bytes as a value to be put into another. */
function slotOf(raw: Buffer): Slot {
  return Frame.of(raw).root;
}

interface Lookup {
  readonly from: CollectionName | undefined;
  readonly as: string;
  readonly local: string | undefined;
  readonly foreign: string | undefined;
  readonly variables: readonly { name: string; value: Expression }[];
  readonly pipeline: readonly BsonValue[] | undefined;
}

/** Approximate memory of a found document beyond its bytes. */
const SLOT_BYTES = 96;

export function lookupStage(value: BsonValue, scope: PipelineScope, compileInner: CompileInner): Stage {
  const lookup = parseLookup(documentOf(value, '$lookup'), scope.compiler);
  refuseFactsWithin(lookup.pipeline ?? [], '$lookup');
  const inner = scope.inner(lookup.variables.map(({ name }) => name));
  const { filter: narrow, rest } = splitLeading(lookup.pipeline ?? [], inner);
  const refine = rest.length > 0 ? compileInner(rest, inner) : undefined;
  return remoteStage(async function* (source) {
    for await (const raw of source) {
      const outer = scope.frame(raw);
      const frame = lookup.variables.reduce((around, { name, value: bound }) => around.with(name, bound(outer)), outer);
      inner.bind(frame);
      const found = read(scope.env, lookup, frame, narrow(frame));
      const slots: Slot[] = [];
      const memory = new MemoryBudget('$lookup');
      for await (const match of refine ? refine(found) : found) {
        memory.charge(match.length + SLOT_BYTES);
        slots.push(slotOf(match));
      }
      const out = LazyNode.root(raw);
      setSlot(out, lookup.as, arrayOf(slots));
      yield out.toBuffer(raw.length + 256);
    }
  });
}

function parseLookup(spec: BsonDoc, compiler: ExpressionCompiler): Lookup {
  const known = ['from', 'as', 'localField', 'foreignField', 'let', 'pipeline'];
  const unknown = spec.keys.find((key) => !known.includes(key));
  if (unknown) fail(40_415, `BSON field '$lookup.${unknown}' is an unknown field.`);
  const text = (key: string): string | undefined => {
    const value = spec.get(key);
    if (value === undefined || typeof value === 'string') return value;
    fail(
      'TypeMismatch',
      `BSON field '$lookup.${key}' is the wrong type '${typeNameOf(value)}', expected type 'string'`,
    );
  };
  const as = text('as');
  if (!as) fail(40_414, "BSON field '$lookup.as' is missing but a required field");
  const [local, foreign] = [text('localField'), text('foreignField')];
  const pipeline = spec.get('pipeline');
  if (pipeline !== undefined && !Array.isArray(pipeline))
    fail('TypeMismatch', 'A pipeline must be an array of objects');
  if ((local === undefined) !== (foreign === undefined))
    fail('FailedToParse', "$lookup requires both or neither of 'localField' and 'foreignField' to be specified");
  if (local === undefined && pipeline === undefined)
    fail('FailedToParse', "$lookup requires either 'pipeline' or both 'localField' and 'foreignField' to be specified");
  const bound = spec.get('let');
  if (bound !== undefined && !isDoc(bound))
    fail('TypeMismatch', `BSON field '$lookup.let' is the wrong type '${typeNameOf(bound)}', expected type 'object'`);
  const variables = [...(bound ?? [])].map(([name, value]) => ({ name, value: compiler.expression(value) }));
  const from = bringsDocuments(spec) ? undefined : foreignCollection(spec.get('from'));
  return { from, as, local, foreign, variables, pipeline };
}

function foreignCollection(value: BsonValue | undefined): CollectionName {
  if (value === undefined) fail('FailedToParse', "must specify 'pipeline' when 'from' is empty");
  if (typeof value !== 'string' && !isDoc(value))
    fail('FailedToParse', `$lookup 'from' field must be a string, but found ${typeNameOf(value)}`);
  return collectionName(value, '$lookup');
}

function read(env: AggregateEnv, lookup: Lookup, frame: Frame, narrowed: readonly BsonDoc[]): Documents {
  if (!lookup.from) return nothing();
  const filters = [...narrowed];
  if (lookup.local !== undefined && lookup.foreign !== undefined)
    filters.push(joinFilter(lookup.foreign, readPath(frame.root, compilePath(lookup.local))));
  if (filters.length === 0) return env.readCollection(lookup.from);
  const [first] = filters;
  return env.find(lookup.from, filters.length === 1 && first ? first : new BsonDoc(['$and'], [filters]));
}

/** Matches the local value, or any element of a local array; missing joins with null and missing. */
function joinFilter(foreign: string, local: BsonValue | undefined): BsonDoc {
  // An empty array joins like a missing field.
  const values = Array.isArray(local) && local.length > 0 ? local : [Array.isArray(local) ? null : (local ?? null)];
  // `$in` would search by a regular expression instead of comparing it.
  const clauses = values.map((value) => new BsonDoc([foreign], [new BsonDoc(['$eq'], [value])]));
  if (values.some((value) => typeOf(value) === T.regex)) return new BsonDoc(['$or'], [clauses]);
  return new BsonDoc([foreign], [new BsonDoc(['$in'], [values])]);
}

/**
 * Extracts the part of a sub-pipeline that an index can answer: a leading `$match` without `$expr`, or the equalities
 * of a field with a variable in `$expr`. Those equalities only narrow the read; the `$match` itself stays.
 */
function splitLeading(
  stages: readonly BsonValue[],
  scope: PipelineScope,
): { filter: (frame: Frame) => BsonDoc[]; rest: readonly BsonValue[] } {
  const [first, ...others] = stages;
  const filter = isDoc(first) && first.keys[0] === '$match' ? first.values[0] : undefined;
  if (!isDoc(filter)) return { filter: () => [], rest: stages };
  const expr = filter.get('$expr');
  if (expr === undefined && !mentionsExpr(filter)) return { filter: () => [filter], rest: others };
  const plain = new BsonDoc();
  for (const [key, value] of filter) if (key !== '$expr' && !key.startsWith('$')) plain.append(key, value);
  const equalities = equalitiesOf(expr, scope.compiler);
  return {
    filter: (frame) => {
      const narrowed = plain.size > 0 ? [plain] : [];
      for (const { path, value } of equalities) {
        const bound = value(frame);
        // Filters and expressions treat null, arrays and patterns differently.
        if (bound === undefined || bound === null || Array.isArray(bound) || typeOf(bound) === T.regex) continue;
        if (typeOf(bound) !== T.undefined) narrowed.push(new BsonDoc([path], [new BsonDoc(['$eq'], [bound])]));
      }
      return narrowed;
    },
    rest: stages,
  };
}

function mentionsExpr(value: BsonValue): boolean {
  if (Array.isArray(value)) return value.some(mentionsExpr);
  return isDoc(value) && [...value].some(([key, inner]) => key === '$expr' || mentionsExpr(inner));
}

function equalitiesOf(
  expr: BsonValue | undefined,
  compiler: ExpressionCompiler,
): { path: string; value: Expression }[] {
  if (!isDoc(expr)) return [];
  const [operator, argument] = [expr.keys[0], expr.values[0]];
  if (!Array.isArray(argument)) return [];
  if (operator === '$and') return argument.flatMap((part) => equalitiesOf(part, compiler));
  if (operator !== '$eq' || argument.length !== 2) return [];
  const field = argument.find((side) => typeof side === 'string' && /^\$[^$]/.test(side));
  const other = argument.find((side) => typeof side === 'string' && /^\$\$/.test(side));
  if (typeof field !== 'string' || typeof other !== 'string' || /^\$\$(ROOT|CURRENT)/.test(other)) return [];
  return [{ path: field.slice(1), value: compiler.expression(other) }];
}

export function unionStage(value: BsonValue, scope: PipelineScope, compileInner: CompileInner): Stage {
  const spec = typeof value === 'string' ? new BsonDoc(['coll'], [value]) : documentOf(value, '$unionWith');
  const unknown = spec.keys.find((key) => key !== 'coll' && key !== 'pipeline');
  if (unknown) fail(40_415, `BSON field '$unionWith.${unknown}' is an unknown field.`);
  const stages = spec.get('pipeline') ?? [];
  if (!spec.has('coll') && !bringsDocuments(spec))
    fail(
      'FailedToParse',
      '$unionWith stage without explicit collection must have a pipeline with $documents as first stage',
    );
  const name = bringsDocuments(spec) ? undefined : collectionName(spec.get('coll'), '$unionWith');
  if (!Array.isArray(stages)) fail('TypeMismatch', 'A pipeline must be an array of objects');
  refuseFactsWithin(stages, '$unionWith');
  const run = compileInner(stages, scope);
  return remoteStage(async function* (source) {
    yield* source;
    yield* run(name ? scope.env.readCollection(name) : nothing());
  });
}

/** A pipeline that begins with `$documents` needs no collection. */
function bringsDocuments(spec: BsonDoc): boolean {
  const stages = spec.get('pipeline');
  const first = Array.isArray(stages) ? stages[0] : undefined;
  return !spec.has('coll') && !spec.has('from') && isDoc(first) && first.keys[0] === '$documents';
}

async function* nothing(): Documents {
  yield* [];
}

/** Searches breadth first over the foreign collection and returns each document once. */
export function graphLookupStage(value: BsonValue, scope: PipelineScope): Stage {
  const { compiler, env } = scope;
  const required = ['from', 'startWith', 'connectFromField', 'connectToField', 'as'];
  const optional = ['maxDepth', 'depthField', 'restrictSearchWithMatch'];
  const named = compiler.named(documentOf(value, '$graphLookup'), '$graphLookup', required, optional);
  const text = (key: string): string => {
    const given = named.raw(key);
    if (typeof given === 'string') return given;
    fail(40_103, `expected string as argument for ${key}, found: ${typeNameOf(given ?? null)}`);
  };
  const from = collectionName(named.raw('from'), '$graphLookup');
  const [connectFrom, connectTo, as] = [compilePath(text('connectFromField')), text('connectToField'), text('as')];
  const depthField = named.has('depthField') ? text('depthField') : undefined;
  const startWith = named.get('startWith');
  const restrict = named.raw('restrictSearchWithMatch');
  const most = named.has('maxDepth') ? depthOf(named.raw('maxDepth') ?? null) : Number.POSITIVE_INFINITY;
  if (restrict !== undefined && !isDoc(restrict))
    fail(40_185, `restrictSearchWithMatch must be an object, found ${typeNameOf(restrict)}`);
  return remoteStage(async function* (source) {
    for await (const raw of source) {
      const frame = scope.frame(raw);
      const search = {
        env,
        from,
        connectFrom,
        connectTo,
        depthField,
        restrict,
      };
      const slots = await searchGraph(search, startWith(frame), most);
      const out = LazyNode.root(raw);
      setSlot(out, as, arrayOf(slots));
      yield out.toBuffer(raw.length + 256);
    }
  });
}

function depthOf(value: BsonValue): number {
  if (!isNumber(value)) fail(40_100, `maxDepth must be numeric, found type: ${typeNameOf(value)}`);
  const depth = integerOf(value);
  if (depth !== undefined && depth < 0n) fail(40_101, `maxDepth requires a nonnegative argument, found: ${depth}`);
  if (depth === undefined) fail(40_102, `maxDepth could not be represented as a long long: ${toNumber(value)}`);
  return Number(depth);
}

interface GraphSearch {
  readonly env: AggregateEnv;
  readonly from: CollectionName;
  readonly connectFrom: ReturnType<typeof compilePath>;
  readonly connectTo: string;
  readonly depthField: string | undefined;
  readonly restrict: BsonDoc | undefined;
}

async function searchGraph(search: GraphSearch, start: BsonValue | undefined, maxDepth: number): Promise<Slot[]> {
  const found = new Map<string, Slot>();
  const memory = new MemoryBudget('$graphLookup');
  let frontier = Array.isArray(start) ? start : start === undefined ? [] : [start];
  for (let depth = 0; frontier.length > 0 && depth <= maxDepth; depth++) {
    const join = new BsonDoc([search.connectTo], [new BsonDoc(['$in'], [frontier])]);
    const filter = search.restrict ? new BsonDoc(['$and'], [[join, search.restrict]]) : join;
    frontier = [];
    for await (const raw of search.env.find(search.from, filter)) {
      const key = raw.toString('latin1');
      if (found.has(key)) continue;
      // Held twice: as a result and as the key that identifies it.
      memory.charge(2 * raw.length + SLOT_BYTES);
      found.set(key, withDepth(raw, search.depthField, depth));
      const next = readPath(Frame.of(raw).root, search.connectFrom);
      if (Array.isArray(next)) frontier.push(...next);
      else if (next !== undefined) frontier.push(next);
    }
  }
  return [...found.values()];
}

function withDepth(raw: Buffer, depthField: string | undefined, depth: number): Slot {
  if (depthField === undefined) return slotOf(raw);
  return decodeStored(raw).set(depthField, Long.fromNumber(depth));
}

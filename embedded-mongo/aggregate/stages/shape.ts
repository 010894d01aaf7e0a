import { Int32, Long } from 'bson';
import { BsonWriter, encodeDocument } from '../../bson/encode.js';
import { ElementCursor, EMPTY_DOCUMENT, RawRef } from '../../bson/raw.js';
import { BsonDoc, type BsonValue, isDoc, T } from '../../bson/value.js';
import { fail, inContext } from '../../errors.js';
import { compileMatcher } from '../../match/matcher.js';
import { Projector } from '../../project/apply.js';
import { excludeTree, parseAddFields, parseProjection } from '../../project/tree.js';
import { LazyNode, type Slot, slotElements, slotType } from '../../update/tree.js';
import { typeNameOf } from '../expr/compiler.js';
import type { Expression, Frame } from '../expr/frame.js';
import { type Documents, localStage, mapStage, type PipelineScope, type Stage } from '../stage.js';

/** Stages that transform one document at a time. */

/** MongoDB's code and text for a stage with an argument that is not an object. `{type}` is the type found instead. */
const NOT_OBJECT: Readonly<Record<string, readonly [code: number | 'FailedToParse', text: string]>> = {
  $project: [15_969, '$project specification must be an object'],
  $addFields: [40_272, '$addFields specification stage must be an object, got {type}'],
  $set: [40_272, '$set specification stage must be an object, got {type}'],
  $group: [15_947, "a group's fields must be specified in an object"],
  $sort: [15_973, 'the $sort key specification must be an object'],
  $replaceRoot: [40_229, 'expected an object as specification for $replaceRoot stage, got {type}'],
  $bucket: [40_201, 'Argument to $bucket stage must be an object, but found type: {type}.'],
  "$bucket 'output'": [40_196, "The $bucket 'output' field must be an object, but found type: {type}."],
  $bucketAuto: [40_240, 'The argument to $bucketAuto must be an object, but found type: {type}.'],
  $sample: [28_745, 'the $sample stage specification must be an object'],
  $facet: [40_169, 'the $facet specification must be a non-empty object, but found {type}'],
  $collStats: [40_166, '$collStats must take a nested object but found {type}'],
  $lookup: ['FailedToParse', 'the $lookup stage specification must be an object, but found {type}'],
  $graphLookup: ['FailedToParse', 'the $graphLookup stage specification must be an object, but found {type}'],
  $unionWith: ['FailedToParse', 'the $unionWith stage specification must be an object or string, but found {type}'],
  $setWindowFields: ['FailedToParse', 'the $setWindowFields stage specification must be an object, found {type}'],
  $densify: ['FailedToParse', 'The $densify stage specification must be an object, found {type}'],
  $fill: ['FailedToParse', 'The $fill stage specification must be an object, found {type}'],
};

export function documentOf(value: BsonValue, stage: string): BsonDoc {
  if (isDoc(value)) return value;
  const usual = ['FailedToParse', `the ${stage} specification must be an object, but found {type}`] as const;
  const [code, text] = NOT_OBJECT[stage] ?? usual;
  fail(code, text.replace('{type}', typeNameOf(value)));
}

export function matchStage(value: BsonValue, scope: PipelineScope): Stage {
  if (!isDoc(value)) fail(15_959, 'the match filter must be an expression in an object');
  const matcher = compileMatcher(value, { env: scope.env, frame: (root) => scope.frameOf(root) });
  return mapStage((raw) => (matcher.matches(raw) ? raw : undefined));
}

export function projectStage(value: BsonValue, scope: PipelineScope): Stage {
  const spec = documentOf(value, '$project');
  const { mode, tree } = inContext('Invalid $project', () => {
    if (spec.size === 0) fail(51_272, 'projection specification must have at least one field');
    return parseProjection(spec, 'aggregate', scope.compiler);
  });
  const projector = new Projector(mode, tree);
  return mapStage((raw) => projector.apply(raw, scope.frame(raw), -1));
}

export function addFieldsStage(value: BsonValue, scope: PipelineScope, stage: string): Stage {
  const spec = documentOf(value, stage);
  const tree = inContext(`Invalid ${stage}`, () => {
    if (spec.size === 0) fail(40_177, 'specification must have at least one field');
    return parseAddFields(spec, scope.compiler);
  });
  const projector = new Projector('add', tree);
  return mapStage((raw) => projector.apply(raw, scope.frame(raw), -1));
}

export function unsetStage(value: BsonValue, scope: PipelineScope): Stage {
  if (typeof value !== 'string' && !Array.isArray(value))
    fail(31_002, '$unset specification must be a string or an array');
  const paths = (Array.isArray(value) ? value : [value]).map((path) => {
    if (typeof path !== 'string')
      fail(31_120, '$unset specification must be a string or an array containing only string values');
    return path;
  });
  if (paths.length === 0) fail(31_119, '$unset specification must be a string or an array with at least one field');
  const projector = new Projector('exclude', excludeTree(paths));
  return mapStage((raw) => projector.apply(raw, scope.frame(raw), -1));
}

export function replaceStage(value: BsonValue, scope: PipelineScope, stage: string): Stage {
  const argument = stage === '$replaceRoot' ? newRootOf(documentOf(value, stage)) : value;
  const expression = scope.compiler.expression(argument);
  return mapStage((raw) => {
    const result = expression(scope.frame(raw));
    if (isDoc(result)) return encodeDocument(result);
    const wanted = stage === '$replaceRoot' ? "'newRoot' expression " : "'replacement document' ";
    fail(40_228, `${wanted} must evaluate to an object. Type of resulting value: '${typeNameOf(result)}'`);
  });
}

function newRootOf(spec: BsonDoc): BsonValue {
  const unknown = spec.keys.find((key) => key !== 'newRoot');
  if (unknown) fail(40_415, `BSON field '$replaceRoot.${unknown}' is an unknown field.`);
  return spec.get('newRoot') ?? fail(40_414, "BSON field '$replaceRoot.newRoot' is missing but a required field");
}

interface Unwind {
  readonly path: string;
  readonly indexField: string | undefined;
  readonly keepEmpty: boolean;
}

export function unwindStage(value: BsonValue): Stage {
  const { path, indexField, keepEmpty } = parseUnwind(value);
  return localStage(() => ({
    push: (raw, emit) => {
      const slot = slotAt(raw, path);
      const withIndex = (out: LazyNode, index: BsonValue): Buffer => {
        if (indexField) setSlot(out, indexField, index);
        return out.toBuffer(raw.length + 16);
      };
      if (slot === undefined || slotType(slot) !== T.array) {
        const empty = slot === undefined || slotType(slot) === T.null || slotType(slot) === T.undefined;
        if (!empty || keepEmpty) emit(indexField ? withIndex(LazyNode.root(raw), null) : raw);
        return;
      }
      const elements = slotElements(slot);
      if (elements.length === 0 && keepEmpty) {
        const out = LazyNode.root(raw);
        setSlot(out, path, undefined);
        emit(withIndex(out, null));
      }
      for (const [at, element] of elements.entries()) {
        const out = LazyNode.root(raw);
        setSlot(out, path, element instanceof RawRef ? element.copy() : element);
        emit(withIndex(out, Long.fromNumber(at)));
      }
    },
  }));
}

function parseUnwind(value: BsonValue): Unwind {
  if (!isDoc(value) && typeof value !== 'string')
    fail(15_981, `expected either a string or an object as specification for $unwind stage, got ${typeNameOf(value)}`);
  const spec = isDoc(value) ? value : new BsonDoc(['path'], [value]);
  const unknown = spec.keys.find((key) => !['path', 'includeArrayIndex', 'preserveNullAndEmptyArrays'].includes(key));
  if (unknown) fail(28_811, `unrecognized option to $unwind stage: ${unknown}`);
  const path = spec.get('path');
  if (path === undefined) fail(28_812, 'no path specified to $unwind stage');
  if (typeof path !== 'string')
    fail(28_808, `expected a string as the path for $unwind stage, got ${typeNameOf(path)}`);
  if (!path.startsWith('$') || path.length < 2)
    fail(28_818, `path option to $unwind stage should be prefixed with a '$': ${path}`);
  const index = spec.get('includeArrayIndex');
  if (index !== undefined && (typeof index !== 'string' || index === ''))
    fail(
      28_810,
      `expected a non-empty string for the includeArrayIndex  option to $unwind stage, got ${typeNameOf(index)}`,
    );
  if (index?.startsWith('$'))
    fail(28_822, `includeArrayIndex option to $unwind stage should not be prefixed with a '$': ${index}`);
  const keepEmpty = spec.get('preserveNullAndEmptyArrays') ?? false;
  if (typeof keepEmpty !== 'boolean')
    fail(
      28_809,
      `expected a boolean for the preserveNullAndEmptyArrays option to $unwind stage, got ${typeNameOf(keepEmpty)}`,
    );
  return { path: path.slice(1), indexField: index, keepEmpty };
}

function slotAt(raw: Buffer, path: string): Slot | undefined {
  let node: LazyNode | undefined = LazyNode.root(raw);
  const names = path.split('.');
  for (const name of names.slice(0, -1)) {
    if (!node || node.isArray) return undefined;
    node = node.openAt(node.indexOf(name));
  }
  return !node || node.isArray ? undefined : node.get(names.at(-1) ?? path);
}

/** Sets a value at a dotted path and creates or replaces documents on the way; `undefined` removes the field. */
export function setSlot(root: LazyNode, path: string, value: Slot | undefined): void {
  const names = path.split('.');
  let node = root;
  for (const name of names.slice(0, -1)) {
    let inner = node.openAt(node.indexOf(name));
    if (!inner || inner.isArray) {
      inner = new LazyNode(false);
      node.set(name, inner);
    }
    node = inner;
  }
  const last = names.at(-1) ?? path;
  if (value === undefined) node.remove(last);
  else node.set(last, value);
}

export function countStage(value: BsonValue): Stage {
  if (typeof value !== 'string') fail(40_156, 'the count field must be a non-empty string');
  if (value === '') fail(40_157, 'the count field must be a non-empty string');
  if (value.startsWith('$')) fail(40_158, 'the count field cannot be a $-prefixed path');
  if (value.includes('.')) fail(40_160, "the count field cannot contain '.'");
  if (value === '_id') fail(15_948, "a group's _id may only be specified once");
  return localStage(() => {
    let count = 0;
    return {
      push: () => {
        count++;
      },
      finish: (emit) => {
        if (count > 0) emit(encodeDocument(new BsonDoc([value], [new Int32(count)])));
      },
    };
  });
}

/** Stages that start a pipeline with their own documents. */

export const SOURCE_STAGES: ReadonlySet<string> = new Set([
  '$documents',
  '$collStats',
  '$indexStats',
  '$currentOp',
  '$listLocalSessions',
]);

/** Rejects server stages in a sub-pipeline: they describe the collection that the command names. */
export function refuseFactsWithin(stages: readonly BsonValue[], stage: string): void {
  for (const inner of stages) {
    const name = isDoc(inner) ? (inner.keys[0] ?? '') : '';
    if (!SOURCE_STAGES.has(name) || (name === '$documents' && stage !== '$facet')) continue;
    fail(40_600, `${name} is not allowed to be used within a ${stage} stage`);
  }
}

function source(documents: () => Documents): Stage {
  return { kind: 'remote', run: documents };
}

export function documentsStage(value: BsonValue, scope: PipelineScope): Stage {
  const expression = scope.compiler.expression(value);
  return source(async function* () {
    const documents = expression(scope.frame(EMPTY_DOCUMENT));
    if (!Array.isArray(documents)) fail(5_858_203, 'an array is expected for $documents');
    for (const document of documents) {
      if (!isDoc(document)) fail(40_228, 'every element of $documents must evaluate to an object');
      yield encodeDocument(document);
    }
  });
}

/** Documents about the server, read through the environment. */
export function serverStage(value: BsonValue, { env }: PipelineScope, stage: string): Stage {
  const options = documentOf(value, stage);
  const { facts } = env;
  if (!facts) fail('InvalidOptions', `${stage} is not allowed here`);
  const documents = facts(stage, options);
  return source(async function* () {
    yield* documents();
  });
}

/** `$redact`: an expression decides which documents and sub-documents remain. */
export function redactStage(value: BsonValue, scope: PipelineScope): Stage {
  const expression = scope.compiler.with('ROOT').expression(value);
  return mapStage((raw) => {
    const outer = scope.frame(raw);
    const redaction = new Redaction(expression, outer.with('ROOT', outer.document()));
    const writer = new BsonWriter(raw.length);
    return redaction.document(outer.root, writer) ? writer.finish() : undefined;
  });
}

/** Below `$$DESCEND` paths start at the current sub-document; `$$ROOT` remains the outermost document. */
class Redaction {
  readonly #expression: Expression;
  readonly #frame: Frame;

  constructor(expression: Expression, frame: Frame) {
    this.#expression = expression;
    this.#frame = frame;
  }

  /** Writes the remaining part of a document. @returns false when the whole document is pruned. */
  document(ref: RawRef, writer: BsonWriter): boolean {
    const verdict = this.#expression(this.#frame.around(ref));
    if (verdict === 'prune') return false;
    if (verdict === 'keep') {
      writer.raw(ref.buffer, ref.start, ref.end);
      return true;
    }
    if (verdict !== 'descend')
      fail(
        17_053,
        `$redact's expression should not return anything aside from the variables $$KEEP, $$DESCEND, and $$PRUNE, but returned ${typeNameOf(verdict)}`,
      );
    const start = writer.open();
    const cursor = new ElementCursor(ref.buffer, ref.start);
    while (cursor.next()) this.#element(cursor, cursor.name, writer);
    writer.close(start);
    return true;
  }

  #element(cursor: ElementCursor, name: string, writer: BsonWriter): boolean {
    const value = cursor.into(new RawRef());
    if (value.type === T.object) {
      const inner = new BsonWriter(value.end - value.start);
      if (!this.document(value, inner)) return false;
      const bytes = inner.finish();
      writer.element(T.object, name);
      writer.raw(bytes, 0, bytes.length);
      return true;
    }
    if (value.type !== T.array) {
      writer.rawElement(name, value);
      return true;
    }
    writer.element(T.array, name);
    const start = writer.open();
    const elements = new ElementCursor(value.buffer, value.start);
    for (let at = 0; elements.next(); ) if (this.#element(elements, String(at), writer)) at++;
    writer.close(start);
    return true;
  }
}

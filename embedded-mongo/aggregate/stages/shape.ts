import { Int32, Long } from 'bson';
import { encodeDocument } from '../../bson/encode.js';
import { RawRef } from '../../bson/raw.js';
import { T } from '../../bson/types.js';
import { BsonDoc, type BsonValue, isDoc } from '../../bson/value.js';
import { MongoError } from '../../errors.js';
import { compileMatcher } from '../../match/matcher.js';
import { Projector } from '../../project/apply.js';
import { excludeTree, parseAddFields, parseProjection } from '../../project/tree.js';
import { LazyNode, type Slot, slotElements, slotType } from '../../update/tree.js';
import { typeNameOf } from '../expr/compiler.js';
import { mapStage, type PipelineScope, type Stage } from '../stage.js';

/** Stages that look at one document at a time. */

export function documentOf(value: BsonValue, stage: string): BsonDoc {
  if (isDoc(value)) return value;
  throw new MongoError('FailedToParse', `the ${stage} specification must be an object`);
}

export function matchStage(value: BsonValue, scope: PipelineScope): Stage {
  if (!isDoc(value)) throw new MongoError(15_959, 'the match filter must be an expression in an object');
  const matcher = compileMatcher(value, { env: scope.env, frame: (root) => scope.frameOf(root) });
  return mapStage((raw) => (matcher.matches(raw) ? raw : undefined));
}

export function projectStage(value: BsonValue, scope: PipelineScope): Stage {
  const spec = documentOf(value, '$project');
  if (spec.size === 0) throw new MongoError(51_272, 'projection specification must have at least one field');
  const { mode, tree } = parseProjection(spec, 'aggregate', scope.compiler);
  const projector = new Projector(mode, tree);
  return mapStage((raw) => projector.apply(raw, scope.frame(raw), -1));
}

export function addFieldsStage(value: BsonValue, scope: PipelineScope): Stage {
  const spec = documentOf(value, '$addFields');
  if (spec.size === 0) throw new MongoError(40_177, 'specification must have at least one field');
  const projector = new Projector('add', parseAddFields(spec, scope.compiler));
  return mapStage((raw) => projector.apply(raw, scope.frame(raw), -1));
}

export function unsetStage(value: BsonValue, scope: PipelineScope): Stage {
  const paths = (Array.isArray(value) ? value : [value]).map((path) => {
    if (typeof path === 'string' && path !== '') return path;
    throw new MongoError(31_002, '$unset specification must be a string or an array of strings');
  });
  if (paths.length === 0) throw new MongoError(31_119, '$unset specification must not be an empty array');
  const projector = new Projector('exclude', excludeTree(paths));
  return mapStage((raw) => projector.apply(raw, scope.frame(raw), -1));
}

export function replaceStage(value: BsonValue, scope: PipelineScope, stage: string): Stage {
  const argument = stage === '$replaceRoot' ? documentOf(value, stage).get('newRoot') : value;
  if (argument === undefined) throw new MongoError(40_231, 'no newRoot specified for the $replaceRoot stage');
  const expression = scope.compiler.expression(argument);
  return mapStage((raw) => {
    const result = expression(scope.frame(raw));
    if (isDoc(result)) return encodeDocument(result);
    throw new MongoError(
      40_228,
      `'newRoot' expression must evaluate to an object, but its type was ${typeNameOf(result)}`,
    );
  });
}

interface Unwind {
  readonly path: string;
  readonly indexField: string | undefined;
  readonly keepEmpty: boolean;
}

export function unwindStage(value: BsonValue): Stage {
  const { path, indexField, keepEmpty } = parseUnwind(value);
  return {
    kind: 'local',
    start: () => ({
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
    }),
  };
}

function parseUnwind(value: BsonValue): Unwind {
  const spec = isDoc(value) ? value : new BsonDoc(['path'], [value]);
  const unknown = spec.keys.find((key) => !['path', 'includeArrayIndex', 'preserveNullAndEmptyArrays'].includes(key));
  if (unknown) throw new MongoError(28_811, `unrecognized option to $unwind stage: ${unknown}`);
  const path = spec.get('path');
  if (typeof path !== 'string') throw new MongoError(28_808, 'expected a string as the path for $unwind stage');
  if (!path.startsWith('$') || path.length < 2) {
    throw new MongoError(28_818, "path option to $unwind stage should be prefixed with a '$'");
  }
  const index = spec.get('includeArrayIndex');
  if (index !== undefined && (typeof index !== 'string' || index === '' || index.startsWith('$'))) {
    throw new MongoError(28_810, 'expected a non-empty string for the includeArrayIndex option to $unwind stage');
  }
  return { path: path.slice(1), indexField: index, keepEmpty: spec.get('preserveNullAndEmptyArrays') === true };
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

/** Puts a value at a dotted path, making or replacing what is in the way; `undefined` removes. */
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
  if (typeof value !== 'string' || value === '' || value.startsWith('$') || value.includes('.')) {
    throw new MongoError(40_156, "the count field must be a non-empty string without '$' in front and without '.'");
  }
  return {
    kind: 'local',
    start: () => {
      let count = 0;
      return {
        push: () => {
          count++;
        },
        finish: (emit) => {
          if (count > 0) emit(encodeDocument(new BsonDoc([value], [new Int32(count)])));
          return undefined;
        },
      };
    },
  };
}

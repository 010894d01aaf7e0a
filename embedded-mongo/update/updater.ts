import { compileUpdatePipeline } from '../aggregate/pipeline.js';
import { checkDocument, decodeStored, MAX_DOCUMENT_BYTES } from '../bson/decode.js';
import { BsonWriter, encodeDocument } from '../bson/encode.js';
import { type RawRef, rawId } from '../bson/raw.js';
import { BsonDoc, type BsonValue, isDoc } from '../bson/value.js';
import { equalRaw } from '../compare/compare.js';
import { fail, MongoError } from '../errors.js';
import { collatedExpressions, type MatchExpressions } from '../match/matcher.js';
import type { MatchNode } from '../match/parse.js';
import { compileArrayFilters, type PathChange, PathWalker } from './apply.js';
import { ARRAY_MODIFIERS } from './array-modifiers.js';
import { applyRename, FIELD_MODIFIERS, parseRename, type Rename } from './field-modifiers.js';
import { comparePaths, parseUpdatePath, refuseConflicts, slotTypeName, type UpdateContext } from './path.js';
import { LazyNode } from './tree.js';

/** An update compiled once for many documents. */
export interface Updater {
  readonly kind: 'modifiers' | 'replacement' | 'pipeline';
  /** Whether some path uses `$` and so needs `matchedArrayIndex`. */
  readonly needsPosition: boolean;
  /** `changed` is false when not one byte differs. The `_id` never changes, unless an upsert is being built. */
  apply(raw: Buffer, context: UpdateContext): { readonly raw: Buffer; readonly changed: boolean };
}

interface UpdateOptions {
  readonly arrayFilters?: readonly BsonValue[];
  /** The variables (`let`) and the collation of expressions. */
  readonly expressions?: MatchExpressions;
}

/** Compiles modifiers, a replacement document or an aggregation pipeline. */
export function compileUpdate(update: BsonDoc | readonly BsonValue[], options: UpdateOptions = {}): Updater {
  if (!(update instanceof BsonDoc)) return compilePipelineUpdate(update, options);
  if (update.keys[0]?.startsWith('$')) return compileModifiers(update, options);
  return compileReplacement(update, options);
}

function compileModifiers(update: BsonDoc, options: UpdateOptions): Updater {
  const { expressions = collatedExpressions(undefined) } = options;
  const changes: PathChange[] = [];
  const renames: Rename[] = [];
  for (const [operator, fields] of update) {
    const make = FIELD_MODIFIERS[operator] ?? ARRAY_MODIFIERS[operator];
    if (!make && operator !== '$rename')
      fail(
        'FailedToParse',
        `Unknown modifier: ${operator}. Expected a valid update modifier or pipeline-style update specified as an array`,
      );
    if (!isDoc(fields))
      fail(
        'FailedToParse',
        `Modifiers operate on fields but we found type ${slotTypeName(fields)} instead. For example: {$mod: {<field>: ...}}`,
      );
    for (const [path, argument] of fields) {
      if (make) changes.push({ path: parseUpdatePath(path), modifier: make(argument, path, expressions) });
      else renames.push(parseRename(path, argument));
    }
  }
  refuseConflicts([
    ...changes.map((change) => change.path.text),
    ...renames.flatMap((rename) => [rename.from.text, rename.to.text]),
  ]);
  changes.sort((a, b) => comparePaths(a.path, b.path));
  const paths = changes.map((change) => change.path);
  const filters = compileArrayFilters(options.arrayFilters ?? [], paths, expressions);
  // Plain values at plain fields cannot make a document too deep.
  const deepens = changes.some(({ path }) => path.steps.length > 1) || renames.length > 0 || holdsNested(update);
  return {
    kind: 'modifiers',
    needsPosition: paths.some((path) => path.steps.some((step) => step.kind === 'matched')),
    apply: (raw, context) => {
      const root = LazyNode.root(raw);
      const walker = new PathWalker(filters, context);
      for (const change of changes) walker.apply(root, change);
      for (const rename of renames) applyRename(root, rename, walker);
      const after = root.toBuffer(raw.length + 64);
      if (deepens) checkDocument(after);
      return finish(raw, after, context);
    },
  };
}

function holdsNested(update: BsonDoc): boolean {
  return update.values.some(
    (fields) => isDoc(fields) && fields.values.some((value) => isDoc(value) || Array.isArray(value)),
  );
}

function compilePipelineUpdate(stages: readonly BsonValue[], options: UpdateOptions): Updater {
  if (options.arrayFilters && options.arrayFilters.length > 0)
    fail('FailedToParse', 'Cannot specify arrayFilters and a pipeline update');
  const transform = compileUpdatePipeline(stages, options.expressions ?? collatedExpressions(undefined));
  return {
    kind: 'pipeline',
    needsPosition: false,
    apply: (raw, context) => {
      const after = keepId(raw, transform(raw));
      checkDocument(after);
      return finish(raw, after, context);
    },
  };
}

/** A stage that replaces the document may omit the id, which then stays. */
function keepId(before: Buffer, after: Buffer): Buffer {
  const id = rawId(before);
  return id && !rawId(after) ? withId(id, after) : after;
}

function compileReplacement(update: BsonDoc, options: UpdateOptions): Updater {
  if (options.arrayFilters && options.arrayFilters.length > 0)
    fail('FailedToParse', 'Cannot specify arrayFilters and a non-update operator update');
  const dollar = update.keys.find((key) => key.startsWith('$'));
  if (dollar)
    fail(
      'DollarPrefixedFieldName',
      `The dollar ($) prefixed field '${dollar}' in '${dollar}' is not allowed in the context of an update's replacement document. Consider using an aggregation pipeline with $replaceWith.`,
    );
  const own = encodeDocument(update);
  const rest = new BsonDoc([...update.keys], [...update.values]);
  rest.delete('_id');
  const body = encodeDocument(rest);
  return {
    kind: 'replacement',
    needsPosition: false,
    apply: (raw, context) => {
      const given = rawId(own);
      const id = rawId(raw) ?? given;
      if (id && given && !equalRaw(id, given)) throw immutableId('After applying the update,');
      return finish(raw, id ? withId(id, body) : own, context);
    },
  };
}

function withId(id: RawRef, body: Buffer): Buffer {
  const writer = new BsonWriter(body.length + (id.end - id.start) + 8);
  const start = writer.open();
  writer.rawElement('_id', id);
  writer.raw(body, 4, body.length - 1);
  writer.close(start);
  return writer.finish();
}

function immutableId(occasion: string): MongoError {
  return new MongoError('ImmutableField', `${occasion} the (immutable) field '_id' was found to have been altered`);
}

function finish(before: Buffer, after: Buffer, context: UpdateContext): { raw: Buffer; changed: boolean } {
  if (before.equals(after)) return { raw: before, changed: false };
  if (after.length > MAX_DOCUMENT_BYTES)
    fail(17_419, `Resulting document after update is larger than ${MAX_DOCUMENT_BYTES}`);
  const oldId = rawId(before);
  const newId = rawId(after);
  // An upserted document may have no id yet; an id from the filter or the stored document stays.
  const kept = oldId ? newId !== undefined && equalRaw(oldId, newId) : context.isUpsertInsert || newId === undefined;
  if (!kept) fail('ImmutableField', "Performing an update on the path '_id' would modify the immutable field '_id'");
  return { raw: after, changed: true };
}

/** The document an upsert starts from: every field the filter fixes to one value. */
export function upsertBase(root: MatchNode, only?: '_id'): BsonDoc {
  const fixed = new Map<string, BsonValue>();
  collectEqualities(root, fixed);
  const node = new LazyNode(false);
  for (const [path, value] of fixed) if (only === undefined || path === only) setPath(node, path, value);
  return decodeStored(node.toBuffer(256));
}

function collectEqualities(node: MatchNode, fixed: Map<string, BsonValue>): void {
  if (node.kind === 'and' || (node.kind === 'or' && node.children.length === 1)) {
    for (const child of node.children) collectEqualities(child, fixed);
    return;
  }
  const single = node.kind === 'in' && node.values.length === 1 && node.regexes.length === 0;
  const value = node.kind === 'eq' ? node.value : single ? node.values[0] : undefined;
  if (value === undefined || (node.kind !== 'eq' && node.kind !== 'in')) return;
  const rival = [...fixed.keys()].find((path) => path === node.path || overlaps(path, node.path));
  if (rival !== undefined)
    fail('NotSingleValueField', `cannot infer query fields to set, path '${node.path}' is matched twice`);
  fixed.set(node.path, value);
}

function overlaps(a: string, b: string): boolean {
  return a.startsWith(`${b}.`) || b.startsWith(`${a}.`);
}

function setPath(root: LazyNode, path: string, value: BsonValue): void {
  const steps = path.split('.');
  let node = root;
  for (const step of steps.slice(0, -1)) {
    if (node.indexOf(step) < 0) node.set(step, new BsonDoc());
    node = node.openAt(node.indexOf(step)) ?? node;
  }
  node.set(steps.at(-1) ?? path, value);
}

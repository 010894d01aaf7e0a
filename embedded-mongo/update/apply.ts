import { encodeElement } from '../bson/encode.js';
import { arrayIndex, type RawRef } from '../bson/raw.js';
import { type BsonDoc, type BsonValue, isDoc } from '../bson/value.js';
import { itemAt } from '../checked-access.js';
import { fail, MongoError } from '../errors.js';
import { compileMatcher, type MatchExpressions } from '../match/matcher.js';
import { keep, type Modifier, remove, slotTypeName, type UpdateContext, type UpdatePath } from './path.js';
import { LazyNode, slotRef } from './tree.js';

/** Elements that pass an array filter, by identifier. */
type ArrayFilters = ReadonlyMap<string, (element: RawRef) => boolean>;

/** One change bound to its place. */
export interface PathChange {
  readonly path: UpdatePath;
  readonly modifier: Modifier;
}

/** MongoDB's bound on filling an array with nulls (kMaxPaddingAllowed). */
const MAX_PADDING = 1_500_000;

/** Applies changes to documents along paths through documents, arrays and gaps. */
export class PathWalker {
  readonly #filters: ArrayFilters;
  readonly #context: UpdateContext;

  constructor(filters: ArrayFilters, context: UpdateContext) {
    this.#filters = filters;
    this.#context = context;
  }

  apply(root: LazyNode, { path, modifier }: PathChange): void {
    if (modifier.onInsertOnly && !this.#context.isUpsertInsert) return;
    this.#step(root, path, 0, modifier);
  }

  #step(node: LazyNode, path: UpdatePath, at: number, modifier: Modifier): void {
    const step = itemAt(path.steps, at);
    if (step.kind === 'field') {
      this.#field(node, step.name, path, at, modifier);
      return;
    }
    if (step.kind === 'matched') {
      this.#field(node, this.#matchedName(), path, at, modifier);
      return;
    }
    if (!node.isArray) throw notAnArray(path, at);
    const accepts = step.kind === 'all' ? () => true : this.#filters.get(step.identifier);
    for (let i = 0; i < node.slots.length; i++) {
      const slot = node.slots[i];
      if (slot !== undefined && (step.kind === 'all' || accepts?.(slotRef(slot))))
        this.#field(node, String(i), path, at, modifier);
    }
  }

  /** The position that `$` means. */
  #matchedName(): string {
    const { matchedArrayIndex } = this.#context;
    if (matchedArrayIndex < 0)
      fail('BadValue', 'The positional operator did not find the match needed from the query.');
    return String(matchedArrayIndex);
  }

  #field(node: LazyNode, name: string, path: UpdatePath, at: number, modifier: Modifier): void {
    if (node.isArray && !this.#isUsableIndex(node, name, path, at, modifier)) return;
    if (at + 1 === path.steps.length) {
      this.#change(node, name, path, modifier);
      return;
    }
    const position = node.indexOf(name);
    if (position < 0) {
      this.#createBelow(node, name, path, at + 1, modifier);
      return;
    }
    const inner = node.openAt(position);
    const next = itemAt(path.steps, at + 1);
    if (inner) this.#step(inner, path, at + 1, modifier);
    else if (next.kind === 'all' || next.kind === 'filtered') throw notAnArray(path, at + 1);
    else if (modifier.creates) throw notViable(node, name, path, at + 1);
  }

  #isUsableIndex(node: LazyNode, name: string, path: UpdatePath, at: number, modifier: Modifier): boolean {
    const index = arrayIndex(name);
    if (index >= 0) {
      if (!modifier.creates || index - node.slots.length <= MAX_PADDING)
        return index < node.slots.length || modifier.creates;
      fail('CannotBackfillArray', `can't backfill more than ${MAX_PADDING} elements`);
    }
    if (!modifier.creates) return false;
    fail('PathNotViable', `Cannot create field '${name}' in element '${textUpTo(path, at)}' of type array`);
  }

  #change(node: LazyNode, name: string, path: UpdatePath, modifier: Modifier): void {
    const outcome = modifier.apply(node.get(name), path.text, this.#context);
    if (outcome === keep) return;
    if (outcome === remove) node.remove(name);
    else node.set(name, outcome);
  }

  /**
   * The rest of the path does not exist: build it bottom up, so that a modifier without effect leaves no empty
   * documents.
   */
  #createBelow(node: LazyNode, name: string, path: UpdatePath, at: number, modifier: Modifier): void {
    const rest = path.steps.slice(at);
    if (rest.some((step) => step.kind === 'all' || step.kind === 'filtered'))
      fail('BadValue', `The path '${textUpTo(path, at)}' must exist in the document in order to apply array updates.`);
    const names = rest.map((step) => (step.kind === 'field' ? step.name : this.#matchedName()));
    if (!modifier.creates) return;
    const outcome = modifier.apply(undefined, path.text, this.#context);
    if (outcome === keep || outcome === remove) return;
    let value = outcome;
    for (const inner of names.reverse()) {
      const shell = new LazyNode(false);
      shell.set(inner, value);
      value = shell;
    }
    node.set(name, value);
  }
}

function textUpTo(path: UpdatePath, at: number): string {
  return path.text.split('.').slice(0, at).join('.');
}

function notAnArray(path: UpdatePath, at: number): MongoError {
  return new MongoError('BadValue', `Cannot apply array updates to non-array element '${textUpTo(path, at)}'`);
}

function notViable(node: LazyNode, name: string, path: UpdatePath, at: number): MongoError {
  const slot = node.get(name);
  const found = slot === undefined ? 'nothing' : slotTypeName(slot);
  const wanted = path.text.split('.')[at];
  return new MongoError(
    'PathNotViable',
    `Cannot create field '${wanted}' in element '${textUpTo(path, at)}' of type ${found}`,
  );
}

/** Compiles `arrayFilters`: each names one identifier, and some path must use each. */
export function compileArrayFilters(
  filters: readonly BsonValue[],
  paths: readonly UpdatePath[],
  expressions: MatchExpressions,
): ArrayFilters {
  const compiled = new Map<string, (element: RawRef) => boolean>();
  for (const [at, filter] of filters.entries()) {
    if (!isDoc(filter)) fail('TypeMismatch', notAnObject(at, filter));
    const identifier = identifierOf(filter);
    if (compiled.has(identifier))
      fail('FailedToParse', `Found multiple array filters with the same top-level field name ${identifier}`);
    compiled.set(identifier, elementTest(identifier, filter, expressions));
  }
  refuseMismatch(compiled, paths);
  return compiled;
}

function notAnObject(at: number, found: BsonValue): string {
  return `BSON field 'update.updates.arrayFilters.${at}' is the wrong type '${slotTypeName(found)}', expected type 'object'`;
}

function refuseMismatch(compiled: ArrayFilters, paths: readonly UpdatePath[]): void {
  const used = new Set<string>();
  for (const path of paths) {
    for (const step of path.steps) {
      if (step.kind !== 'filtered') continue;
      used.add(step.identifier);
      if (compiled.has(step.identifier)) continue;
      fail('BadValue', `No array filter found for identifier '${step.identifier}' in path '${path.text}'`);
    }
  }
  for (const identifier of compiled.keys()) {
    if (used.has(identifier)) continue;
    fail('FailedToParse', `The array filter for identifier '${identifier}' was not used in the update`);
  }
}

function identifierOf(filter: BsonDoc): string {
  const names = new Set(topNames(filter));
  const [identifier] = names;
  if (identifier === undefined)
    fail('FailedToParse', 'Cannot use an expression without a top-level field name in arrayFilters');
  if (names.size > 1)
    fail(
      'FailedToParse',
      `Error parsing array filter :: caused by :: Expected a single top-level field name, found ${[...names].map((name) => `'${name}'`).join(' and ')}`,
    );
  if (!/^[a-z][a-zA-Z0-9]*$/.test(identifier))
    fail(
      'BadValue',
      `Error parsing array filter :: caused by :: The top-level field name must be an alphanumeric string beginning with a lowercase letter, found '${identifier}'`,
    );
  return identifier;
}

function topNames(filter: BsonDoc): string[] {
  return [...filter].flatMap(([key, value]) => {
    if (!key.startsWith('$')) return [key.split('.')[0] ?? ''];
    return Array.isArray(value) ? value.filter(isDoc).flatMap(topNames) : [];
  });
}

/** The filter sees a document with one field: the identifier, with the element as its value. */
function elementTest(identifier: string, filter: BsonDoc, expressions: MatchExpressions): (element: RawRef) => boolean {
  const matcher = compileMatcher(filter, expressions);
  return (element) => matcher.matches(encodeElement(identifier, element));
}

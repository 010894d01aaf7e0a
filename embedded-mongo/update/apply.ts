import type { RawRef } from '../bson/raw.js';
import { arrayIndex } from '../bson/raw.js';
import { MongoError } from '../errors.js';
import { keep, type Modifier, remove, slotTypeName, type UpdateContext } from './modifier.js';
import type { UpdatePath, UpdateStep } from './path.js';
import { LazyNode, slotRef } from './tree.js';

/** Elements an array filter lets through, by identifier. */
export type ArrayFilters = ReadonlyMap<string, (element: RawRef) => boolean>;

/** One change bound to its place. */
export interface PathChange {
  readonly path: UpdatePath;
  readonly modifier: Modifier;
}

/** MongoDB's bound on filling an array with nulls (kMaxPaddingAllowed). */
const maxPadding = 1_500_000;

/** Applies changes to documents; knows how paths lead through documents, arrays and gaps. */
export class PathWalker {
  constructor(
    private readonly filters: ArrayFilters,
    private readonly context: UpdateContext,
  ) {}

  apply(root: LazyNode, { path, modifier }: PathChange): void {
    this.step(root, path, 0, modifier);
  }

  private step(node: LazyNode, path: UpdatePath, at: number, modifier: Modifier): void {
    const step = path.steps[at] as UpdateStep;
    if (step.kind === 'field') {
      this.field(node, step.name, path, at, modifier);
      return;
    }
    if (step.kind === 'matched') {
      if (this.context.matchedArrayIndex < 0) {
        throw new MongoError('BadValue', 'The positional operator did not find the match needed from the query.');
      }
      this.field(node, String(this.context.matchedArrayIndex), path, at, modifier);
      return;
    }
    if (!node.isArray) throw notAnArray(path, at);
    const accepts = step.kind === 'all' ? () => true : this.filters.get(step.identifier);
    for (let i = 0; i < node.slots.length; i++) {
      const slot = node.slots[i];
      if (slot !== undefined && (step.kind === 'all' || accepts?.(slotRef(slot)))) {
        this.field(node, String(i), path, at, modifier);
      }
    }
  }

  private field(node: LazyNode, name: string, path: UpdatePath, at: number, modifier: Modifier): void {
    if (node.isArray && !this.isUsableIndex(node, name, path, at, modifier)) return;
    if (at + 1 === path.steps.length) {
      this.change(node, name, path, modifier);
      return;
    }
    const position = node.indexOf(name);
    if (position < 0) {
      this.createBelow(node, name, path, at + 1, modifier);
      return;
    }
    const inner = node.openAt(position);
    const next = path.steps[at + 1] as UpdateStep;
    if (inner) this.step(inner, path, at + 1, modifier);
    else if (next.kind === 'all' || next.kind === 'filtered') throw notAnArray(path, at + 1);
    else if (modifier.creates) throw notViable(node, name, path, at + 1);
  }

  private isUsableIndex(node: LazyNode, name: string, path: UpdatePath, at: number, modifier: Modifier): boolean {
    const index = arrayIndex(name);
    if (index >= 0) {
      if (!modifier.creates || index - node.slots.length <= maxPadding)
        return index < node.slots.length || modifier.creates;
      throw new MongoError('BadValue', `Cannot pad an array with more than ${maxPadding} nulls`);
    }
    if (!modifier.creates) return false;
    throw new MongoError(
      'PathNotViable',
      `Cannot create field '${name}' in the array at '${textUpTo(path, at)}' of path '${path.text}'`,
    );
  }

  private change(node: LazyNode, name: string, path: UpdatePath, modifier: Modifier): void {
    const outcome = modifier.apply(node.get(name), path.text, this.context);
    if (outcome === keep) return;
    if (outcome === remove) node.remove(name);
    else node.set(name, outcome);
  }

  /** The rest of the path does not exist: build it bottom up, so that a modifier that keeps leaves no empty shells. */
  private createBelow(node: LazyNode, name: string, path: UpdatePath, at: number, modifier: Modifier): void {
    const rest = path.steps.slice(at);
    if (rest.some((step) => step.kind === 'all' || step.kind === 'filtered')) {
      throw new MongoError(
        'BadValue',
        `The path '${textUpTo(path, at)}' must exist in the document in order to apply array updates.`,
      );
    }
    if (!modifier.creates) return;
    const outcome = modifier.apply(undefined, path.text, this.context);
    if (outcome === keep || outcome === remove) return;
    let value = outcome;
    for (const step of rest.reverse()) {
      const shell = new LazyNode(false);
      shell.set(step.kind === 'field' ? step.name : String(this.context.matchedArrayIndex), value);
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

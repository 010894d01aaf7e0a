import type { BsonValue } from '../bson/value.js';
import { MongoError } from '../errors.js';
import type { PathWalker } from './apply.js';
import { parseUpdatePath, type UpdatePath } from './path.js';
import { detached, type LazyNode } from './tree.js';

export interface Rename {
  readonly from: UpdatePath;
  readonly to: UpdatePath;
}

export function parseRename(from: string, to: BsonValue): Rename {
  if (typeof to !== 'string') throw new MongoError('BadValue', "The 'to' field for $rename must be a string");
  const rename = { from: parseUpdatePath(from), to: parseUpdatePath(to) };
  if (from === to) {
    throw new MongoError('BadValue', `The source and target field for $rename must differ: ${from}`);
  }
  for (const path of [rename.from, rename.to]) {
    if (path.steps.some((step) => step.kind !== 'field')) {
      throw new MongoError('BadValue', `The source and target field for $rename may not be dynamic: ${path.text}`);
    }
  }
  return rename;
}

/** Moves a field; arrays on either way are refused, as an element has no name to give up. */
export function applyRename(root: LazyNode, { from, to }: Rename, walker: PathWalker): void {
  const names = from.text.split('.');
  let node: LazyNode | undefined = root;
  for (const name of names.slice(0, -1)) {
    node = node.openAt(node.indexOf(name));
    if (!node) return;
    refuseArray(node, 'source', from);
  }
  const last = names.at(-1) ?? '';
  const value = node.get(last);
  if (value === undefined) return;
  refuseArrayTarget(root, to);
  node.remove(last);
  walker.apply(root, { path: to, modifier: { creates: true, apply: () => detached(value) } });
}

function refuseArrayTarget(root: LazyNode, to: UpdatePath): void {
  let node: LazyNode | undefined = root;
  for (const name of to.text.split('.').slice(0, -1)) {
    node = node.openAt(node.indexOf(name));
    if (!node) return;
    refuseArray(node, 'destination', to);
  }
}

function refuseArray(node: LazyNode, role: string, path: UpdatePath): void {
  if (!node.isArray) return;
  throw new MongoError('BadValue', `The ${role} field cannot be an array element, in path '${path.text}'`);
}

import { decodeStored } from '../bson/decode.js';
import { BsonDoc, type BsonValue } from '../bson/value.js';
import { MongoError } from '../errors.js';
import type { MatchNode } from '../match/node.js';
import { LazyNode } from './tree.js';

/** The document an upsert starts from: every field the filter fixes to one value. */
export function upsertBase(root: MatchNode, only?: '_id'): BsonDoc {
  const fixed = new Map<string, BsonValue>();
  collectEqualities(root, fixed);
  const node = new LazyNode(false);
  for (const [path, value] of fixed) {
    if (only === undefined || path === only) setPath(node, path, value);
  }
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
  if (rival !== undefined) {
    throw new MongoError(
      'NotSingleValueField',
      `cannot infer query fields to set, path '${node.path}' is matched twice`,
    );
  }
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

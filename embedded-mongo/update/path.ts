import { arrayIndex } from '../bson/raw.js';
import { type BsonValue, T, TYPE_NAMES } from '../bson/value.js';
import { fail, MongoError } from '../errors.js';
import type { MatchExpressions } from '../match/matcher.js';
import { type Slot, slotType } from './tree.js';

/** The result of a change: a new value, a removal, or nothing. */
export const keep = Symbol('keep');
export const remove = Symbol('remove');
type Outcome = Slot | typeof keep | typeof remove;

export interface UpdateContext {
  readonly isUpsertInsert: boolean;
  /** The array position that the query matched, for `$`; -1 for none. */
  readonly matchedArrayIndex: number;
  readonly nowMs: number;
}

/** One change of one field. */
export interface Modifier {
  /** Whether missing parents are created; otherwise the change does nothing where the path ends early. */
  readonly creates: boolean;
  /** Whether it acts only on a document that an upsert inserts. */
  readonly onInsertOnly?: true;
  apply(old: Slot | undefined, path: string, context: UpdateContext): Outcome;
}

/** Compiles the modifier of one operator for one path; comparisons follow the collation. */
export type MakeModifier = (argument: BsonValue, path: string, expressions: MatchExpressions) => Modifier;

export function slotTypeName(slot: Slot): string {
  return TYPE_NAMES.get(slotType(slot)) ?? 'unknown';
}

export function isArraySlot(slot: Slot): boolean {
  return slotType(slot) === T.array;
}

/** One step of an update path. */
type UpdateStep =
  | { readonly kind: 'field'; readonly name: string }
  /** `$`: the array element the query matched. */
  | { readonly kind: 'matched' }
  /** `$[]`. */
  | { readonly kind: 'all' }
  /** `$[identifier]`. */
  | { readonly kind: 'filtered'; readonly identifier: string };

export interface UpdatePath {
  readonly text: string;
  readonly steps: readonly UpdateStep[];
}

export function parseUpdatePath(text: string): UpdatePath {
  if (text === '') throw emptyName(text);
  if (!text.includes('.') && !text.startsWith('$')) return { text, steps: [{ kind: 'field', name: text }] };
  const steps = text.split('.').map((name, at): UpdateStep => {
    if (name === '') throw emptyName(text);
    const step = parseStep(name);
    if (step.kind !== 'field' && at === 0)
      fail('BadValue', `Cannot have positional (i.e. '$') element in the first position in path '${text}'`);
    // Below the top level MongoDB stores such a name.
    if (at === 0 && name.startsWith('$') && !isReferenceName(name))
      fail(
        'DollarPrefixedFieldName',
        `The dollar ($) prefixed field '${name}' in '${text}' is not allowed in the context of an update's replacement document. Consider using an aggregation pipeline with $replaceWith.`,
      );
    return step;
  });
  if (steps.filter((step) => step.kind === 'matched').length > 1)
    fail('BadValue', `Too many positional (i.e. '$') elements found in path '${text}'`);
  return { text, steps };
}

function emptyName(text: string): MongoError {
  const reason =
    text === ''
      ? 'An empty update path is not valid.'
      : `The update path '${text}' contains an empty field name, which is not allowed.`;
  return new MongoError('EmptyFieldName', reason);
}

function parseStep(name: string): UpdateStep {
  if (name === '$') return { kind: 'matched' };
  if (name === '$[]') return { kind: 'all' };
  const filtered = /^\$\[(.+)\]$/.exec(name);
  return filtered?.[1] ? { kind: 'filtered', identifier: filtered[1] } : { kind: 'field', name };
}

function isReferenceName(name: string): boolean {
  return name === '$id' || name === '$ref' || name === '$db';
}

/** MongoDB's order of changes, which decides the order of new fields: numbers by value, names by bytes. */
export function comparePaths(a: UpdatePath, b: UpdatePath): number {
  if (a.steps.length === 1 && b.steps.length === 1) return compareNames(a.text, b.text);
  const left = a.text.split('.');
  const right = b.text.split('.');
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const order = compareNames(left[i] ?? '', right[i] ?? '');
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

function compareNames(a: string, b: string): number {
  if (a === b) return 0;
  const [indexA, indexB] = mayBeIndex(a) && mayBeIndex(b) ? [arrayIndex(a), arrayIndex(b)] : [-1, -1];
  if (indexA >= 0 && indexB >= 0) return indexA - indexB;
  return a < b ? -1 : 1;
}

/** A fast check of the first character. */
const mayBeIndex = (name: string): boolean => name.charCodeAt(0) <= DIGIT_NINE;
const DIGIT_NINE = 0x39;

/** Rejects two changes of one place, or of a place and its inside. */
export function refuseConflicts(paths: readonly string[]): void {
  const taken = new Set<string>();
  const inner = new Set<string>();
  for (const path of paths) {
    for (let dot = path.indexOf('.'); dot >= 0; dot = path.indexOf('.', dot + 1)) {
      const prefix = path.slice(0, dot);
      if (taken.has(prefix)) throw conflict(path, prefix);
      inner.add(prefix);
    }
    if (taken.has(path) || inner.has(path)) throw conflict(path, path);
    taken.add(path);
  }
}

function conflict(path: string, at: string): MongoError {
  return new MongoError('ConflictingUpdateOperators', `Updating the path '${path}' would create a conflict at '${at}'`);
}

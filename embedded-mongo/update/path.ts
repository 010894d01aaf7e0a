import { arrayIndex } from '../bson/raw.js';
import { MongoError } from '../errors.js';

/** One step of an update path. */
export type UpdateStep =
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
  const steps = text.split('.').map((name, at): UpdateStep => {
    if (name === '') throw emptyName(text);
    const step = parseStep(name);
    if (step.kind !== 'field' && at === 0) {
      throw new MongoError(
        'BadValue',
        `Cannot have positional (i.e. '$') element in the first position in path '${text}'`,
      );
    }
    if (step.kind === 'field' && name.startsWith('$') && !isReferenceName(name)) {
      throw new MongoError(
        'DollarPrefixedFieldName',
        `The dollar ($) prefixed field '${name}' in '${text}' is not allowed in the context of an update's replacement document.`,
      );
    }
    return step;
  });
  if (steps.filter((step) => step.kind === 'matched').length > 1) {
    throw new MongoError('BadValue', `Too many positional (i.e. '$') elements found in path '${text}'`);
  }
  return { text, steps };
}

function emptyName(text: string): MongoError {
  return new MongoError(
    'EmptyFieldName',
    `The update path '${text}' contains an empty field name, which is not allowed.`,
  );
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

/** MongoDB applies changes in this order, which decides the order of new fields: numbers by value, names by bytes. */
export function comparePaths(a: UpdatePath, b: UpdatePath): number {
  const left = a.text.split('.');
  const right = b.text.split('.');
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const [nameA, nameB] = [left[i] ?? '', right[i] ?? ''];
    if (nameA === nameB) continue;
    const [indexA, indexB] = [arrayIndex(nameA), arrayIndex(nameB)];
    if (indexA >= 0 && indexB >= 0) return indexA - indexB;
    return nameA < nameB ? -1 : 1;
  }
  return left.length - right.length;
}

/** Two changes of one place, or of a place and something inside it, cannot both be meant. */
export function refuseConflicts(paths: readonly string[]): void {
  const taken = new Set<string>();
  const inner = new Set<string>();
  for (const path of paths) {
    const steps = path.split('.');
    for (let length = 1; length <= steps.length; length++) {
      const prefix = steps.slice(0, length).join('.');
      if (taken.has(prefix)) throw conflict(path, prefix);
      if (length < steps.length) inner.add(prefix);
    }
    if (inner.has(path)) throw conflict(path, path);
    taken.add(path);
  }
}

function conflict(path: string, at: string): MongoError {
  return new MongoError('ConflictingUpdateOperators', `Updating the path '${path}' would create a conflict at '${at}'`);
}

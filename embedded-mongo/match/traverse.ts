import { ElementCursor, findField, type Path, type PathStep, RawRef } from '../bson/raw.js';
import { T } from '../bson/types.js';

/** A condition on the value at the end of a path. */
export interface LeafTest {
  test(value: RawRef, details: MatchDetails | undefined): boolean;
  /** The verdict where the path does not exist. */
  readonly missing: boolean;
  /** Whether the elements of an array at the end of the path are asked too, each on its own. */
  readonly intoArray: boolean;
}

/** Where in an array the match was found; the outermost array wins, as the positional `$` wants it. */
export class MatchDetails {
  arrayIndex = -1;
}

/**
 * Whether any value a path leads to passes. Arrays on the way fan out over their documents (and over the position a
 * numeric step names); a document without the field counts as missing, an element that is no document counts not at all.
 */
export function matchPath(root: RawRef, path: Path, leaf: LeafTest, details: MatchDetails | undefined): boolean {
  if (path.length === 0) return leaf.test(root, details);
  return matchInDocument(root, path, 0, leaf, details);
}

function matchInDocument(
  document: RawRef,
  path: Path,
  step: number,
  leaf: LeafTest,
  details: MatchDetails | undefined,
): boolean {
  const value = new RawRef();
  if (!findField(document.buffer, document.start, (path[step] as PathStep).bytes, value)) return leaf.missing;
  if (step + 1 === path.length) return matchLeaf(value, leaf, details);
  if (value.type === T.object) return matchInDocument(value, path, step + 1, leaf, details);
  if (value.type === T.array) return matchInArray(value, path, step + 1, leaf, details);
  return leaf.missing;
}

function matchInArray(
  array: RawRef,
  path: Path,
  step: number,
  leaf: LeafTest,
  details: MatchDetails | undefined,
): boolean {
  const { index } = path[step] as PathStep;
  const cursor = new ElementCursor(array.buffer, array.start);
  const element = new RawRef();
  for (let at = 0; cursor.next(); at++) {
    cursor.into(element);
    const found =
      (element.type === T.object && matchInDocument(element, path, step, leaf, details)) ||
      (at === index && matchAtPosition(element, path, step + 1, leaf, details));
    if (!found) continue;
    if (details) details.arrayIndex = at;
    return true;
  }
  return false;
}

function matchAtPosition(
  element: RawRef,
  path: Path,
  step: number,
  leaf: LeafTest,
  details: MatchDetails | undefined,
): boolean {
  if (step === path.length) return leaf.test(element, details);
  if (element.type === T.object) return matchInDocument(element, path, step, leaf, details);
  return element.type === T.array && matchInArray(element, path, step, leaf, details);
}

function matchLeaf(value: RawRef, leaf: LeafTest, details: MatchDetails | undefined): boolean {
  if (value.type === T.array && leaf.intoArray) {
    const cursor = new ElementCursor(value.buffer, value.start);
    const element = new RawRef();
    for (let at = 0; cursor.next(); at++) {
      if (!leaf.test(cursor.into(element), details)) continue;
      if (details) details.arrayIndex = at;
      return true;
    }
  }
  return leaf.test(value, details);
}

import { ElementCursor, findPath, type RawRef } from '../bson/raw.js';
import { T } from '../bson/types.js';
import { isLanguage, type Language, languageOf } from './language.js';
import { folded, termOf, wordsOf } from './tokens.js';

/** What a text index looks at. */
export interface TextSpec {
  /** Fields with their weights; `$**` is every string of a document. */
  readonly weights: ReadonlyMap<string, number>;
  readonly defaultLanguage: string;
  /** The field of a document (or sub-document) that names its language. */
  readonly languageField: string;
  /** Leading fields, which a query must fix. */
  readonly prefix: readonly string[];
}

export const wholeDocument = '$**';

/** A string of a document, with its weight and language. */
export interface TextPart {
  readonly text: string;
  readonly weight: number;
  readonly language: Language;
}

/** Every string the index looks at; elements of arrays count each by itself. */
export function* partsOf(spec: TextSpec, raw: Buffer): Generator<TextPart, undefined, undefined> {
  yield* walk(spec, raw, 0, '', spec.defaultLanguage);
  return undefined;
}

function* walk(
  spec: TextSpec,
  raw: Buffer,
  start: number,
  path: string,
  inherited: string,
): Generator<TextPart, undefined, undefined> {
  const language = languageIn(spec, raw, start) ?? inherited;
  const cursor = new ElementCursor(raw, start);
  while (cursor.next()) {
    const here = path === '' ? cursor.name : `${path}.${cursor.name}`;
    yield* value(spec, raw, cursor.type, cursor.valueStart, cursor.valueEnd, here, language);
  }
  return undefined;
}

function* value(
  spec: TextSpec,
  raw: Buffer,
  type: number,
  start: number,
  end: number,
  path: string,
  language: string,
): Generator<TextPart, undefined, undefined> {
  if (type === T.string) {
    const weight = spec.weights.get(path) ?? spec.weights.get(wholeDocument);
    if (weight !== undefined)
      yield { text: raw.toString('utf8', start + 4, end - 1), weight, language: languageOf(language) };
  } else if (type === T.object) {
    if (leadsSomewhere(spec, path)) yield* walk(spec, raw, start, path, language);
  } else if (type === T.array) {
    const cursor = new ElementCursor(raw, start);
    while (cursor.next()) {
      // An array within an array is not looked into, as MongoDB does not.
      if (cursor.type !== T.array)
        yield* value(spec, raw, cursor.type, cursor.valueStart, cursor.valueEnd, path, language);
    }
  }
  return undefined;
}

function leadsSomewhere({ weights }: TextSpec, path: string): boolean {
  if (weights.has(wholeDocument)) return true;
  for (const field of weights.keys()) if (field.startsWith(`${path}.`)) return true;
  return false;
}

function languageIn({ languageField }: TextSpec, raw: Buffer, start: number): string | undefined {
  const found: RawRef | undefined = findPath(raw, languageField, start);
  if (found?.type !== T.string) return undefined;
  const named = raw.toString('utf8', found.start + 4, found.end - 1);
  return isLanguage(named) ? named : languageOf(named).name;
}

/**
 * How much each term of a document counts. MongoDB's own reckoning (fts_spec.cpp): a term counts 1 the first time, a
 * half the second, a quarter the third …; fields with few words count more; a field that is nothing but the term a
 * tenth more; all that by the field's weight.
 */
export function scoresOf(spec: TextSpec, raw: Buffer): Map<string, number> {
  const scores = new Map<string, number>();
  for (const { text, weight, language } of partsOf(spec, raw)) {
    const terms = new Map<string, { count: number; frequency: number; next: number }>();
    let total = 0;
    for (const word of wordsOf(text, language)) {
      const term = termOf(word, language, folded);
      if (term === undefined) continue;
      total += 1;
      const seen = terms.get(term) ?? { count: 0, frequency: 0, next: 1 };
      seen.count += 1;
      seen.frequency += seen.next;
      seen.next /= 2;
      terms.set(term, seen);
    }
    for (const [term, { count, frequency }] of terms) {
      const coefficient = (0.5 * count) / total + 0.5;
      const exact = text.length === term.length && text.toLowerCase() === term ? 1.1 : 1;
      scores.set(term, (scores.get(term) ?? 0) + weight * frequency * coefficient * exact);
    }
  }
  return scores;
}

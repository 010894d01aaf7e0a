import { isJsonObject, type JsonObject, type JsonValue } from '../../json/strict-json.js';
import { disclosedOf } from './export-record.js';

/**
 * The text of an event for reviewers and their search: a line for each value, `payload.carc.0: 50`. A redacted event shows
 * what its line discloses.
 */
export function recordText(shown: JsonObject): string {
  const disclosed = disclosedOf(shown);
  if (disclosed === null) return [...linesOf([], shown)].join('');
  return [...disclosed].flatMap(([pointer, value]) => [...linesOf(pathOf(pointer), value)]).join('');
}

/** Steps of a JSON Pointer (RFC 6901). */
const pathOf = (pointer: string): readonly string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));

function* linesOf(path: readonly string[], value: JsonValue): Generator<string> {
  if (Array.isArray(value)) {
    for (const [i, each] of value.entries()) yield* linesOf([...path, String(i)], each);
  } else if (isJsonObject(value)) {
    for (const [name, each] of Object.entries(value)) yield* linesOf([...path, name], each);
  } else yield `${path.join('.')}: ${String(value)}\n`;
}

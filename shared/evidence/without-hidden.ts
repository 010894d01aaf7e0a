import { isJsonObject, type JsonObject, type JsonValue } from '../json/strict-json.js';

/**
 * Returns a record without its hidden leaves. Omits members with only hidden leaves. Replaces a hidden list item by
 * null, so that the pointers of the other items stay valid.
 *
 * @param hidden pointers (RFC 6901) of leaves.
 */
export function withoutHidden(record: JsonObject, hidden: readonly string[]): JsonObject {
  const shown = shownPart(record, '', new Set(hidden));
  return isJsonObject(shown) ? shown : {};
}

function shownPart(value: JsonValue, pointer: string, hidden: ReadonlySet<string>): JsonValue | undefined {
  if (hidden.has(pointer)) return undefined;
  if (Array.isArray(value)) {
    const items = value.map((item, i) => shownPart(item, `${pointer}/${i}`, hidden));
    return value.length > 0 && items.every((item) => item === undefined)
      ? undefined
      : items.map((item) => item ?? null);
  }
  if (!isJsonObject(value)) return value;
  const shown: JsonObject = {};
  for (const [key, member] of Object.entries(value)) {
    const part = shownPart(member, `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`, hidden);
    if (part !== undefined)
      Object.defineProperty(shown, key, { value: part, enumerable: true, configurable: true, writable: true });
  }
  return Object.keys(value).length > 0 && Object.keys(shown).length === 0 ? undefined : shown;
}

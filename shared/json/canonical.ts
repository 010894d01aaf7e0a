import type { JsonValue } from './strict-json.js';

/**
 * RFC 8785 (JCS): members sorted by UTF-16 code units, numbers and strings as ECMAScript prints them.
 * Input comes from `parseStrictJson` or from our own code: bounded depth, finite numbers, well-formed strings.
 * Members that are `undefined` are left out, as `JSON.stringify` does.
 */
export function canonicalJson(value: JsonValue | undefined): string {
  if (value === null || typeof value !== 'object') return scalar(value);
  if (Array.isArray(value)) {
    let text = '[';
    for (let i = 0; i < value.length; i++) text += (i > 0 ? ',' : '') + canonicalJson(value[i]);
    return `${text}]`;
  }
  let text = '';
  for (const key of Object.keys(value).sort()) {
    const member = value[key];
    if (member === undefined) continue;
    text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${canonicalJson(member)}`;
  }
  return `{${text}}`;
}

function scalar(value: null | boolean | number | string | undefined): string {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new TypeError('JCS has no form for this number');
  if (value === undefined) throw new TypeError('JCS has no form for undefined');
  return JSON.stringify(value);
}

import type { AdapterWarning } from './positions.js';

/** Copies fields without empty ones: undefined, null, '', empty lists and empty objects. */
export function compact(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  for (const name in fields) {
    const value = fields[name];
    if (value === undefined || value === '' || value === null) continue;
    if (typeof value === 'object' && isEmpty(value)) continue;
    kept[name] = value;
  }
  return kept;
}

/** The texts that are not empty. */
export const filled = (texts: readonly string[]): string[] => texts.filter((text) => text !== '');

/** Removes repetitions, in order of first appearance. */
export function unique(values: readonly string[]): string[] {
  if (values.length > 16) return [...new Set(values)];
  const kept: string[] = [];
  for (const value of values) if (!kept.includes(value)) kept.push(value);
  return kept;
}

function isEmpty(value: object): boolean {
  if (Array.isArray(value)) return value.length === 0;
  for (const _ in value) return false;
  return true;
}

/** The envelope's limit of a member id, in characters. */
const MAX_MEMBER_ID = 256;

/** True for a valid envelope id: not blank, no control characters, within the limit. */
export function isUsable(id: string, limit = MAX_MEMBER_ID): boolean {
  return id !== '' && id.length <= limit && !/\p{Cc}/u.test(id);
}

/** The most precise place that a format's stored warnings name. */
export type WarningPlace = 'segment' | 'body' | 'transaction';

/** A warning with the field names of the stored record. */
export function describeWarning(warning: AdapterWarning, place: WarningPlace): Record<string, unknown> {
  const { code, message, segment, element, position, agreedBy } = warning;
  const described: Record<string, unknown> = { code, message };
  if (agreedBy !== undefined) described.agreed_by = agreedBy;
  if (segment !== undefined) described.segment = segment;
  if (place === 'segment') return described;
  if (element !== undefined) described.element = element;
  if (position === undefined) return described;
  described.byte_offset = position.byteOffset;
  described.segment_number = position.segmentNumber;
  if (place === 'transaction' && position.transactionPosition !== undefined)
    described.transaction_position = position.transactionPosition;
  return described;
}

/** Sets an entry of a map that forgets its oldest entry beyond a limit. */
export function setBounded<K, V>(map: Map<K, V>, key: K, value: V, limit: number): void {
  map.set(key, value);
  if (map.size <= limit) return;
  for (const oldest of map.keys()) {
    map.delete(oldest);
    return;
  }
}

/** Cuts a text without leaving half a surrogate pair. */
export const cutText = (text: string, limit: number): string => text.slice(0, limit).replace(/[\ud800-\udbff]$/, '');

/** Payload names, each with the place that it is read from, in payload order. */
export type FieldTable = readonly (readonly [name: string, place: string])[];

/** Reads a table written as `name=place name=place`. */
export const fieldTable = (text: string): FieldTable =>
  text.split(' ').map((entry) => {
    const [name = '', place = ''] = entry.split('=');
    return [name, place];
  });

/** Detects UTF-16, which must never be read as single bytes: a byte order mark, or a NUL among the first `reach` bytes. */
export const isUtf16 = (bytes: Uint8Array, reach = 8): boolean =>
  (bytes[0] === 0xff && bytes[1] === 0xfe) ||
  (bytes[0] === 0xfe && bytes[1] === 0xff) ||
  bytes.subarray(0, reach).includes(0);

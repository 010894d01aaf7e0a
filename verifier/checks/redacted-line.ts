import { PADDING } from '../../shared/hashing/leaf-lanes.js';
import type { Commitments } from '../hashing/commitments.js';
import { isObject } from '../manifest/members.js';
import { isHash } from '../text/bytes.js';

/** Fields that a redacted line must disclose (evidence.md section 2). */
const ALWAYS = [
  '/event_id',
  '/event_type',
  '/tenant_id',
  '/source_system',
  '/event_effective_timestamp',
  '/received_at',
];

interface RedactedClaim {
  readonly event_id: string;
  readonly tenant_id: string;
  readonly source_system: string;
  readonly fields: string;
}

/**
 * Returns the faults of a redacted line. Without a fault each value in the line is the recorded value: digests of disclosed
 * and hidden fields → fields → header.
 *
 * @param line in the form of RFC 8785
 * @param of the line of an act names no redaction
 */
export function redactedFaults(
  commitments: Commitments,
  line: string,
  claim: RedactedClaim,
  of: 'event' | 'act' = 'event',
): { readonly faults: string[]; readonly redactionId: string; readonly values: ReadonlyMap<string, unknown> } {
  const read: unknown = JSON.parse(line);
  const bad = (fault: string) => ({ faults: [fault], redactionId: '', values: new Map<string, unknown>() });
  if (!isObject(read)) return bad('the line is no object');
  const { event_id, state, disclosed, hidden, redaction_id = '', ...others } = read;
  if (Object.keys(others).length > 0 || state !== 'REDACTED') return bad('not a redacted line');
  if ('redaction_id' in read !== (of === 'event')) return bad('not a redacted line');
  if (typeof redaction_id !== 'string' || !Array.isArray(disclosed) || !Array.isArray(hidden))
    return bad('not a redacted line');
  if (!disclosed.every(isDisclosed) || !hidden.every(isHash)) return bad('a field or a digest has not the form');
  const values = new Map(disclosed.map(([, pointer, value]) => [pointer, value]));
  const faults: string[] = [];
  if (values.size !== disclosed.length) faults.push('a field is disclosed twice');
  if ((disclosed.length + hidden.length) % PADDING !== 0) faults.push('the digests are not padded');
  if (event_id !== claim.event_id) faults.push('the line is of another event');
  for (const pointer of ALWAYS) if (!values.has(pointer)) faults.push(`${pointer} is not disclosed`);
  for (const name of ['event_id', 'tenant_id', 'source_system'] as const) {
    if (values.get(`/${name}`) !== claim[name]) faults.push(`/${name} is not that of the header`);
  }
  // The line is in the form of RFC 8785, so `JSON.stringify` returns the text of the line.
  const shown = disclosed.map(([salt, pointer, value]) => [salt, pointer, JSON.stringify(value)] as const);
  if (commitments.fieldsOfShown(shown, hidden) !== claim.fields)
    faults.push('the digests do not make the committed fields');
  return { faults, redactionId: redaction_id, values };
}

type Disclosed = readonly [salt: string, pointer: string, value: unknown];

const isDisclosed = (item: unknown): item is Disclosed =>
  Array.isArray(item) &&
  item.length === 3 &&
  /^[0-9a-f]{32}$/.test(String(item[0])) &&
  typeof item[0] === 'string' &&
  typeof item[1] === 'string' &&
  (typeof item[2] !== 'object' || item[2] === null || Object.keys(item[2]).length === 0);

import { hmacSha256, taggedDigest } from '../crypto/hash.js';
import { PADDING, SALT_BYTES } from '../hashing/leaf-lanes.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../json/strict-json.js';
import { entryHash, type Header } from './chain.js';
import { type Leaves, quoted, rebuildRecord } from './record.js';
import { ALWAYS_DISCLOSED, expandPointers } from './redaction-pointers.js';

/** A disclosed leaf: its salt (hex), its pointer and its value; with them anyone computes its digest. */
type DisclosedLeaf = readonly [salt: string, pointer: string, value: JsonValue];

/** The line that replaces a redacted record in a bundle (evidence.md section 2 "Redacted line"). */
interface RedactedLine {
  readonly event_id: string;
  readonly state: 'REDACTED';
  readonly disclosed: readonly DisclosedLeaf[];
  /** Digests of hidden leaves and decoys, sorted. They reveal neither the number of hidden leaves nor which they are. */
  readonly hidden: readonly string[];
  readonly redaction_id: string;
}

interface RedactionOfRecord {
  /** R's bytes or text. */
  readonly record: Uint8Array | string;
  readonly seed: Uint8Array;
  /** RFC 6901, into R; each hides its leaf, or every leaf below it. */
  readonly pointers: readonly string[];
  /** The redaction that the line is the rendition of; the latest, where several add up. */
  readonly redactionId: string;
}

interface MadeLine extends Pick<RedactedLine, 'disclosed' | 'hidden'> {
  /** RFC 8785, without a line feed. The same redaction of the same record gives the same bytes. */
  readonly line: string;
}

/**
 * Makes the redacted line of a record. Members that are always disclosed stay, whatever the pointers say.
 *
 * @throws RangeError if the pointers hide nothing: the line would report a redaction that does not exist.
 */
export function redactedLine({ record, seed, pointers, redactionId }: RedactionOfRecord): MadeLine {
  const { leaves, eventId } = leavesOf(record);
  const hiddenPointers = new Set(expandPointers(leaves, pointers).hidden);
  if (hiddenPointers.size === 0) throw new RangeError('the pointers of a redaction hide nothing of the record');
  const { shown, ...made } = disclosed(leaves, seed, (pointer) => !hiddenPointers.has(pointer));
  const line =
    `{"disclosed":[${shown.join(',')}],"event_id":${quoted(eventId)},"hidden":[${made.hidden.map(quoted).join(',')}],` +
    `"redaction_id":${quoted(redactionId)},"state":"REDACTED"}`;
  return { ...made, line };
}

/** A line of proofs/facts.jsonl, and the fields that it discloses. */
interface ActLine {
  readonly line: string;
  /** True if the line is the whole record, whose seed the bundle then holds. */
  readonly isWhole: boolean;
  readonly fields: ReadonlyMap<string, JsonValue>;
}

/** Makes the line of an act: its record, or the fields of it that are shown (docs/evidence.md section 5). */
export function actLine(
  record: string,
  seed: Uint8Array,
  isShown: (pointer: string, leaves: ReadonlyMap<string, JsonValue>) => boolean,
): ActLine {
  const { leaves, eventId } = leavesOf(record);
  const values = new Map(
    leaves.pointers.map((pointer, i) => [pointer, JSON.parse(leaves.values[i] ?? 'null') as JsonValue]),
  );
  const fields = new Map([...values].filter(([pointer]) => isShown(pointer, values)));
  if (fields.size === values.size) return { line: record, isWhole: true, fields };
  const { shown, hidden } = disclosed(leaves, seed, (pointer) => fields.has(pointer));
  const line =
    `{"disclosed":[${shown.join(',')}],"event_id":${quoted(eventId)},"hidden":[${hidden.map(quoted).join(',')}],` +
    `"state":"REDACTED"}`;
  return { line, isWhole: false, fields };
}

function leavesOf(record: Uint8Array | string): { readonly leaves: Leaves; readonly eventId: string } {
  const members: JsonObject = JSON.parse(typeof record === 'string' ? record : Buffer.from(record).toString('utf8'));
  return { leaves: rebuildRecord(members).leaves, eventId: String(members['event_id']) };
}

/** The disclosed leaves, as values and as texts, and the digests of all others with the decoys. */
function disclosed(leaves: Leaves, seed: Uint8Array, isShown: (pointer: string) => boolean) {
  const values: DisclosedLeaf[] = [];
  const hidden: string[] = [];
  const shown: string[] = [];
  leaves.pointers.forEach((pointer, i) => {
    const text = leaves.values[i] ?? '';
    const salt = saltOf(seed, pointer);
    if (!isShown(pointer)) {
      hidden.push(leafDigest(salt, pointer, text));
      return;
    }
    values.push([salt.toString('hex'), pointer, JSON.parse(text)]);
    shown.push(`["${salt.toString('hex')}",${quoted(pointer)},${text}]`);
  });
  hidden.push(...decoysOf(seed, leaves.pointers.length));
  hidden.sort();
  return { disclosed: values, hidden, shown };
}

/** salt_p = HMAC(seed, "field:" ‖ p)[:16]. */
const saltOf = (seed: Uint8Array, pointer: string): Buffer =>
  hmacSha256(seed, `field:${pointer}`).subarray(0, SALT_BYTES);

/** d_p = D("field", salt_p ‖ JCS([p, value])). */
const leafDigest = (salt: Uint8Array, pointer: string, valueText: string): string =>
  taggedDigest('field', salt, `[${quoted(pointer)},${valueText}]`).toString('hex');

/** D("decoy", HMAC(seed, "decoy:" ‖ i)), i from 0, up to a multiple of 8. */
const decoysOf = (seed: Uint8Array, leaves: number): string[] =>
  Array.from({ length: Math.ceil(leaves / PADDING) * PADDING - leaves }, (_, i) =>
    taggedDigest('decoy', hmacSha256(seed, `decoy:${i}`)).toString('hex'),
  );

/** The evidence that verifies a redacted line: its chain header, and the entry hash in chain and tree. */
interface LineEvidence {
  readonly header: Header;
  readonly entryHash: string;
}

const DIGEST = /^[0-9a-f]{64}$/;
const isDigest = (value: unknown): value is string => typeof value === 'string' && DIGEST.test(value);
const SALT = /^[0-9a-f]{32}$/;

/**
 * Faults of a redacted line; none means that every disclosed value is the one that was recorded: digests of disclosed and
 * hidden leaves, sorted → fields → header → entry_hash. The entry's place in chain and tree is the caller's to prove.
 */
export function verifyRedactedLine(line: unknown, { header, entryHash: expected }: LineEvidence): readonly string[] {
  const read = readRedactedLine(line);
  if (typeof read === 'string') return [read];
  const faults: string[] = [];
  const values = new Map(read.disclosed.map(([, pointer, value]) => [pointer, value]));
  if (values.size !== read.disclosed.length) faults.push('a pointer is disclosed twice');
  for (const pointer of ALWAYS_DISCLOSED) if (!values.has(pointer)) faults.push(`${pointer} is not disclosed`);
  if (read.event_id !== header.event_id) faults.push('the line is of another event');
  for (const name of ['event_id', 'tenant_id', 'source_system'] as const) {
    if (values.get(`/${name}`) !== header[name]) faults.push(`/${name} is not the one of the header`);
  }
  if (fieldsOf(read) !== header.fields) faults.push('the digests do not make the committed fields');
  if (entryHash(header) !== expected) faults.push('the header is not the one that the chain holds');
  return faults;
}

/** The `fields` that a line's digests make. */
function fieldsOf({ disclosed, hidden }: Pick<RedactedLine, 'disclosed' | 'hidden'>): string {
  const shown = disclosed.map(([salt, pointer, value]) => leafDigest(Buffer.from(salt, 'hex'), pointer, jcs(value)));
  const digests = [...shown, ...hidden].sort().map((digest) => Buffer.from(digest, 'hex'));
  return taggedDigest('fields', ...digests).toString('hex');
}

/** A leaf is a scalar, {} or []: its JCS text is what the record's walk prints. */
const jcs = (value: JsonValue): string => rebuildRecord({ v: value }).leaves.values[0] ?? '';

/** The line's members, or the fault of its shape. */
function readRedactedLine(line: unknown): RedactedLine | string {
  if (!isJsonObject(line)) return 'the line is no object';
  const { event_id, state, disclosed, hidden, redaction_id, ...others }: Readonly<Record<string, unknown>> = line;
  if (Object.keys(others).length > 0) return 'the line has unknown members';
  if (state !== 'REDACTED') return 'the state is not REDACTED';
  if (typeof event_id !== 'string' || typeof redaction_id !== 'string') return 'an id is missing';
  if (!Array.isArray(disclosed) || !disclosed.every(isDisclosed)) return 'a disclosed field has not the form';
  if (!Array.isArray(hidden) || !hidden.every(isDigest)) {
    return 'a hidden digest has not the form';
  }
  if ((disclosed.length + hidden.length) % PADDING !== 0) return 'the digests are not padded';
  return {
    event_id,
    state,
    disclosed,
    hidden,
    redaction_id,
  };
}

/** A value is a leaf: an object or array with members would stand for more than its digest says. */
const isDisclosed = (item: unknown): item is DisclosedLeaf =>
  Array.isArray(item) &&
  item.length === 3 &&
  typeof item[0] === 'string' &&
  SALT.test(item[0]) &&
  typeof item[1] === 'string' &&
  (item[2] === null || typeof item[2] !== 'object' || Object.keys(item[2]).length === 0);

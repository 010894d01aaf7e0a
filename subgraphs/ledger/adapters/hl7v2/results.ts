import { createHash } from 'node:crypto';
import { compact } from '../x12/compact.js';
import { codedField, codedOf, describeCoded } from './clinical-codes.js';
import type { Message } from './message.js';
import type { Segment } from './segment.js';
import { describeMoment } from './timestamps.js';

/** An envelope is 256 KiB at most; what goes beyond these bounds stays in the raw bytes alone, and is said to. */
const resultsLimit = 500;
const groupsLimit = 200;
/** Texts of more lines than this are one value: an envelope holds 20,000 values at most. */
const linesLimit = 50;
const repetitionsLimit = 10_000;
const textLimit = 100_000;

/** OBX segments as `payload.results`, each under the OBR it stands behind. */
export function describeResults(segments: readonly Segment[], message: Message): Record<string, unknown>[] {
  const results: Record<string, unknown>[] = [];
  let group = 0;
  let textLeft = textLimit;
  let omitted: Segment | undefined;
  for (const segment of segments) {
    if (segment.id === 'OBR') group += 1;
    if (segment.id !== 'OBX') continue;
    if (results.length >= resultsLimit || textLeft <= 0) {
      omitted ??= segment;
      continue;
    }
    const values = valuesOf(segment, textLeft);
    textLeft -= values.textLength;
    if (values.shortened) omitted ??= segment;
    results.push(describeResult(segment, group, values));
  }
  if (omitted !== undefined) {
    const text = 'the results are too many for one event: the rest stands in the raw bytes alone';
    message.warn('RESULTS_OMITTED', text, { segment: omitted });
  }
  return results;
}

/** OBR segments as `payload.groups`: what was ordered and how far it is. */
export function describeGroups(segments: readonly Segment[]): Record<string, unknown>[] {
  return segments
    .filter(({ id }) => id === 'OBR')
    .slice(0, groupsLimit)
    .map((segment) =>
      compact({
        placer_number: segment.value(2),
        filler_number: segment.value(3),
        ...describeCoded(codedField(segment, 4)),
        observed_at: describeMoment(segment.value(7)),
        reported_at: describeMoment(segment.value(22)),
        status: segment.value(25),
        status_text: statusWords[segment.value(25)],
      }),
    );
}

/** OBR-25 (table 0123). */
const statusWords: Readonly<Record<string, string | undefined>> = {
  F: 'final',
  P: 'preliminary',
  C: 'corrected',
  A: 'partial',
  R: 'unverified',
  X: 'cancelled',
  I: 'pending',
  O: 'ordered',
  S: 'scheduled',
};

/** Fields are set one by one, and only when there is something to say: this runs for every OBX of a body. */
function describeResult(segment: Segment, group: number, values: Values): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  if (group > 0) result.group = group;
  const setId = segment.value(1);
  if (setId !== '') result.set_id = setId;
  const { code, text, system } = codedField(segment, 3);
  if (code !== '') result.code = code;
  if (text !== '') result.text = text;
  if (system !== '') result.system = system;
  const type = segment.value(2);
  if (type !== '') result.value_type = type;
  if (values.values.length > 0) result.values = values.values;
  if (values.coded !== undefined) result.coded = values.coded;
  if (values.documents !== undefined) result.documents = values.documents;
  const unit = segment.value(6) || segment.text(6, 2);
  if (unit !== '') result.unit = unit;
  const range = segment.text(7);
  if (range !== '') result.reference_range = range;
  const flags = segment.repetitions(8).map((repetition) => segment.valueOf(repetition));
  if (flags.length > 0) result.flags = flags;
  const status = segment.value(11);
  if (status !== '') result.status = status;
  const observedAt = describeMoment(segment.value(14));
  if (observedAt !== '') result.observed_at = observedAt;
  return result;
}

interface Values {
  readonly values: readonly string[];
  readonly coded?: Record<string, unknown>[];
  readonly documents?: Record<string, unknown>[];
  readonly textLength: number;
  readonly shortened: boolean;
}

const codedTypes: ReadonlySet<string> = new Set(['CE', 'CWE', 'CNE', 'CF']);

function valuesOf(segment: Segment, textLeft: number): Values {
  const type = segment.value(2).toUpperCase();
  const limit = codedTypes.has(type) || type === 'ED' ? linesLimit : repetitionsLimit;
  const repetitions = segment.repetitions(5, limit + 1);
  const shortened = repetitions.length > limit;
  if (shortened) repetitions.length = limit;
  if (type === 'ED') {
    const documents = repetitions.map((raw) => describeDocument(segment, raw));
    return { values: [], documents, textLength: 0, shortened };
  }
  if (codedTypes.has(type)) {
    const coded = repetitions.map((raw) => codedOf(segment, raw));
    const textLength = coded.reduce((sum, { code, text }) => sum + code.length + text.length, 0);
    const values = coded.map(({ code, text }) => text || code);
    return { values, coded: coded.map(describeCoded), textLength, shortened };
  }
  const texts = repetitions.map((raw) => (type === 'SN' ? structuredNumeric(segment, raw) : segment.plain(raw)));
  const read = textsOf(texts.length > linesLimit ? [texts.join('\n')] : texts, textLeft);
  return shortened ? { ...read, shortened } : read;
}

function textsOf(values: readonly string[], textLeft: number): Values {
  let left = textLeft;
  for (const value of values) left -= value.length;
  if (left >= 0) return { values, textLength: textLeft - left, shortened: false };
  const kept: string[] = [];
  left = textLeft;
  for (const value of values) {
    if (left <= 0) break;
    kept.push(value.length <= left ? value : wellFormed(value.slice(0, left)));
    left -= value.length;
  }
  return { values: kept, textLength: textLeft, shortened: true };
}

/** Cutting must not leave half a surrogate pair. */
function wellFormed(text: string): string {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff ? text.slice(0, -1) : text;
}

/** SN: comparator, number, separator or suffix, number: `>90`, `100-200`, `1:128`. */
function structuredNumeric(segment: Segment, raw: string): string {
  return [1, 2, 3, 4].map((component) => segment.valueOf(raw, component)).join('');
}

/** ED: a document inside the message. It is named by its hash and size; its bytes are in the raw message. */
function describeDocument(segment: Segment, raw: string): Record<string, unknown> {
  const encoding = segment.valueOf(raw, 4);
  const data = segment.textOf(raw, 5);
  const bytes = encoding.toUpperCase() === 'BASE64' ? Buffer.from(data, 'base64') : Buffer.from(data, 'utf8');
  return compact({
    source: segment.valueOf(raw, 1),
    type: segment.valueOf(raw, 2),
    subtype: segment.valueOf(raw, 3),
    encoding,
    ...(bytes.length > 0 && { sha256: createHash('sha256').update(bytes).digest('hex'), size_bytes: bytes.length }),
  });
}

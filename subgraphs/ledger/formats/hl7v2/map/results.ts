import type { AttachedDocument } from '../../format-adapter.js';
import { byCode } from '../../values/codes.js';
import { describeMoment } from '../../values/hl7-timestamps.js';
import { compact, cutText } from '../../values/payload.js';
import type { Message } from '../message/message.js';
import type { Segment } from '../message/segment.js';
import { codedField, codedOf, describeCoded } from './clinical-codes.js';
import { ResultDocuments } from './documents.js';
import { describeFields, fieldsOf } from './fields.js';

/** Limits that keep an envelope below 256 KiB. Results beyond them stay in the raw bytes, with a warning. */
const RESULTS_LIMIT = 500;
const GROUPS_LIMIT = 200;
/** Texts of more lines are joined into one value: an envelope has at most 20,000 values. */
const LINES_LIMIT = 50;
const REPETITIONS_LIMIT = 10_000;
const TEXT_LIMIT = 100_000;

/**
 * OBX segments as `payload.results`, each with the OBR before it.
 *
 * @param documents takes the documents inside them; absent where the event takes its documents from elsewhere.
 */
export function describeResults(
  segments: readonly Segment[],
  message: Message,
  documents?: AttachedDocument[],
): Record<string, unknown>[] {
  const content = new ResultDocuments(message);
  const results: Record<string, unknown>[] = [];
  let group = 0;
  let textLeft = TEXT_LIMIT;
  let omitted: Segment | undefined;
  for (const segment of segments) {
    if (segment.id === 'OBR') group += 1;
    if (segment.id !== 'OBX') continue;
    if (results.length >= RESULTS_LIMIT || textLeft <= 0) {
      omitted ??= segment;
      continue;
    }
    const values = valuesOf(segment, textLeft, content);
    textLeft -= values.textLength;
    if (values.shortened) omitted ??= segment;
    results.push(describeResult(segment, group, values));
  }
  if (omitted !== undefined) {
    const text = 'the results are too many for one event: the rest is only in the raw bytes';
    message.warn('RESULTS_OMITTED', text, { segment: omitted });
  }
  if (documents !== undefined) {
    documents.push(...content.taken);
    content.finish();
  }
  return results;
}

/** OBR segments as `payload.groups`: the order and its status. */
export function describeGroups(segments: readonly Segment[]): Record<string, unknown>[] {
  return segments
    .filter(({ id }) => id === 'OBR')
    .slice(0, GROUPS_LIMIT)
    .map((segment) =>
      compact({
        ...describeFields(segment, ORDER_NUMBERS),
        ...describeCoded(codedField(segment, 4)),
        ...describeFields(segment, REPORT),
        status_text: RESULT_STATUSES.get(segment.value(25).toUpperCase()),
      }),
    );
}

const ORDER_NUMBERS = fieldsOf('placer_number=2 filler_number=3');
const REPORT = fieldsOf('observed_at=7m reported_at=22m status=25');

/** OBR-25 (table 0123) in words. */
const RESULT_STATUSES = byCode({
  final: 'F',
  preliminary: 'P',
  corrected: 'C M',
  partial: 'A',
  unverified: 'R',
  cancelled: 'X',
  pending: 'I N',
  ordered: 'O',
  scheduled: 'S',
});

/** Sets fields one by one, without `compact`, because it runs for every OBX of a body. */
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

const CODED_TYPES: ReadonlySet<string> = new Set(['CE', 'CWE', 'CNE', 'CF']);

function valuesOf(segment: Segment, textLeft: number, content: ResultDocuments): Values {
  const type = segment.value(2).toUpperCase();
  const isDocument = type === 'ED' || type === 'RP';
  const limit = CODED_TYPES.has(type) || isDocument ? LINES_LIMIT : REPETITIONS_LIMIT;
  const repetitions = segment.repetitions(5, limit + 1);
  const shortened = repetitions.length > limit;
  if (shortened) repetitions.length = limit;
  if (isDocument) {
    const documents = repetitions.map((raw) =>
      type === 'ED' ? content.embedded(segment, raw) : content.pointer(segment, raw),
    );
    return { values: [], documents, textLength: 0, shortened };
  }
  if (CODED_TYPES.has(type)) {
    const coded = repetitions.map((raw) => codedOf(segment, raw));
    const textLength = coded.reduce((sum, { code, text }) => sum + code.length + text.length, 0);
    const values = coded.map(({ code, text }) => text || code);
    return { values, coded: coded.map(describeCoded), textLength, shortened };
  }
  const texts = repetitions.map((raw) => (type === 'SN' ? structuredNumeric(segment, raw) : segment.plain(raw)));
  const read = textsOf(texts.length > LINES_LIMIT ? [texts.join('\n')] : texts, textLeft);
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
    kept.push(value.length <= left ? value : cutText(value, left));
    left -= value.length;
  }
  return { values: kept, textLength: textLeft, shortened: true };
}

/** SN: comparator, number, separator or suffix, number: `>90`, `100-200`, `1:128`. */
function structuredNumeric(segment: Segment, raw: string): string {
  return [1, 2, 3, 4].map((component) => segment.valueOf(raw, component)).join('');
}

import type { LedgerEventView } from '../../../../shared/contracts/event-reads.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../../shared/json/strict-json.js';
import { diagnosesOf } from './coded-facts.js';
import { MEASURES, type Measure, plainWords } from './measures.js';
import { objectsOf } from './payload-values.js';
import { evidence, isVoid, type MemberRecord } from './record.js';
import { type FactValue, UNKNOWN } from './value.js';

/** Returns the latest value of a measure: from the event, else from the newest earlier event. */
export function observation(name: string, { event, others }: MemberRecord): FactValue {
  const measure = MEASURES.get(name);
  if (!measure) return UNKNOWN;
  const until = event.effective_at ?? '';
  const past = others.filter((one) => !isVoid(one) && (one.effective_at ?? '') <= until);
  for (const one of [event, ...past]) {
    const found = measuredIn(one, name, measure);
    if (found !== null) return found;
  }
  return name === 'bmi' ? bmiByDiagnosis([event, ...past]) : UNKNOWN;
}

/** Reads `payload.measures`, which uses our names and units, then `payload.results` and `observations` of the adapters. */
function measuredIn(event: LedgerEventView, name: string, measure: Measure): FactValue | null {
  const measures = event.payload['measures'];
  if (isJsonObject(measures)) {
    const found = numberIn(measures[name], '', measure, event, `/payload/measures/${name}`);
    if (found) return found;
  }
  for (const list of ['observations', 'results']) {
    for (const [i, result] of objectsOf(event.payload[list]).entries()) {
      if (!isMeasure(result, measure) || !hasUnit(result, measure)) continue;
      const { values } = result;
      const [value, place] = Array.isArray(values) ? [values[0], 'values/0'] : [result['value'], 'value'];
      const field = `/payload/${list}/${i}/${place}`;
      const found = numberIn(value, result['comparator'], measure, event, field);
      if (found) return found;
    }
  }
  return null;
}

const isMeasure = (result: JsonObject, { loinc, names }: Measure): boolean =>
  (typeof result['code'] === 'string' && loinc.includes(result['code'])) ||
  [result['name'], result['text'], result['code']].some(
    (text) => typeof text === 'string' && names.includes(plainWords(text)),
  );

const hasUnit = ({ unit }: JsonObject, { units }: Measure): boolean =>
  typeof unit === 'string' && units.includes(unit.trim().toLowerCase());

const NUMBER = /^([<>]=?)?\s*(-?\d{1,6}(?:\.\d{1,6})?)$/;

/** Returns null for a value outside the plausible range: a transcription error. */
function numberIn(
  value: JsonValue | undefined,
  comparator: JsonValue | undefined,
  { plausible }: Measure,
  event: LedgerEventView,
  field: string,
): FactValue | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  const [, sign, digits] = NUMBER.exec(String(value).trim()) ?? [];
  const number = Number(digits);
  if (digits === undefined || number < plausible[0] || number > plausible[1]) return null;
  const by = sign ?? (typeof comparator === 'string' ? comparator.trim() : '');
  return {
    kind: 'number',
    min: by.startsWith('<') ? Number.NEGATIVE_INFINITY : number,
    max: by.startsWith('>') ? Number.POSITIVE_INFINITY : number,
    evidence: [evidence(event, field, value)],
  };
}

/** ICD-10-CM Z68: body-mass index of adults. */
const BMI_BY_CODE: ReadonlyMap<string, readonly [low: number, high: number]> = new Map([
  ['Z68.1', [7, 19.9]],
  ...[2, 3].flatMap((tens) =>
    Array.from({ length: 10 }, (_, i) => [`Z68.${tens}${i}`, [tens * 10 + i, tens * 10 + i + 0.9]] as const),
  ),
  ['Z68.41', [40, 44.9]],
  ['Z68.42', [45, 49.9]],
  ['Z68.43', [50, 59.9]],
  ['Z68.44', [60, 69.9]],
  ['Z68.45', [70, 150]],
] as const);

function bmiByDiagnosis(events: readonly LedgerEventView[]): FactValue {
  for (const event of events) {
    for (const [code, found] of diagnosesOf(event)) {
      const bounds = BMI_BY_CODE.get(code);
      if (bounds) return { kind: 'number', min: bounds[0], max: bounds[1], evidence: [found] };
    }
  }
  return UNKNOWN;
}

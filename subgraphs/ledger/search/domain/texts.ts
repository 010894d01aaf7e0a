import { isJsonObject, type JsonObject, type JsonValue } from '../../../../shared/json/strict-json.js';

/** A text of an event's record, its place, and the weight of a match in it. */
interface EventText {
  /** RFC 6901, into the record. */
  readonly pointer: string;
  readonly text: string;
  readonly weight: number;
}

/** Identifying texts have the highest weight, then codes, then free text; all others have weight one. */
const WEIGHTS = { identity: 4, code: 3, prose: 2, other: 1 } as const;

const IDENTITY = [
  'event_id',
  'event_family',
  'event_type',
  'outcome',
  'member_id',
  'source_system',
  'source_record_id',
];
const CODE = /(?:^|_)(?:codes?|carc|rarc|npi|ndc|icd|cpt|hcpcs|drg)(?:_|$)/i;
const PROSE = /(?:rationale|reason|note|comment|description|explanation|justification|text)/i;
/** Hashes and byte ranges of the event's source, which nothing searches by words. */
const UNREAD: ReadonlySet<string> = new Set(['/payload/raw']);
/** Filters find times. */
const INSTANT = /^\d{4}-\d\d-\d\d[Tt ]\d\d:/;

/**
 * Returns the searchable texts of a record: its identity and every text and number of its payload.
 *
 * @param hidden pointers to values that are omitted with everything below them (redaction); an empty pointer omits all.
 */
export function searchTextsOf(record: JsonObject, hidden: readonly string[] = []): EventText[] {
  if (hidden.includes('')) return [];
  const closed = new Set([...UNREAD, ...hidden]);
  const texts: EventText[] = [];
  for (const name of IDENTITY) {
    const value = record[name];
    if (typeof value === 'string' && !closed.has(`/${name}`)) {
      texts.push({ pointer: `/${name}`, text: value, weight: WEIGHTS.identity });
    }
  }
  const payload = record['payload'];
  if (payload !== undefined) walk(payload, '/payload', WEIGHTS.other, closed, texts);
  return texts;
}

function walk(
  value: JsonValue,
  pointer: string,
  weight: number,
  closed: ReadonlySet<string>,
  texts: EventText[],
): void {
  if (closed.has(pointer)) return;
  if (typeof value === 'string') {
    if (value !== '' && !INSTANT.test(value)) texts.push({ pointer, text: value, weight });
  } else if (typeof value === 'number') {
    texts.push({ pointer, text: String(value), weight });
  } else if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) walk(item, `${pointer}/${i}`, weight, closed, texts);
  } else if (isJsonObject(value)) {
    for (const [key, member] of Object.entries(value)) {
      walk(member, `${pointer}/${pointerToken(key)}`, weightOf(key), closed, texts);
    }
  }
}

const weightOf = (key: string): number =>
  CODE.test(key) ? WEIGHTS.code : PROSE.test(key) ? WEIGHTS.prose : WEIGHTS.other;

/** RFC 6901 section 3. */
const pointerToken = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');

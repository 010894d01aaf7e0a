import type { LedgerRow } from './ledger-row.js';

// The strict form of a ledger row. Nothing a row holds may stop a verification or reach a reader in another type.

type Test = (value: unknown) => boolean;

const isText: Test = (value) => typeof value === 'string';
const isTime: Test = (value) => value instanceof Date && !Number.isNaN(value.getTime());
const isBytes: Test = (value) => Buffer.isBuffer(value);
const isTexts: Test = (value) => Array.isArray(value) && value.every(isText);
const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const optional =
  (test: Test): Test =>
  (value) =>
    value === undefined || test(value);

const isId: Test = (value) =>
  isObject(value) &&
  Object.keys(value).length === 3 &&
  isText(value['tenant_id']) &&
  isText(value['source_system']) &&
  Number.isSafeInteger(value['seq']) &&
  Number(value['seq']) > 0;

const QUERY: readonly (readonly [string, Test])[] = [
  ['effective_at', isTime],
  ['event_family', isText],
  ['event_type', isText],
  ['outcome', optional(isText)],
  ['member_id', optional(isText)],
  ['matter_id', optional(isText)],
  ['incident_id', optional(isText)],
  ['custody_keys', optional(isTexts)],
];

const isQuery: Test = (value) => isObject(value) && QUERY.every(([name, test]) => test(value[name]));

const HEADER: readonly (readonly [keyof LedgerRow, Test])[] = [
  ['_id', isId],
  ['tenant_id', isText],
  ['source_system', isText],
  ['event_id', isText],
  ['recorded_at', isTime],
  ['commit', isText],
  ['fields', isText],
  ['member_tag', (value) => value === null || isText(value)],
  ['prev_hash', isText],
  ['entry_hash', isText],
];

const REST: readonly (readonly [keyof LedgerRow, Test])[] = [
  ['record', optional(isBytes)],
  ['seed', optional(isBytes)],
  ['worm_sha256', optional(isText)],
  ['fact_key', optional(isText)],
  ['duplicate_key', optional(isText)],
  ['query', optional(isQuery)],
  ['conflicts_with', optional(isTexts)],
  ['from_raw', optional((value) => value === true)],
  ['disposal_id', optional(isText)],
  ['disposed_of', optional(isTexts)],
  ['map_logs', optional(isTexts)],
];

type Header = Pick<
  LedgerRow,
  | '_id'
  | 'tenant_id'
  | 'source_system'
  | 'event_id'
  | 'recorded_at'
  | 'commit'
  | 'fields'
  | 'member_tag'
  | 'prev_hash'
  | 'entry_hash'
>;

/** Returns the first field of a header that is missing or of a wrong type; null for a sound form. */
export const malformedHeader = (row: Header): string | null => firstMalformed(row, HEADER);

/** Returns the first field of a row that is missing or of a wrong type; null for a sound form. Only member_tag may be null. */
export const malformedField = (row: LedgerRow): string | null => malformedHeader(row) ?? firstMalformed(row, REST);

function firstMalformed(row: Partial<LedgerRow>, tests: readonly (readonly [keyof LedgerRow, Test])[]): string | null {
  for (const [name, test] of tests) if (!test(row[name])) return name;
  return null;
}

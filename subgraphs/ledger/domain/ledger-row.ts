import { CUSTODY_PARTITION } from '../../../shared/ids/tenant.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../shared/json/strict-json.js';
import { instantOf } from '../../../shared/time/rfc3339.js';
import { custodyKeysOf } from './custody-keys.js';

/** What queries need of a record, apart from the record itself; taken away when it is disposed of. */
export interface QueryFields {
  readonly effective_at: Date;
  /** Lower case: readers compare family, type and outcome without regard to case. */
  readonly event_family: string;
  readonly event_type: string;
  readonly outcome?: string;
  readonly member_id?: string;
  /** `payload.matter_id` and `payload.incident_id`, where they are texts: what bundles gather by. */
  readonly matter_id?: string;
  readonly incident_id?: string;
  /** In the partition `_custody` alone: see custody-keys.ts. */
  readonly custody_keys?: readonly string[];
}

/** What the append knew of an event beside its content; outside every hash. */
export interface RowMarks {
  /** Ids of events that state the same fact otherwise: the exception is derived from it again when a crash lost it. */
  readonly conflicts_with?: readonly string[];
  /** Read out of a raw message: `payload.raw` is this service's own word, and not a caller's. */
  readonly from_raw?: true;
}

/**
 * One document = one append (evidence.md section 3): header, record, seed, what queries need and the keys that stop
 * duplicates. Only disposal changes a row: it takes everything optional away, and the header stays.
 */
export interface LedgerRow extends RowMarks {
  readonly _id: { readonly tenant_id: string; readonly source_system: string; readonly seq: number };
  /** The shard key stands at the top level as well. */
  readonly tenant_id: string;
  readonly source_system: string;
  readonly event_id: string;
  readonly recorded_at: Date;
  readonly commit: string;
  readonly fields: string;
  readonly prev_hash: string;
  readonly entry_hash: string;
  readonly record?: Buffer;
  readonly seed?: Buffer;
  readonly worm_sha256?: string;
  readonly fact_key?: string;
  readonly duplicate_key?: string;
  readonly query?: QueryFields;
  /** Of a row whose content is gone: the `_system` entry that accounts for it, by its source_record_id. */
  readonly disposal_id?: string;
  /** Beside it: what the bundles that would have listed it find it by; see disposal-ties.ts. */
  readonly disposed_of?: readonly string[];
}

/** The query fields of an envelope whose time is known to be good. */
export function queryFieldsOf(envelope: JsonObject): QueryFields {
  const text = (name: string): string => String(envelope[name]);
  const { payload } = envelope;
  const { matter_id, incident_id } = isJsonObject(payload) ? payload : {};
  return {
    effective_at: new Date(instantOf(text('event_effective_timestamp')) ?? Number.NaN),
    event_family: text('event_family').toLowerCase(),
    event_type: text('event_type').toLowerCase(),
    ...(envelope['outcome'] === undefined ? {} : { outcome: text('outcome').toLowerCase() }),
    ...(envelope['member_id'] === undefined ? {} : { member_id: text('member_id') }),
    ...(isName(matter_id) ? { matter_id } : {}),
    ...(isName(incident_id) ? { incident_id } : {}),
    ...(envelope['source_system'] === CUSTODY_PARTITION ? { custody_keys: custodyKeysOf(envelope) } : {}),
  };
}

/** Longer ones could not stand in an index, and name no matter or incident. */
const MAX_NAME_LENGTH = 256;
const isName = (value: JsonValue | undefined): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= MAX_NAME_LENGTH;

export const sameQueryFields = (a: QueryFields, b: QueryFields): boolean =>
  a.effective_at.getTime() === b.effective_at.getTime() &&
  a.event_family === b.event_family &&
  a.event_type === b.event_type &&
  a.outcome === b.outcome &&
  a.member_id === b.member_id &&
  a.matter_id === b.matter_id &&
  a.incident_id === b.incident_id &&
  sameKeys(a.custody_keys, b.custody_keys);

const sameKeys = (a: readonly string[] | undefined, b: readonly string[] | undefined): boolean =>
  a === b || (a?.length === b?.length && (a ?? []).every((key, i) => key === b?.[i]));

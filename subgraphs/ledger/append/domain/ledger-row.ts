import { factPayloadOf } from '../../../../shared/facts/fact.js';
import { CUSTODY_PARTITION } from '../../../../shared/ids/tenant.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../../shared/json/strict-json.js';
import { instantOf } from '../../../../shared/time/rfc3339.js';
import { custodyKeysOf } from './custody-keys.js';

/** Members of a record that queries need; disposal removes them. */
export interface QueryFields {
  readonly effective_at: Date;
  /** Lower case: reads compare family, type and outcome without regard to case. */
  readonly event_family: string;
  readonly event_type: string;
  readonly outcome?: string;
  readonly member_id?: string;
  /** `payload.matter_id` and `payload.incident_id` if they are strings; bundles select events by them. */
  readonly matter_id?: string;
  readonly incident_id?: string;
  /** Only in the partition `_custody`; see custody-keys.ts. */
  readonly custody_keys?: readonly string[];
  /** Only of facts: names of the records that the subject refers to. */
  readonly fact_refs?: readonly string[];
}

/** What the append knew of an event apart from its content; no hash covers it. */
export interface RowMarks {
  /**
   * Ids of events that state the same fact differently. If a crash lost the exception, it is derived again from them.
   */
  readonly conflicts_with?: readonly string[];
  /** The service read the event from a raw message, so `payload.raw` is its own word and not a caller's. */
  readonly from_raw?: true;
}

/**
 * One document per append (evidence.md section 3): header, record, seed, query fields and duplicate keys. Only disposal
 * changes a row: it removes everything optional and leaves the header.
 */
export interface LedgerRow extends RowMarks {
  readonly _id: { readonly tenant_id: string; readonly source_system: string; readonly seq: number };
  /** The shard key is also stored at the top level. */
  readonly tenant_id: string;
  readonly source_system: string;
  readonly event_id: string;
  readonly recorded_at: Date;
  readonly commit: string;
  readonly fields: string;
  /** Keyed hash of the member; part of the header, so that it survives disposal. */
  readonly member_tag: string | null;
  readonly prev_hash: string;
  readonly entry_hash: string;
  readonly record?: Buffer;
  readonly seed?: Buffer;
  readonly worm_sha256?: string;
  readonly fact_key?: string;
  readonly duplicate_key?: string;
  readonly query?: QueryFields;
  /** `source_record_id` of the `_system` entry that accounts for a disposed row. */
  readonly disposal_id?: string;
  /** Keyed hashes by which bundles still find a disposed row; see disposal/domain.ts. */
  readonly disposed_of?: readonly string[];
  /** Keys of the state map, in hex, of the matter and incident logs of a disposed row; folding proves them. */
  readonly map_logs?: readonly string[];
}

/** Returns the query fields of an envelope with a valid time. */
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
    ...factRefsOf(envelope),
  };
}

function factRefsOf(envelope: JsonObject): Pick<QueryFields, 'fact_refs'> {
  const { payload } = envelope;
  if (!isJsonObject(payload) || payload['refs'] === undefined) return {};
  const refs = factPayloadOf(envelope)?.refs ?? [];
  return refs.length === 0 ? {} : { fact_refs: refs };
}

/** Longer values would not fit into an index entry and name no matter or incident. */
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
  sameKeys(a.custody_keys, b.custody_keys) &&
  sameKeys(a.fact_refs, b.fact_refs);

const sameKeys = (a: readonly string[] | undefined, b: readonly string[] | undefined): boolean =>
  a === b || (a?.length === b?.length && (a ?? []).every((key, i) => key === b?.[i]));

import type { JsonObject } from '../../../shared/json/strict-json.js';
import { instantOf } from '../../../shared/time/rfc3339.js';

/** What queries need of a record, apart from the record itself; taken away when it is disposed of. */
export interface QueryFields {
  readonly effective_at: Date;
  /** Lower case: readers compare family, type and outcome without regard to case. */
  readonly event_family: string;
  readonly event_type: string;
  readonly outcome?: string;
  readonly member_id?: string;
}

/**
 * One document = one append (evidence.md section 3): header, record, seed, what queries need and the keys that stop
 * duplicates. Only disposal changes a row: it takes everything optional away, and the header stays.
 */
export interface LedgerRow {
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
}

/** The query fields of an envelope whose time is known to be good. */
export function queryFieldsOf(envelope: JsonObject): QueryFields {
  const text = (name: string): string => String(envelope[name]);
  return {
    effective_at: new Date(instantOf(text('event_effective_timestamp')) ?? Number.NaN),
    event_family: text('event_family').toLowerCase(),
    event_type: text('event_type').toLowerCase(),
    ...(envelope['outcome'] === undefined ? {} : { outcome: text('outcome').toLowerCase() }),
    ...(envelope['member_id'] === undefined ? {} : { member_id: text('member_id') }),
  };
}

export const sameQueryFields = (a: QueryFields, b: QueryFields): boolean =>
  a.effective_at.getTime() === b.effective_at.getTime() &&
  a.event_family === b.event_family &&
  a.event_type === b.event_type &&
  a.outcome === b.outcome &&
  a.member_id === b.member_id;

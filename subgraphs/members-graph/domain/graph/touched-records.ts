import { isJsonObject, type JsonObject, type JsonValue } from '../../../../shared/json/strict-json.js';
import type { RecordNodeKind } from './node-id.js';

// The service's own partitions say which record changed (design.md decision 5: the ledger is its own outbox); what the record
// is now is read from whoever keeps it. So it does not matter how often or how late a change is told.

/** Partitions of our own that tell of records: `_platform` and `ai-provenance` tell of none that is in the graph. */
export const TELLING_PARTITIONS = ['_records', '_system', '_custody'] as const;

export interface TouchedRecord {
  readonly kind: RecordNodeKind;
  readonly id: string;
  /** Of an event, where the entry says where it stands: one that is disposed of is found by nothing else. */
  readonly place?: { readonly source_system: string; readonly seq: number };
}

const BY_MEMBER: Readonly<Record<string, RecordNodeKind>> = {
  document_id: 'document',
  bundle_id: 'bundle',
  matter_id: 'matter',
  hold_id: 'hold',
  rule_id: 'rule',
};

const BY_SUBJECT: Readonly<Record<string, RecordNodeKind>> = {
  EVENT: 'event',
  DOCUMENT: 'document',
  BUNDLE: 'bundle',
  HOLD: 'hold',
};

/** Acts of custody that change what a record names or whether it may be read. Who read what changes nothing. */
const CHANGING_ACTS: ReadonlySet<string> = new Set([
  'UPLOAD',
  'RELEASE',
  'REJECT',
  'REDACT',
  'HOLD',
  'UNHOLD',
  'DISPOSE',
]);

/** Records that an entry of these partitions tells of. */
export function touchedBy(record: JsonObject): TouchedRecord[] {
  const { source_system, event_type } = record;
  const payload = isJsonObject(record['payload']) ? record['payload'] : {};
  if (source_system === '_custody') {
    if (typeof event_type !== 'string' || !CHANGING_ACTS.has(event_type)) return [];
    return [...subjectOf(payload['subject']), ...listOf(payload['subjects']).flatMap(subjectOf)];
  }
  const named = Object.entries(BY_MEMBER).flatMap(([member, kind]) => idOf(kind, payload[member]));
  const disposed = listOf(payload['events']).flatMap(placedEvent);
  const about = { kind: payload['subject_kind'] ?? null, id: payload['subject_id'] ?? null };
  return [...named, ...disposed, ...subjectOf(payload['subject']), ...subjectOf(about)];
}

const listOf = (value: JsonValue | undefined): readonly JsonValue[] => (Array.isArray(value) ? value : []);

function idOf(kind: RecordNodeKind, value: JsonValue | undefined): TouchedRecord[] {
  return typeof value === 'string' && value !== '' ? [{ kind, id: value }] : [];
}

/** As a disposal names it: DisposedPlace. */
function placedEvent(value: JsonValue): TouchedRecord[] {
  if (!isJsonObject(value)) return [];
  const { event_id: id, source_system, sequence: seq } = value;
  if (typeof id !== 'string' || typeof source_system !== 'string' || typeof seq !== 'number') return [];
  return [{ kind: 'event', id, place: { source_system, seq } }];
}

function subjectOf(value: JsonValue | undefined): TouchedRecord[] {
  if (!isJsonObject(value) || typeof value['kind'] !== 'string') return [];
  const kind = Object.hasOwn(BY_SUBJECT, value['kind']) ? BY_SUBJECT[value['kind']] : undefined;
  return kind === undefined ? [] : idOf(kind, value['id']);
}

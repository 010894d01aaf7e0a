import { isJsonObject, type JsonObject, type JsonValue } from '../../../../shared/json/strict-json.js';
import type { RecordNodeKind } from './node-id.js';

// Entries of the reserved partitions name the records that changed (design.md decision 5: the ledger is its own outbox). The
// projection reads the current record from its owner, so that repeated or late entries do no harm.

/** Reserved partitions that name records of the graph; `_platform` and `ai-provenance` name none. */
export const CHANGE_PARTITIONS: ReadonlySet<string> = new Set(['_records', '_system', '_custody']);

export interface TouchedRecord {
  readonly kind: RecordNodeKind;
  readonly id: string;
  /** Position of an event, if the entry has it: a disposed event cannot be found otherwise. */
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

/** Custody actions that change a record; reads do not. */
const CHANGING_ACTS: ReadonlySet<string> = new Set([
  'UPLOAD',
  'RELEASE',
  'REJECT',
  'REDACT',
  'HOLD',
  'UNHOLD',
  'DISPOSE',
]);

/** Returns the records that an entry of a reserved partition names. */
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

/** Reads a DisposedPlace. */
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

import type { JsonObject, JsonValue } from '../../json/strict-json.js';
import { documentPath, EVENTS_PATH } from '../bundle/entries.js';
import type { ManifestDocument, ManifestEvent } from '../bundle/manifest.js';

/** A record of a production, whatever the format; null is what a record has not, or does not show. */
export interface ExportRecord {
  readonly control_number: string;
  readonly record_kind: 'EVENT' | 'DOCUMENT';
  readonly record_id: string;
  readonly state: string;
  readonly media_type: string;
  /** Of the shipped line without its LF, or of the document's entry. */
  readonly sha256: string | null;
  readonly size_bytes: number | null;
  /** Entry of the archive; null for content that is not in it. */
  readonly native_path: string | null;
  /** Of events.jsonl, from 1. */
  readonly line: number | null;
  readonly source_system: string | null;
  readonly source_record_id: string | null;
  readonly event_family: string | null;
  readonly event_type: string | null;
  readonly outcome: string | null;
  readonly member_id: string | null;
  readonly effective_at: string | null;
  readonly received_at: string | null;
  readonly ledger_seq: number | null;
  readonly tree_index: number | null;
  readonly entry_hash: string | null;
  /** Events that a document belongs to, by identifier and by control number. */
  readonly referenced_by: readonly string[];
  readonly parents: readonly string[];
}

interface ShippedLine {
  /** The line of events.jsonl: R, a redacted line or a disposed one. */
  readonly shown: JsonObject;
  readonly line: number;
  readonly sizeBytes: number;
}

export function eventRecord(number: string, event: ManifestEvent, shipped: ShippedLine): ExportRecord {
  const field = fieldsOf(shipped.shown);
  return {
    control_number: number,
    record_kind: 'EVENT',
    record_id: event.event_id,
    state: event.state,
    media_type: 'application/json',
    sha256: event.sha256,
    size_bytes: shipped.sizeBytes,
    native_path: EVENTS_PATH,
    line: shipped.line,
    source_system: event.source_system,
    source_record_id: field('source_record_id'),
    event_family: field('event_family'),
    event_type: field('event_type'),
    outcome: field('outcome'),
    member_id: field('member_id'),
    effective_at: field('event_effective_timestamp'),
    received_at: field('received_at'),
    ledger_seq: event.seq,
    tree_index: event.tree_index,
    entry_hash: event.entry_hash,
    referenced_by: [],
    parents: [],
  };
}

export const documentRecord = (
  number: string,
  document: ManifestDocument,
  parents: readonly string[],
): ExportRecord => ({
  control_number: number,
  record_kind: 'DOCUMENT',
  record_id: document.document_id,
  state: document.state,
  media_type: document.media_type,
  sha256: document.sha256,
  size_bytes: document.size,
  native_path: entryOf(document),
  line: null,
  source_system: null,
  source_record_id: null,
  event_family: null,
  event_type: null,
  outcome: null,
  member_id: null,
  effective_at: null,
  received_at: null,
  ledger_seq: null,
  tree_index: null,
  entry_hash: null,
  referenced_by: document.referenced_by,
  parents,
});

/** Content in quarantine or disposed of is listed and has no entry (evidence.md section 5). */
const entryOf = ({ sha256, state }: ManifestDocument): string | null =>
  sha256 !== null && (state === 'INCLUDED' || state === 'REDACTED') ? documentPath(sha256) : null;

/** Top-level members of a record as its line shows them; of a redacted one those that are disclosed. */
function fieldsOf(shown: JsonObject): (name: string) => string | null {
  const { disclosed } = shown;
  if (shown['state'] !== 'REDACTED' || !Array.isArray(disclosed)) return (name) => textOf(shown[name]);
  const values = new Map(disclosed.flatMap((leaf) => (Array.isArray(leaf) ? [[leaf[1], leaf[2]] as const] : [])));
  return (name) => textOf(values.get(`/${name}`));
}

const textOf = (value: JsonValue | undefined): string | null => (typeof value === 'string' ? value : null);

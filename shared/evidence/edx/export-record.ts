import type { JsonObject, JsonValue } from '../../json/strict-json.js';
import { documentPath, EVENTS_PATH } from '../bundle/entries.js';
import type { ManifestDocument, ManifestEvent } from '../bundle/manifest.js';
import type { Parent } from './families.js';
import { extensionOf } from './file-names.js';

/** A record of a production, whatever the format; null is what a record has not, or does not show. */
export interface ExportRecord {
  readonly control_number: string;
  readonly record_kind: 'EVENT' | 'DOCUMENT';
  readonly record_id: string;
  readonly state: string;
  readonly media_type: string;
  /** Original name of the file; of an event its identifier. */
  readonly file_name: string | null;
  readonly file_extension: string | null;
  /** Of the shipped line without its LF, or of the document's entry. */
  readonly sha256: string | null;
  readonly size_bytes: number | null;
  /** Entry of the archive, or file of the production; null for content that is not in it. */
  readonly native_path: string | null;
  /** Of events.jsonl, from 1; null where the native is a file. */
  readonly line: number | null;
  /** File of the extracted text; only a production has one. */
  readonly text_path: string | null;
  /** EXTRACTED, or why there is no text. */
  readonly text_status: string | null;
  /** The custodian. */
  readonly source_system: string | null;
  readonly source_record_id: string | null;
  readonly event_family: string | null;
  readonly event_type: string | null;
  readonly outcome: string | null;
  readonly member_ids: readonly string[];
  readonly effective_at: string | null;
  readonly received_at: string | null;
  readonly ledger_seq: number | null;
  readonly tree_index: number | null;
  readonly entry_hash: string | null;
  /** Events that a document belongs to, by identifier and by control number. */
  readonly referenced_by: readonly string[];
  readonly parents: readonly string[];
  /** Control number of the first record of the family: its own for a record without relatives. */
  readonly group: string;
}

/** A record with the line of events.jsonl that shows it; a document has none. */
export interface ShippedRecord {
  readonly record: ExportRecord;
  /** Valid until the next record is read. */
  readonly line: Buffer | null;
}

interface ShippedLine {
  /** The line of events.jsonl: R, a redacted line or a disposed one. */
  readonly shown: JsonObject;
  readonly line: number;
  readonly sizeBytes: number;
}

/** Numbers of a record and of its relatives. */
interface Numbers {
  readonly control_number: string;
  readonly group: string;
}

export function eventRecord(numbers: Numbers, event: ManifestEvent, shipped: ShippedLine): ExportRecord {
  const field = fieldsOf(shipped.shown);
  const memberId = field('member_id');
  return {
    ...numbers,
    record_kind: 'EVENT',
    record_id: event.event_id,
    state: event.state,
    media_type: 'application/json',
    file_name: `${event.event_id}.json`,
    file_extension: 'json',
    sha256: event.sha256,
    size_bytes: shipped.sizeBytes,
    native_path: EVENTS_PATH,
    line: shipped.line,
    text_path: null,
    text_status: null,
    source_system: event.source_system,
    source_record_id: field('source_record_id'),
    event_family: field('event_family'),
    event_type: field('event_type'),
    outcome: field('outcome'),
    member_ids: memberId === null ? [] : [memberId],
    effective_at: field('event_effective_timestamp'),
    received_at: field('received_at'),
    ledger_seq: event.seq,
    tree_index: event.tree_index,
    entry_hash: event.entry_hash,
    referenced_by: [],
    parents: [],
  };
}

/** @param parents its events in the bundle; the first one's custodian is that of a document without its own */
export function documentRecord(
  numbers: Numbers & { readonly parents: readonly string[] },
  document: ManifestDocument,
  parents: readonly Parent[],
): ExportRecord {
  const { filename = null, media_type } = document;
  return {
    ...numbers,
    record_kind: 'DOCUMENT',
    record_id: document.document_id,
    state: document.state,
    media_type,
    file_name: filename,
    file_extension: extensionOf(filename, media_type),
    sha256: document.sha256,
    size_bytes: document.size,
    native_path: entryOf(document),
    line: null,
    text_path: null,
    text_status: null,
    source_system: document.source_system ?? parents[0]?.sourceSystem ?? null,
    source_record_id: null,
    event_family: null,
    event_type: null,
    outcome: null,
    member_ids: document.member_ids ?? [],
    effective_at: document.effective_at ?? null,
    received_at: document.created_at ?? null,
    ledger_seq: null,
    tree_index: null,
    entry_hash: null,
    referenced_by: document.referenced_by,
  };
}

/** Content in quarantine or disposed of is listed and has no entry (evidence.md section 5). */
const entryOf = ({ sha256, state }: ManifestDocument): string | null =>
  sha256 !== null && (state === 'INCLUDED' || state === 'REDACTED') ? documentPath(sha256) : null;

/** Top-level members of a record as its line shows them; of a redacted one those that are disclosed. */
function fieldsOf(shown: JsonObject): (name: string) => string | null {
  const disclosed = disclosedOf(shown);
  if (disclosed === null) return (name) => textOf(shown[name]);
  const values = new Map(disclosed);
  return (name) => textOf(values.get(`/${name}`));
}

/** Pointers and values that a redacted line discloses; null for any other line. */
export function disclosedOf(shown: JsonObject): readonly (readonly [pointer: string, value: JsonValue])[] | null {
  const { disclosed, state } = shown;
  if (state !== 'REDACTED' || !Array.isArray(disclosed)) return null;
  return disclosed.flatMap((leaf) => {
    if (!Array.isArray(leaf)) return [];
    const [, pointer, value] = leaf;
    return typeof pointer === 'string' && value !== undefined ? [[pointer, value] as const] : [];
  });
}

const textOf = (value: JsonValue | undefined): string | null => (typeof value === 'string' ? value : null);

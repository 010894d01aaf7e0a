import { instantOf } from '../../time/rfc3339.js';
import type { ExportRecord } from './export-record.js';

// Columns of load files, the same in DAT and CSV. Names are those that review platforms map by themselves (BEGDOC, ENDDOC,
// CUSTODIAN …). New columns are appended: saved mappings of receivers go by place.

const LIST_SEPARATOR = ';';

type Cell = (record: ExportRecord) => string | number | null;

export const LOAD_FILE_COLUMNS: readonly (readonly [name: string, cell: Cell])[] = [
  ['BEGDOC', (record) => record.control_number],
  ['ENDDOC', (record) => record.control_number],
  ['PARENT_DOC', (record) => record.parents.join(LIST_SEPARATOR)],
  ['RECORD_KIND', (record) => record.record_kind],
  ['RECORD_ID', (record) => record.record_id],
  ['STATE', (record) => record.state],
  ['CUSTODIAN', (record) => record.source_system],
  ['SOURCE_RECORD_ID', (record) => record.source_record_id],
  ['EVENT_FAMILY', (record) => record.event_family],
  ['EVENT_TYPE', (record) => record.event_type],
  ['OUTCOME', (record) => record.outcome],
  ['MEMBER_ID', (record) => record.member_ids.join(LIST_SEPARATOR)],
  ['DATE_EFFECTIVE', (record) => record.effective_at],
  ['DATE_RECEIVED', (record) => record.received_at],
  ['MIME_TYPE', (record) => record.media_type],
  ['FILE_SIZE', (record) => record.size_bytes],
  ['SHA256', (record) => record.sha256],
  ['NATIVE_PATH', (record) => record.native_path],
  ['NATIVE_LINE', (record) => record.line],
  ['LEDGER_SEQ', (record) => record.ledger_seq],
  ['TREE_INDEX', (record) => record.tree_index],
  ['ENTRY_HASH', (record) => record.entry_hash],
  ['REFERENCED_BY', (record) => record.referenced_by.join(LIST_SEPARATOR)],
  ['FILE_NAME', (record) => record.file_name],
  ['FILE_EXT', (record) => record.file_extension],
  ['DOC_DATE', (record) => utcDate(record)],
  ['DOC_TIME', (record) => utcTime(record)],
  ['GROUP_ID', (record) => record.group],
  ['TEXT_PATH', (record) => record.text_path],
  ['TEXT_STATUS', (record) => record.text_status],
];

/** When it happened, or else when it arrived, in UTC: platforms read no RFC 3339 with a zone as a date. */
function isoOf({ effective_at, received_at }: ExportRecord): string | null {
  const at = effective_at ?? received_at;
  const instant = at === null ? undefined : instantOf(at);
  return instant === undefined ? null : new Date(instant).toISOString();
}

/** `MM/DD/YYYY`. */
function utcDate(record: ExportRecord): string | null {
  const [year, month, day] = isoOf(record)?.slice(0, 10).split('-') ?? [];
  return year === undefined ? null : `${month}/${day}/${year}`;
}

const utcTime = (record: ExportRecord): string | null => isoOf(record)?.slice(11, 19) ?? null;

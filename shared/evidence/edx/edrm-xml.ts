import type { ExportRecord } from './export-record.js';
import type { ExportSource } from './export-source.js';

// EDRM XML 1.2 (Electronic Discovery Reference Model, "XML Schema 1.2"): Root, Batch, Documents with their tags, files and
// locations, and then the relationships between documents. Tags whose name begins with # are the model's own.

/** Characters that XML 1.0 section 2.2 does not know, lone surrogates among them. */
const ILLEGAL = /[\p{Cs}\ufffe\uffff]|(?![\t\n\r\u007f-\u009f])\p{Cc}/gu;
const MARKS: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
};

/** Text of an attribute or element; what XML cannot hold becomes U+FFFD. */
export const xmlText = (text: string): string =>
  text.replace(ILLEGAL, '\ufffd').replace(/[&<>"\t\n\r]/g, (mark) => MARKS[mark] ?? mark);

type TagDataType = 'Text' | 'DateTime' | 'LongInteger';

export const HASH_TYPE = 'SHA-256';

const TAGS: readonly (readonly [
  name: string,
  type: TagDataType,
  value: (record: ExportRecord) => string | number | null,
])[] = [
  ['#FileName', 'Text', (record) => record.native_path],
  ['#FileSize', 'LongInteger', (record) => record.size_bytes],
  ['#DateCreated', 'DateTime', (record) => record.effective_at],
  ['#DateReceived', 'DateTime', (record) => record.received_at],
  ['EAS.RecordKind', 'Text', (record) => record.record_kind],
  ['EAS.RecordId', 'Text', (record) => record.record_id],
  ['EAS.State', 'Text', (record) => record.state],
  ['EAS.SourceRecordId', 'Text', (record) => record.source_record_id],
  ['EAS.EventFamily', 'Text', (record) => record.event_family],
  ['EAS.EventType', 'Text', (record) => record.event_type],
  ['EAS.Outcome', 'Text', (record) => record.outcome],
  ['EAS.MemberId', 'Text', (record) => record.member_id],
  ['EAS.Sha256', 'Text', (record) => record.sha256],
  ['EAS.Line', 'LongInteger', (record) => record.line],
  ['EAS.LedgerSeq', 'LongInteger', (record) => record.ledger_seq],
  ['EAS.TreeIndex', 'LongInteger', (record) => record.tree_index],
  ['EAS.EntryHash', 'Text', (record) => record.entry_hash],
];

/** The load file, a record a chunk. Relationships stand after all documents, so the records are read twice. */
export async function* edrmXml(source: ExportSource): AsyncGenerator<string> {
  const { bundle_id, sealed_at } = source.head;
  const description = `Evidence bundle ${bundle_id}, sealed ${sealed_at}`;
  yield '<?xml version="1.0" encoding="UTF-8"?>\n';
  yield `<Root DataInterchangeType="Update" Description="${xmlText(description)}" Locale="US" MajorVersion="1" MinorVersion="2">\n`;
  yield `  <Batch name="${xmlText(bundle_id)}">\n    <Documents>\n`;
  for await (const record of source.records()) yield documentXml(record);
  yield '    </Documents>\n    <Relationships>\n';
  if (source.head.counts.documents > 0) {
    for await (const { control_number, parents } of source.records()) {
      for (const parent of parents) yield relationshipXml(parent, control_number);
    }
  }
  yield '    </Relationships>\n  </Batch>\n</Root>\n';
}

export interface EdrmTag {
  readonly name: string;
  readonly type: TagDataType;
  readonly value: string;
}

/** The tags of a record; what it has not, or does not show, has none. */
export const edrmTags = (record: ExportRecord): readonly EdrmTag[] =>
  TAGS.flatMap(([name, type, cellOf]) => {
    const value = cellOf(record);
    return value === null || value === '' ? [] : [{ name, type, value: String(value) }];
  });

/** Path and name of an entry of the archive, apart. */
export function pathAndName(path: string): readonly [path: string, name: string] {
  const slash = path.lastIndexOf('/');
  return [path.slice(0, Math.max(slash, 0)), path.slice(slash + 1)];
}

function documentXml(record: ExportRecord): string {
  const tags = edrmTags(record).map(
    ({ name, type, value }) =>
      `          <Tag TagName="${name}" TagDataType="${type}" TagValue="${xmlText(value)}"/>\n`,
  );
  const attributes = `DocID="${xmlText(record.control_number)}" DocType="File" MimeType="${xmlText(record.media_type)}"`;
  return `      <Document ${attributes}>\n        <Tags>\n${tags.join('')}        </Tags>\n${filesXml(record)}${locationXml(record)}      </Document>\n`;
}

/** A document is a file; an event is a line of one, so its own hash and size stand in its tags. */
function filesXml({ record_kind, native_path, size_bytes, sha256 }: ExportRecord): string {
  if (native_path === null) return '        <Files/>\n';
  const [path, name] = pathAndName(native_path);
  const hashed = ` FileSize="${size_bytes ?? 0}" Hash="${sha256 ?? ''}" HashType="${HASH_TYPE}"`;
  const facts = record_kind === 'DOCUMENT' ? hashed : '';
  const file = `<ExternalFile FilePath="${xmlText(path)}" FileName="${xmlText(name)}"${facts}/>`;
  return `        <Files>\n          <File FileType="Native">${file}</File>\n        </Files>\n`;
}

const locationXml = ({ source_system, source_record_id }: ExportRecord): string =>
  source_system === null
    ? ''
    : `        <Locations>\n          <Location><Custodian>${xmlText(source_system)}</Custodian><LocationURI>${xmlText(source_record_id ?? '')}</LocationURI></Location>\n        </Locations>\n`;

const relationshipXml = (parent: string, child: string): string =>
  `      <Relationship Type="Attachment" ParentDocId="${xmlText(parent)}" ChildDocId="${xmlText(child)}"/>\n`;

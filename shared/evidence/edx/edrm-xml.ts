import type { ExportRecord } from './export-record.js';
import type { ExportSource } from './export-source.js';

// EDRM XML 1.2 (Electronic Discovery Reference Model, "EDRM XML Interchange Format Schema Documentation", 31-Oct-2010).
// Elements have that page's order: of a Batch its Documents and Relationships, of a Document its Files, Locations and Tags, of a
// Location its LocationURI and Custodian. Tags with a # before the name are the model's own.

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
const xmlText = (text: string): string =>
  text.replace(ILLEGAL, '\ufffd').replace(/[&<>"\t\n\r]/g, (mark) => MARKS[mark] ?? mark);

type TagDataType = 'Text' | 'DateTime' | 'LongInteger';

export const HASH_TYPE = 'SHA-256';

const TAGS: readonly (readonly [
  name: string,
  type: TagDataType,
  value: (record: ExportRecord) => string | number | null,
])[] = [
  ['#FileName', 'Text', (record) => record.file_name],
  ['#FileExtension', 'Text', (record) => record.file_extension],
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
  ['EAS.MemberId', 'Text', (record) => record.member_ids.join(LIST_SEPARATOR)],
  ['EAS.Sha256', 'Text', (record) => record.sha256],
  ['EAS.Line', 'LongInteger', (record) => record.line],
  ['EAS.LedgerSeq', 'LongInteger', (record) => record.ledger_seq],
  ['EAS.TreeIndex', 'LongInteger', (record) => record.tree_index],
  ['EAS.EntryHash', 'Text', (record) => record.entry_hash],
  ['EAS.GroupId', 'Text', (record) => record.group],
  ['EAS.TextStatus', 'Text', (record) => record.text_status],
];

const LIST_SEPARATOR = ';';

/** The load file, a record a chunk. Relationships stand after all documents, so the records are read twice. */
export async function* edrmXml(source: ExportSource): AsyncGenerator<string> {
  const { bundle_id, sealed_at } = source.head;
  const description = `Evidence bundle ${bundle_id}, sealed ${sealed_at}`;
  yield '<?xml version="1.0" encoding="UTF-8"?>\n';
  yield `<Root DataInterchangeType="Update" Description="${xmlText(description)}" Locale="US" MajorVersion="1" MinorVersion="2">\n`;
  yield `  <Batch name="${xmlText(bundle_id)}">\n    <Documents>\n`;
  for await (const record of source.records()) yield documentXml(record);
  yield '    </Documents>\n';
  if (source.head.counts.documents > 0) yield* relationshipsXml(source);
  yield '  </Batch>\n</Root>\n';
}

interface EdrmTag {
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

/** Path and name of an entry of the archive, or of a file of a production, apart. */
export function pathAndName(path: string): readonly [path: string, name: string] {
  const slash = Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\'));
  return [path.slice(0, Math.max(slash, 0)), path.slice(slash + 1)];
}

function documentXml(record: ExportRecord): string {
  const tags = edrmTags(record).map(
    ({ name, type, value }) =>
      `          <Tag TagName="${name}" TagDataType="${type}" TagValue="${xmlText(value)}"/>\n`,
  );
  const attributes = `DocID="${xmlText(record.control_number)}" DocType="File" MimeType="${xmlText(record.media_type)}"`;
  return `      <Document ${attributes}>\n${filesXml(record)}${locationXml(record)}        <Tags>\n${tags.join('')}        </Tags>\n      </Document>\n`;
}

/** A native by itself has its hash and size; an event in events.jsonl is a line, and its tags have them. */
function filesXml({ native_path, text_path, line, size_bytes, sha256 }: ExportRecord): string {
  const hashed = ` FileSize="${size_bytes ?? 0}" Hash="${sha256 ?? ''}" HashType="${HASH_TYPE}"`;
  const files = [
    ...(native_path === null ? [] : [fileXml('Native', native_path, line === null ? hashed : '')]),
    ...(text_path === null ? [] : [fileXml('Text', text_path, '')]),
  ];
  return files.length === 0 ? '' : `        <Files>\n${files.join('')}        </Files>\n`;
}

function fileXml(type: 'Native' | 'Text', fullPath: string, facts: string): string {
  const [path, name] = pathAndName(fullPath);
  const file = `<ExternalFile FilePath="${xmlText(path)}" FileName="${xmlText(name)}"${facts}/>`;
  return `          <File FileType="${type}">${file}</File>\n`;
}

/** Nothing, where no document has a parent. */
async function* relationshipsXml(source: ExportSource): AsyncGenerator<string> {
  let isOpen = false;
  for await (const { control_number, parents } of source.records()) {
    if (parents.length === 0) continue;
    if (!isOpen) yield '    <Relationships>\n';
    isOpen = true;
    for (const parent of parents) yield relationshipXml(parent, control_number);
  }
  if (isOpen) yield '    </Relationships>\n';
}

const locationXml = ({ source_system, source_record_id }: ExportRecord): string =>
  source_system === null
    ? ''
    : `        <Locations>\n          <Location><LocationURI>${xmlText(source_record_id ?? '')}</LocationURI><Custodian>${xmlText(source_system)}</Custodian></Location>\n        </Locations>\n`;

const relationshipXml = (parent: string, child: string): string =>
  `      <Relationship Type="Attachment" ParentDocId="${xmlText(parent)}" ChildDocId="${xmlText(child)}"/>\n`;

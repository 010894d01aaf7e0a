import type { JsonObject } from '../../json/strict-json.js';
import { edrmTags, HASH_TYPE, pathAndName } from './edrm-xml.js';
import type { ExportRecord } from './export-record.js';
import type { ExportSource } from './export-source.js';
import { jsonList } from './json-pieces.js';

// The structure of EDRM XML 1.2 as JSON: elements and attributes under their own names, repeated elements as lists.

/** Documents, and then the relationships between them; each list reads the archive again. */
export async function* edrmJson(source: ExportSource): AsyncGenerator<string> {
  const { bundle_id, sealed_at } = source.head;
  const root = {
    DataInterchangeType: 'Update',
    MajorVersion: '1',
    MinorVersion: '2',
    Locale: 'US',
    Description: `Evidence bundle ${bundle_id}, sealed ${sealed_at}`,
  };
  yield JSON.stringify(root).slice(0, -1);
  yield ',"Documents":';
  yield* jsonList(documents(source));
  yield ',"Relationships":';
  yield* jsonList(relationships(source));
  yield '}';
}

async function* documents(source: ExportSource): AsyncGenerator<JsonObject> {
  for await (const record of source.records()) yield documentOf(record);
}

const documentOf = (record: ExportRecord): JsonObject => ({
  DocID: record.control_number,
  DocType: 'File',
  MimeType: record.media_type,
  Tags: edrmTags(record).map(({ name, type, value }) => ({ TagName: name, TagDataType: type, TagValue: value })),
  Files: record.native_path === null ? [] : [fileOf(record, record.native_path)],
  Locations:
    record.source_system === null
      ? []
      : [{ Custodian: record.source_system, LocationURI: record.source_record_id ?? '' }],
});

/** An event is a line of its file: size and hash are the line's, without its LF, and `Line` says which one. */
function fileOf({ sha256, size_bytes, line }: ExportRecord, nativePath: string): JsonObject {
  const [FilePath, FileName] = pathAndName(nativePath);
  return {
    FileType: 'Native',
    FilePath,
    FileName,
    ...(line === null ? {} : { Line: line }),
    FileSize: size_bytes,
    Hash: sha256,
    HashType: HASH_TYPE,
  };
}

async function* relationships(source: ExportSource): AsyncGenerator<JsonObject> {
  if (source.head.counts.documents === 0) return;
  for await (const { control_number, parents } of source.records()) {
    for (const parent of parents) {
      yield { Type: 'Attachment', ParentDocId: parent, ChildDocId: control_number };
    }
  }
}

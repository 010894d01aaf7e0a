import { LOAD_FILE_COLUMNS } from '../../shared/evidence/edx/load-columns.js';
import { csvCell, datCell } from '../../shared/evidence/edx/load-file.js';

// Examples of answers that are text of another form than JSON.

const ORIGIN = 'plan.example/eas/log_01JQ0000000000000000000001/inc-1';
const ROOT = 'uBR6KSCL+qapjuJhgzZ5jwPcpkFq62U89k9p1R1Ppgg=';
const SIGNATURE = 'NdU+8eHlYfOVRmCsD7CtvM0+U6WIMwQuCrJBF+t5utLNZptJi8/4YqClJi54zvVklI6PVzM555idU06hAwERm6K5Sgk=';

/** A checkpoint of a log (C2SP tlog-checkpoint). */
export const NOTE_EXAMPLE = `${ORIGIN}\n16\n${ROOT}\n\n— ${ORIGIN} ${SIGNATURE}\n`;

export const TLOG_PROOF_EXAMPLE = [
  'c2sp.org/tlog-proof@v1',
  'index 14',
  'l2KsLCUZz46bc6BphCyH3FWTo5vpf4QSk6gIPUoqBSI=',
  '34YU6eY1j3kFPEhspLbTrvF4w8eny6f476ISrFwzV0U=',
  'KrZ3k2iX1EV93fiK4wXVhBgwZs87SnsX9OcvzYvjIEA=',
  '0Rn7ayx+2cYb8vsdy7GcBpG9IAdGfbONxtR6n5vr0Vw=',
  '',
  NOTE_EXAMPLE,
].join('\n');

export const CONSISTENCY_EXAMPLE =
  'Ej7NKAFYUXqk1UwbVq8RUS8HclUirY/CEa6CwDKQBNs=\nartTTlg9zROP/CdsmfrwNjc364oBXatUeRmGHExp+YI=\n';

export const VERIFY_LINES_EXAMPLE = [
  { type: 'progress', phase: 'CHAINS', checked: 2 },
  { type: 'progress', phase: 'TREE', checked: 2 },
  { type: 'result', valid: true, verdict: 'VALID_UNANCHORED', checked: 2, partitions: [], breaks: [] },
]
  .map((line) => `${JSON.stringify(line)}\n`)
  .join('');

export const GRAPHML_EXAMPLE = [
  '<?xml version="1.0" encoding="UTF-8"?>',
  '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">',
  '<key id="n_kind" for="node" attr.name="kind" attr.type="string"/>',
  '<key id="e_kind" for="edge" attr.name="kind" attr.type="string"/>',
  '<graph id="graph" edgedefault="directed">',
  '<node id="member:M-1001"><data key="n_kind">member</data></node>',
  '<node id="event:evt_01JQ0000000000000000000001"><data key="n_kind">event</data></node>',
  '<edge source="event:evt_01JQ0000000000000000000001" target="member:M-1001"><data key="e_kind">CONCERNS</data></edge>',
  '</graph>',
  '</graphml>',
  '',
].join('\n');

const GRAPH_ROW = {
  event_id: 'evt_01JQ0000000000000000000001',
  event_type: 'claim_submitted',
  outcome: 'submitted',
};
const csvLine = (cells: readonly string[]): string => `${cells.map(csvCell).join(',')}\r\n`;
export const GRAPH_CSV_EXAMPLE = csvLine(Object.keys(GRAPH_ROW)) + csvLine(Object.values(GRAPH_ROW));
export const GRAPH_LINES_EXAMPLE = `${JSON.stringify(GRAPH_ROW)}\n`;

/** Acknowledgements of an accepted message, in the form of its sender. */
export const ACKNOWLEDGEMENT_EXAMPLES = {
  'application/edi-x12': `${[
    'ISA*00*          *00*          *ZZ*SUMMITPLAN     *ZZ*NORTHCLINIC    *260312*1016*^*00501*000000005*0*T*:',
    'GS*FA*SUMMITPLAN*NORTHCLINIC*20260312*1016*5*X*005010X231A1',
    'ST*999*0001*005010X231A1',
    'AK1*HP*7103*005010X221A1',
    'AK2*835*0001',
    'IK5*A',
    'AK9*A*1*1*1',
    'SE*6*0001',
    'GE*1*5',
    'IEA*1*000000005',
  ].join('~\n')}~\n`,
  'application/hl7-v2': 'MSH|^~\\&|EAS|ACME|EHR|GENERAL|20260302141110+0000||ACK^A01^ACK|1|P|2.5.1\rMSA|AA|MSG00001\r',
  'application/fhir+json': JSON.stringify({
    resourceType: 'OperationOutcome',
    issue: [{ severity: 'information', code: 'informational', details: { text: '1 events accepted' } }],
  }),
  'application/fhir+xml':
    '<OperationOutcome xmlns="http://hl7.org/fhir"><issue><severity value="information"/><code value="informational"/>' +
    '<details><text value="1 events accepted"/></details></issue></OperationOutcome>',
  'application/x-ncpdp': 'D0E11A011234567893     20260302\x1d\x1e\x1cAM21\x1cANC',
  'application/xml':
    '<?xml version="1.0" encoding="UTF-8"?>\n<Message version="010"><Header><To>PRESCRIBER</To><From>PHARMACY</From>' +
    '<MessageID>1</MessageID><RelatesToMessageID>MSG-3</RelatesToMessageID><SentTime>2026-03-02T10:00:01Z</SentTime>' +
    '</Header><Body><Status><Code>010</Code></Status></Body></Message>\n',
} as const;

/** The cells of a load file's record; the others are empty. */
const RECORD: Readonly<Record<string, string | number>> = {
  BEGDOC: 'ACME-PROD-01-0000001',
  ENDDOC: 'ACME-PROD-01-0000001',
  RECORD_KIND: 'EVENT',
  RECORD_ID: 'evt_01JQ0000000000000000000001',
  STATE: 'INCLUDED',
  CUSTODIAN: 'claims',
  MEMBER_ID: 'M-1001',
  MIME_TYPE: 'application/json',
  FILE_SIZE: 2087,
  NATIVE_PATH: 'events.jsonl',
  NATIVE_LINE: 1,
};
const COLUMNS = LOAD_FILE_COLUMNS.map(([name]) => name);
const CELLS = COLUMNS.map((name) => RECORD[name] ?? null);
const datLine = (cells: readonly (string | number | null)[]): string => `${cells.map(datCell).join('\u0014')}\r\n`;

/** Exports of a bundle, by media type. */
export const EXPORT_EXAMPLES: Readonly<Record<string, string>> = {
  'application/xml': [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<Root DataInterchangeType="Update" Locale="US" MajorVersion="1" MinorVersion="2">',
    '<Batch name="bdl_01JQ0000000000000000000001"><Documents>',
    '<Document DocID="ACME-PROD-01-0000001" DocType="File" MimeType="application/json">',
    '<Files><File FileType="Native"><ExternalFile FilePath="" FileName="events.jsonl"/></File></Files>',
    '</Document></Documents></Batch></Root>',
    '',
  ].join('\n'),
  'text/plain': `\ufeff${datLine(COLUMNS)}${datLine(CELLS)}`,
  'text/csv': `${COLUMNS.map(csvCell).join(',')}\r\n${CELLS.map(csvCell).join(',')}\r\n`,
  'application/ld+json': JSON.stringify({
    '@context': { kb: 'urn:evidentiary-audit-service:' },
    '@graph': [{ '@id': 'kb:investigation-1', '@type': 'case-investigation:Investigation' }],
  }),
  'application/fhir+json': JSON.stringify({
    resourceType: 'Bundle',
    type: 'collection',
    timestamp: '2026-03-02T14:11:09.000Z',
    entry: [],
  }),
};

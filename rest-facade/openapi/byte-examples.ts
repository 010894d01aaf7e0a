import type { JsonObject } from '../../shared/json/strict-json.js';

// Examples of bodies that are not JSON. Each message is one that `POST /v1/ingest/raw` accepts; a test posts all of them.

export const X12_EXAMPLE = `${[
  'ISA*00*          *00*          *ZZ*NORTHCLINIC    *ZZ*SUMMITPLAN     *260312*1015*^*00501*000071003*0*T*:',
  'GS*HP*NORTHCLINIC*SUMMITPLAN*20260312*1015*7103*X*005010X221A1',
  'ST*835*0001',
  'BPR*I*0*C*NON************20260312',
  'TRN*1*EFT-88002*1900800700',
  'DTM*405*20260311',
  'N1*PR*SUMMIT HEALTH PLAN',
  'N3*900 EXAMPLE PLAZA',
  'N4*ALBANY*NY*12210',
  'PER*BL*PROVIDER SERVICES*TE*5555550199',
  'N1*PE*NORTH CLINIC*XX*1234567893',
  'LX*1',
  'CLP*CLM-1001*4*1250*0**16*ICN-90004*11*1',
  'NM1*QC*1*SAMPLE*AVERY****MI*M-1001',
  'SVC*HC:93306*1250*0**0',
  'DTM*472*20260224',
  'CAS*CO*50*1250',
  'SE*16*0001',
  'GE*1*7103',
  'IEA*1*000071003',
].join('~\n')}~\n`;

const HL7 = [
  'MSH|^~\\&|EHR|GENERAL|EAS|ACME|20260302141109||ADT^A01^ADT_A01|MSG00001|P|2.5.1',
  'EVN|A01|20260302141109',
  'PID|1||M-1001^^^ACME^MR||DOE^JANE||19700101|F',
  'PV1|1|I|W^101^1||||||||||||||||V-1001',
  '',
].join('\r');

const FHIR = JSON.stringify({
  resourceType: 'Observation',
  id: 'obs-1001',
  status: 'final',
  code: { coding: [{ system: 'http://loinc.org', code: '4548-4' }] },
  subject: { reference: 'Patient/M-1001' },
  effectiveDateTime: '2026-03-02T14:11:09Z',
  valueQuantity: { value: 7.2, unit: '%' },
});

const FHIR_XML =
  '<Observation xmlns="http://hl7.org/fhir"><id value="obs-1002"/><status value="final"/>' +
  '<code><coding><system value="http://loinc.org"/><code value="4548-4"/></coding></code>' +
  '<subject><reference value="Patient/M-1001"/></subject><effectiveDateTime value="2026-03-02T14:11:09Z"/>' +
  '<valueQuantity><value value="7.2"/><unit value="%"/></valueQuantity></Observation>';

const NCPDP =
  '610066D0E1SYNPCN    1011234567893     20260302SYNSOFT   ' +
  '\x1e\x1cAM01\x1cC419800101\x1cCBPERSON\x1e\x1cAM04\x1cC2M-1001\x1cC301';

const SCRIPT =
  '<Message version="010" release="006"><Header><To>PHARMACY</To><From>PRESCRIBER</From>' +
  '<MessageID>MSG-3</MessageID><RelatesToMessageID>MSG-9</RelatesToMessageID><SentTime>2026-03-02T10:00:00.0Z</SentTime>' +
  '</Header><Body><RefillResponse><Response><Approved/></Response><Patient><Identification>' +
  '<MedicaidNumber>M-1001</MedicaidNumber></Identification><Name><LastName>DOE</LastName></Name>' +
  '<DateOfBirth>19800101</DateOfBirth></Patient><MedicationPrescribed><DrugDescription>Example 10 MG</DrugDescription>' +
  '</MedicationPrescribed></RefillResponse></Body></Message>';

const CDA =
  '<ClinicalDocument xmlns="urn:hl7-org:v3"><realmCode code="US"/>' +
  '<typeId root="2.16.840.1.113883.1.3" extension="POCD_HD000040"/>' +
  '<id root="2.16.840.1.113883.19.5" extension="SUM-1001"/><code code="34133-9" codeSystem="2.16.840.1.113883.6.1"/>' +
  '<title>Summary</title><effectiveTime value="20260302141109+0000"/><recordTarget><patientRole>' +
  '<id extension="M-1001" root="2.16.840.1.113883.19.5"/><patient><name><given>Jane</given><family>Doe</family></name>' +
  '<birthTime value="19700101"/></patient></patientRole></recordTarget><component><structuredBody/></component>' +
  '</ClinicalDocument>';

/** The HL7 v2 message, packed; in base64. */
const GZIP_BASE64 =
  'H4sIAAAAAAACA1WMSw7CMBBDT5BrsKPKhJ+6HJGhLSIhSlC7QcNFLM7OlF29sSz7ObUR+n3vIGPFIFkqPyDcwNckCD6c/cEHOhL5HuD4Uvak5h' +
  '9zpDZ4E6EgdKeOnMwZa7EFXZkiCEh7srGqrueaKhCfonfOAlB/sc7Qmysz2XrCopbVuK3m/4v7AX1hSaG6AAAA';
const ZIP_BASE64 =
  'UEsDBBQAAAAIAGRxYlx9YUmhgQAAALoAAAANAAAAYWRtaXNzaW9uLmhsN1WMSw7CMBBDT5BrsKPKhJ+6HJGhLSIhSlC7QcNFLM7OlF29sSz7Ob' +
  'UR+n3vIGPFIFkqPyDcwNckCD6c/cEHOhL5HuD4Uvak5h9zpDZ4E6EgdKeOnMwZa7EFXZkiCEh7srGqrueaKhCfonfOAlB/sc7Qmysz2XrCopbV' +
  'uK3m/4v7AVBLAQIUAxQAAAAIAGRxYlx9YUmhgQAAALoAAAANAAAAAAAAAAAAAACAAQAAAABhZG1pc3Npb24uaGw3UEsFBgAAAAABAAEAOwAAAK' +
  'wAAAAAAA==';

/** The first bytes of a letter as PDF. */
const PDF_BASE64 = 'JVBERi0xLjcK';
/** A TimeStampResp with the status granted and without the token. */
const TIMESTAMP_BASE64 = 'MAUwAwIBAA==';

const LINES = `${FHIR}\n`;

/** Raw messages by media type. A form has the message as its only field. */
const MESSAGES: Readonly<Record<string, string>> = {
  'application/edi-x12': X12_EXAMPLE,
  'application/hl7-v2': HL7,
  'x-application/hl7-v2+er7': HL7,
  'application/fhir+json': FHIR,
  'application/fhir+xml': FHIR_XML,
  'application/x-ndjson': LINES,
  'application/fhir+ndjson': LINES,
  'application/xml': SCRIPT,
  'text/xml': CDA,
  'application/x-ncpdp': NCPDP,
  'application/cda+xml': CDA,
  'application/octet-stream': X12_EXAMPLE,
  'text/plain': HL7,
  'application/x-www-form-urlencoded': X12_EXAMPLE,
  'multipart/mixed': [
    '--part',
    'Content-Disposition: attachment; filename="remittance.edi"',
    'Content-Type: application/edi-x12',
    '',
    X12_EXAMPLE,
    '--part--',
    '',
  ].join('\r\n'),
  '*/*': 'The plan denied the request: conservative treatment was not documented.\n',
};

/** Bytes that are no text, in base64. */
const BINARY: Readonly<Record<string, string>> = {
  'application/gzip': GZIP_BASE64,
  'application/zip': ZIP_BASE64,
  'application/pdf': PDF_BASE64,
  'application/timestamp-reply': TIMESTAMP_BASE64,
};

/** @returns the members of a media type object that show an example of its bytes. @throws if the type has none */
export function exampleOfBytes(mediaType: string): JsonObject {
  const base64 = BINARY[mediaType];
  if (base64 !== undefined) {
    // OpenAPI has no form for an example of bytes, so the example says that it is base64.
    return { examples: { base64: { summary: 'The bytes in base64', value: base64 } } };
  }
  const example = MESSAGES[mediaType];
  if (example === undefined) throw new Error(`the media type ${mediaType} has no example of its bytes`);
  return { example };
}

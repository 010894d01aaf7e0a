import { edrmXml } from './edrm-xml.js';
import { caseJson, edxJson, fhirJson } from './edx-json.js';
import type { ExportSource } from './export-source.js';
import { concordanceDat, csvLoadFile } from './load-file.js';
import { type ProductionWork, productionVolume } from './production.js';

interface EdxFormat {
  readonly mediaType: string;
  readonly extension: string;
  readonly description: string;
  readonly write: (source: ExportSource, work: ProductionWork) => AsyncIterable<string> | AsyncIterable<Uint8Array>;
}

/** Every form that an export has, by the word that asks for it. */
export const EDX_FORMATS = {
  json: {
    mediaType: 'application/json',
    extension: 'json',
    description:
      'Everything in one object: manifest, EDRM, load files, custody as CASE JSON-LD, FHIR AuditEvents and Provenances.',
    write: edxJson,
  },
  xml: { mediaType: 'application/xml', extension: 'xml', description: 'EDRM XML 1.2.', write: edrmXml },
  dat: {
    mediaType: 'text/plain',
    extension: 'dat',
    description: 'Concordance DAT load file, UTF-8.',
    write: ({ records }) => concordanceDat(records()),
  },
  csv: {
    mediaType: 'text/csv',
    extension: 'csv',
    description: 'CSV load file (RFC 4180).',
    write: ({ records }) => csvLoadFile(records()),
  },
  case: {
    mediaType: 'application/ld+json',
    extension: 'jsonld',
    description: 'Custody alone, as CASE JSON-LD.',
    write: caseJson,
  },
  fhir: {
    mediaType: 'application/fhir+json',
    extension: 'fhir.json',
    description: 'AuditEvents and Provenances alone, as a FHIR R4 Bundle.',
    write: fhirJson,
  },
  zip: {
    mediaType: 'application/zip',
    extension: 'zip',
    description:
      'A production volume for review platforms: a native and a text file a record, with DAT, CSV, OPT and EDRM XML load files.',
    write: productionVolume,
  },
} as const satisfies Record<string, EdxFormat>;

export type EdxFormatName = keyof typeof EDX_FORMATS;

const CHUNK_CHARACTERS = 65_536;

/** Small texts put together, so that a row is not a write; bytes are passed on. */
export async function* inLargePieces(
  pieces: AsyncIterable<string> | AsyncIterable<Uint8Array>,
): AsyncGenerator<string | Uint8Array> {
  let held = '';
  for await (const piece of pieces) {
    if (typeof piece !== 'string') {
      yield piece;
      continue;
    }
    held += piece;
    if (held.length < CHUNK_CHARACTERS) continue;
    yield held;
    held = '';
  }
  if (held !== '') yield held;
}

/** How documents of a media type are read. */
export type Reading = 'pdf' | 'docx' | 'html' | 'rtf' | 'xml' | 'fhir' | 'plain';

/** By media type. A separate file, so that looking up a type loads no reader library. */
const READINGS: Readonly<Record<string, Reading>> = {
  'application/pdf': 'pdf',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'text/html': 'html',
  'application/xhtml+xml': 'html',
  'application/rtf': 'rtf',
  'text/rtf': 'rtf',
  'text/xml': 'xml',
  'application/xml': 'xml',
  'application/cda+xml': 'xml',
  'application/hl7-cda+xml': 'xml',
  'application/fhir+xml': 'xml',
  'application/fhir+json': 'fhir',
  'application/json': 'fhir',
  'text/plain': 'plain',
  'text/csv': 'plain',
  'text/markdown': 'plain',
};

/** @param mediaType with or without parameters. */
export function readingOf(mediaType: string): Reading | undefined {
  const essence = (mediaType.split(';')[0] ?? '').trim().toLowerCase();
  return Object.hasOwn(READINGS, essence) ? READINGS[essence] : undefined;
}

export const isReadable = (mediaType: string): boolean => readingOf(mediaType) !== undefined;

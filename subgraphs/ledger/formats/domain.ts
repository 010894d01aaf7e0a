export { AGREED_FAULTS, type AgreedFault, type Agreement } from './agreed-faults.js';

import { isUtf16 } from './values/payload.js';

/** Formats of raw messages (api.md section 2 "Raw ingest"). */
export const RAW_FORMATS = ['x12', 'hl7v2', 'fhir', 'ncpdp', 'cda'] as const;
export type RawFormat = (typeof RAW_FORMATS)[number];

/** The first bytes that detection needs. */
export const SNIFF_BYTES = 4096;

const BY_MEDIA_TYPE: Readonly<Record<string, RawFormat>> = {
  'application/edi-x12': 'x12',
  'application/hl7-v2': 'hl7v2',
  'x-application/hl7-v2+er7': 'hl7v2',
  'application/hl7-v2+er7': 'hl7v2',
  'application/fhir+json': 'fhir',
  'application/fhir+xml': 'fhir',
  'application/x-ncpdp': 'ncpdp',
  'application/cda+xml': 'cda',
};

/** The format that a Content-Type names; undefined for a generic type (text/plain, JSON, XML). */
export function formatOfMediaType(contentType: string): RawFormat | undefined {
  return BY_MEDIA_TYPE[(contentType.split(';')[0] ?? '').trim().toLowerCase()];
}

export const isRawFormat = (word: string): word is RawFormat => RAW_FORMATS.some((format) => format === word);

/** Detects UTF-16 by the first bytes of a body. */
export const looksLikeUtf16 = (head: Uint8Array): boolean => isUtf16(head, 64);

const SIGNS: readonly (readonly [RawFormat, RegExp])[] = [
  ['x12', /^(?:ISA[^A-Za-z0-9\s]|GS\*|ST\*)/],
  ['hl7v2', /^(?:MSH|FHS|BHS)[^A-Za-z0-9\s]/],
  ['fhir', /^\{[\s\S]*"resourceType"/],
  // CDS Hooks: a request or an answer without resources among the first bytes.
  ['fhir', /^\{[\s\S]*"(?:hookInstance|cards)"\s*:/],
  ['fhir', /^\{\s*"feedback"\s*:\s*\[/],
  // XML with a root in FHIR's namespace; identifiers in it may name NCPDP.
  [
    'fhir',
    /^(?:<\?[^>]*>\s*|<!--(?:(?!-->)[\s\S])*-->\s*)*<(?:[\w.-]+:)?[A-Z][A-Za-z]*\s[^>]*xmlns(?::[\w.-]+)?\s*=\s*["']http:\/\/hl7\.org\/fhir["']/,
  ],
  ['cda', /^(?:<\?[^>]*>\s*|<!--(?:(?!-->)[\s\S])*-->\s*)*<(?:[\w.-]+:)?ClinicalDocument[\s>]/],
  ['ncpdp', /^<[\s\S]*ncpdp/i],
  // SCRIPT without its namespace; the XML declaration is optional.
  ['ncpdp', /^<(?:[\s\S]*<)?(?:\w+:)?Message\b[\s\S]*<(?:\w+:)?(?:Header|Body)\b/],
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the separators of NCPDP D.0 are control characters
  ['ncpdp', /^(?:D0|.{6}D0)[\s\S]*[\x1c\x1d\x1e]/],
  // Version F6: an issuer of eight digits, or of six without padding.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the separators of NCPDP F6 are control characters
  ['ncpdp', /^(?:\d{6}(?:\d\d| {2})?)?F6[A-Z]\d[\s\S]*[\x1c\x1d\x1e]/],
  // The header record of an NCPDP batch after its STX.
  ['ncpdp', /^00[TRE].{24}\d{19}[PT][0-9A-Z]{2}/],
];

/** Headers behind leading text, such as the lines of a mail: only what no prose begins a line with. */
const LATER_SIGNS: readonly (readonly [RawFormat, RegExp])[] = [
  ['x12', /[\r\n][ \t]*ISA([^A-Za-z0-9\s])\d\d\1/],
  // biome-ignore lint/suspicious/noControlCharactersInRegex: 0x0B begins a frame
  ['hl7v2', /[\r\n\x0b][ \t]*(?:MSH|[FB]HS)\|[^A-Za-z0-9\s]{3,5}\|/],
];

/** Detects the format by the first bytes (mapping.md section 1), after a UTF-8 mark, blanks, 0x0B and 0x02. */
export function sniffFormat(head: Uint8Array): RawFormat | undefined {
  const text = Buffer.from(head.buffer, head.byteOffset, Math.min(head.byteLength, SNIFF_BYTES)).toString('latin1');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: 0x0B and 0x02 are framing bytes
  const body = text.replace(/^(?:\xef\xbb\xbf)?[\s\x0b\x02]*/, '');
  return (SIGNS.find(([, sign]) => sign.test(body)) ?? LATER_SIGNS.find(([, sign]) => sign.test(text)))?.[0];
}

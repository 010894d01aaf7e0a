import type { EngineFinding } from '../ports.js';
import { type ContentKind, isExecutable } from './magic.js';

// The declared media type is compared with the bytes: a mismatch is made to be opened by mistake.

const OOXML = 'application/vnd.openxmlformats-officedocument.';
const ODF = 'application/vnd.oasis.opendocument.';

/** Kinds that a declared type may have. A type that is not listed may be anything that does not run. */
const ALLOWED: Readonly<Record<string, readonly ContentKind[]>> = {
  'application/pdf': ['pdf'],
  'image/png': ['png'],
  'image/jpeg': ['jpeg'],
  'image/jpg': ['jpeg'],
  'image/gif': ['gif'],
  'image/tiff': ['tiff'],
  'image/bmp': ['bmp'],
  'image/webp': ['webp'],
  'image/svg+xml': ['text'],
  'application/zip': ['zip'],
  'application/x-zip-compressed': ['zip'],
  'application/gzip': ['gzip'],
  'application/x-gzip': ['gzip'],
  'application/msword': ['ole', 'rtf'],
  'application/vnd.ms-excel': ['ole', 'text'],
  'application/vnd.ms-powerpoint': ['ole'],
  'application/vnd.ms-outlook': ['ole'],
  'application/rtf': ['rtf'],
  'text/rtf': ['rtf'],
  'application/dicom': ['dicom'],
};

function allowedFor(mediaType: string): readonly ContentKind[] | null {
  const named = ALLOWED[mediaType];
  if (named) return named;
  if (mediaType.startsWith(OOXML) || mediaType.startsWith(ODF)) return ['zip'];
  const isText = mediaType.startsWith('text/') || /^application\/(.*\+)?(json|xml)$/.test(mediaType);
  return isText ? ['text'] : null;
}

/** Extensions that some system executes on opening. */
const RUN_BY_NAME = new Set(
  'apk app application bat cmd com cpl dll exe gadget hta jar js jse lnk msc msi msp ps1 psm1 reg scf scr sh vb vbe vbs wsf wsh'.split(
    ' ',
  ),
);

export const isRunByName = (filename: string): boolean => {
  const extension = /\.([^.]+)$/.exec(filename)?.[1];
  return extension !== undefined && RUN_BY_NAME.has(extension.toLowerCase());
};

/** Compares the first bytes with the declared type and the name. */
export function typeFindings(
  kind: ContentKind,
  { media_type, filename }: { readonly media_type: string; readonly filename: string },
): EngineFinding[] {
  const findings: EngineFinding[] = [];
  if (isExecutable(kind)) findings.push({ code: 'EXECUTABLE', detail: `The content is a program (${kind}).` });
  if (isRunByName(filename)) findings.push({ code: 'EXECUTABLE_NAME', detail: 'Opening a file of this name runs it.' });
  const allowed = allowedFor(media_type);
  if (allowed !== null && !allowed.includes(kind)) {
    findings.push({ code: 'MEDIA_TYPE_MISMATCH', detail: `Declared as ${media_type}, but the bytes are ${kind}.` });
  }
  return findings;
}

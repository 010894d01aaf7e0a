// Names and places of the files of a production. A name is a control number with an extension: nothing that a caller chose
// is ever a path.

const EXTENSION = /\.([A-Za-z0-9]{1,8})$/;

/** Of media types that reviewers open by extension. */
const EXTENSIONS: Readonly<Record<string, string>> = {
  'application/pdf': 'pdf',
  'application/json': 'json',
  'application/fhir+json': 'json',
  'application/xml': 'xml',
  'application/fhir+xml': 'xml',
  'application/rtf': 'rtf',
  'application/zip': 'zip',
  'application/msword': 'doc',
  'application/vnd.ms-excel': 'xls',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'image/gif': 'gif',
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/tiff': 'tif',
  'message/rfc822': 'eml',
  'text/csv': 'csv',
  'text/html': 'html',
  'text/markdown': 'md',
  'text/plain': 'txt',
  'text/xml': 'xml',
};

/** Extension by the file's own name, else by its media type. */
export function extensionOf(filename: string | null, mediaType: string): string {
  const own = filename === null ? undefined : EXTENSION.exec(filename)?.[1];
  if (own !== undefined) return own.toLowerCase();
  const essence = (mediaType.split(';')[0] ?? '').trim().toLowerCase();
  return (Object.hasOwn(EXTENSIONS, essence) ? EXTENSIONS[essence] : undefined) ?? 'bin';
}

const FILES_PER_FOLDER = 1_000;

/** `VOL001`. @param volume from 1 */
export const volumeName = (volume: number): string => `VOL${String(volume).padStart(3, '0')}`;

/** `VOL001/NATIVES/0001/ACME-0000001.pdf`. @param place of the record in its volume, from 0 */
export function productionPath(
  volume: number,
  folder: 'NATIVES' | 'TEXT',
  place: number,
  controlNumber: string,
  extension: string,
): string {
  const part = String(Math.floor(place / FILES_PER_FOLDER) + 1).padStart(4, '0');
  return `${volumeName(volume)}/${folder}/${part}/${controlNumber}.${extension}`;
}

/** Load files write paths as Windows does: platforms read them there. */
export const loadPath = (path: string): string => path.replaceAll('/', '\\');

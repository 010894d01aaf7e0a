// Identifies content by its first bytes. The names are ours; the signatures come from the specifications of the
// formats.

const EXECUTABLE_KINDS = ['pe', 'elf', 'mach-o', 'script', 'java-class', 'dex', 'shortcut', 'wasm'] as const;
/** Archives that the built-in checks do not open. */
const CLOSED_ARCHIVE_KINDS = ['7z', 'rar', 'bzip2', 'xz', 'zstd', 'cab', 'tar', 'iso'] as const;

export type ContentKind =
  | (typeof EXECUTABLE_KINDS)[number]
  | (typeof CLOSED_ARCHIVE_KINDS)[number]
  | 'pdf'
  | 'png'
  | 'jpeg'
  | 'gif'
  | 'tiff'
  | 'bmp'
  | 'webp'
  | 'zip'
  | 'ole'
  | 'rtf'
  | 'gzip'
  | 'dicom'
  | 'media'
  | 'text'
  | 'unknown';

const EXECUTABLES: ReadonlySet<string> = new Set(EXECUTABLE_KINDS);
const CLOSED_ARCHIVES: ReadonlySet<string> = new Set(CLOSED_ARCHIVE_KINDS);

export const isExecutable = (kind: ContentKind): boolean => EXECUTABLES.has(kind);
export const isClosedArchive = (kind: ContentKind): boolean => CLOSED_ARCHIVES.has(kind);

type Signature = readonly [kind: ContentKind, offset: number, bytes: Buffer];
const at = (kind: ContentKind, offset: number, ...bytes: number[]): Signature => [kind, offset, Buffer.from(bytes)];
const says = (kind: ContentKind, offset: number, text: string): Signature => [
  kind,
  offset,
  Buffer.from(text, 'latin1'),
];

const SIGNATURES: readonly Signature[] = [
  says('pe', 0, 'MZ'),
  at('elf', 0, 0x7f, 0x45, 0x4c, 0x46),
  at('mach-o', 0, 0xfe, 0xed, 0xfa, 0xce),
  at('mach-o', 0, 0xfe, 0xed, 0xfa, 0xcf),
  at('mach-o', 0, 0xce, 0xfa, 0xed, 0xfe),
  at('mach-o', 0, 0xcf, 0xfa, 0xed, 0xfe),
  // Java classes and universal Mach-O binaries share a signature; both are executable.
  at('java-class', 0, 0xca, 0xfe, 0xba, 0xbe),
  says('dex', 0, 'dex\n'),
  at('wasm', 0, 0x00, 0x61, 0x73, 0x6d),
  says('script', 0, '#!'),
  at('shortcut', 0, 0x4c, 0x00, 0x00, 0x00, 0x01, 0x14, 0x02, 0x00),
  at('png', 0, 0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a),
  at('jpeg', 0, 0xff, 0xd8, 0xff),
  says('gif', 0, 'GIF87a'),
  says('gif', 0, 'GIF89a'),
  at('tiff', 0, 0x49, 0x49, 0x2a, 0x00),
  at('tiff', 0, 0x4d, 0x4d, 0x00, 0x2a),
  says('webp', 8, 'WEBP'),
  says('bmp', 0, 'BM'),
  at('zip', 0, 0x50, 0x4b, 0x03, 0x04),
  at('zip', 0, 0x50, 0x4b, 0x05, 0x06),
  at('ole', 0, 0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1),
  says('rtf', 0, '{\\rt'),
  at('gzip', 0, 0x1f, 0x8b),
  at('7z', 0, 0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c),
  says('rar', 0, 'Rar!\u001a\u0007'),
  says('bzip2', 0, 'BZh'),
  at('xz', 0, 0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00),
  at('zstd', 0, 0x28, 0xb5, 0x2f, 0xfd),
  says('cab', 0, 'MSCF'),
  says('tar', 257, 'ustar'),
  says('iso', 32_769, 'CD001'),
  says('dicom', 128, 'DICM'),
  says('media', 4, 'ftyp'),
  says('media', 0, 'ID3'),
  says('media', 0, 'OggS'),
  says('media', 8, 'WAVE'),
];

/** PDF readers look for the header in the first 1,024 bytes (PDF 32000-1, implementation note 13). */
const PDF_HEADER_WITHIN = 1_024;
/** Covers every signature. */
export const HEAD_BYTES = 33_024;

/** @param head the first HEAD_BYTES of the content, or all of it */
export function kindOf(head: Buffer): ContentKind {
  if (head.subarray(0, PDF_HEADER_WITHIN).includes('%PDF-', 0, 'latin1')) return 'pdf';
  const found = SIGNATURES.find(([, offset, bytes]) => head.subarray(offset, offset + bytes.length).equals(bytes));
  if (found && !isWordOnly(found[0], head)) return found[0];
  return isText(head) ? 'text' : 'unknown';
}

/** Many texts begin with `BM` or `MZ`: these count only before bytes that no text has. */
const isWordOnly = (kind: ContentKind, head: Buffer): boolean => (kind === 'bmp' || kind === 'pe') && isText(head);

const TEXT_HEAD_BYTES = 8_192;
const NUL = 0;

/** Accepts UTF-16 by its byte order mark, else bytes without NUL and with few other control characters. */
function isText(head: Buffer): boolean {
  const bytes = head.subarray(0, TEXT_HEAD_BYTES);
  if (bytes.length >= 2 && (bytes.readUInt16BE(0) === 0xfeff || bytes.readUInt16BE(0) === 0xfffe)) return true;
  if (bytes.includes(NUL)) return false;
  let controls = 0;
  for (const byte of bytes)
    if (byte < 0x20 && ![0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x1b, 0x1c, 0x1d, 0x1e].includes(byte)) controls++;
  return controls * 100 <= bytes.length;
}

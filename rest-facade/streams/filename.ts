// Names of files: cleaned when they come in, and said safely when they go out.

const MOST_BYTES = 200;
const FALLBACK = 'document';
/** Control characters, and marks that make a name read differently from what it is (Unicode TR 36, section 3.2). */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029]/gu;
/** Separators of paths, drives and streams, and what shells and Windows give a meaning. */
const SPECIAL = /[<>:"|?*\\/]/g;
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

/** A name that no system takes for a path, a device or another name: `../../etc/passwd` is `passwd`. */
export function cleanFilename(sent: string): string {
  const last = sent.normalize('NFC').split(/[\\/]/).at(-1) ?? '';
  const plain = last
    .replace(UNSEEN, '')
    .replace(SPECIAL, '_')
    .replace(/\s+/g, ' ')
    .replace(/^[. ]+|[. ]+$/g, '');
  const name = shortened(plain);
  if (name === '') return FALLBACK;
  return DEVICE.test(name) ? `_${name}` : name;
}

/** Cut in the middle, so that the extension stays. */
function shortened(name: string): string {
  if (Buffer.byteLength(name) <= MOST_BYTES) return name;
  const extension = /\.[^.]{1,16}$/.exec(name)?.[0] ?? '';
  let stem = '';
  for (const character of name.slice(0, name.length - extension.length)) {
    if (Buffer.byteLength(stem + character + extension) > MOST_BYTES) break;
    stem += character;
  }
  return stem + extension;
}

/** Content-Disposition of a download (RFC 6266): the plain form for everybody, the extended one (RFC 8187) where it tells more. */
export function attachment(filename: string): string {
  const plain = filename.replace(/[^\x20-\x7e]/g, '_').replace(/["\\%]/g, '_');
  const said = `attachment; filename="${plain}"`;
  return plain === filename ? said : `${said}; filename*=UTF-8''${encoded(filename)}`;
}

/** attr-char of RFC 8187 stays as it is. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/['()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);

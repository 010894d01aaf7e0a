const MOST_BYTES = 200;
const FALLBACK = 'document';
/** Control characters, and marks that change how a name is displayed (Unicode TR 36, section 3.2). */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029]/gu;
/** Separators of paths, drives and streams, and special characters of shells and Windows. */
const SPECIAL = /[<>:"|?*\\/]/g;
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

/** Returns a name that no system reads as a path or a device: `../../etc/passwd` becomes `passwd`. */
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

/** Shortens the name before its extension. */
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

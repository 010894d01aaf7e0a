// File names of downloads, encoded safely.

/** Content-Disposition of a download (RFC 6266): the plain form, and the extended form (RFC 8187) if it differs. */
export function attachment(filename: string): string {
  const plain = filename.replace(/[^\x20-\x7e]/g, '_').replace(/["\\%]/g, '_');
  const said = `attachment; filename="${plain}"`;
  return plain === filename ? said : `${said}; filename*=UTF-8''${encoded(filename)}`;
}

/** Keeps attr-char of RFC 8187. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/['()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);

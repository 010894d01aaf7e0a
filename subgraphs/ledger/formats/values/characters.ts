/**
 * windows-1252, which holds ISO 8859-1. Node 20 decodes it as ISO 8859-1, so that a typographic apostrophe (0x92) becomes
 * a control character.
 */

/** The characters of 0x80 to 0x9F; five bytes have none, and stay control characters as in browsers. */
const HIGH_CONTROLS =
  '\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f' +
  '\u0090\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u009d\u017e\u0178';

/** Decodes bytes as windows-1252. */
export const decodeWestern = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    .toString('latin1')
    .replace(/[\u0080-\u009f]/g, (character) => HIGH_CONTROLS.charAt(character.charCodeAt(0) - 0x80));

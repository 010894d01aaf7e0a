import { fromBase64 } from './base64.js';

// C2SP signed-note: a text, an empty line, and a line for each signature.

/** Thrown for text that is not a note, or without a trusted signature. Its message repeats nothing of the note. */
export class NoteFault extends Error {}

/** One signature line: `— <name> base64(key id ‖ signature)`. */
export interface NoteSignature {
  readonly name: string;
  /** Four bytes. */
  readonly keyId: Buffer;
  readonly signature: Buffer;
}

interface SignedNote {
  /** The signed text, with its final newline. */
  readonly text: string;
  readonly signatures: readonly NoteSignature[];
}

const DASH = '\u2014';
const KEY_ID_BYTES = 4;
/** Largest note read; the specification asks for at least 16 signatures. */
export const MAX_NOTE_BYTES = 65_536;
const MAX_SIGNATURES = 100;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the specification forbids exactly these
const CONTROL_BUT_NEWLINE = /[\u0000-\u0009\u000b-\u001f]/;

export const isKeyName = (name: string): boolean => name !== '' && !/[\s+]/u.test(name);

export const signatureLine = ({ name, keyId, signature }: NoteSignature): string =>
  `${DASH} ${name} ${Buffer.concat([keyId, signature]).toString('base64')}\n`;

export const formatNote = ({ text, signatures }: SignedNote): string =>
  `${text}\n${signatures.map(signatureLine).join('')}`;

/** @throws NoteFault */
export function parseSignatureLine(line: string): NoteSignature {
  const [dash, name, encoded, ...rest] = line.split(' ');
  const bytes = encoded === undefined ? undefined : fromBase64(encoded);
  const sound = dash === DASH && name !== undefined && isKeyName(name) && rest.length === 0;
  if (!sound || bytes === undefined || bytes.length <= KEY_ID_BYTES) throw new NoteFault('not a signature line');
  return { name, keyId: bytes.subarray(0, KEY_ID_BYTES), signature: bytes.subarray(KEY_ID_BYTES) };
}

/** Parses a note and checks its form alone; `openNote` decides which signatures count. @throws NoteFault */
export function parseNote(note: string): SignedNote {
  if (Buffer.byteLength(note) > MAX_NOTE_BYTES) throw new NoteFault('too large for a note');
  if (CONTROL_BUT_NEWLINE.test(note) || /[\ud800-\udfff]/u.test(note))
    throw new NoteFault('characters that no note may hold');
  const end = note.lastIndexOf('\n\n');
  if (end < 0 || !note.endsWith('\n')) throw new NoteFault('a note without signatures');
  const lines = note.slice(end + 2, -1).split('\n');
  if (lines.length > MAX_SIGNATURES) throw new NoteFault('too many signatures');
  return { text: note.slice(0, end + 1), signatures: lines.map(parseSignatureLine) };
}

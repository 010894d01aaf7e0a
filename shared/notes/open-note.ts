import { verifyCosignature } from './cosignature.js';
import { COSIGNATURE_V1, isSignatureOf, keyVerifies, type NoteKey } from './note-keys.js';
import { NoteFault, type NoteSignature, parseNote } from './signed-note.js';

interface OpenedNote {
  readonly text: string;
  /** The trusted keys that signed. */
  readonly signedBy: readonly NoteKey[];
  /** Their signature lines, and no others. */
  readonly signatures: readonly NoteSignature[];
}

/**
 * The text of a note that at least one of `keys` has signed. Signatures of others are passed over; one that bears a known
 * key's name and id and is not the key's spoils the whole note.
 *
 * @throws NoteFault
 */
export function openNote(note: string, keys: readonly NoteKey[]): OpenedNote {
  const { text, signatures } = parseNote(note);
  const signedBy: NoteKey[] = [];
  const verified: NoteSignature[] = [];
  for (const signature of signatures) {
    const key = keys.find((known) => isSignatureOf(known, signature));
    if (key === undefined || signedBy.includes(key)) continue;
    if (!verifies(key, text, signature)) throw new NoteFault('a signature of a trusted key does not fit the note');
    signedBy.push(key);
    verified.push(signature);
  }
  if (signedBy.length === 0) throw new NoteFault('signed by no trusted key');
  return { text, signedBy, signatures: verified };
}

const verifies = (key: NoteKey, text: string, signature: NoteSignature): boolean =>
  key.type === COSIGNATURE_V1
    ? verifyCosignature(key, text, signature) !== undefined
    : keyVerifies(key, Buffer.from(text), signature.signature);

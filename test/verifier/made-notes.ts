import { ed25519Jwk, ed25519Sign } from '../../shared/crypto/ed25519.js';
import { sha256 } from '../../shared/crypto/hash.js';
import { formatCheckpoint } from '../../shared/notes/checkpoint.js';
import { NOTE_SIGNATURE, noteKey, verifierText } from '../../shared/notes/note-keys.js';
import { formatNote } from '../../shared/notes/signed-note.js';

export const CHECKPOINT_SEED = sha256('the key of checkpoints');

/** A signed note over a tree. */
export function madeNote(origin: string, size: number, root: Buffer, seed = CHECKPOINT_SEED): string {
  const text = formatCheckpoint({ origin, size, root });
  const key = checkpointKey(origin, seed);
  return formatNote({
    text,
    signatures: [{ name: origin, keyId: key.id, signature: ed25519Sign(seed, Buffer.from(text)) }],
  });
}

export const checkpointKey = (origin: string, seed = CHECKPOINT_SEED) =>
  noteKey(origin, NOTE_SIGNATURE, Buffer.from(ed25519Jwk(seed).x, 'base64url'));
export const checkpointVerifier = (origin: string): string => verifierText(checkpointKey(origin));

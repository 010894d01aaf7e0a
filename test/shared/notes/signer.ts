import { ed25519Jwk, ed25519Sign } from '../../../shared/crypto/ed25519.js';
import { cosignedMessage, timestampedSignature } from '../../../shared/notes/cosignature.js';
import { NOTE_SIGNATURE, type NoteKey, noteKey } from '../../../shared/notes/note-keys.js';
import type { NoteSignature } from '../../../shared/notes/signed-note.js';

/** A key pair for notes from a number. */
export class Signer {
  readonly name: string;
  readonly key: NoteKey;
  readonly seed: Buffer;

  constructor(name: string, number: number, type: NoteKey['type'] = NOTE_SIGNATURE) {
    this.name = name;
    this.seed = Buffer.alloc(32, number);
    this.key = noteKey(name, type, Buffer.from(ed25519Jwk(this.seed).x, 'base64url'));
  }

  sign(text: string): NoteSignature {
    return { name: this.name, keyId: this.key.id, signature: ed25519Sign(this.seed, Buffer.from(text)) };
  }

  cosign(text: string, timeSeconds: number): NoteSignature {
    const signature = ed25519Sign(this.seed, cosignedMessage(text, timeSeconds));
    return { name: this.name, keyId: this.key.id, signature: timestampedSignature(timeSeconds, signature) };
  }
}

import { ed25519Verify } from '../crypto/ed25519.js';
import { sha256 } from '../crypto/hash.js';
import { fromBase64 } from './base64.js';
import { isKeyName, NoteFault, type NoteSignature } from './signed-note.js';

/** What a signature is over: the note's text itself, or a witness's statement on it (C2SP tlog-cosignature). */
export const NOTE_SIGNATURE = 0x01;
export const COSIGNATURE_V1 = 0x04;
type NoteKeyType = typeof NOTE_SIGNATURE | typeof COSIGNATURE_V1;

/** A public key that notes are judged by; name and id together say which. */
export interface NoteKey {
  readonly name: string;
  readonly type: NoteKeyType;
  /** 32 bytes of Ed25519. */
  readonly publicKey: Buffer;
  readonly id: Buffer;
}

const PUBLIC_KEY_BYTES = 32;

/** @throws NoteFault for a name that no key may have, or another length of key. */
export function noteKey(name: string, type: NoteKeyType, publicKey: Uint8Array): NoteKey {
  if (!isKeyName(name) || publicKey.length !== PUBLIC_KEY_BYTES) throw new NoteFault('not a key for notes');
  const id = sha256(Buffer.concat([Buffer.from(`${name}\n`), Buffer.of(type), publicKey])).subarray(0, 4);
  return { name, type, publicKey: Buffer.from(publicKey), id };
}

/** The key as one word, for configuration: `<name>+<id in hex>+<base64 of type and key>`. */
export const verifierText = ({ name, type, publicKey, id }: NoteKey): string =>
  `${name}+${id.toString('hex')}+${Buffer.concat([Buffer.of(type), publicKey]).toString('base64')}`;

/** @throws NoteFault */
export function parseVerifier(text: string): NoteKey {
  const [, name, id, encoded] = /^([^+]+)\+([0-9a-f]{8})\+(.+)$/.exec(text) ?? [];
  const bytes = encoded === undefined ? undefined : fromBase64(encoded);
  const type = bytes?.[0];
  if (name === undefined || bytes === undefined || (type !== NOTE_SIGNATURE && type !== COSIGNATURE_V1)) {
    throw new NoteFault('not a verifier key for notes');
  }
  const key = noteKey(name, type, bytes.subarray(1));
  if (key.id.toString('hex') !== id) throw new NoteFault('a verifier key whose id is not its own');
  return key;
}

export const isSignatureOf = (key: NoteKey, { name, keyId }: NoteSignature): boolean =>
  key.name === name && key.id.equals(keyId);

/** Whether the key made this signature over these bytes; for a cosignature see cosignature.ts. */
export const keyVerifies = (key: NoteKey, message: Uint8Array, signature: Uint8Array): boolean =>
  signature.length === 64 &&
  ed25519Verify({ kty: 'OKP', crv: 'Ed25519', x: key.publicKey.toString('base64url') }, message, signature);

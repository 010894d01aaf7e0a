import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ed25519Jwk, ed25519Sign, SEED_BYTES } from '../shared/crypto/ed25519.js';
import type { Randomness } from '../shared/ids/ids.js';
import { COSIGNATURE_V1, type NoteKey, noteKey } from '../shared/notes/note-keys.js';
import { contentOf, replaceFile } from './state-files.js';

interface WitnessKey {
  readonly key: NoteKey;
  readonly sign: (message: Uint8Array) => Buffer;
}

/** Loads the witness's key; makes it at first start in a file that only its owner can read. */
export async function witnessKey(folder: string, name: string, randomness: Randomness): Promise<WitnessKey> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, 'key.hex');
  const kept = await contentOf(path);
  const seed = kept === null ? Buffer.from(randomness.fill(new Uint8Array(SEED_BYTES))) : seedOf(kept);
  if (kept === null) await replaceFile(path, `${seed.toString('hex')}\n`);
  const key = noteKey(name, COSIGNATURE_V1, Buffer.from(ed25519Jwk(seed).x, 'base64url'));
  return { key, sign: (message) => ed25519Sign(seed, message) };
}

function seedOf(text: string): Buffer {
  if (!/^[0-9a-f]{64}\n$/.test(text)) throw new Error('the key file of the witness cannot be read');
  return Buffer.from(text.trim(), 'hex');
}

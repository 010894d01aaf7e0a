import type { Tree } from '../hashing/tree.js';
import type { Platform } from '../platform.js';
import { fromBase64, fromDecimal, joined, toHex, utf8 } from '../text/bytes.js';
import { isStrongPoint, verifyStrictly } from './ed25519-strict.js';

// Checkpoints: C2SP signed-note and tlog-checkpoint.

/** The text is not a note or not a checkpoint; the message repeats nothing of it. */
export class NoteFault extends Error {}

export interface Checkpoint extends Tree {
  readonly origin: string;
  /** The signed text, with its final newline. */
  readonly text: string;
  readonly signatures: readonly NoteSignature[];
}

interface NoteSignature {
  readonly name: string;
  /** Eight characters of hex. */
  readonly keyId: string;
  readonly signature: Uint8Array;
}

/** A key that verifies checkpoints: Ed25519, type 0x01. */
export interface NoteKey {
  readonly name: string;
  readonly keyId: string;
  readonly publicKey: Uint8Array;
}

const MAX_NOTE = 65_536;
const DASH = '\u2014';
const ED25519 = 0x01;

/** @throws NoteFault */
export function readCheckpoint(note: string): Checkpoint {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the specification forbids exactly these
  if (note.length > MAX_NOTE || /[\u0000-\u0009\u000b-\u001f]/.test(note)) throw new NoteFault('not a note');
  const end = note.lastIndexOf('\n\n');
  if (end < 0 || !note.endsWith('\n')) throw new NoteFault('a note without signatures');
  const text = note.slice(0, end + 1);
  const [origin = '', sizeText = '', rootText = '', ...rest] = text.split('\n');
  const size = fromDecimal(sizeText);
  const root = fromBase64(rootText);
  const ended = rest.at(-1) === '' && rest.slice(0, -1).every((line) => line !== '');
  if (origin === '' || size === undefined || root?.length !== 32 || !ended) throw new NoteFault('not a checkpoint');
  return {
    origin,
    size,
    root,
    text,
    signatures: note
      .slice(end + 2, -1)
      .split('\n')
      .map(readSignature),
  };
}

function readSignature(line: string): NoteSignature {
  const [dash, name = '', encoded = '', ...rest] = line.split(' ');
  const bytes = fromBase64(encoded);
  if (
    dash !== DASH ||
    name === '' ||
    name.includes('+') ||
    rest.length > 0 ||
    bytes === undefined ||
    bytes.length <= 4
  ) {
    throw new NoteFault('not a signature line');
  }
  return { name, keyId: toHex(bytes.subarray(0, 4)), signature: bytes.subarray(4) };
}

/** Makes the key of that name; its id is part of the hash of name and key (signed-note). */
export function noteKey(platform: Platform, name: string, publicKey: Uint8Array): NoteKey {
  const digest = platform.sha256(joined(utf8(`${name}\n`), Uint8Array.of(ED25519), publicKey));
  return { name, keyId: toHex(digest.subarray(0, 4)), publicKey };
}

/** Parses `name+id+key`; returns undefined for another form or type, a weak key, or an id that does not match the key. */
export function readVerifier(platform: Platform, text: string): NoteKey | undefined {
  const [, name = '', id = '', encoded = ''] = /^([^+\s]+)\+([0-9a-f]{8})\+(\S+)$/.exec(text) ?? [];
  const bytes = fromBase64(encoded);
  if (bytes?.length !== 33 || bytes[0] !== ED25519) return undefined;
  if (!isStrongPoint(bytes.subarray(1))) return undefined;
  const key = noteKey(platform, name, bytes.subarray(1));
  return key.keyId === id ? key : undefined;
}

/** Result of the signature check of a checkpoint. */
type NoteStanding = 'signed' | 'unknown-key' | 'forged';

/** Verifies a checkpoint's signatures. @param keys keys of any name; only those of the checkpoint's origin count */
export async function standingOf(
  platform: Platform,
  note: Checkpoint,
  keys: readonly NoteKey[],
): Promise<NoteStanding> {
  let standing: NoteStanding = 'unknown-key';
  for (const { name, keyId, signature } of note.signatures) {
    const key = keys.find((known) => known.name === name && known.keyId === keyId);
    if (key === undefined || name !== note.origin) continue;
    const holds = await verifyStrictly(platform, key.publicKey, utf8(note.text), signature);
    if (!holds) return 'forged';
    standing = 'signed';
  }
  return standing;
}

import { keyVerifies, type NoteKey } from './note-keys.js';
import type { NoteSignature } from './signed-note.js';

// cosignature/v1 of C2SP tlog-cosignature: a witness says that, at this time, this was the largest consistent tree that it
// had seen of this origin.

const TIME_BYTES = 8;

/** The bytes that a witness signs. @param text the note's text, with its final newline */
export const cosignedMessage = (text: string, timeSeconds: number): Buffer =>
  Buffer.from(`cosignature/v1\ntime ${timeSeconds}\n${text}`);

/** The signature in the form of a note: the time in eight bytes, then Ed25519. */
export function timestampedSignature(timeSeconds: number, signature: Uint8Array): Buffer {
  const time = Buffer.alloc(TIME_BYTES);
  time.writeBigUInt64BE(BigInt(timeSeconds));
  return Buffer.concat([time, signature]);
}

/** When the witness signed this text, in seconds since the epoch; undefined when it did not. */
export function verifyCosignature(key: NoteKey, text: string, { signature }: NoteSignature): number | undefined {
  if (signature.length !== TIME_BYTES + 64) return undefined;
  const time = signature.readBigUInt64BE();
  if (time > BigInt(Number.MAX_SAFE_INTEGER)) return undefined;
  const timeSeconds = Number(time);
  return keyVerifies(key, cosignedMessage(text, timeSeconds), signature.subarray(TIME_BYTES)) ? timeSeconds : undefined;
}

import { fromDecimal, hashFromBase64 } from './base64.js';
import { MAX_NOTE_BYTES, NoteFault } from './signed-note.js';

/** The body of `add-checkpoint` (C2SP tlog-witness). */
export interface WitnessRequest {
  /** The size that the log believes the witness to have seen last; 0 for none. */
  readonly oldSize: number;
  /** Consistency of the old size with the checkpoint's. */
  readonly proof: readonly Uint8Array[];
  /** The signed note. */
  readonly checkpoint: string;
}

/** Media type of the answer 409; its body is the size that the witness has seen. */
export const SIZE_TYPE = 'text/x.tlog.size';
const MAX_PROOF_LINES = 63;
/** Maximum size of a body: the note, and the lines before it. */
export const MAX_REQUEST_BYTES: number = MAX_NOTE_BYTES + 64 * 64;

export const formatWitnessRequest = ({ oldSize, proof, checkpoint }: WitnessRequest): string =>
  [`old ${oldSize}`, ...proof.map((hash) => Buffer.from(hash).toString('base64')), '', checkpoint].join('\n');

/** @throws NoteFault */
export function parseWitnessRequest(body: string): WitnessRequest {
  const end = body.indexOf('\n\n');
  const [first = '', ...lines] = body.slice(0, Math.max(0, end)).split('\n');
  const oldSize = fromDecimal(first.match(/^old (.*)$/)?.[1] ?? '');
  const proof = lines.flatMap((line) => hashFromBase64(line) ?? []);
  if (oldSize === undefined || proof.length !== lines.length || proof.length > MAX_PROOF_LINES) {
    throw new NoteFault('not an add-checkpoint request');
  }
  return { oldSize, proof, checkpoint: body.slice(end + 2) };
}

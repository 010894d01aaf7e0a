import { fromDecimal } from '../../../../shared/notes/base64.js';
import { verifyCosignature } from '../../../../shared/notes/cosignature.js';
import { isSignatureOf, type NoteKey } from '../../../../shared/notes/note-keys.js';
import { NoteFault, type NoteSignature, parseSignatureLine } from '../../../../shared/notes/signed-note.js';
import { formatWitnessRequest } from '../../../../shared/notes/witness-request.js';
import type { CosignRequest } from '../ports/checkpoint-sinks.js';

/** A configured witness. */
export interface WitnessAddress {
  /** The submission prefix. */
  readonly url: string;
  readonly key: NoteKey;
}

/**
 * The answer of one witness. `ahead`: it has seen a larger tree; `disagrees`: the tree does not extend what it has seen;
 * `failed`: the reason, for the log.
 */
export type WitnessAnswer =
  | { readonly kind: 'cosigned'; readonly signature: NoteSignature }
  | { readonly kind: 'ahead'; readonly size: number }
  | { readonly kind: 'disagrees' }
  | { readonly kind: 'failed'; readonly why: string };

const TIMEOUT_MS = 5_000;
const MAX_ANSWER_BYTES = 16_384;

/** Asks one witness over C2SP tlog-witness, and once more from the size that it reports. Never throws. */
export async function askWitness(
  { url, key }: WitnessAddress,
  request: CosignRequest,
  fromSize: number,
): Promise<WitnessAnswer> {
  try {
    const first = await post(url, request, Math.min(fromSize, request.size));
    if (first.status !== 409) return verifiedAnswer(first, key, request);
    const seen = fromDecimal(first.body.replace(/\n$/, ''));
    if (seen === undefined) return { kind: 'failed', why: 'CONFLICT_WITHOUT_SIZE' };
    if (seen > request.size) return { kind: 'ahead', size: seen };
    const second = await post(url, request, seen);
    if (second.status !== 409) return verifiedAnswer(second, key, request);
    // C2SP tlog-witness: of one size, 409 means another root.
    return seen === request.size ? { kind: 'disagrees' } : { kind: 'failed', why: 'CONFLICT' };
  } catch (error) {
    return { kind: 'failed', why: error instanceof NoteFault ? 'MALFORMED' : 'UNREACHABLE' };
  }
}

interface Reply {
  readonly status: number;
  readonly body: string;
}

async function post(url: string, request: CosignRequest, oldSize: number): Promise<Reply> {
  const proof = oldSize === 0 ? [] : await request.proofFrom(oldSize);
  const answer = await fetch(`${url.replace(/\/$/, '')}/add-checkpoint`, {
    method: 'POST',
    body: formatWitnessRequest({ oldSize, proof, checkpoint: request.note }),
    headers: { 'content-type': 'text/plain; charset=utf-8' },
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  return { status: answer.status, body: await textOf(answer) };
}

/** Limits the answer to a fixed number of bytes. */
async function textOf(answer: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of answer.body ?? []) {
    length += chunk.length;
    if (length > MAX_ANSWER_BYTES) throw new NoteFault('the answer is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** 422 is the answer to a proof that does not hold (C2SP tlog-witness). */
const DISAGREES = 422;

/** Accepts only a signature that verifies under the configured key. */
function verifiedAnswer({ status, body }: Reply, key: NoteKey, { text }: CosignRequest): WitnessAnswer {
  if (status === DISAGREES) return { kind: 'disagrees' };
  if (status !== 200) return { kind: 'failed', why: `STATUS_${status}` };
  const lines = body.replace(/\n$/, '').split('\n').map(parseSignatureLine);
  const signature = lines.find((line) => isSignatureOf(key, line) && verifyCosignature(key, text, line) !== undefined);
  return signature ? { kind: 'cosigned', signature } : { kind: 'failed', why: 'NO_VALID_COSIGNATURE' };
}

import { verifyConsistency } from '../../shared/merkle/verify-proofs.js';
import { type CheckpointBody, parseCheckpoint } from '../../shared/notes/checkpoint.js';
import { NoteFault } from '../../shared/notes/signed-note.js';
import { type SignedTree, SignerRefusal, type SigningEvidence } from '../../shared/signing/signer.js';

/** The log and the incarnation that an origin names: `<deployment>/<log id>/inc-<n>`. */
interface OriginParts {
  readonly log: string;
  readonly incarnation: number;
}

export function originParts(origin: string): OriginParts | null {
  const found = /^(\S+)\/inc-([1-9]\d{0,8})$/.exec(origin);
  return found?.[1] === undefined ? null : { log: found[1], incarnation: Number(found[2]) };
}

interface Known {
  /** The last note of this origin. */
  readonly last: SignedTree | null;
  /** The last note of the log's newest incarnation that the signer knows of. */
  readonly newest: SignedTree | null;
  /** The incarnation that an operator accepted by a local command; 1 without one. */
  readonly accepted: number;
}

/** The text of a checkpoint that the signer may be asked to sign. @throws SignerRefusal */
export function readCheckpointText(message: Uint8Array): CheckpointBody & OriginParts {
  const text = Buffer.from(message).toString('utf8');
  try {
    const body = parseCheckpoint(text);
    const parts = originParts(body.origin);
    // Three lines alone: a longer text could say more than the signer has checked.
    if (parts && text === `${body.origin}\n${body.size}\n${body.root.toString('base64')}\n`)
      return { ...body, ...parts };
  } catch (error) {
    if (!(error instanceof NoteFault)) throw error;
  }
  throw new SignerRefusal('MALFORMED', 'this is not the text of a checkpoint');
}

/**
 * Checks that a checkpoint extends the signer's own last note of the log (docs/signer.md "Checkpoints").
 *
 * @throws SignerRefusal
 */
export function judgeCheckpoint(
  body: CheckpointBody & OriginParts,
  { last, newest, accepted }: Known,
  { from, proof }: Extract<SigningEvidence, { readonly purpose: 'CHECKPOINT' }>,
): void {
  if (last === null) {
    judgeFirst(body, newest, accepted);
    return;
  }
  if (newest !== null && newest.origin !== body.origin)
    throw new SignerRefusal('INCARNATION_NOT_ACCEPTED', 'a later incarnation of this log has been signed');
  if (body.size < last.size)
    throw new SignerRefusal('TREE_SMALLER', `the last signed tree has ${last.size} leaves, this one has ${body.size}`);
  const claim = {
    first: last.size,
    firstRoot: Buffer.from(last.root, 'hex'),
    second: body.size,
    secondRoot: body.root,
    proof: proof.map((hash) => Buffer.from(hash, 'base64')),
  };
  if (from !== last.size || !verifyConsistency(claim))
    throw new SignerRefusal('NOT_CONSISTENT', 'the tree is not proven to begin with the last signed one');
}

/** The first note of an origin: of a new log, or of an incarnation that an operator accepted. */
function judgeFirst({ incarnation }: OriginParts, newest: SignedTree | null, accepted: number): void {
  const known = newest === null ? null : originParts(newest.origin);
  const isNext = known === null ? incarnation <= Math.max(1, accepted) : incarnation === accepted;
  if (isNext && (known === null || known.incarnation < incarnation)) return;
  throw new SignerRefusal('INCARNATION_NOT_ACCEPTED', `incarnation ${incarnation} waits for the local command`);
}

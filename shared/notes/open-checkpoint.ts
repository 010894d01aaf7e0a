import { type CheckpointBody, parseCheckpoint } from './checkpoint.js';
import { COSIGNATURE_V1, type NoteKey } from './note-keys.js';
import { openNote } from './open-note.js';
import { NoteFault } from './signed-note.js';

/** The keys that a verifier of proofs trusts. */
interface TrustPolicy {
  /** The log's own keys: the present one, and those before it. */
  readonly logKeys: readonly NoteKey[];
  readonly witnesses?: readonly NoteKey[];
  /** How many different witnesses must have cosigned. */
  readonly quorum?: number;
  /** The only origin that is taken; without it, whatever the key's name says. */
  readonly origin?: string;
}

export interface TrustedCheckpoint extends CheckpointBody {
  readonly text: string;
  readonly witnesses: readonly string[];
}

/**
 * A checkpoint that its log has signed and enough witnesses have cosigned: the only place that size and root of a tree
 * are taken from (evidence.md section 1, rule 8).
 *
 * @throws NoteFault
 */
export function openCheckpoint(note: string, policy: TrustPolicy): TrustedCheckpoint {
  const { logKeys, witnesses = [], quorum = 0 } = policy;
  if (logKeys.some(({ type }) => type === COSIGNATURE_V1) || witnesses.some(({ type }) => type !== COSIGNATURE_V1)) {
    throw new NoteFault('a key of the wrong type for its part');
  }
  const { text, signedBy } = openNote(note, [...logKeys, ...witnesses]);
  const body = parseCheckpoint(text);
  const origin = policy.origin ?? body.origin;
  if (body.origin !== origin) throw new NoteFault('a checkpoint of another origin');
  if (!signedBy.some((key) => logKeys.includes(key) && key.name === origin)) {
    throw new NoteFault('not signed by the log of this origin');
  }
  // By key and not by name: one witness under two names is one witness.
  const cosigners = new Map(
    signedBy.filter((key) => witnesses.includes(key)).map((key) => [key.publicKey.toString('hex'), key.name]),
  );
  if (cosigners.size < quorum) throw new NoteFault('cosigned by too few witnesses');
  return { ...body, text, witnesses: [...cosigners.values()] };
}

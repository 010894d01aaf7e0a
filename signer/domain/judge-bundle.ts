import { createHash } from 'node:crypto';
import { type SignedTree, SignerRefusal, type SigningEvidence } from '../../shared/signing/signer.js';
import { sealedFact } from '../../verifier/checks/sealed-fact.js';
import { nodePlatform } from '../../verifier/node/node-platform.js';

interface BundleQuestion {
  readonly tenantId: string;
  readonly message: Uint8Array;
  readonly evidence: Extract<SigningEvidence, { readonly purpose: 'BUNDLE' }>;
  /** The last note of the origin that the proof names. */
  readonly lastSigned: (origin: string) => SignedTree | null;
  /** Public points of the tenant's keys of checkpoints, as the signer holds them. */
  readonly checkpointKeys: readonly Uint8Array[];
  /** Whether this key has made that signature over the manifest before it contained one. */
  readonly isOwn: (unsigned: Uint8Array, signature: Uint8Array) => boolean;
}

/**
 * Checks that the log of the tenant holds the fact `bundle.sealing` of this manifest, under a checkpoint that this signer
 * signed (docs/signer.md "Bundles").
 *
 * @throws SignerRefusal
 */
export async function judgeBundle(question: BundleQuestion): Promise<void> {
  const { tenantId, evidence, lastSigned, checkpointKeys } = question;
  const unsigned = unsignedOf(question);
  const fact = await sealedFact(nodePlatform, evidence.sealing, tenantId, checkpointKeys);
  if (typeof fact === 'string') throw new SignerRefusal('NOT_SEALED', fact);
  const last = lastSigned(fact.origin);
  if (last === null || last.size < fact.treeSize)
    throw new SignerRefusal('NOT_SEALED', 'the checkpoint of the fact is not one of this signer');
  if (fact.manifestSha256 !== createHash('sha256').update(unsigned).digest('hex'))
    throw new SignerRefusal('NOT_SEALED', 'the fact is of another manifest');
}

/** The manifest as the fact commits it. The second message contains the first signature, and nothing else besides. */
function unsignedOf({ message, evidence, isOwn }: BundleQuestion): Uint8Array {
  const { contained } = evidence;
  if (contained === undefined) return message;
  const part = Buffer.from(`"signature":"${contained}",`);
  const bytes = Buffer.from(message.buffer, message.byteOffset, message.byteLength);
  const at = bytes.lastIndexOf(part);
  if (at < 0 || !/^[A-Za-z0-9_-]{86}$/.test(contained))
    throw new SignerRefusal('MALFORMED', 'the manifest does not contain its signature');
  const unsigned = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + part.length)]);
  if (!isOwn(unsigned, Buffer.from(contained, 'base64url')))
    throw new SignerRefusal('NOT_SEALED', 'the manifest contains a signature that this key did not make');
  return unsigned;
}

import { SIGNATURE } from '../archive/entry-names.js';
import { fromBase64Url, toBase64Url, utf8 } from '../text/bytes.js';
import { isStrongPoint, verifyStrictly } from '../trust/ed25519-strict.js';
import type { BundleContext } from './context.js';

const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;

/** RFC 7638 thumbprint: the required members in the order of their names. */
const thumbprint = (sha256: (bytes: Uint8Array) => Uint8Array, x: string): string =>
  toBase64Url(sha256(utf8(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`)));

/** Checks the two signatures of evidence.md section 5: over the file, and over the manifest without its signature. */
export async function checkSignatures(context: BundleContext): Promise<void> {
  const { platform, findings, manifest, manifestBytes } = context;
  const { signing_public_key_jwk: jwk, signing_key_id, signature } = manifest.head;
  const key = fromBase64Url(jwk.x);
  if (key?.length !== KEY_BYTES) {
    findings.broken('signature', 'KEY_FORM', 'manifest.json', 'the public key is not 32 bytes of Ed25519');
    return;
  }
  if (!isStrongPoint(key)) {
    findings.broken('signature', 'KEY_WEAK', 'manifest.json', 'the public key has low order or another encoding');
    return;
  }
  if (thumbprint(platform.sha256, jwk.x) !== signing_key_id) {
    findings.broken('signature', 'KEY_ID_MISMATCH', 'manifest.json', 'signing_key_id is not the thumbprint of the key');
  }
  const detached = await detachedSignature(context);
  if (detached !== undefined && !(await verifyStrictly(platform, key, manifestBytes, detached))) {
    findings.broken('signature', 'SIGNATURE_MISMATCH', SIGNATURE, 'not a signature of this key over manifest.json');
  }
  const inner = fromBase64Url(signature);
  const unsigned = utf8(manifest.unsignedText());
  if (inner?.length !== SIGNATURE_BYTES || !(await verifyStrictly(platform, key, unsigned, inner))) {
    findings.broken(
      'signature',
      'MANIFEST_SIGNATURE_MISMATCH',
      'manifest.json',
      'the signature inside the manifest is not of this key over it',
    );
  }
  findings.done('signature', `Ed25519, key ${signing_key_id}`);
}

async function detachedSignature({ findings, entries, open }: BundleContext): Promise<Uint8Array | undefined> {
  const entry = entries.get(SIGNATURE);
  if (entry?.size !== SIGNATURE_BYTES) {
    findings.broken(
      'signature',
      'SIGNATURE_FORM',
      SIGNATURE,
      entry === undefined ? 'the entry is missing' : 'not 64 bytes',
    );
    return undefined;
  }
  return open(SIGNATURE)?.next();
}

import type { KnownKey } from '../trust/key-set.js';
import { printable } from './archive.js';
import type { BundleContext } from './context.js';

/**
 * Checks that the caller trusts the key, and checks the key's history. A key that comes only from the bundle proves that
 * nothing changed since the signature, not who signed.
 *
 * @param stampedAt time of a valid time-stamp token, which a holder of the key cannot forge
 */
export function checkKey(
  context: BundleContext,
  known: readonly KnownKey[] | undefined,
  stampedAt: string | undefined,
): void {
  const { findings, options, manifest } = context;
  const { signing_key_id: keyId, signing_public_key_jwk: jwk } = manifest.head;
  const pinned = options.keys ?? [];
  if (pinned.length > 0) {
    if (pinned.includes(keyId)) findings.pinned = true;
    else findings.broken('key', 'KEY_NOT_TRUSTED', printable(keyId), 'signed by another key than the one given');
  }
  if (known === undefined) {
    if (pinned.length === 0)
      findings.skipped('Whose key it is: give its thumbprint (--key), got by another way than this bundle.');
    findings.skipped('Whether the key was revoked: give the published keys (--keys FILE).');
    if (findings.pinned) findings.done('key', `pinned ${keyId}`);
    return;
  }
  const key = known.find(({ x, purpose }) => x === jwk.x && purpose === 'BUNDLE');
  if (key === undefined) {
    findings.broken('key', 'KEY_UNKNOWN', printable(keyId), 'the published keys hold no such key for bundles');
    return;
  }
  // The caller got the list separately from the bundle, so it pins the key as a thumbprint does.
  findings.pinned = true;
  checkLife(context, key, stampedAt);
  findings.done('key', `${keyId}, ${key.status}`);
}

/** Checks the key's state at the time of sealing. A later change does not affect earlier signatures. */
function checkLife({ findings, manifest }: BundleContext, key: KnownKey, stampedAt: string | undefined): void {
  const { sealed_at: sealedAt, signing_key_id: keyId } = manifest.head;
  const { revoked, ended, from } = key;
  const broken = (code: string, detail: string): void => findings.broken('key', code, printable(keyId), detail);
  // A revocation may reach back to before the rotation, so it is checked first.
  if (revoked !== null && sealedAt >= revoked.from) {
    const since = revoked.from === '' ? 'an unknown time' : revoked.from;
    if (revoked.compromised)
      broken('KEY_COMPROMISED', `others may have had the key since ${since}; sealed at ${sealedAt}`);
    else broken('KEY_REVOKED', `revoked from ${since}; sealed at ${sealedAt}`);
    return;
  }
  if (from === null || sealedAt < from) broken('KEY_NOT_ACTIVE_YET', `the key did not sign yet at ${sealedAt}`);
  else if (ended !== null && sealedAt >= ended.at) {
    broken('KEY_NO_LONGER_ACTIVE', `${ended.change} at ${ended.at}; sealed at ${sealedAt}`);
  }
  if (revoked?.compromised !== true || (stampedAt !== undefined && stampedAt < revoked.from)) return;
  // The signer states the seal time, and the holder of a stolen key can state any time.
  findings.note(
    `Others may have had the key since ${revoked.from}. That the bundle was sealed before rests on its own word: ` +
      'a time stamp, or a checkpoint that you kept, from before would show it.',
  );
}

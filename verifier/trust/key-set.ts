import { isObject } from '../manifest/members.js';
import { fromBase64Url } from '../text/bytes.js';
import { isInstant } from '../text/instants.js';

/** An option of the caller is invalid: a fault of the command, not of the bundle. */
export class UsageFault extends Error {}

/** A key of a published key set, with its history. */
export interface KnownKey {
  readonly kid: string;
  readonly x: string;
  readonly publicKey: Uint8Array;
  readonly purpose: string;
  readonly status: string;
  /** Time from which it signs; null if it has not started. */
  readonly from: string | null;
  /** Its rotation or retirement. */
  readonly ended: { readonly change: string; readonly at: string } | null;
  /** Signatures from this instant on are not trusted. */
  readonly revoked: { readonly compromised: boolean; readonly from: string } | null;
}

const instantOrNull = (value: unknown): string | null => (isInstant(value) ? value : null);

/** Reads the Ed25519 keys of a JSON Web Key Set (RFC 7517); skips other keys. @throws UsageFault */
export function readKeySet(text: string): KnownKey[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new UsageFault('the key set is not JSON');
  }
  const keys = isObject(value) ? value['keys'] : undefined;
  if (!Array.isArray(keys)) throw new UsageFault('not a JSON Web Key Set');
  return keys.flatMap((key) => (isObject(key) ? (readKey(key) ?? []) : []));
}

function readKey(key: Readonly<Record<string, unknown>>): KnownKey | undefined {
  const { kid, kty, crv, x, purpose, status } = key;
  const publicKey = typeof x === 'string' ? fromBase64Url(x) : undefined;
  if (kty !== 'OKP' || crv !== 'Ed25519' || typeof x !== 'string' || publicKey?.length !== 32) return undefined;
  const history = (Array.isArray(key['history']) ? key['history'] : []).filter(isObject);
  const ended = history.find(({ change }) => change === 'ROTATED' || change === 'RETIRED');
  const revoked = history.find(({ change }) => change === 'REVOKED' || change === 'COMPROMISED');
  return {
    kid: typeof kid === 'string' ? kid : '',
    x,
    publicKey,
    purpose: typeof purpose === 'string' ? purpose : '',
    status: typeof status === 'string' ? status : '',
    from: instantOrNull(key['from']),
    ended: ended === undefined ? null : { change: String(ended['change']), at: instantOrNull(ended['at']) ?? '' },
    // A revocation without a time applies from the beginning.
    revoked: revoked === undefined && status !== 'REVOKED' ? null : revocationOf(revoked ?? {}),
  };
}

const revocationOf = (change: Readonly<Record<string, unknown>>) => ({
  compromised: change['change'] === 'COMPROMISED',
  from: instantOrNull(change['effective_at']) ?? '',
});

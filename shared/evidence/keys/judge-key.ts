import type { PublicSigningKey } from '../../contracts/signing-keys.js';
import { instantOf } from '../../time/rfc3339.js';

/** How a key stood when a bundle was sealed, and what has become of it since. */
type KeyStanding =
  /** It signed then, and signs still. */
  | 'ACTIVE'
  /** It signed then; another key has taken its place since. */
  | 'ROTATED'
  /** It signed then; it was retired since. */
  | 'RETIRED'
  /** It signed then; it was revoked since, with effect from a later instant. */
  | 'REVOKED_SINCE'
  /** Valid when it signed. Another party may hold the key since a later instant, and could state a false earlier time. */
  | 'COMPROMISED_SINCE'
  /** Never activated, or sealed before it was. */
  | 'NOT_ACTIVE_YET'
  /** Sealed after it had been rotated or retired. */
  | 'NO_LONGER_ACTIVE'
  /** Sealed at or after the instant from which its signatures are not to be trusted. */
  | 'REVOKED'
  | 'COMPROMISED'
  /** The registry of the tenant does not know it. */
  | 'UNKNOWN';

/** As in the answer of verify-signature: `{ name, ok, detail }`, and the standing itself. */
interface KeyCheck {
  readonly name: 'key-status';
  readonly ok: boolean;
  readonly standing: KeyStanding;
  readonly detail: string;
}

type JudgedKey = Pick<PublicSigningKey, 'status' | 'from' | 'revocation' | 'history'>;

const DETAILS: Readonly<Record<KeyStanding, string>> = {
  ACTIVE: 'The key was active at the time of sealing, and still is.',
  ROTATED: 'The key was active at the time of sealing; it was rotated since, which does not touch what it signed.',
  RETIRED: 'The key was active at the time of sealing; it was retired since, which does not touch what it signed.',
  REVOKED_SINCE: 'The key was active at the time of sealing; it was revoked since, with effect from a later time.',
  COMPROMISED_SINCE:
    'The key was active at the time of sealing and became known to others later. The signature alone does not show that the bundle is older than that: the ledger checkpoint, the stored copy or a time-stamp token does.',
  NOT_ACTIVE_YET: 'The key was not active yet at the time of sealing.',
  NO_LONGER_ACTIVE: 'The key was rotated or retired before the time of sealing.',
  REVOKED: 'The key was revoked with effect from before the time of sealing.',
  COMPROMISED: 'The key may have been known to others at the time of sealing.',
  UNKNOWN: 'The tenant has no such signing key.',
};

const GOOD: ReadonlySet<KeyStanding> = new Set(['ACTIVE', 'ROTATED', 'RETIRED', 'REVOKED_SINCE', 'COMPROMISED_SINCE']);

/**
 * How the key that signed a bundle stood when it was sealed. Old bundles keep verifying through rotation and retirement;
 * a revocation reaches back to the instant from which it has effect, and no further.
 *
 * @param key null for one that the registry does not know
 * @param sealedAt the manifest's, RFC 3339
 */
export function judgeKey(key: JudgedKey | null, sealedAt: string): KeyCheck {
  const standing = standingOf(key, instantOf(sealedAt) ?? Number.NaN);
  return { name: 'key-status', ok: GOOD.has(standing), standing, detail: detailOf(standing, key) };
}

function standingOf(key: JudgedKey | null, sealedMs: number): KeyStanding {
  if (key === null) return 'UNKNOWN';
  const isCompromised = key.revocation?.reason === 'KEY_COMPROMISE';
  // A revocation may reach back to before the key was rotated: it decides first.
  if (key.revocation && !(sealedMs < timeOf(key.revocation.effective_at))) {
    return isCompromised ? 'COMPROMISED' : 'REVOKED';
  }
  if (key.from === null || !(sealedMs >= timeOf(key.from))) return 'NOT_ACTIVE_YET';
  const ended = key.history.find(({ change }) => change === 'ROTATED' || change === 'RETIRED');
  if (ended && !(sealedMs < timeOf(ended.at))) return 'NO_LONGER_ACTIVE';
  if (key.revocation) return isCompromised ? 'COMPROMISED_SINCE' : 'REVOKED_SINCE';
  if (ended) return ended.change === 'ROTATED' ? 'ROTATED' : 'RETIRED';
  return 'ACTIVE';
}

/** A time that does not read is in no span: every comparison with it fails. */
const timeOf = (text: string): number => instantOf(text) ?? Number.NaN;

/** With the times that decided; ids and times alone. */
function detailOf(standing: KeyStanding, key: JudgedKey | null): string {
  const times = (key?.history ?? []).map(({ change, at, effective_at }) =>
    effective_at === undefined ? `${change} ${at}` : `${change} ${at} with effect from ${effective_at}`,
  );
  return times.length === 0 ? DETAILS[standing] : `${DETAILS[standing]} (${times.join('; ')})`;
}

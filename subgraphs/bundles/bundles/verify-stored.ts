import type { RequestContext } from '../../../shared/auth/context.js';
import { type Clock, isoTime } from '../../../shared/clock/clock.js';
import type { Custody } from '../../../shared/contracts/custody.js';
import type { ExceptionDesk } from '../../../shared/contracts/exceptions.js';
import type { PublicSigningKey, SigningKeys } from '../../../shared/contracts/signing-keys.js';
import { custodyActorOf } from '../../../shared/custody/custody-entry.js';
import { untilLeft } from '../../../shared/errors/caller-left.js';
import type { RandomAccess } from '../../../shared/evidence/edx/stored-archive.js';
import { judgeKey } from '../../../shared/evidence/keys/judge-key.js';
import { type ReadBundleDeps, type SealedBundle, sealedBundle } from './read-bundles.js';
import { type ArchiveDeps, archiveBytes, isDamage, wormOf } from './sealed-archive.js';

/** The report of the verifier. */
interface ArchiveReport {
  readonly verdict: string;
  readonly checks: readonly { readonly name: string; readonly status: string; readonly detail: string }[];
  readonly breaks: readonly unknown[];
}

export interface VerifyStoredDeps extends ReadBundleDeps, ArchiveDeps {
  readonly signingKeys: SigningKeys;
  readonly exceptions: ExceptionDesk;
  readonly custody: Custody;
  readonly clock: Clock;
  readonly verifyArchive: (
    bytes: RandomAccess,
    keySet: string,
    expected: Pick<SealedBundle, 'bundle_id' | 'scope'>,
  ) => Promise<ArchiveReport>;
}

interface StoredVerdict {
  readonly bundle: SealedBundle;
  readonly valid: boolean;
  readonly verdict: string;
  readonly breaks: number;
  readonly checks: { name: string; ok: boolean; detail: string }[];
}

const BLOB = 'blob';

/**
 * Verifies the copy in the write-once store: the hash of the whole, then every check of a recipient, with the tenant's
 * current key history.
 *
 * @throws NOT_FOUND, NOT_SEALED
 */
export async function verifyStored(
  deps: VerifyStoredDeps,
  context: RequestContext,
  bundleId: string,
): Promise<StoredVerdict> {
  const bundle = await sealedBundle(deps, context, bundleId);
  try {
    const whole = await hashedWhole(deps, bundle);
    const key = await deps.signingKeys.publicKey(bundle.frozen?.key.key_id ?? '');
    const { name: status, ok, detail } = judgeKey(key, bundle.seal.sealed_at);
    const report = await deps.verifyArchive(await archiveBytes(deps, bundle), keySetOf(key), bundle);
    const performed = report.checks.filter(({ status }) => status !== 'not_checked');
    const reported = performed.map((check) => ({ name: check.name, ok: check.status === 'ok', detail: check.detail }));
    const checks = [whole, { name: status, ok, detail }, ...reported];
    const valid = report.verdict !== 'INVALID' && checks.every(({ ok }) => ok);
    return { bundle, valid, verdict: report.verdict, breaks: report.breaks.length, checks };
  } catch (error) {
    if (!isDamage(error)) throw error;
    await reportDamage(deps, context, bundle);
    const detail = 'The stored bytes are damaged or missing.';
    return { bundle, valid: false, verdict: 'INVALID', breaks: 1, checks: [{ name: BLOB, ok: false, detail }] };
  }
}

/** Reading compares each block and the whole with their hashes. */
async function hashedWhole(deps: ArchiveDeps, { tenant_id, seal }: SealedBundle) {
  const worm = await wormOf(deps, tenant_id);
  let sizeBytes = 0;
  for await (const block of untilLeft(worm.lendBlob(seal.worm_blob_sha256), deps.signal)) sizeBytes += block.length;
  return { name: BLOB, ok: sizeBytes === seal.size, detail: `${sizeBytes} bytes hash to worm_blob_sha256.` };
}

/** In the form of GET /v1/signing-keys/jwks. */
function keySetOf({ key_id, public_key, purpose, status, from, until, history }: PublicSigningKey): string {
  return JSON.stringify({ keys: [{ ...public_key, kid: key_id, use: 'sig', purpose, status, from, until, history }] });
}

/** Damage is reported, never repaired silently (evidence.md section 4). */
async function reportDamage(
  deps: VerifyStoredDeps,
  context: RequestContext,
  { tenant_id, bundle_id, seal }: SealedBundle,
) {
  await deps.custody.record(tenant_id, [
    {
      action: 'INTEGRITY_FAILURE',
      subject: { kind: 'BUNDLE', id: bundle_id },
      actor: custodyActorOf(context),
      at: isoTime(deps.clock.nowMs()),
      request_id: context.requestId,
      detail: { found: 'WORM_MISMATCH' },
    },
  ]);
  await deps.exceptions.open(tenant_id, {
    kind: 'WORM_MISMATCH',
    subject: { kind: 'WORM_BLOB', id: seal.worm_blob_sha256 },
    detail: {
      compared: 'the blocks of a sealed bundle with their hashes',
      read_for: { kind: 'BUNDLE', id: bundle_id },
    },
  });
}

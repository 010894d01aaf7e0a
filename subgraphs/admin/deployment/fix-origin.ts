import { type Clock, isoTime } from '../../../shared/clock/clock.js';
import { hmacSha256 } from '../../../shared/crypto/hash.js';
import type { MasterKey } from '../../../shared/crypto/master-key.js';
import { StartRefused } from '../../../shared/errors/start-refused.js';
import type { Deployments } from './ports.js';

interface FixOriginDeps {
  readonly deployments: Deployments;
  readonly masterKey: MasterKey;
  readonly clock: Clock;
}

/**
 * Fixes the deployment's origin and master key at first start. The origin is part of every chain's genesis (evidence.md
 * section 2), so another value would be another ledger. Under another master key every API key and duplicate key would be
 * unknown.
 *
 * @throws StartRefused
 */
export async function fixOrigin(deps: FixOriginDeps, origin: string): Promise<void> {
  const masterKeyCheck = hmacSha256(deps.masterKey.derive('api-key-hmac'), 'deployment').toString('hex');
  const fixed = await deps.deployments.fix({
    origin,
    master_key_check: masterKeyCheck,
    created_at: new Date(deps.clock.nowMs()),
  });
  if (fixed.origin !== origin) {
    throw new StartRefused(
      `SERVICE_ORIGIN was fixed as "${fixed.origin}" on ${isoTime(fixed.created_at.getTime())}; it cannot become "${origin}"`,
    );
  }
  if (fixed.master_key_check !== masterKeyCheck) {
    throw new StartRefused(
      'SERVICE_MASTER_KEY differs from the key that this database was created with, or the folder of the signer is another; ' +
        'start with the original ones',
    );
  }
}

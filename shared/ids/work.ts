import type { RequestContext } from '../auth/context.js';
import { hmacSha256 } from '../crypto/hash.js';
import type { MasterKey } from '../crypto/master-key.js';
import { type IdKind, type Ids, idTimeMs, type Randomness, ulidIds } from './ids.js';

export interface WorkDeps {
  readonly ids: Ids;
  readonly randomness: Randomness;
  readonly masterKey: MasterKey;
}

/** Where one piece of work takes identifiers, secrets and seeds from. */
interface WorkSources {
  readonly ids: Ids;
  readonly randomness: Randomness;
}

/**
 * Identifiers and random bytes of one request's work. With an Idempotency-Key they are a function of (master key, work
 * id, purpose) and of the order of calls, so that the same request run again after a crash makes the same ones: an insert
 * that collides with its own identifier was done before, and the existing record is the answer. The ids carry the
 * time of the first claim and ascend within a kind. Without a key they are the ordinary ones.
 *
 * @param purpose what they are for, such as `create-api-key`; two uses within one request must not share a purpose.
 */
export function forWork(deps: WorkDeps, context: Pick<RequestContext, 'workId'>, purpose: string): WorkSources {
  const { workId } = context;
  if (workId === null) return { ids: deps.ids, randomness: deps.randomness };
  const secret = deps.masterKey.derive('work', `${workId}\0${purpose}`);
  const claimedAtMs = idTimeMs(workId);
  // A stream for each kind: which kind is asked for first may then change without changing any identifier.
  const kinds = new Map<IdKind, Ids>();
  const idsOf = (kind: IdKind): Ids => {
    const known = kinds.get(kind);
    if (known) return known;
    const made = ulidIds(() => claimedAtMs, keyedRandomness(hmacSha256(secret, `ids:${kind}`)));
    kinds.set(kind, made);
    return made;
  };
  return {
    ids: { next: (kind) => idsOf(kind).next(kind) },
    randomness: keyedRandomness(hmacSha256(secret, 'randomness')),
  };
}

/** HMAC-SHA-256 in counter mode (NIST SP 800-108): unpredictable without the key, repeatable with it. */
export function keyedRandomness(key: Uint8Array): Randomness {
  let block: Buffer = Buffer.alloc(0);
  let blocks = 0;
  return {
    fill(target) {
      for (let at = 0; at < target.length; ) {
        if (block.length === 0) block = hmacSha256(key, `${blocks++}`);
        const taken = block.subarray(0, target.length - at);
        target.set(taken, at);
        block = block.subarray(taken.length);
        at += taken.length;
      }
      return target;
    },
  };
}

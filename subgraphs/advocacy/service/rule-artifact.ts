import type { TenantDirectory } from '../../../shared/contracts/tenants.js';
import { problem } from '../../../shared/errors/problem.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { fromBase64 } from '../../../shared/notes/base64.js';
import type { TenantWorm, WormBlob, WormStore } from '../../../shared/worm/worm-store.js';
import { RULE_BOUNDS } from '../domain/rules/rule-bounds.js';

/** The bytes that a revision stands on. */
export interface RuleArtifact {
  readonly bytes: Uint8Array;
  readonly mediaType: string;
}

/** @throws VALIDATION_ERROR for what is no base64, PAYLOAD_TOO_LARGE */
export function artifactOf(base64: string): Uint8Array {
  // Told before it is read: three bytes take four characters.
  if (base64.length > Math.ceil(RULE_BOUNDS.artifactBytes / 3) * 4) throw tooLarge();
  const bytes = fromBase64(base64);
  if (bytes === undefined || bytes.length === 0) {
    throw problem('VALIDATION_ERROR', {
      errors: [
        { path: '/artifact', code: 'base64', message: 'Must be base64 (RFC 4648 section 4) of at least one byte.' },
      ],
    });
  }
  if (bytes.length > RULE_BOUNDS.artifactBytes) throw tooLarge();
  return bytes;
}

const tooLarge = () =>
  problem('PAYLOAD_TOO_LARGE', { message: `An artifact has at most ${RULE_BOUNDS.artifactBytes} bytes.` });

export interface ArtifactDeps {
  readonly worm: WormStore;
  readonly tenants: TenantDirectory;
}

/** The tenant's write-once store. */
export async function tenantWorm({ worm, tenants }: ArtifactDeps, tenantId: TenantId): Promise<TenantWorm> {
  const tenant = await tenants.find(tenantId);
  if (tenant === undefined) throw problem('NOT_FOUND');
  return worm.forTenant({ tenantId, logId: tenant.log_id });
}

/** Into it; durable when it resolves. */
export async function storeArtifact(
  deps: ArtifactDeps,
  tenantId: TenantId,
  { bytes }: RuleArtifact,
): Promise<WormBlob> {
  return (await tenantWorm(deps, tenantId)).putBlob(oneChunk(bytes), RULE_BOUNDS.artifactBytes);
}

async function* oneChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

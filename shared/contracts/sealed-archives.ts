import type { TenantId } from '../ids/tenant.js';

/** Archives of sealed bundles, for those who take stored bytes away. */
export interface SealedArchives {
  /** Those of these contents that are the archive of a sealed bundle. */
  named(tenantId: TenantId, sha256s: readonly string[]): Promise<readonly string[]>;
}

import type { TenantId } from '../ids/tenant.js';

/** Artifacts of rules, for those who take stored bytes away. */
export interface RuleArtifacts {
  /** Those of these contents that a revision of a rule of the tenant stands on. */
  named(tenantId: TenantId, sha256s: readonly string[]): Promise<readonly string[]>;
}

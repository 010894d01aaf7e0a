import type { TenantId } from '../../../../shared/ids/tenant.js';

/** Those of these contents that are the archive of a sealed bundle of the tenant. */
export type NamedArchives = (tenantId: TenantId, sha256s: readonly string[]) => Promise<readonly string[]>;

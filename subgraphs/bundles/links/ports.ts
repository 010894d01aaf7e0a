import type { Grantor } from '../../../shared/contracts/tenants.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { Page } from '../../../shared/pagination/cursor.js';
import type { ListQuery, Records } from '../../../shared/records/records.js';
import type { StepLine, Stored } from '../../../shared/records/stored.js';
import type { LinkAction, LinkStatus } from './domain/index.js';
import type { BundleLink } from './schema.js';

interface OwnMembers {
  /** SHA-256 of the token, lower-case hex. */
  readonly token_sha256: string;
  /** The key or person that gives the link its rights. */
  readonly grantor: Grantor;
  readonly history: readonly StepLine<LinkStatus, LinkAction>[];
}

export type StoredLink = Stored<BundleLink, OwnMembers, 'expired'>;

/** The links of one tenant. */
export interface TenantLinks extends Records<StoredLink> {
  /** The links of a bundle, none left out because of an edited or removed row. @throws INTEGRITY_FAILURE */
  pageOf(bundleId: string, query: ListQuery<StoredLink>): Promise<Page<StoredLink>>;
}

export interface LinkStore {
  forTenant(tenantId: TenantId): TenantLinks;
  /** The look-up of a token, before its tenant is known; the row is not proven. */
  tenantOf(linkId: string): Promise<TenantId | null>;
}

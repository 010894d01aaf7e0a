import type { TenantId } from '../../../../shared/ids/tenant.js';

/** What is linked to a legal matter: the scope of its bundles. */
export interface LinkedToMatter {
  readonly member_ids: readonly string[];
  readonly event_ids: readonly string[];
  readonly document_ids: readonly string[];
}

/** Null when the tenant has no such matter: then its bundle holds what carries the id by itself, and nothing is sealed empty by mistake. */
export type MatterScope = (tenantId: TenantId, matterId: string) => Promise<LinkedToMatter | null>;

/** Tenant identifiers are the caller's own strings within evidence.md section 2's pattern. */
export const TENANT_ID_PATTERN = '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$';

const TENANT_ID = new RegExp(TENANT_ID_PATTERN);

declare const tenantBrand: unique symbol;
/** A tenant that was looked up and is allowed for this request: repositories are made from nothing else. */
export type TenantId = string & { readonly [tenantBrand]: true };

export const isTenantId = (text: string): text is TenantId => TENANT_ID.test(text);

/** Acts on no tenant go to this reserved tenant (evidence.md section 2); its name fits no caller's pattern. */
export const OPERATOR_TENANT = '_operator' as TenantId; // Reserved, and no caller's tenant.

/** An operator's key belongs to no tenant. */
export const ANY_TENANT = '*';

/** Partitions of our own: `_…` and `ai-provenance` are refused to callers (evidence.md section 2). */
export const AI_PROVENANCE_PARTITION = 'ai-provenance';

export const CUSTODY_PARTITION = '_custody';

/** Roots of the state map (evidence.md "State map"). */
export const MAP_PARTITION = '_map';

export const SYSTEM_PARTITIONS = [CUSTODY_PARTITION, '_platform', '_system', '_records', MAP_PARTITION] as const;
export type SystemPartition = (typeof SYSTEM_PARTITIONS)[number] | typeof AI_PROVENANCE_PARTITION;

export const isReservedSourceSystem = (name: string): boolean =>
  name.startsWith('_') || name === AI_PROVENANCE_PARTITION;

import type { TenantId } from '../../../shared/ids/tenant.js';

/** How bytes came into a disposal: as the body of a raw message, or as what a document names. */
export type BlobRole = 'RAW' | 'CONTENT';

/** A part of the service that names stored bytes. */
export interface BlobHolder {
  readonly name: string;
  /** Those of these contents that it still needs. */
  readonly needs: (tenantId: TenantId, sha256s: readonly string[], role: BlobRole) => Promise<Iterable<string>>;
}

/** Asked when nobody can take up the bytes any more; equal bytes may be a document's, a raw message's and a bundle's at once. */
export async function isHeldBySomebody(
  holders: readonly BlobHolder[],
  tenantId: TenantId,
  sha256: string,
  role: BlobRole,
): Promise<boolean> {
  for (const { needs } of holders) if ([...(await needs(tenantId, [sha256], role))].includes(sha256)) return true;
  return false;
}

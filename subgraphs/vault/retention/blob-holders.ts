import type { TenantId } from '../../../shared/ids/tenant.js';

/** Role of bytes in a disposal: body of a raw message, or content of a document. */
export type BlobRole = 'RAW' | 'CONTENT';

/** A part of the service that refers to stored bytes. */
export interface BlobHolder {
  readonly name: string;
  /** Returns the contents that this part still needs. */
  readonly needs: (tenantId: TenantId, sha256s: readonly string[], role: BlobRole) => Promise<Iterable<string>>;
}

/**
 * Checks all holders, once no new reference can arise: equal bytes may belong to a document, a raw message and a
 * bundle.
 */
export async function isNeeded(
  holders: readonly BlobHolder[],
  tenantId: TenantId,
  sha256: string,
  role: BlobRole,
): Promise<boolean> {
  for (const { needs } of holders) if ([...(await needs(tenantId, [sha256], role))].includes(sha256)) return true;
  return false;
}

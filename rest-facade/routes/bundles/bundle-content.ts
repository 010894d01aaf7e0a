import { z } from 'zod';
import { problem } from '../../../shared/errors/problem.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { ExtendRoute } from '../../graph-route.js';
import type { RouteServices } from '../../route.js';
import { type Content, contentAnswer } from '../../streams/content.js';

const ZIP = 'application/zip';

/** Row of the root field `bundleArchive`. */
const BundleArchive = z.object({
  bundle_id: z.string(),
  bundle_type: z.string(),
  worm_blob_sha256: z.string(),
  size: z.int(),
  member_ids: z.array(z.string()),
});

/** The graph returns the row; the bytes are streamed from the write-once store (design.md decision 1). */
export const downloadBundle: ExtendRoute = () => {
  return {
    content: { mediaTypes: [ZIP] },
    handle: async (call) => {
      const row = await call.read(BundleArchive, { bundle_id: call.params['id'] });
      const { tenant, services } = call;
      if (!tenant) throw problem('TENANT_REQUIRED');
      return contentAnswer(call, zipOf(services, { ...row, tenant_id: tenant.tenant_id }, tenant.log_id));
    },
  };
};

interface StoredZip {
  readonly tenant_id: TenantId;
  readonly bundle_id: string;
  readonly bundle_type: string;
  readonly worm_blob_sha256: string;
  readonly size: number;
  readonly member_ids: readonly string[];
}

/** The archive of a bundle as content, with its custody. */
export function zipOf({ worm: stores }: Pick<RouteServices, 'worm'>, row: StoredZip, logId: string): Content {
  const { tenant_id: tenantId, bundle_id, bundle_type, worm_blob_sha256, size, member_ids } = row;
  const worm = stores.forTenant({ tenantId, logId });
  return {
    sha256: worm_blob_sha256,
    sizeBytes: size,
    mediaType: ZIP,
    filename: `${bundle_id}.zip`,
    blobSha256: worm_blob_sha256,
    read: (range) => worm.lendBlob(worm_blob_sha256, range),
    custody: {
      action: 'DOWNLOAD_BUNDLE',
      subject: { kind: 'BUNDLE', id: bundle_id },
      ...(member_ids.length === 0 ? {} : { member_ids }),
      detail: { bundle_type },
    },
  };
}

import { z } from 'zod';
import { problem } from '../../../shared/errors/problem.js';
import type { ExtendRoute } from '../../graph-route.js';
import type { RouteCall } from '../../route.js';
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
      return contentAnswer(call, contentOf(call, row));
    },
  };
};

function contentOf({ tenant, services }: RouteCall, row: z.infer<typeof BundleArchive>): Content {
  if (!tenant) throw problem('TENANT_REQUIRED');
  const worm = services.worm.forTenant({ tenantId: tenant.tenant_id, logId: tenant.log_id });
  const { bundle_id, bundle_type, worm_blob_sha256, size, member_ids } = row;
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

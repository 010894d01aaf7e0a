import { z } from 'zod';
import { parseShape } from '../../../shared/contracts/call.js';
import { problem } from '../../../shared/errors/problem.js';
import { TIMESTAMP_REPLY } from '../../../shared/timestamp/time-stamp.js';
import type { ExtendRoute } from '../../graph-route.js';
import type { RouteCall } from '../../route.js';
import { type Content, contentAnswer } from '../../streams/content.js';
import { asksFor, StreamedAnswer } from '../../streams/streamed-answer.js';

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

/** Retry-After for a time-stamp that is not there yet. */
const ASK_AGAIN_SECONDS = 30;

export const getBundleTimestamp: ExtendRoute = (route) => {
  return {
    otherMedia: { [TIMESTAMP_REPLY]: { schema: { type: 'string' }, description: 'TimeStampResp, DER.' } },
    handle: async (call) => {
      const found = parseShape(
        'bundleTimestamp: answer',
        z.looseObject({ reply: z.string().nullable() }),
        await route.handle(call),
      );
      if (!asksFor(call.accept, TIMESTAMP_REPLY)) return found;
      if (found.reply === null) {
        throw problem('CONFLICT', {
          message: 'The time-stamp is not available yet; retry later.',
          retryAfterSeconds: ASK_AGAIN_SECONDS,
        });
      }
      return new StreamedAnswer(TIMESTAMP_REPLY, [Buffer.from(found.reply, 'base64')]);
    },
  };
};

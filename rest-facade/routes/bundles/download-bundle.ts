import { problem } from '../../../shared/errors/problem.js';
import type { ContractDocument } from '../../../shared/graph/json-schema.js';
import { graphRoute } from '../../graph-route.js';
import type { Route, RouteCall } from '../../route.js';
import { type Content, contentAnswer } from '../../streams/content.js';

const ZIP = 'application/zip';

/** Row of the root field `bundleArchive`. */
interface BundleArchive {
  readonly bundle_id: string;
  readonly bundle_type: string;
  readonly worm_blob_sha256: string;
  readonly size: number;
  readonly member_ids: readonly string[];
}

/** The graph gives the row, the bytes are streamed here (design.md decision 1). */
export function downloadBundle(contract: ContractDocument): Route {
  const route = graphRoute({
    method: 'GET',
    path: '/v1/bundles/{id}/download',
    area: 'bundles',
    scope: 'bundles:export',
    tenant: 'required',
    summary: 'Download a sealed bundle',
    description:
      'The sealed ZIP; the ETag is its SHA-256. Recorded in custody (DOWNLOAD_BUNDLE) before the first byte leaves. 409 NOT_SEALED before the seal.',
    operation: { name: 'DownloadBundle', field: 'bundleArchive' },
    params: { id: 'bundle_id' },
    conflicts: true,
    answer: 'The ZIP.',
  })(contract);
  return {
    ...route,
    content: { mediaTypes: [ZIP] },
    handle: async (call) => {
      const row = (await call.run({ bundle_id: call.params['id'] })) as BundleArchive;
      return contentAnswer(call, contentOf(call, row));
    },
  };
}

function contentOf({ tenant, services }: RouteCall, row: BundleArchive): Content {
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

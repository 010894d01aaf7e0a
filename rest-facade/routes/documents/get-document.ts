import { z } from 'zod';
import { problem } from '../../../shared/errors/problem.js';
import type { ExtendRoute } from '../../graph-route.js';
import type { RouteCall } from '../../route.js';
import { contentAnswer } from '../../streams/content.js';

/** Row of the root field `documentContent`: the bytes for this reader. */
const DocumentContent = z.object({
  document_id: z.string(),
  sha256: z.string(),
  size: z.int(),
  media_type: z.string(),
  filename: z.string(),
  scan_status: z.enum(['PENDING', 'CLEAN', 'FLAGGED']),
  redaction_id: z.string().optional(),
  member_ids: z.array(z.string()),
  event_ids: z.array(z.string()),
});

/** An uploaded file must not run scripts in a browser. */
const SANDBOXED = { 'content-security-policy': "default-src 'none'; sandbox" };

/** The graph returns the row; the bytes are streamed from the write-once store (design.md decision 1). */
export const getDocument: ExtendRoute = () => {
  return {
    content: { mediaTypes: ['*/*'] },
    handle: async (call) => {
      const row = await call.read(DocumentContent.nullable(), { ...call.query, document_id: call.params['id'] });
      if (row === null) throw problem('NOT_FOUND');
      return contentAnswer(call, contentOf(call, row));
    },
  };
};

function contentOf({ tenant, services }: RouteCall, row: z.infer<typeof DocumentContent>) {
  if (!tenant) throw problem('TENANT_REQUIRED');
  const worm = services.worm.forTenant({ tenantId: tenant.tenant_id, logId: tenant.log_id });
  return {
    sha256: row.sha256,
    sizeBytes: row.size,
    mediaType: row.media_type,
    filename: row.filename,
    blobSha256: row.sha256,
    headers: { ...SANDBOXED, ...(row.scan_status === 'PENDING' ? { 'x-content-scan': 'pending' } : {}) },
    read: (range: { readonly start: number; readonly end: number }) => worm.lendBlob(row.sha256, range),
    custody: {
      action: 'READ_CONTENT',
      subject: { kind: 'DOCUMENT', id: row.document_id },
      subjects: row.event_ids.map((id) => ({ kind: 'EVENT', id }) as const),
      member_ids: row.member_ids,
      detail: row.redaction_id === undefined ? {} : { redaction_id: row.redaction_id },
    },
  } as const;
}

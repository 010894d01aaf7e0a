import { z } from 'zod';
import { problem } from '../../../shared/errors/problem.js';
import type { ExtendRoute } from '../../graph-route.js';
import type { RouteCall } from '../../route.js';
import { contentAnswer } from '../../streams/content.js';
import { RAW_MEDIA_TYPES } from '../../streams/raw-content.js';

/** Row of the root field `eventRaw`: the place and type of the bytes. */
const EventRaw = z.object({
  event_id: z.string(),
  raw_sha256: z.string(),
  offset: z.int(),
  length: z.int(),
  sha256: z.string(),
  media_type: z.string(),
  filename: z.string(),
  is_whole: z.boolean(),
  member_id: z.string().optional(),
});

/** The graph returns the row; the bytes are streamed from the write-once store (design.md decision 1). */
export const getEventRaw: ExtendRoute = () => {
  return {
    content: { mediaTypes: RAW_MEDIA_TYPES },
    handle: async (call) => {
      const row = await call.read(EventRaw.nullable(), { ...call.query, event_id: call.params['id'] });
      if (row === null) throw problem('NOT_FOUND');
      return contentAnswer(call, contentOf(call, row));
    },
  };
};

function contentOf({ tenant, services }: RouteCall, row: z.infer<typeof EventRaw>) {
  if (!tenant) throw problem('TENANT_REQUIRED');
  const worm = services.worm.forTenant({ tenantId: tenant.tenant_id, logId: tenant.log_id });
  return {
    sha256: row.sha256,
    sizeBytes: row.length,
    mediaType: row.media_type,
    filename: row.filename,
    blobSha256: row.raw_sha256,
    read: ({ start, end }: { readonly start: number; readonly end: number }) =>
      worm.readBlob(row.raw_sha256, { start: row.offset + start, end: row.offset + end }),
    custody: {
      action: 'READ_RAW',
      subject: { kind: 'EVENT', id: row.event_id },
      subjects: [{ kind: 'RAW', id: row.raw_sha256 }],
      ...(row.member_id === undefined ? {} : { member_ids: [row.member_id] }),
      detail: { whole: row.is_whole },
    },
  } as const;
}

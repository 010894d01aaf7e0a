import { problem } from '../../../shared/errors/problem.js';
import type { ContractDocument } from '../../../shared/graph/json-schema.js';
import { graphRoute } from '../../graph-route.js';
import type { Route, RouteCall } from '../../route.js';
import { contentAnswer } from '../../streams/content.js';
import { RAW_MEDIA_TYPES } from '../../streams/raw-content.js';

/** Row of the root field `eventRaw`: where the bytes are, and what they are. */
interface EventRaw {
  readonly event_id: string;
  readonly raw_sha256: string;
  readonly offset: number;
  readonly length: number;
  readonly sha256: string;
  readonly media_type: string;
  readonly filename: string;
  readonly is_whole: boolean;
  readonly member_id?: string;
}

/** The graph gives the row, the bytes are streamed here (design.md decision 1). */
export function getEventRaw(contract: ContractDocument): Route {
  const route = graphRoute({
    method: 'GET',
    path: '/v1/events/{id}/raw',
    area: 'events',
    scope: 'events:read',
    tenant: 'required',
    summary: 'The raw bytes that an event was read from',
    description:
      'Its own part of the raw message, or the whole body when it is the only event of that; `whole=true` gives the whole body and needs documents:unredacted. Recorded in custody before a byte leaves.',
    operation: { name: 'GetEventRaw', field: 'eventRaw' },
    params: { id: 'event_id' },
    answer: 'The bytes, as they were received.',
  })(contract);
  return {
    ...route,
    content: { mediaTypes: RAW_MEDIA_TYPES },
    handle: async (call) => {
      const row = (await call.run({ ...call.query, event_id: call.params['id'] })) as EventRaw | null;
      if (row === null) throw problem('NOT_FOUND');
      return contentAnswer(call, contentOf(call, row));
    },
  };
}

function contentOf({ tenant, services }: RouteCall, row: EventRaw) {
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

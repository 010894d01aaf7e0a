import { problem } from '../../../shared/errors/problem.js';
import type { ContractDocument } from '../../../shared/graph/json-schema.js';
import { graphRoute } from '../../graph-route.js';
import type { Route, RouteCall } from '../../route.js';
import { contentAnswer } from '../../streams/content.js';

/** Row of the root field `documentContent`: which bytes this reader gets. */
interface DocumentContentRow {
  readonly document_id: string;
  readonly sha256: string;
  readonly size: number;
  readonly media_type: string;
  readonly filename: string;
  readonly scan_status: 'PENDING' | 'CLEAN' | 'FLAGGED';
  readonly redaction_id?: string;
  readonly member_ids: readonly string[];
  readonly event_ids: readonly string[];
}

/** Somebody else's file: never shown in a page of ours, and nothing in it runs if it is. */
const SANDBOXED = { 'content-security-policy': "default-src 'none'; sandbox" };

/** The graph gives the row, the bytes are streamed here (design.md decision 1). */
export function getDocument(contract: ContractDocument): Route {
  const route = graphRoute({
    method: 'GET',
    path: '/v1/documents/{id}',
    area: 'documents',
    scope: 'documents:read',
    members: { custody: 'own' },
    tenant: 'required',
    summary: 'Read the content of a document',
    description:
      'Streams the bytes; the entity tag is their SHA-256. Readers without documents:unredacted get the redacted rendition where there is one. X-Content-Scan: pending tells that no scan has seen them yet. Recorded in custody before a byte leaves.',
    operation: { name: 'GetDocumentContent', field: 'documentContent' },
    params: { id: 'document_id' },
    answer: 'The bytes, as they were uploaded.',
  })(contract);
  return {
    ...route,
    content: { mediaTypes: ['*/*'] },
    handle: async (call) => {
      const row = (await call.run({ ...call.query, document_id: call.params['id'] })) as DocumentContentRow | null;
      if (row === null) throw problem('NOT_FOUND');
      return contentAnswer(call, contentOf(call, row));
    },
  };
}

function contentOf({ tenant, services }: RouteCall, row: DocumentContentRow) {
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

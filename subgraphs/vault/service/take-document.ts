import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { isoTime } from '../../../shared/clock/clock.js';
import type { LedgerEvents } from '../../../shared/contracts/ledger-events.js';
import { isUploadTicket } from '../../../shared/crypto/upload-ticket.js';
import { custodyEffect } from '../../../shared/custody/custody-entry.js';
import { fault, problem } from '../../../shared/errors/problem.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { forWork, type WorkDeps } from '../../../shared/ids/work.js';
import { platformEventEffect } from '../../../shared/outbox/pending-effect.js';
import { type Acting, actingIn, writeOf } from './change-document.js';
import type { DocumentScan, StoredDocument } from './ports/document-store.js';
import { quarantineEffects, type ScanDeps, scanStored } from './scan-document.js';

/** A file that the facade has stored, and what its sender says of it. */
export interface DocumentUpload {
  readonly sha256: string;
  readonly size: number;
  readonly ticket: string;
  readonly media_type: string;
  readonly filename: string;
  readonly title: string | null;
  readonly document_type: string | null;
  readonly source_system: string | null;
  readonly member_ids: readonly string[];
  readonly event_ids: readonly string[];
  readonly matter_id: string | null;
  readonly tags: readonly string[];
  readonly effective_at: Date | null;
}

export interface TakeDeps extends ScanDeps, WorkDeps {
  readonly ledgerEvents: LedgerEvents;
  /** SERVICE_CONTENT_SCAN_INLINE: the scan comes before the answer. */
  readonly scanInline: boolean;
  /** Tells the job that there is something to scan. */
  readonly wakeScan: (tenantId: TenantId) => void;
}

const NOT_SCANNED: DocumentScan = { status: 'PENDING', engine: null, findings: [], scanned_at: null };

/**
 * Makes a document of stored bytes, with its custody and what receivers are told in the same write. The same request run
 * again finds the document that it has made. @throws VALIDATION_ERROR for an event that there is not, FORBIDDEN
 */
export async function takeDocument(
  deps: TakeDeps,
  context: RequestContext,
  { ticket, ...upload }: DocumentUpload,
): Promise<StoredDocument> {
  const tenantId = authorise(context, 'documents:write');
  if (!isUploadTicket(deps.masterKey, tenantId, upload, ticket)) {
    throw problem('FORBIDDEN', { message: 'Documents are made by uploading their bytes.' });
  }
  await refuseUnknownEvents(deps, tenantId, upload.event_ids);
  const { ids } = forWork(deps, context, 'take-document');
  const documentId = ids.next('document');
  const documents = deps.documents(tenantId);
  if (context.workId !== null) {
    const earlier = await documents.get(documentId);
    if (earlier !== null) return earlier;
  }
  const scan = deps.scanInline ? await scanStored(deps, { ...upload, tenant_id: tenantId }) : NOT_SCANNED;
  const at = new Date(deps.clock.nowMs());
  const document: Omit<StoredDocument, 'history'> = {
    ...upload,
    document_id: documentId,
    tenant_id: tenantId,
    status: scan.status === 'FLAGGED' ? 'QUARANTINED' : 'AVAILABLE',
    scan,
    review: null,
    rendition: null,
    revision: 1,
    created_at: at,
    created_by: context.principal.keyId,
    updated_at: at,
  };
  const acting = actingIn(context);
  const effects = () => uploadEffects(ids, document, acting);
  const action = scan.status === 'FLAGGED' ? 'upload-flagged' : 'upload';
  const write = writeOf(null, document, { action, acting, ids, effects }, at);
  const stored = await documents.insert(write);
  if (stored === null) return standingOf(await documents.get(documentId));
  if (scan.status === 'PENDING') deps.wakeScan(tenantId);
  await documents.relay(write);
  return stored;
}

function standingOf(document: StoredDocument | null): StoredDocument {
  if (document !== null) return document;
  throw problem('INTERNAL', { internal: 'the identifier of a document is taken, and by none' });
}

async function refuseUnknownEvents(
  { ledgerEvents }: TakeDeps,
  tenantId: TenantId,
  eventIds: readonly string[],
): Promise<void> {
  const known = await ledgerEvents.known(tenantId, eventIds);
  const errors = eventIds.flatMap((id, i) =>
    known.has(id) ? [] : [fault(`/event_ids/${i}`, 'unknown', 'No such event.')],
  );
  if (errors.length > 0) throw problem('VALIDATION_ERROR', { errors });
}

function uploadEffects(
  ids: Parameters<typeof custodyEffect>[0],
  document: Omit<StoredDocument, 'history'>,
  acting: Acting,
) {
  const { tenant_id, document_id, sha256, size, event_ids, member_ids, scan, created_at } = document;
  const at = isoTime(created_at.getTime());
  const custody = custodyEffect(ids, tenant_id, {
    action: 'UPLOAD',
    subject: { kind: 'DOCUMENT', id: document_id },
    subjects: event_ids.map((id) => ({ kind: 'EVENT', id }) as const),
    member_ids,
    actor: acting.custody,
    at,
    ...(acting.request_id === null ? {} : { request_id: acting.request_id }),
    sha256_after: sha256,
    detail: { size_bytes: size, scan: scan.status },
  });
  const told = platformEventEffect(ids, {
    tenant_id,
    type: 'document.ingested',
    at,
    data: { document_id, at, sha256 },
  });
  const flagged = scan.status === 'FLAGGED' ? quarantineEffects(ids, document, created_at) : [];
  return [custody, told, ...flagged];
}

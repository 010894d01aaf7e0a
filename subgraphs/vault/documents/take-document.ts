import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { isoTime } from '../../../shared/clock/clock.js';
import type { CustodyEntry } from '../../../shared/contracts/custody.js';
import type { LedgerEvents } from '../../../shared/contracts/event-reads.js';
import { isUploadTicket } from '../../../shared/crypto/upload-ticket.js';
import { custodyActorOf, custodyEffect } from '../../../shared/custody/custody-entry.js';
import { fault, problem } from '../../../shared/errors/problem.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { WorkDeps } from '../../../shared/ids/work.js';
import { platformEventEffect } from '../../../shared/outbox/pending-effect.js';
import type { StoredMembers } from '../../../shared/records/stored.js';
import { type ChangeDocumentDeps, documentSteps, quarantineEffects, withEffects } from './change-document.js';
import type { DocumentScan, StoredDocument, UnscannedContent } from './ports.js';
import type { DocumentMembers } from './schema.js';

/** A file stored by the facade, and its description by the sender. */
type DocumentUpload = StoredMembers<DocumentMembers> & { readonly ticket: string };

export interface TakeDeps extends ChangeDocumentDeps, WorkDeps {
  /** Scans stored content before it becomes a document. */
  readonly scanContent: (content: UnscannedContent) => Promise<DocumentScan>;
  readonly ledgerEvents: LedgerEvents;
  /** SERVICE_CONTENT_SCAN_INLINE: scan before the answer. */
  readonly scanInline: boolean;
  /** Wakes the scan job. */
  readonly wakeScan: (tenantId: TenantId) => void;
}

export const NOT_SCANNED: DocumentScan = { status: 'PENDING', engine: null, findings: [], scanned_at: null };

/**
 * Creates a document from stored bytes. Its fact commits it; its row carries the custody entry and the platform events.
 * A repeated request returns its first document.
 *
 * @throws VALIDATION_ERROR for an unknown event, FORBIDDEN
 */
export async function takeDocument(
  deps: TakeDeps,
  context: RequestContext,
  { ticket, ...upload }: DocumentUpload,
): Promise<StoredDocument> {
  const tenantId = authorise(context, 'documents:write');
  if (!isUploadTicket(deps.masterKey, tenantId, upload, ticket)) {
    throw problem('FORBIDDEN', { message: 'Upload the bytes of the document with the request.' });
  }
  const steps = documentSteps(deps, context, tenantId);
  const [earlier] = await Promise.all([steps.created(), refuseUnknownEvents(deps, tenantId, upload.event_ids)]);
  if (earlier !== null) return earlier;
  const scan = deps.scanInline ? await deps.scanContent({ ...upload, tenant_id: tenantId }) : NOT_SCANNED;
  const taken = await steps.create(() => ({ ...upload, scan, review: null, rendition: null }), {
    ...uploaded(scan, { actor: custodyActorOf(context), request_id: context.requestId }),
  });
  if (scan.status === 'PENDING') deps.wakeScan(tenantId);
  return taken;
}

/** The first step of a document after its scan, with the custody entry and the platform events. */
export const uploaded = (scan: DocumentScan, by: Pick<CustodyEntry, 'actor' | 'request_id'>) => ({
  action: scan.status === 'FLAGGED' ? ('upload-flagged' as const) : ('upload' as const),
  pending: withEffects(({ after, at, action, ids }) => {
    const { tenant_id, document_id, sha256 } = after;
    const time = isoTime(at.getTime());
    return [
      custodyEffect(ids, tenant_id, {
        action: 'UPLOAD',
        subject: { kind: 'DOCUMENT', id: document_id },
        subjects: after.event_ids.map((id) => ({ kind: 'EVENT', id }) as const),
        member_ids: after.member_ids,
        ...by,
        at: time,
        sha256_after: sha256,
        detail: { size_bytes: after.size, scan: scan.status },
      }),
      platformEventEffect(ids, {
        tenant_id,
        type: 'document.ingested',
        at: time,
        data: { document_id, at: time, sha256 },
      }),
      ...(scan.status === 'FLAGGED' ? quarantineEffects({ before: null, after, at, action, ids }) : []),
    ];
  }),
});

async function refuseUnknownEvents(
  { ledgerEvents }: TakeDeps,
  tenantId: TenantId,
  eventIds: readonly string[],
): Promise<void> {
  const known = await ledgerEvents.known(tenantId, eventIds);
  const errors = eventIds.flatMap((id, i) =>
    known.has(id) ? [] : [fault(`/event_ids/${i}`, 'unknown', 'No event has this identifier.')],
  );
  if (errors.length > 0) throw problem('VALIDATION_ERROR', { errors });
}

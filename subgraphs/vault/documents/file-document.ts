import type { FiledDocument } from '../../../shared/contracts/documents.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { forWork } from '../../../shared/ids/work.js';
import { documentStepsOn, VAULT_SERVICE } from './change-document.js';
import { NOT_SCANNED, type TakeDeps, uploaded } from './take-document.js';

/**
 * Creates the document of an event from bytes that arrived inside its message. The identifier is a function of event
 * and content, so that a retransmission finds the document, also one that is disposed of by now.
 *
 * @returns the identifier of the document
 */
export async function fileDocument(
  deps: Omit<TakeDeps, 'ledgerEvents'>,
  tenantId: TenantId,
  filed: FiledDocument,
): Promise<string> {
  const { event_id, member_id, effective_at, ...content } = filed;
  const { ids } = forWork(deps, { workId: event_id }, `file-document\0${content.sha256}`);
  const id = ids.next('document');
  const rows = deps.documents(tenantId);
  if ((await rows.get(id)) !== null) return id;
  const scan = deps.scanInline ? await deps.scanContent({ ...content, tenant_id: tenantId }) : NOT_SCANNED;
  const members = {
    ...content,
    document_type: null,
    member_ids: member_id === null ? [] : [member_id],
    event_ids: [event_id],
    matter_id: null,
    tags: [],
    effective_at: new Date(effective_at),
  };
  await documentStepsOn({ clock: deps.clock, ids }, rows).create(
    () => ({ ...members, scan, review: null, rendition: null }),
    { id, ...uploaded(scan, { actor: { type: 'SERVICE', id: VAULT_SERVICE } }) },
  );
  if (scan.status === 'PENDING') deps.wakeScan(tenantId);
  return id;
}

import { isoTime } from '../../../shared/clock/clock.js';
import type { EventRedactor } from '../../../shared/contracts/redactions.js';
import type { FactGuard } from '../../../shared/facts/guard.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { commitRendition, type DocumentStore } from '../documents/index.js';
import { redactionPayload } from './change-redaction.js';
import type { RedactionStore, StoredRedaction } from './ports.js';

interface SwitchDeps {
  readonly redactions: RedactionStore;
  readonly documents: DocumentStore;
  readonly guard: FactGuard;
  readonly eventRedactor: Pick<EventRedactor, 'hide'>;
}

/**
 * Makes readers of the subject of a redaction get its rendition, if it is applied. What they get follows from the facts
 * of the redaction. Doing it again changes nothing.
 *
 * @throws INTEGRITY_FAILURE for a redaction that its facts do not prove.
 */
export async function switchReaders(deps: SwitchDeps, tenantId: TenantId, redactionId: string): Promise<void> {
  const redactions = deps.redactions(tenantId);
  await redactions.catchUp(redactionId);
  const redaction = await redactions.get(redactionId);
  if (redaction?.status !== 'APPLIED') return;
  if (redaction.subject.kind === 'EVENT') await hideEvent(deps, redaction);
  else await switchDocument(deps, redaction);
}

async function hideEvent({ eventRedactor }: SwitchDeps, redaction: StoredRedaction): Promise<void> {
  const { tenant_id, redaction_id, subject, ordinal, hides, rendition_sha256 } = redaction;
  if (ordinal === undefined || hides === undefined) return;
  // No hash of the original: without a salt it would allow guesses of hidden words.
  const details = { ...redactionPayload(redaction), ordinal, rendition_sha256 };
  await eventRedactor.hide(tenant_id, { event_id: subject.id, redaction_id, ordinal, pointers: [...hides], details });
}

/** The fact of the redaction first; then the store of documents follows it. */
async function switchDocument({ guard, documents }: SwitchDeps, redaction: StoredRedaction): Promise<void> {
  const { tenant_id, subject, ordinal, rendition, applied_at } = redaction;
  if (ordinal === undefined || rendition === undefined || applied_at === null) return;
  const document = await documents(tenant_id).get(subject.id);
  // No request reads its content again.
  if (document === null || document.status === 'DISPOSED' || document.status === 'REJECTED') return;
  await commitRendition(guard, tenant_id, {
    document_id: subject.id,
    ordinal,
    rendition,
    at: isoTime(applied_at.getTime()),
    details: { ...redactionPayload(redaction), ordinal, rendition_sha256: rendition.sha256 },
  });
  await documents(tenant_id).get(subject.id);
}

import type { LedgerDisposal } from '../../../shared/contracts/disposal.js';
import { problem } from '../../../shared/errors/problem.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { DeletionGate } from '../retention/index.js';
import { type DocumentSubject, documentSubject, type HeldDocument } from './domain/subjects.js';

interface KeepHeldDeps {
  readonly gate: DeletionGate;
  readonly ledgerDisposal: LedgerDisposal;
}

/**
 * Rejects a change after which an active hold no longer covers the document: that would be a release, which needs an
 * authority.
 *
 * @throws LEGAL_HOLD_ACTIVE, INTEGRITY_FAILURE
 */
export async function refuseLessHeld(
  deps: KeepHeldDeps,
  tenantId: TenantId,
  before: HeldDocument,
  after: HeldDocument,
): Promise<void> {
  const [was, is] = [await holdsOver(deps, tenantId, before), await holdsOver(deps, tenantId, after)];
  const hold_ids = was.filter((id) => !is.includes(id));
  if (hold_ids.length === 0) return;
  throw problem('LEGAL_HOLD_ACTIVE', {
    message: 'A legal hold covers the document through this; release it first.',
    extra: { hold_ids },
  });
}

async function holdsOver(deps: KeepHeldDeps, tenantId: TenantId, document: HeldDocument): Promise<readonly string[]> {
  const subjects = await documentSubjects(deps, tenantId, [document]);
  if (subjects.some(({ uncertain }) => uncertain)) {
    throw problem('INTEGRITY_FAILURE', { internal: `an event of ${document.document_id} is lost or damaged` });
  }
  const held = await deps.gate.holdsOver(tenantId, subjects);
  return held.get(document.document_id) ?? [];
}

/** Returns documents as subjects of holds, with facts about their events. */
export async function documentSubjects<D extends HeldDocument>(
  deps: { readonly ledgerDisposal: LedgerDisposal },
  tenantId: TenantId,
  documents: readonly D[],
): Promise<readonly DocumentSubject<D>[]> {
  const eventIds = [...new Set(documents.flatMap(({ event_ids }) => event_ids))];
  if (eventIds.length === 0) return documents.map((document) => documentSubject(document, new Map()));
  const { candidates, disposed } = await deps.ledgerDisposal.facts(tenantId, eventIds);
  const byId = new Map([
    ...disposed.map((id) => [id, null] as const),
    ...candidates.map((event) => [event.event_id, event] as const),
  ]);
  return documents.map((document) => documentSubject(document, byId));
}

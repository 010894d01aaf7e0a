import type { LedgerDisposal } from '../../../shared/contracts/disposal.js';
import { problem } from '../../../shared/errors/problem.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { HeldDocument } from '../domain/hold-subjects.js';
import type { DeletionGate } from './deletion-gate.js';
import { documentSubjects } from './subjects-of.js';

export interface KeepHeldDeps {
  readonly gate: DeletionGate;
  readonly ledgerDisposal: LedgerDisposal;
}

/**
 * Refuses a change after which a hold in force covers the document no more: what would hold less is a release, and that needs an
 * authority. @throws LEGAL_HOLD_ACTIVE
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
    message: 'A legal hold covers the document by this; release it first.',
    extra: { hold_ids },
  });
}

async function holdsOver(deps: KeepHeldDeps, tenantId: TenantId, document: HeldDocument): Promise<readonly string[]> {
  const held = await deps.gate.look(tenantId, await documentSubjects(deps, tenantId, [document]));
  return held.get(document.document_id) ?? [];
}

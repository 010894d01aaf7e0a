import { CUSTODY_PARTITION } from '../../../shared/ids/tenant.js';
import { type LedgerVerdict, verifyLedger } from './verify-ledger.js';
import type { VerifiedTenant, VerifyDeps } from './verify-part.js';
import type { VerifyStates } from './verify-state.js';

/** Verifies the tenant's chain of custody as any chain is verified; one that has no entry yet holds. */
export async function verifyCustodyChain(
  deps: VerifyDeps,
  tenant: VerifiedTenant,
  states: VerifyStates,
): Promise<LedgerVerdict> {
  const { context, tree } = tenant;
  const isEmpty = (await context.ledger.head(CUSTODY_PARTITION)) === null;
  // Where leaves of it are left, the chain is not empty but gone.
  if (isEmpty && (await tree.assignedUpTo(CUSTODY_PARTITION)) === 0) {
    return { valid: true, checked: 0, partitions: [], breaks: [], not_checked: [] };
  }
  return verifyLedger(deps, tenant, states, { source_system: CUSTODY_PARTITION });
}

import { problem } from '../../../shared/errors/problem.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { mongoIntegrityStore } from '../model/scrub-model.js';
import { mongoTreeStore } from '../model/tree-repository.js';
import { appendSystemEntries } from '../service/append-system-entries.js';
import type { ReconciledTenant } from '../service/reconcile-ledger.js';
import type { ScrubTenant } from '../service/scrub-worm.js';
import type { SealDeps } from '../service/seal-segments.js';
import type { VerifiedTenant } from '../service/verify-part.js';
import type { LedgerParts } from './parts.js';

/** Everything that is compared of one tenant. */
export type TenantEvidence = VerifiedTenant &
  ScrubTenant &
  ReconciledTenant & {
    readonly tenantId: TenantId;
    readonly sealing: SealDeps;
  };

/** The evidence of a tenant, for all who compare it. */
export function evidenceOf({ deps, contexts, ingest, openExceptions }: LedgerParts) {
  const { db } = deps.database;
  const [trees, integrity] = [mongoTreeStore(db), mongoIntegrityStore(db)];
  return async (tenantId: string): Promise<TenantEvidence> => {
    const context = await contexts.of(tenantId);
    const tenant = await deps.tenants.find(tenantId);
    if (!tenant) throw problem('NOT_FOUND', { message: 'No such tenant.' });
    const { ledger, worm, genesis } = context;
    return {
      context,
      ledger,
      worm,
      genesis,
      tenantId: tenant.tenant_id,
      tree: trees(tenantId),
      integrity: integrity(tenantId),
      upkeep: deps.worm.upkeepOf({ tenantId: tenant.tenant_id, logId: tenant.log_id }),
      sealing: { ...deps, openExceptions, append: (entries) => appendSystemEntries(ingest, context, entries) },
    };
  };
}

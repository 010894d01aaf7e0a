import type { TenantId } from '../../../shared/ids/tenant.js';
import { DisposalTies } from '../domain/disposal-ties.js';
import { mongoDisposalStore } from '../model/disposal-repository.js';
import { mongoLinkStore } from '../model/link-model.js';
import { mongoSearchStore } from '../model/search-repository.js';
import { DisposalResolver } from '../resolvers/disposal-resolver.js';
import { refreshSearch } from '../service/index-events.js';
import { evidenceOf } from './evidence.js';
import type { WireArea } from './parts.js';

/** What the vault's retention takes away of the ledger. */
export const wireDisposal: WireArea = (parts) => {
  const { deps } = parts;
  const { db } = deps.database;
  const tenantOf = evidenceOf(parts);
  const disposals = mongoDisposalStore(db, (deps.retention ?? deps.database).db);
  const search = mongoSearchStore(db);
  const links = mongoLinkStore(db);
  const indexing = { search, clock: deps.clock, logger: deps.logger };
  const tenant = async (tenantId: TenantId) => {
    const { upkeep, worm, sealing } = await tenantOf(tenantId);
    return {
      tenantId,
      clock: deps.clock,
      disposals: disposals(tenantId),
      ties: new DisposalTies(deps.masterKey.derive('disposal-tie', tenantId)),
      upkeep,
      worm,
      append: sealing.append,
      forget: async (places: Parameters<typeof refreshSearch>[2]) => {
        for (const { source_system } of places) parts.recent.forget(tenantId, source_system);
        await refreshSearch(indexing, tenantId, places);
        await links.forTenant(tenantId).remove(places);
      },
    };
  };
  return {
    resolvers: [[DisposalResolver, new DisposalResolver({ tenant, tenantIds: () => parts.store.tenantIds() })]],
  };
};

import type { TenantId } from '../../../shared/ids/tenant.js';
import { brokenSeal, evidenceOf } from '../integrity/index.js';
import { mongoLinkStore } from '../links/index.js';
import type { LedgerArea, WireArea } from '../parts.js';
import { mongoSearchStore, refreshSearch } from '../search/index.js';
import { adoptableDisposals } from './adopt-disposals.js';
import { finishDisposal } from './dispose-events.js';
import { DisposalTies } from './domain.js';
import { disposalStates, mongoDisposalStore, rowsWithoutRecord } from './model.js';
import { disposalFacts } from './proven-disposals.js';
import { DisposalResolver } from './resolver.js';

const wire: WireArea = (parts) => {
  const { deps } = parts;
  const { db } = deps.database;
  const tenantOf = evidenceOf(parts);
  const disposals = mongoDisposalStore(db, (deps.retention ?? deps.database).db);
  const search = mongoSearchStore(db);
  const links = mongoLinkStore(db);
  const indexing = { search, clock: deps.clock, logger: deps.logger };
  const tenant = async (tenantId: TenantId) => {
    const { context, upkeep, worm, sealing } = await tenantOf(tenantId);
    return {
      tenantId,
      clock: deps.clock,
      disposals: disposals(tenantId),
      facts: disposalFacts({ guard: parts.facts, clock: deps.clock }, tenantId),
      ties: new DisposalTies(deps.masterKey.derive('disposal-tie', tenantId)),
      upkeep,
      worm,
      append: sealing.append,
      prove: (rows: Parameters<typeof parts.rowProofs>[1]) => parts.rowProofs(context, rows),
      reject: async (segment: string) => {
        await parts.openExceptions(tenantId, [brokenSeal(segment, ['state'])]);
      },
      forget: async (places: Parameters<typeof refreshSearch>[2]) => {
        for (const { source_system } of places) parts.recent.forget(tenantId, source_system);
        await refreshSearch(indexing, tenantId, places);
        await links.forTenant(tenantId).remove(places);
      },
    };
  };
  const damage = { clock: deps.clock, openExceptions: parts.openExceptions, custody: deps.custody };
  parts.facts.projects('disposal', async (tenantId, id) => finishDisposal(await tenant(tenantId), id));
  parts.facts.states('disposal', disposalStates(db, parts.stateFacts));
  parts.facts.adopts('disposal', adoptableDisposals(rowsWithoutRecord(db), parts.contexts));
  return {
    resolvers: [new DisposalResolver({ tenant, damage, tenantIds: () => parts.store.tenantIds() })],
  };
};

/** Disposal of events that retention asks for. */
export const disposalArea: LedgerArea = { resolvers: [DisposalResolver], wire };

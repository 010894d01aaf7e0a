import { scrubSums } from '../model/scrub-model.js';
import { VerifyResolver } from '../resolvers/verify-resolver.js';
import { reconcileLedger } from '../service/reconcile-ledger.js';
import { scrubWorm } from '../service/scrub-worm.js';
import { sealSegments } from '../service/seal-segments.js';
import { VERIFY_PART_ROWS } from '../service/verify-ledger.js';
import { VerifyStates } from '../service/verify-state.js';
import { evidenceOf, type TenantEvidence } from './evidence.js';
import type { WireArea } from './parts.js';

const RECONCILE_INTERVAL_MS = 60_000;
const SCRUB_INTERVAL_MS = 60_000;
const SEAL_INTERVAL_MS = 5 * 60_000;

/** Verification, and what goes over the evidence by itself: sealing, scrub, reconciliation. */
export const wireIntegrity: WireArea = (parts) => {
  const { deps } = parts;
  const tenantOf = evidenceOf(parts);
  const upkeep = { clock: deps.clock, openExceptions: parts.openExceptions };
  /** One tenant's trouble keeps no other waiting; the run counts as failed all the same. */
  const everyTenant =
    (work: (tenant: TenantEvidence, signal: AbortSignal) => Promise<unknown>) =>
    async (signal: AbortSignal): Promise<void> => {
      let failure: unknown;
      for await (const tenantId of parts.store.tenantIds()) {
        if (signal.aborted) break;
        try {
          await work(await tenantOf(tenantId), signal);
        } catch (error) {
          failure ??= error;
        }
      }
      if (failure !== undefined) throw failure;
    };
  deps.jobs.recurring({
    name: 'ledger.reconcile',
    description: 'Compares chains with their write-once copies and the tree; copies what is missing.',
    everyMs: RECONCILE_INTERVAL_MS,
    run: everyTenant((tenant, signal) => reconcileLedger(upkeep, tenant, signal)),
  });
  deps.jobs.recurring({
    name: 'ledger.scrub',
    description: 'Hashes the write-once store again, a share at a time, all of it within three days.',
    everyMs: SCRUB_INTERVAL_MS,
    run: everyTenant((tenant, signal) => scrubWorm(upkeep, tenant, SCRUB_INTERVAL_MS, signal)),
  });
  deps.jobs.recurring({
    name: 'ledger.seal',
    description: 'Seals full segments of the write-once store.',
    everyMs: SEAL_INTERVAL_MS,
    run: everyTenant(({ sealing, tenantId, upkeep: store }, signal) => sealSegments(sealing, tenantId, store, signal)),
  });
  const verifying = {
    clock: deps.clock,
    signingKeys: deps.signingKeys,
    partRows: VERIFY_PART_ROWS,
    tenant: tenantOf,
    states: (tenantId: string) => new VerifyStates(deps.masterKey, tenantId),
  };
  const sums = () => scrubSums(deps.database.db, deps.clock.nowMs());
  return {
    resolvers: [[VerifyResolver, new VerifyResolver(verifying)]],
    gauges: [
      {
        name: 'worm_oldest_unverified_seconds',
        help: 'Nothing in the write-once store has gone unread for longer.',
        read: async () => (await sums()).oldestUnreadSeconds,
      },
      {
        name: 'worm_damaged',
        help: 'Found damaged in the last walk over the write-once store.',
        read: async () => (await sums()).damaged,
      },
      {
        name: 'worm_unexplained_records',
        help: 'Write-once records that nothing explained in the last walk.',
        read: async () => (await sums()).unexplained,
      },
    ],
  };
};

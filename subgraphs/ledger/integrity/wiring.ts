import { problem } from '../../../shared/errors/problem.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { appendSystemEntries } from '../append/index.js';
import { subjectKeyOf } from '../exceptions/index.js';
import type { LedgerArea, LedgerParts, WireArea } from '../parts.js';
import { checkpointStamps, stampAnchor } from '../time-stamps/index.js';
import { checkpointFiles, regressSubject } from '../transparency/index.js';
import { wormCopier } from './copy-to-worm.js';
import { mongoIntegrityStore, scrubSums } from './model.js';
import { type ReconciledTenant, reconcileLedger } from './reconcile-ledger.js';
import { VerifyResolver } from './resolver.js';
import { type ScrubTenant, scrubWorm } from './scrub-worm.js';
import { type SealDeps, sealSegments } from './seal-segments.js';
import { VERIFY_PART_ROWS } from './verify-ledger.js';
import { type AnchorSources, type VerifiedTenant, VerifyStates } from './verify-state.js';

/** All stores of one tenant that the checks compare. */
type TenantEvidence = VerifiedTenant &
  ScrubTenant &
  ReconciledTenant & {
    readonly tenantId: TenantId;
    readonly sealing: SealDeps;
  };

/** Returns a function that opens the evidence of a tenant. */
export function evidenceOf({ deps, contexts, trees, ingest, openExceptions, stateFacts }: LedgerParts) {
  const { db } = deps.database;
  const integrity = mongoIntegrityStore(db);
  return async (tenantId: string): Promise<TenantEvidence> => {
    const context = await contexts.of(tenantId);
    const tenant = await deps.tenants.find(tenantId);
    if (!tenant) throw problem('NOT_FOUND', { message: 'There is no such tenant.' });
    const { ledger, worm, genesis } = context;
    return {
      context,
      logId: tenant.log_id,
      ledger,
      worm,
      genesis,
      tenantId: tenant.tenant_id,
      tree: trees(tenantId),
      integrity: integrity(tenantId),
      facts: stateFacts(tenantId),
      upkeep: deps.worm.upkeepOf({ tenantId: tenant.tenant_id, logId: tenant.log_id }),
      sealing: { ...deps, openExceptions, append: (entries) => appendSystemEntries(ingest, context, entries) },
    };
  };
}

function anchorsOf({ deps, exceptionQueue }: LedgerParts): AnchorSources {
  const { dir, witnesses } = deps.config.checkpoints;
  const stamps = checkpointStamps(deps.database.db);
  const files = dir === null ? null : checkpointFiles(dir);
  return {
    witnesses: witnesses.map(({ key }) => key),
    filed: async (place) => (files === null ? null : files.latest(place)),
    stamped: ({ context: { tenantId }, tree }, incarnation) =>
      stampAnchor(stamps, tree, { tenantId, incarnation }, deps.config.timestamps.roots),
    isRegressed: async (tenantId, incarnation) => {
      const exceptions = exceptionQueue.exceptions.forTenant(tenantId as TenantId);
      const names = [{}, ...witnesses.map(({ key }) => ({ witness: key.name }))];
      for (const one of [incarnation, incarnation + 1])
        for (const by of names) {
          const subject = subjectKeyOf({ ...regressSubject(one), ...by });
          if (await exceptions.unresolved('CHECKPOINT_REGRESS', subject)) return true;
        }
      return false;
    },
  };
}

const MS_PER_SECOND = 1_000;
const RECONCILE_INTERVAL_MS = 60_000;
const SCRUB_INTERVAL_MS = 60_000;
const COPY_INTERVAL_MS = 60_000;
const SEAL_INTERVAL_MS = 5 * 60_000;

/** Resolves once the records that a crash kept out of the write-once store are copied there. */
const wire: WireArea = async (parts) => {
  const { deps, store, contexts } = parts;
  const copier = wormCopier({ store, contexts, logger: deps.logger });
  // Answers that precede their copies may have left more rows than a crash leaves otherwise.
  await (contexts.lag.isAllowed ? copier.copyAll() : copier.copyRecent());
  deps.jobs.recurring({
    name: 'ledger.copy',
    description: 'Copies records to the write-once store that a crash left out of it.',
    everyMs: COPY_INTERVAL_MS,
    run: async (signal) => void (await copier.copyAll(signal)),
  });
  const tenantOf = evidenceOf(parts);
  const upkeep = { clock: deps.clock, openExceptions: parts.openExceptions };
  /** Runs for every tenant. A failure of one tenant does not stop the others; the run still counts as failed. */
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
    description: 'Compares chains with their write-once copies and the tree; restores missing copies.',
    everyMs: RECONCILE_INTERVAL_MS,
    run: everyTenant((tenant, signal) => reconcileLedger(upkeep, tenant, signal)),
  });
  deps.jobs.recurring({
    name: 'ledger.scrub',
    description: 'Re-hashes the write-once store in shares, all of it within three days.',
    everyMs: SCRUB_INTERVAL_MS,
    // The blobs of the built-in rules were written a moment ago; the start needs the processor itself.
    isFirstRunLater: true,
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
    recordStates: deps.recordStates,
    mapFolds: parts.stateMap.folds,
    anchors: anchorsOf(parts),
    partRows: VERIFY_PART_ROWS,
    tenant: tenantOf,
    states: (tenantId: string) => new VerifyStates(deps.masterKey, tenantId),
  };
  const sums = () => scrubSums(deps.database.db, deps.clock.nowMs());
  return {
    resolvers: [new VerifyResolver(verifying)],
    gauges: [
      {
        name: 'worm_copy_lag_seconds',
        help: 'Age of the oldest event that this process answered before its write-once copy exists.',
        read: () => contexts.lag.lagMs / MS_PER_SECOND,
      },
      {
        name: 'worm_oldest_unverified_seconds',
        help: 'Age of the oldest record of the write-once store that no scrub has read since.',
        read: async () => (await sums()).oldestUnreadSeconds,
      },
      {
        name: 'worm_damaged',
        help: 'Damaged records found in the last walk over the write-once store.',
        read: async () => (await sums()).damaged,
      },
      {
        name: 'worm_unexplained_records',
        help: 'Unexplained records found in the last walk over the write-once store.',
        read: async () => (await sums()).unexplained,
      },
    ],
  };
};

/** Verification, sealing, scrub, reconciliation and copies to the write-once store. */
export const integrityArea: LedgerArea = { resolvers: [VerifyResolver], wire };

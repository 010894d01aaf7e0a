import { type Clock, isoTime } from '../../../shared/clock/clock.js';
import type { SystemEntry } from '../../../shared/contracts/system-ledger.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { MapDamaged } from '../../../shared/state-map/node.js';
import { describeUnexpected } from '../../../shared/telemetry/describe-error.js';
import type { Logger } from '../../../shared/telemetry/logger.js';
import type { TenantContexts } from '../append/index.js';
import type { MapCommits, TreeStore } from '../transparency/index.js';
import { type CommittedMaps, committedMapOf } from './committed-maps.js';
import { MAP_PARTITION, mapEntry } from './domain/map-entry.js';
import type { MapKeeper } from './map-keeper.js';

/** Time in ms before a fold that met a damaged entry is tried again: it reads every entry since the last map. */
const DAMAGE_PAUSE_MS = 10 * 60_000;
const MAX_FAILED = 10_000;

export type AppendMapEntries = (tenantId: TenantId, entries: readonly SystemEntry[]) => Promise<unknown>;

interface CommitDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly append: AppendMapEntries;
  readonly contexts: TenantContexts;
  readonly trees: TreeStore;
  readonly keeper: MapKeeper;
  readonly committed: CommittedMaps;
}

/** Folds, appends the root as an entry, and gives it to the keeper of the tree. */
export function mapCommits({ clock, logger, append, contexts, trees, keeper, committed }: CommitDeps): MapCommits {
  const failed = new Map<string, number>();
  return {
    isOwed: async (tenantId, size) => {
      const newest = await committed.newest(tenantId, size);
      return newest === null || newest.tree_size + 1 < size;
    },
    leafFor: async (tenantId, size, goOn) => {
      const root = await rootOf(tenantId, size, goOn);
      if (root === null || !(await goOn())) return null;
      await append(tenantId, [mapEntry(size, root, isoTime(clock.nowMs()))]);
      const tenant = await contexts.of(tenantId);
      const head = await tenant.ledger.head(MAP_PARTITION);
      const seq = Number(head?._id.seq ?? 0);
      const [row] = await tenant.ledger.rows(MAP_PARTITION, seq, seq, 1);
      const stated = row && committedMapOf(row);
      const assigned = await trees(tenantId).assignedUpTo(MAP_PARTITION);
      // Another entry of `_map` waits for its place: the chain's leaves are in the order of its entries.
      if (!stated || stated.tree_size !== size || assigned !== seq - 1) return null;
      return { tree_index: size, source_system: MAP_PARTITION, seq, entry_hash: stated.entry_hash };
    },
    published: async (tenantId) => {
      try {
        await keeper.prune(tenantId);
      } catch (error) {
        // The next map removes the rest.
        logger.error(
          { ...describeUnexpected(error), tenant_id: tenantId },
          'removing old versions of the state map failed',
        );
      }
    },
  };

  /** A damaged entry of the ledger stops the map, and no checkpoint. */
  async function rootOf(tenantId: string, size: number, goOn: () => Promise<boolean>): Promise<Buffer | null> {
    const failedAtMs = failed.get(tenantId);
    if (failedAtMs !== undefined && clock.nowMs() - failedAtMs < DAMAGE_PAUSE_MS) return null;
    failed.delete(tenantId);
    try {
      return await keeper.rootAt(tenantId, size, goOn);
    } catch (error) {
      if (!(error instanceof MapDamaged)) throw error;
      if (failed.size >= MAX_FAILED) failed.clear();
      failed.set(tenantId, clock.nowMs());
      logger.error({ tenant_id: tenantId, tree_size: size, reason: error.message }, 'the state map cannot be folded');
      return null;
    }
  }
}

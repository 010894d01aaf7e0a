import type { Clock } from '../../../shared/clock/clock.js';
import type { PublishedCheckpoint } from '../../../shared/contracts/checkpoints.js';
import type { Database } from '../../../shared/db/database.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { Logger } from '../../../shared/telemetry/logger.js';
import { mongoLedgerStore, type TenantContexts } from '../append/index.js';
import type { LedgerArea } from '../parts.js';
import { type CheckpointRow, type MapCommits, mongoTreeStore, type TreeStore } from '../transparency/index.js';
import { CommittedMaps } from './committed-maps.js';
import { FrozenMaps } from './frozen-maps.js';
import { type AppendMapEntries, mapCommits } from './map-commits.js';
import { MapFolds } from './map-folds.js';
import { MapKeeper } from './map-keeper.js';
import { mongoMapStore } from './model/map-store.js';
import { foldReader } from './model/read-entries.js';
import type { FoldReader, MapStore } from './ports.js';
import { StateMapResolver } from './resolver.js';
import { threadedUpdates } from './thread/update-in-turns.js';
import { type MapFinding, verifyMap } from './verify-map.js';

interface StateMapDeps {
  readonly db: Database['db'];
  readonly clock: Clock;
  readonly logger: Logger;
  readonly append: AppendMapEntries;
  readonly contexts: TenantContexts;
  readonly trees: TreeStore;
  /** The stored maps; a test puts faults between. */
  readonly maps?: MapStore;
  /** The entries that the keeper folds; those of the ledger by default. */
  readonly folded?: FoldReader;
}

interface Publishing {
  readonly force: (tenantId: TenantId) => Promise<CheckpointRow | null>;
  readonly shown: (tenantId: TenantId, row: CheckpointRow) => Promise<PublishedCheckpoint>;
}

/** The state map of the ledger: what other areas need of it. */
export interface StateMapParts {
  readonly commits: MapCommits;
  readonly folds: MapFolds;
  /** The resolver of builds, over those who publish checkpoints. */
  readonly resolverOver: (publishing: Publishing) => object;
  readonly close: () => Promise<void>;
}

export function openStateMap(deps: StateMapDeps): StateMapParts {
  const { db, clock, contexts, trees } = deps;
  const reader = foldReader(db, trees);
  const { maps = mongoMapStore(db), folded = reader } = deps;
  const committed = new CommittedMaps({ contexts, trees });
  const thread = threadedUpdates();
  const keeper = new MapKeeper({ ...deps, maps, reader: folded, committed, update: thread.update });
  return {
    commits: mapCommits({ ...deps, keeper, committed }),
    folds: new MapFolds({ reader, trees, maps, contexts }),
    resolverOver: (publishing) =>
      new StateMapResolver({
        contexts,
        frozen: new FrozenMaps({ clock, contexts, trees, maps, committed, ...publishing }),
      }),
    close: () => thread.close(),
  };
}

/** The audit of one tenant of a copy. */
export interface AuditedTenant extends MapFinding {
  readonly tenant_id: string;
  /**
   * VALID: the entries lead to the root of the newest map and to the root of its checkpoint. INVALID: they do not.
   * NO_MAP: no entry `map.committed` is valid.
   */
  readonly verdict: 'VALID' | 'INVALID' | 'NO_MAP';
}

interface AuditOptions {
  readonly tenant?: TenantId | undefined;
  /** Called with the number of folded entries of a tenant and of all. */
  readonly report?: (done: number, total: number) => void;
}

/** Folds the entries of each tenant of a database, which nothing writes to, or of one that it holds. Reads only. */
export async function* auditCopy(
  db: Database['db'],
  { tenant, report }: AuditOptions = {},
): AsyncGenerator<AuditedTenant> {
  const store = mongoLedgerStore(db);
  const trees = mongoTreeStore(db);
  const deps = { reader: foldReader(db, trees), trees, maps: mongoMapStore(db) };
  for await (const tenant_id of store.tenantIds()) {
    if (tenant !== undefined && tenant_id !== tenant) continue;
    const finding = await verifyMap({ ...deps, report }, tenant_id, store.forTenant(tenant_id));
    yield { tenant_id, verdict: verdictOf(finding), ...finding };
  }
}

function verdictOf({ map, folded, tree_root, checkpoint, fault }: MapFinding): AuditedTenant['verdict'] {
  if (map === null) return 'NO_MAP';
  return fault === null && folded === map.root && tree_root === checkpoint?.root_hash ? 'VALID' : 'INVALID';
}

/** The state map. The area of checkpoints starts its resolver, because a frozen map needs a checkpoint. */
export const stateMapArea: LedgerArea = {
  resolvers: [StateMapResolver],
  wire: ({ stateMap }) => ({ close: stateMap.close }),
};

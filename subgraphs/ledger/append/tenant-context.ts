import type { Clock } from '../../../shared/clock/clock.js';
import type { Config } from '../../../shared/config/config.js';
import type { TenantDirectory } from '../../../shared/contracts/tenants.js';
import type { MasterKey } from '../../../shared/crypto/master-key.js';
import { problem } from '../../../shared/errors/problem.js';
import { genesisHash, originOf } from '../../../shared/evidence/chain.js';
import { MemberTags, memberTagKey } from '../../../shared/evidence/member-tag.js';
import type { Ids, Randomness } from '../../../shared/ids/ids.js';
import type { Logger } from '../../../shared/telemetry/logger.js';
import type { QueueDepth } from '../../../shared/telemetry/metrics.js';
import type { TenantWorm, WormStore } from '../../../shared/worm/worm-store.js';
import type { TenantTree, TreeStore } from '../transparency/index.js';
import type { AppendSignal } from './append-signal.js';
import { CopyLag } from './copy-lag.js';
import { DuplicateKeys } from './domain/duplicate-key.js';
import { type PartitionDeps, PartitionWriter } from './partition-writer.js';
import type { LedgerStore, TenantLedger } from './ports/ledger-store.js';
import { type EventPreparer, eventPreparer } from './prepare-event.js';

/** Number of idle chains that are kept; the next append to a dropped one reads its tail again. */
const MAX_REMEMBERED_WRITERS = 10_000;

interface ContextDeps {
  readonly config: Pick<Config, 'origin' | 'wormAcknowledge'>;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly randomness: Randomness;
  readonly masterKey: MasterKey;
  readonly tenants: TenantDirectory;
  readonly worm: WormStore;
  readonly store: LedgerStore;
  readonly trees: TreeStore;
  readonly appended: Pick<AppendSignal, 'signal'>;
}

/** The ledger of one tenant. Services receive this context, so that they cannot reach another tenant. */
export interface TenantContext {
  readonly tenantId: string;
  readonly ledger: TenantLedger;
  readonly tree: TenantTree;
  readonly worm: TenantWorm;
  readonly preparer: EventPreparer;
  readonly duplicateKeys: DuplicateKeys;
  readonly memberTags: MemberTags;
  /** `prev` of a chain's first entry. */
  genesis(sourceSystem: string): string;
  writer(sourceSystem: string): PartitionWriter;
  /** The chains that had an append recently. */
  writers(): Iterable<PartitionWriter>;
}

/** The tenant's own key for duplicate keys. */
export const duplicateKeysOf = (masterKey: MasterKey, tenantId: string): DuplicateKeys =>
  new DuplicateKeys(masterKey.derive('duplicate-key', tenantId));

/** Creates tenant contexts and keeps them: a chain has one queue in a process. */
export class TenantContexts {
  /** The copies that answers of this process precede. */
  readonly lag: CopyLag;
  readonly #deps: ContextDeps;
  readonly #known = new Map<string, TenantContext>();

  constructor(deps: ContextDeps) {
    this.#deps = deps;
    this.lag = new CopyLag(deps, deps.config.wormAcknowledge);
  }

  /** Returns the depth of the queues of this process. */
  queues(): readonly QueueDepth[] {
    let [waiting, uncopied, ahead] = [0, 0, 0];
    for (const tenant of this.#known.values()) {
      for (const writer of tenant.writers()) {
        waiting += writer.waiting;
        uncopied += writer.uncopied;
        ahead += writer.answeredAhead;
      }
    }
    return [
      { queue: 'ledger_events', depth: waiting },
      { queue: 'worm_copies', depth: uncopied },
      ...(this.lag.isAllowed ? [{ queue: 'worm_copies_behind', depth: ahead }] : []),
    ];
  }

  /** @throws NOT_FOUND for a tenant that the directory does not know. */
  async of(tenantId: string): Promise<TenantContext> {
    const known = this.#known.get(tenantId);
    if (known) return known;
    const tenant = await this.#deps.tenants.find(tenantId);
    if (!tenant) throw problem('NOT_FOUND', { message: 'No such tenant.' });
    const raced = this.#known.get(tenantId);
    if (raced) return raced;
    const made = tenantContext(this.#deps, this.lag, tenant.tenant_id, tenant.log_id);
    this.#known.set(tenantId, made);
    return made;
  }
}

function tenantContext(
  deps: ContextDeps,
  lag: CopyLag,
  tenantId: Parameters<WormStore['forTenant']>[0]['tenantId'],
  logId: string,
): TenantContext {
  const ledger = deps.store.forTenant(tenantId);
  const worm = deps.worm.forTenant({ tenantId, logId });
  const duplicateKeys = duplicateKeysOf(deps.masterKey, tenantId);
  const memberTags = new MemberTags(memberTagKey(deps.masterKey, tenantId));
  const origin = originOf(deps.config.origin, logId);
  const genesis = (sourceSystem: string): string => genesisHash(origin, sourceSystem, tenantId);
  const writers = new Map<string, PartitionWriter>();
  return {
    tenantId,
    ledger,
    tree: deps.trees(tenantId),
    worm,
    duplicateKeys,
    memberTags,
    preparer: eventPreparer(deps, tenantId, { duplicateKeys, memberTags }),
    genesis,
    writers: () => writers.values(),
    writer: (sourceSystem) => {
      const known = writers.get(sourceSystem);
      if (known) return known;
      if (writers.size >= MAX_REMEMBERED_WRITERS) forgetIdle(writers);
      const chain = { tenantId, sourceSystem, genesis: genesis(sourceSystem) };
      const onAppended: PartitionDeps['onAppended'] = (rows) => deps.appended.signal(tenantId, sourceSystem, rows);
      const made = new PartitionWriter({ clock: deps.clock, ledger, worm, lag, onAppended, ...chain });
      writers.set(sourceSystem, made);
      return made;
    },
  };
}

function forgetIdle(writers: Map<string, PartitionWriter>): void {
  for (const [name, writer] of writers) if (writer.idle) writers.delete(name);
}

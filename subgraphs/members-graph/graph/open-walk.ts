import type { ConsentGate } from '../../../shared/contracts/consent.js';
import type { LinkedEvents } from '../../../shared/contracts/event-reads.js';
import type { MemberDirectory } from '../../../shared/contracts/members.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { peopleIn } from '../members/domain/index.js';
import type { MergeStore, TenantMerges } from '../members/index.js';
import { linksAround } from '../members/index.js';
import type { GraphStore, TenantGraph } from './ports.js';
import { type GraphSnapshot, GraphSnapshots } from './snapshots.js';
import { GraphWalk, type Identities, type WalkBounds } from './walk.js';

export interface OpenWalkDeps {
  readonly graph: GraphStore;
  readonly linkedEvents: LinkedEvents;
  readonly merges: MergeStore;
  readonly directory: MemberDirectory;
  readonly consent: ConsentGate;
}

export interface OpenedWalk {
  readonly walk: GraphWalk;
  readonly graph: TenantGraph;
}

/** Opens walks over the live generation of a tenant's graph. */
export class GraphWalks {
  readonly #deps: OpenWalkDeps;
  readonly #snapshots: GraphSnapshots;

  constructor(deps: OpenWalkDeps) {
    this.#deps = deps;
    this.#snapshots = new GraphSnapshots(deps);
  }

  /** @param read has no side effects: it may run twice. */
  over<T>(tenantId: TenantId, bounds: WalkBounds, read: (opened: OpenedWalk) => Promise<T>): Promise<T> {
    return this.#snapshots.over(tenantId, (snapshot) => read(this.#open(tenantId, bounds, snapshot)));
  }

  #open(tenantId: TenantId, bounds: WalkBounds, { generation, merges }: GraphSnapshot): OpenedWalk {
    const graph = this.#deps.graph.of(tenantId, generation);
    const knows = async (memberId: string) => (await this.#deps.directory.identityOf(tenantId, memberId)) !== null;
    const identities: Identities =
      merges === null ? identitiesFrom(this.#deps.merges(tenantId)) : async () => merges.people;
    return { graph, walk: new GraphWalk({ ...this.#deps, tenantId, graph, identities, knows }, bounds) };
  }
}

const identitiesFrom =
  (merges: Pick<TenantMerges, 'naming'>): Identities =>
  async (memberIds) =>
    peopleIn(await linksAround(merges, memberIds));

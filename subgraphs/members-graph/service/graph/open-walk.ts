import type { ConsentGate } from '../../../../shared/contracts/consent.js';
import type { LinkedEvents } from '../../../../shared/contracts/event-edges.js';
import type { MemberDirectory } from '../../../../shared/contracts/members.js';
import type { TenantId } from '../../../../shared/ids/tenant.js';
import { peopleIn } from '../../domain/members/merges.js';
import { linksAround } from '../members/identity.js';
import type { GraphStore, TenantGraph } from '../ports/graph-store.js';
import type { MergeStore, TenantMerges } from '../ports/merge-store.js';
import { GraphGrounds, type Ground } from './graph-ground.js';
import { GraphWalk, type Identities, type WalkBounds } from './graph-walk.js';

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

/** Walks over the generations that are live. */
export class GraphWalks {
  readonly #deps: OpenWalkDeps;
  readonly #grounds: GraphGrounds;

  constructor(deps: OpenWalkDeps) {
    this.#deps = deps;
    this.#grounds = new GraphGrounds(deps);
  }

  /** @param read without effects: it may be called twice. */
  over<T>(tenantId: TenantId, bounds: WalkBounds, read: (opened: OpenedWalk) => Promise<T>): Promise<T> {
    return this.#grounds.over(tenantId, (ground) => read(this.#open(tenantId, bounds, ground)));
  }

  #open(tenantId: TenantId, bounds: WalkBounds, { generation, merges }: Ground): OpenedWalk {
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

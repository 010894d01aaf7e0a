import type { ConsentGate } from '../../../../shared/contracts/consent.js';
import type { LinkedEvents } from '../../../../shared/contracts/event-edges.js';
import type { MemberDirectory } from '../../../../shared/contracts/members.js';
import type { TenantId } from '../../../../shared/ids/tenant.js';
import { identityIn } from '../../domain/members/merges.js';
import { linksAround } from '../members/identity.js';
import type { GraphStore, TenantGraph } from '../ports/graph-store.js';
import type { MergeStore } from '../ports/merge-store.js';
import { GraphWalk, type Identities, type WalkBounds } from './graph-walk.js';

export interface OpenWalkDeps {
  readonly graph: GraphStore;
  readonly linkedEvents: LinkedEvents;
  readonly merges: MergeStore;
  readonly directory: MemberDirectory;
  readonly consent: ConsentGate;
}

/** A walk over the generation that is live now. */
export async function openWalk(
  deps: OpenWalkDeps,
  tenantId: TenantId,
  bounds: WalkBounds,
): Promise<{ readonly walk: GraphWalk; readonly graph: TenantGraph }> {
  const graph = deps.graph.of(tenantId, await deps.graph.live(tenantId));
  const knows = async (memberId: string) => (await deps.directory.identityOf(tenantId, memberId)) !== null;
  const identities = identitiesOf(deps.merges, tenantId);
  return { graph, walk: new GraphWalk({ ...deps, tenantId, graph, identities, knows }, bounds) };
}

/** Many members at once: mostly none of them is merged, and one look says so. */
const identitiesOf =
  (merges: MergeStore, tenantId: TenantId): Identities =>
  async (memberIds) => {
    const links = await linksAround(merges(tenantId), memberIds);
    if (links.size === 0) return new Map();
    return new Map(memberIds.map((id) => [id, identityIn(links, id)]));
  };

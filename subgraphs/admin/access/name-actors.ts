import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { BatchedEdges } from '../../../shared/graph/edges/batched-edges.js';
import type { ActorName, ActorNames } from './ports.js';
import type { CustodyActor } from './schema/custody-actor.js';

/**
 * Resolves the actors of entries of custody, those of one answer together. Custody says who did something, so its readers
 * see names; everything else of an actor or a key needs `admin`.
 */
export function custodyActorReferences(names: ActorNames) {
  const batch = new BatchedEdges<string, ActorName | null>(async (context, _, ids) => {
    const found = await names(authorise(context, 'custody:read'), [...new Set(ids)]);
    return ids.map((id) => found.get(id) ?? null);
  });
  return async ({ type, id }: Readonly<Record<string, unknown>>, context: RequestContext): Promise<CustodyActor> => {
    const actor = { type: String(type), id: String(id) };
    const found = await batch.load(context, '', actor.id);
    return { ...actor, name: found?.name ?? null, kind: found?.kind ?? null };
  };
}

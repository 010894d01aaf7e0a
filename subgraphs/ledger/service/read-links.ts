import { isIdOf } from '../../../shared/ids/ids.js';
import { type Edge, edgesOf, rolesJoinedTo } from '../domain/link-edges.js';
import type { LinkStore } from './ports/link-store.js';
import type { TenantContext } from './tenant-context.js';

/** Edges of one event, the newest event first. */
export interface EventLinks {
  readonly items: readonly Edge[];
  /** Whether there are more than are shown. */
  readonly truncated: boolean;
}

/** Of one number and role: account numbers such as 1 have many events. */
const MAX_OF_NUMBER = 100;
const MAX_ITEMS = 500;

/** What joins events: the port that a graph of events takes its edges from. Null for an unknown event. */
export type LinksOfEvent = (tenant: TenantContext, eventId: string) => Promise<EventLinks | null>;

/** The edges of an event of the tenant, as far as its consumer has come: within a second of the append. */
export function linksOfEvent(links: LinkStore): LinksOfEvent {
  return async (tenant, eventId) => {
    if (!isIdOf('event', eventId) || (await tenant.ledger.keysOf(eventId)) === null) return null;
    const own = links.forTenant(tenant.tenantId);
    const row = await own.byEventId(eventId);
    if (row === null) return { items: [], truncated: false };
    const others = await own.sharing(row.keys, rolesJoinedTo(row.role), MAX_OF_NUMBER);
    const edges = edgesOf(row, others);
    return { items: edges.slice(0, MAX_ITEMS), truncated: edges.length > MAX_ITEMS || others.length >= MAX_OF_NUMBER };
  };
}

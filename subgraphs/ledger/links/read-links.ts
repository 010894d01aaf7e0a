import { isoTime } from '../../../shared/clock/clock.js';
import type { EventEdge, EventEdges } from '../../../shared/contracts/event-reads.js';
import { isIdOf } from '../../../shared/ids/ids.js';
import type { TenantContext } from '../append/index.js';
import { type Edge, type EdgeKind, edgesOf, rolesJoinedTo } from './domain/edges.js';
import type { LinkedEvent, LinkRole, NumberKey } from './domain/linked-event.js';
import type { LinkRow, LinkStore, TenantLinks } from './ports.js';

/** Edges of one event, the newest event first. */
interface EventLinks {
  readonly items: readonly Edge[];
  /** True if there are more than shown. */
  readonly truncated: boolean;
}

/** Limit for one number and role: account numbers such as 1 have many events. */
const MAX_OF_NUMBER = 100;
/** Limit of rows for all numbers together; above it each number is read alone (hubs). */
const MAX_TOGETHER = 5_000;
const MAX_ITEMS = 500;

/** The port through which the graph of events reads edges. Null for an unknown event. */
export type LinksOfEvent = (tenant: TenantContext, eventId: string) => Promise<EventLinks | null>;

/** The edges of an event, as far as the consumer has come: within a second of the append. */
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

/** Kinds that are reported from the other end. */
const REPORTED_BACKWARDS: Partial<Record<EdgeKind, EdgeKind>> = {
  ADJUDICATED_BY: 'ADJUDICATES',
  REPORTED_BY: 'REPORTS_ON',
  AUTHORIZES: 'AUTHORIZED_BY',
  REFERS: 'REFERRED_BY',
  ANSWERED_BY: 'ANSWERS',
  REVERSED_BY: 'REVERSES',
  REPLACED_BY: 'REPLACES',
};

/** An event and the events that share a number with it. */
interface Neighbours {
  readonly row: LinkRow;
  readonly others: readonly LinkRow[];
  /** True if there are more than were read. */
  readonly cut: boolean;
}

/** Reads the neighbours of many events: two reads, and one for each event around hubs. */
async function neighboursOf(
  links: Pick<TenantLinks, 'byEventIds' | 'naming' | 'sharing'>,
  eventIds: readonly string[],
): Promise<readonly Neighbours[]> {
  const rows = await links.byEventIds(eventIds);
  if (rows.length === 0) return [];
  const keys = [...new Set(rows.flatMap((row) => row.keys))];
  const together = await links.naming(keys, MAX_TOGETHER);
  const byKey = together.length < MAX_TOGETHER ? groupsOf(together) : null;
  const found: Neighbours[] = [];
  for (const row of rows) {
    const roles = rolesJoinedTo(row.role);
    const others = byKey ? sharingWith(row, roles, byKey) : await links.sharing(row.keys, roles, MAX_OF_NUMBER);
    found.push({ row, others, cut: byKey === null && others.length >= MAX_OF_NUMBER });
  }
  return found;
}

/** The edges of many events, as `linksOfEvent` returns them for one; an event without links is absent. */
export async function linksOfEvents(
  links: Pick<TenantLinks, 'byEventIds' | 'naming' | 'sharing'>,
  eventIds: readonly string[],
): Promise<ReadonlyMap<string, readonly Edge[]>> {
  const found = await neighboursOf(links, eventIds);
  return new Map(found.map(({ row, others }) => [row.event_id, edgesOf(row, others)]));
}

/** The edges of these events, each once: the same as `linksOfEvent` for each, in one read. */
export async function edgesOfEvents(
  links: Pick<TenantLinks, 'byEventIds' | 'naming' | 'sharing'>,
  eventIds: readonly string[],
): Promise<EventEdges> {
  const found = new Map<string, EventEdge>();
  let truncated = false;
  for (const { row, others, cut } of await neighboursOf(links, eventIds)) {
    truncated ||= cut;
    const times = new Map(others.map(({ event_id, at }) => [event_id, at]));
    for (const { kind, event_id, via } of edgesOf(row, others)) {
      const edge = { ...directed(row.event_id, event_id, kind), via, at: later(row.at, times.get(event_id)) };
      found.set(`${edge.from} ${edge.kind} ${edge.to}`, edge);
    }
  }
  return { edges: [...found.values()], truncated };
}

function directed(self: string, other: string, kind: EdgeKind): Pick<EventEdge, 'from' | 'to' | 'kind'> {
  const forward = REPORTED_BACKWARDS[kind];
  if (forward !== undefined) return { from: other, to: self, kind: forward };
  // The younger end reports a symmetric edge.
  const swapped = kind.startsWith('SAME_') && self < other;
  return swapped ? { from: other, to: self, kind } : { from: self, to: other, kind };
}

const later = (a: Date, b: Date | undefined): string => isoTime(Math.max(a.getTime(), b?.getTime() ?? 0));

function groupsOf<E extends LinkedEvent>(rows: readonly E[]): ReadonlyMap<NumberKey, E[]> {
  const groups = new Map<NumberKey, E[]>();
  for (const row of rows) {
    for (const key of row.keys) {
      const known = groups.get(key);
      if (known) known.push(row);
      else groups.set(key, [row]);
    }
  }
  return groups;
}

function sharingWith<E extends LinkedEvent>(
  row: E,
  roles: readonly LinkRole[],
  byKey: ReadonlyMap<NumberKey, readonly E[]>,
): readonly E[] {
  const others = row.keys.flatMap((key) => byKey.get(key) ?? []).filter(({ role }) => roles.includes(role));
  return [...new Set(others)];
}

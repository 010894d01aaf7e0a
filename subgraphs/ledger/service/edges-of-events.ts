import { isoTime } from '../../../shared/clock/clock.js';
import type { EventEdge, EventEdges } from '../../../shared/contracts/event-edges.js';
import { type EdgeKind, edgesOf, rolesJoinedTo } from '../domain/link-edges.js';
import type { LinkedEvent, LinkRole, NumberKey } from '../domain/linked-event.js';
import type { TenantLinks } from './ports/link-store.js';

/** Rows of all numbers together: a walk seldom meets more, and hubs are then read number by number. */
const MAX_TOGETHER = 5_000;
/** Of one number and role: account numbers such as 1 have many events. */
const MAX_OF_NUMBER = 100;

/** Kinds that are told from the other end. */
const TOLD_BACKWARDS: Partial<Record<EdgeKind, EdgeKind>> = {
  ADJUDICATED_BY: 'ADJUDICATES',
  REPORTED_BY: 'REPORTS_ON',
  AUTHORIZES: 'AUTHORIZED_BY',
  REFERS: 'REFERRED_BY',
  ANSWERED_BY: 'ANSWERS',
  REVERSED_BY: 'REVERSES',
  REPLACED_BY: 'REPLACES',
};

/** The edges at these events, each once: what `linksOfEvent` says of each of them, read together. */
export async function edgesOfEvents(
  links: Pick<TenantLinks, 'byEventIds' | 'naming' | 'sharing'>,
  eventIds: readonly string[],
): Promise<EventEdges> {
  const rows = await links.byEventIds(eventIds);
  if (rows.length === 0) return { edges: [], truncated: false };
  const keys = [...new Set(rows.flatMap((row) => row.keys))];
  const together = await links.naming(keys, MAX_TOGETHER);
  const isWhole = together.length < MAX_TOGETHER;
  const byKey = isWhole ? groupsOf(together) : null;
  const found = new Map<string, EventEdge>();
  let truncated = false;
  for (const row of rows) {
    const roles = rolesJoinedTo(row.role);
    const others = byKey ? sharingWith(row, roles, byKey) : await links.sharing(row.keys, roles, MAX_OF_NUMBER);
    truncated ||= !isWhole && others.length >= MAX_OF_NUMBER;
    const times = new Map(others.map(({ event_id, at }) => [event_id, at]));
    for (const { kind, event_id, via } of edgesOf(row, others)) {
      const edge = { ...directed(row.event_id, event_id, kind), via, at: later(row.at, times.get(event_id)) };
      found.set(`${edge.from} ${edge.kind} ${edge.to}`, edge);
    }
  }
  return { edges: [...found.values()], truncated };
}

function directed(self: string, other: string, kind: EdgeKind): Pick<EventEdge, 'from' | 'to' | 'kind'> {
  const forward = TOLD_BACKWARDS[kind];
  if (forward !== undefined) return { from: other, to: self, kind: forward };
  // A symmetric one is told from the younger of the two.
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

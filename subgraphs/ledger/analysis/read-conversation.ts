import type { EventEdge } from '../../../shared/contracts/event-reads.js';
import { claimKey, eventKeysOf, valuesOfKeys } from '../../../shared/event-keys/event-keys.js';
import { contentOf, type LedgerRow } from '../append/domain/index.js';
import type { TenantEventKeys } from '../event-keys/index.js';
import { edgesOfEvents, type LinkStore } from '../links/index.js';

/** Most events of one conversation. */
const MAX_CONVERSATION = 200;
/** Steps along links: claim to decision of an authorization, decision to its request, request to its referral. */
const ROUNDS = 3;

interface Conversation {
  /** In order of effective time. */
  readonly rows: readonly LedgerRow[];
  readonly edges: readonly EventEdge[];
  readonly truncated: boolean;
}

/**
 * Reads all events that name a claim, and those that are linked to them by authorization, trace and other numbers. An
 * event of another claim is left out, because one authorization may cover several claims.
 */
export async function readConversation(
  events: TenantEventKeys,
  links: ReturnType<LinkStore['forTenant']>,
  claim: string,
): Promise<Conversation> {
  const query = { space: '', keys: [claimKey(claim)], ascending: true, limit: MAX_CONVERSATION + 1 };
  const places = await events.find(query);
  let truncated = places.length > MAX_CONVERSATION;
  const rows = new Map((await events.rows(places.slice(0, MAX_CONVERSATION))).map((row) => [row.event_id, row]));
  const edges = new Map<string, EventEdge>();
  const judged = new Set(rows.keys());
  let fresh = [...rows.keys()];
  for (let round = 0; round < ROUNDS && fresh.length > 0; round++) {
    const found = await edgesOfEvents(links, fresh);
    truncated ||= found.truncated;
    for (const edge of found.edges) edges.set(`${edge.from} ${edge.kind} ${edge.to}`, edge);
    const ends = [...new Set(found.edges.flatMap(({ from, to }) => [from, to]))].filter((id) => !judged.has(id));
    for (const id of ends) judged.add(id);
    const room = MAX_CONVERSATION - rows.size;
    const joined = (await events.rowsOf(ends)).filter((row) => isOf(row, claim));
    truncated ||= joined.length > room;
    fresh = joined.slice(0, room).map((row) => {
      rows.set(row.event_id, row);
      return row.event_id;
    });
  }
  const inside = [...edges.values()].filter(({ from, to }) => rows.has(from) && rows.has(to));
  return { rows: [...rows.values()].sort(byTime), edges: inside, truncated };
}

/** Whether an event names this claim, or none. */
function isOf(row: LedgerRow, claim: string): boolean {
  const claims = valuesOfKeys(eventKeysOf(contentOf(row) ?? {}), 'claim');
  return claims.length === 0 || claims.includes(claim.trim());
}

const byTime = (a: LedgerRow, b: LedgerRow): number =>
  (a.query?.effective_at.getTime() ?? 0) - (b.query?.effective_at.getTime() ?? 0) || (a.event_id < b.event_id ? -1 : 1);

import type { Ticket } from './append-batch.js';
import type { EntryKeys, TenantLedger } from './ports/ledger-store.js';

/** Entries read for one group; a fact stated so often that this is too few is still stopped by the unique index. */
const MAX_ENTRIES = 5_000;
const MAX_CONFLICTS_NAMED = 10;

/**
 * One find for the group: settles those that came before, ties those that repeat within the group to their first, and
 * notes which of the rest state a known fact otherwise. Returns what is to be appended, in order.
 */
export async function sortOutDuplicates(
  ledger: TenantLedger,
  sourceSystem: string,
  group: readonly Ticket[],
): Promise<readonly Ticket[]> {
  const facts = [...new Set(group.map((ticket) => ticket.event.fact_key))];
  const known = await ledger.entriesByFact(sourceSystem, facts, MAX_ENTRIES);
  const byDuplicateKey = new Map(known.map((entry) => [entry.duplicate_key, entry]));
  const idsByFact = idsOfFacts(known);
  const first = new Map<string, Ticket>();
  const fresh: Ticket[] = [];
  for (const ticket of group) {
    const { duplicate_key, fact_key, event_id } = ticket.event;
    const entry = byDuplicateKey.get(duplicate_key);
    const earlier = first.get(duplicate_key);
    if (entry) {
      ticket.duplicateOf(entry);
    } else if (earlier) {
      earlier.followers.push(ticket);
    } else {
      ticket.conflictsWith.push(...(idsByFact.get(fact_key) ?? []));
      note(idsByFact, fact_key, event_id);
      first.set(duplicate_key, ticket);
      fresh.push(ticket);
    }
  }
  return fresh;
}

function idsOfFacts(entries: readonly EntryKeys[]): Map<string, string[]> {
  const ids = new Map<string, string[]>();
  for (const { fact_key, event_id } of entries) if (fact_key !== undefined) note(ids, fact_key, event_id);
  return ids;
}

function note(idsByFact: Map<string, string[]>, fact: string, eventId: string): void {
  const ids = idsByFact.get(fact);
  if (!ids) idsByFact.set(fact, [eventId]);
  else if (ids.length < MAX_CONFLICTS_NAMED) ids.push(eventId);
}

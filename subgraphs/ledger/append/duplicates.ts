import type { Ticket } from './append-batch.js';
import type { InFlight } from './in-flight.js';
import type { EntryKeys, TenantLedger } from './ports/ledger-store.js';

/** Entries read for one group. If a fact has more entries than this, the unique index still stops duplicates. */
const MAX_ENTRIES = 5_000;

interface DuplicateDeps {
  readonly ledger: TenantLedger;
  readonly sourceSystem: string;
  /** Returns once these entries have their write-once copies. @throws UNAVAILABLE */
  readonly ensureCopied: (entries: readonly EntryKeys[]) => Promise<void>;
}

/**
 * Looks up a group in one query: settles repeated envelopes, joins repetitions within the group to their first, and
 * notes conflicts with known facts.
 *
 * @returns the events to append, in order.
 */
export async function sortOutDuplicates(
  { ledger, sourceSystem, ensureCopied }: DuplicateDeps,
  group: readonly Ticket[],
  inFlight: InFlight,
): Promise<readonly Ticket[]> {
  inFlight.forgetVisible();
  const facts = [...new Set(group.map((ticket) => ticket.event.fact_key))];
  const known = await ledger.entriesByFact(sourceSystem, facts, MAX_ENTRIES);
  const byDuplicateKey = new Map(known.map((entry) => [entry.duplicate_key, entry]));
  await ensureCopied(group.flatMap(({ event }) => byDuplicateKey.get(event.duplicate_key) ?? []));
  const idsByFact = idsOfFacts(known);
  const fresh: Ticket[] = [];
  for (const ticket of group) {
    const { duplicate_key, fact_key } = ticket.event;
    const entry = byDuplicateKey.get(duplicate_key);
    const earlier = inFlight.first(duplicate_key);
    if (entry) {
      if (entry.event_id === ticket.event.event_id) ticket.conflictsWith.push(...statedBefore(known, entry));
      ticket.duplicateOf(entry);
    } else if (earlier) {
      earlier.followedBy(ticket);
    } else {
      const others = [...(idsByFact.get(fact_key) ?? []), ...inFlight.statingFact(fact_key)];
      ticket.conflictsWith.push(...new Set(others));
      inFlight.add(ticket);
      fresh.push(ticket);
    }
  }
  return fresh;
}

/** Conflicts that an earlier attempt of the request found and may not have reported before it crashed. */
const statedBefore = (known: readonly EntryKeys[], entry: EntryKeys): string[] =>
  known
    .filter(({ fact_key, _id }) => fact_key === entry.fact_key && _id.seq < entry._id.seq)
    .map(({ event_id }) => event_id);

function idsOfFacts(entries: readonly EntryKeys[]): Map<string, string[]> {
  const ids = new Map<string, string[]>();
  for (const { fact_key, event_id } of entries) {
    if (fact_key === undefined) continue;
    const known = ids.get(fact_key);
    if (known) known.push(event_id);
    else ids.set(fact_key, [event_id]);
  }
  return ids;
}

import { type Clock, isoTime } from '../../../shared/clock/clock.js';
import type { Fact } from '../../../shared/facts/fact.js';
import type { FactGuard } from '../../../shared/facts/guard.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { isLinked, type LedgerRow } from '../append/domain/index.js';
import { DamagedEntry } from '../integrity/index.js';
import { disposalDraft, disposalIdIn, disposalSubject } from './domain.js';
import type { TenantDisposalFacts } from './ports.js';

interface DisposalFactDeps {
  readonly guard: FactGuard;
  readonly clock: Clock;
}

/** Returns the facts of the disposals of these events, by event; omits events that are kept. */
export async function factsOfDisposals(
  guard: FactGuard,
  tenantId: TenantId,
  eventIds: readonly string[],
): Promise<ReadonlyMap<string, Fact>> {
  if (eventIds.length === 0) return new Map();
  const questions = eventIds.map((id) => ({ subject: disposalSubject(id), known: null }));
  const answers = await guard.read(tenantId, questions);
  return new Map(
    eventIds.flatMap((id, i): [string, Fact][] => {
      const [fact] = answers[i]?.newer ?? [];
      return fact === undefined ? [] : [[id, fact]];
    }),
  );
}

/** The facts of one tenant's disposals. */
export function disposalFacts({ guard, clock }: DisposalFactDeps, tenantId: TenantId): TenantDisposalFacts {
  const disposalsOf = async (eventIds: readonly string[]): Promise<ReadonlyMap<string, string>> => {
    const facts = await factsOfDisposals(guard, tenantId, eventIds);
    return new Map([...facts].map(([id, { state }]) => [id, disposalIdIn(state)]));
  };
  return {
    disposalsOf,
    commit: async (order) => {
      const at = isoTime(clock.nowMs());
      const outcomes = await guard.appendAll(
        tenantId,
        order.events.map((event) => disposalDraft(order, event, at)),
      );
      const own = order.events.map(({ event_id }) => event_id);
      // Another order disposed of these first: their rows name that one.
      const others = await disposalsOf(own.filter((_, i) => outcomes[i]?.status === 'TAKEN'));
      return new Map(own.map((id) => [id, others.get(id) ?? order.disposal_id]));
    },
  };
}

/**
 * Returns the disposal of an event, or null for an event that is kept. Only the fact says so: a row that was edited to
 * look disposed of fails. So does an event that has its record again after the sweep of the facts.
 *
 * @param fact the fact of the event's disposal; null for none.
 * @throws INTEGRITY_FAILURE
 */
export async function provenDisposal(
  guard: FactGuard,
  tenantId: TenantId,
  row: LedgerRow,
  fact: Fact | null,
): Promise<string | null> {
  const { event_id, record, disposal_id } = row;
  const subject = disposalSubject(event_id);
  if (fact === null) {
    if (disposal_id !== undefined) await guard.reject(tenantId, subject, 'FACT_MISSING');
    if (record === undefined) throw new DamagedEntry(row);
    return null;
  }
  const proven = disposalIdIn(fact.state);
  if (record === undefined) {
    if (disposal_id !== proven) await guard.reject(tenantId, subject, 'ROW_DIFFERS');
    if (!isLinked(row)) throw new DamagedEntry(row);
    return proven;
  }
  // A crash left the record after its fact; the sweep of the facts removes it.
  if (await guard.hasSwept(Date.parse(fact.at))) await guard.reject(tenantId, subject, 'ROW_DIFFERS');
  return proven;
}

import type { DisposalOrder, UnknownBodies } from '../../../shared/contracts/disposal.js';
import type { SystemEntry } from '../../../shared/contracts/system-ledger.js';
import { problem } from '../../../shared/errors/problem.js';
import { isReservedSourceSystem } from '../../../shared/ids/tenant.js';
import type { LedgerRow } from '../append/domain/index.js';
import { DISPOSAL_FAMILY, DISPOSAL_TYPE } from '../integrity/index.js';
import { keptLogKeys } from '../state-map/index.js';
import type { DisposalTies } from './domain.js';
import { rawOf } from './plan-disposal.js';
import type { KeptRow, TenantDisposalFacts, TenantDisposals } from './ports.js';

/** Stores and functions that the disposal of one tenant uses. */
export interface DisposingTenant {
  readonly tenantId: string;
  readonly disposals: TenantDisposals;
  readonly facts: TenantDisposalFacts;
  readonly ties: Pick<DisposalTies, 'of'>;
  /** Appends to the tenant's `_system` partition. */
  readonly append: (entries: readonly SystemEntry[]) => Promise<unknown>;
  /** Removes events without content from search and links. */
  readonly forget: (places: readonly LedgerRow['_id'][]) => Promise<void>;
}

/**
 * Disposes of events: first appends the entry that accounts for it and the fact of each event, then removes the content,
 * then everything derived from it. The facts are the commit point: from then on reads answer DISPOSED. A restart after a
 * crash ends the same way: entry and facts have fixed names, and a stripped row stays as it is.
 *
 * @throws INTERNAL for an entry of a reserved partition: no policy covers those.
 */
export async function disposeEvents(tenant: DisposingTenant, order: DisposalOrder): Promise<void> {
  if (order.events.some(({ source_system }) => isReservedSourceSystem(source_system))) {
    throw problem('INTERNAL', { internal: 'a disposal names an entry of a reserved partition' });
  }
  const places = order.events.map(({ source_system, sequence }) => ({
    tenant_id: tenant.tenantId,
    source_system,
    seq: sequence,
  }));
  const kept = await tenant.disposals.kept(order.events.map(({ event_id }) => event_id));
  await tenant.append([disposalEntry(order)]);
  await strip(tenant, kept, await tenant.facts.commit(order), places);
}

/** Removes the content of an event that a crash left after its fact. */
export async function finishDisposal(tenant: DisposingTenant, eventId: string): Promise<void> {
  const kept = await tenant.disposals.kept([eventId]);
  if (kept.length === 0) return;
  const places = kept.map(({ _id }) => _id);
  await strip(tenant, kept, await tenant.facts.disposalsOf([eventId]), places);
}

/** @param disposalOf the disposal of each event, as its fact names it; a row without one stays. */
async function strip(
  tenant: DisposingTenant,
  kept: readonly KeptRow[],
  disposalOf: ReadonlyMap<string, string>,
  places: readonly LedgerRow['_id'][],
): Promise<void> {
  const rows = kept.flatMap((row) => {
    const disposal_id = disposalOf.get(row.event_id);
    const disposed_of = row.query === undefined ? [] : tenant.ties.of(row.query);
    const map_logs = row.query === undefined ? [] : keptLogKeys(row.query);
    return disposal_id === undefined ? [] : [{ place: row._id, disposal_id, disposed_of, map_logs }];
  });
  const raw = kept.flatMap((row) => rawOf(row) ?? []);
  await tenant.disposals.strip(rows);
  await tenant.disposals.forgetHashes([...new Set(raw)], [...disposalOf.keys()]);
  await tenant.forget(places);
}

/** Returns the same entry for the same order at any time. */
const disposalEntry = ({ disposal_id, at, policies, events }: DisposalOrder): SystemEntry => ({
  source_system: '_system',
  source_record_id: disposal_id,
  event_family: DISPOSAL_FAMILY,
  event_type: DISPOSAL_TYPE,
  event_effective_timestamp: at,
  payload: { disposal_id, policies: [...policies], events: events.map((event) => ({ ...event })) },
});

/** Returns those of these bodies that an event still uses or that an open exception names. */
export async function rawInUse(
  tenant: DisposingTenant,
  rawSha256s: readonly string[],
  unknown: UnknownBodies,
): Promise<readonly string[]> {
  const inUse = new Set(await tenant.disposals.openExceptionsAbout(rawSha256s));
  for (const sha256 of rawSha256s) {
    if (!inUse.has(sha256) && (await servesAnEvent(tenant, sha256, unknown))) inUse.add(sha256);
  }
  return [...inUse];
}

/** A body serves each of its events that no fact calls disposed. A missing record without a fact is damage. */
async function servesAnEvent(
  { disposals, facts }: DisposingTenant,
  sha256: string,
  unknown: UnknownBodies,
): Promise<boolean> {
  let known = false;
  for await (const eventIds of disposals.eventsOfRaw(sha256)) {
    known = true;
    const disposed = await facts.disposalsOf(eventIds);
    if (eventIds.some((id) => !disposed.has(id))) return true;
  }
  return !known && unknown === 'KEEP';
}

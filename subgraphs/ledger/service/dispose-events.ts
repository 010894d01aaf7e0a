import {
  type DisposalCandidate,
  type DisposalCursor,
  type DisposalCutoffs,
  type DisposalOrder,
  type DisposalPlan,
  isPastAge,
  type UnknownBodies,
} from '../../../shared/contracts/disposal.js';
import type { SystemEntry } from '../../../shared/contracts/system-ledger.js';
import { problem } from '../../../shared/errors/problem.js';
import { isReservedSourceSystem } from '../../../shared/ids/tenant.js';
import { isJsonObject } from '../../../shared/json/strict-json.js';
import type { DisposalTies } from '../domain/disposal-ties.js';
import type { LedgerRow } from '../domain/ledger-row.js';
import { isAltered } from '../domain/search-row.js';
import type { AgedRow, TenantDisposals } from './ports/disposal-store.js';

export const DISPOSAL_FAMILY = 'retention';
export const DISPOSAL_TYPE = 'records.disposed';

/** What disposal of one tenant stands on. */
export interface DisposingTenant {
  readonly tenantId: string;
  readonly disposals: TenantDisposals;
  readonly ties: Pick<DisposalTies, 'of'>;
  /** Appends to the tenant's own `_system` partition. */
  readonly append: (entries: readonly SystemEntry[]) => Promise<unknown>;
  /** Takes events whose content is gone out of search and links. */
  readonly forget: (places: readonly LedgerRow['_id'][]) => Promise<void>;
}

/** Events past their age, oldest first. Each family's cutoff says from when its age counts. */
export async function planDisposal(
  { disposals }: DisposingTenant,
  cutoffs: DisposalCutoffs,
  after: DisposalCursor | null,
  limit: number,
): Promise<DisposalPlan> {
  const beforeMs = Math.max(
    cutoffs.default_before_ms,
    ...Object.values(cutoffs.families).map(({ before_ms }) => before_ms),
  );
  const { candidates, next } = planOf(await disposals.aged({ beforeMs, after, limit }), limit);
  return { candidates: candidates.filter((candidate) => isPastAge(candidate, cutoffs)), next };
}

function planOf(rows: readonly AgedRow[], limit: number): DisposalPlan {
  const last = rows.length < limit ? undefined : rows.at(-1);
  return {
    candidates: rows.flatMap(candidateOf),
    next: last?.query ? { at_ms: last.query.effective_at.getTime(), event_id: last.event_id } : null,
  };
}

/** Events of one person, whatever their age, oldest first. */
export const disposalsOfMembers = async (
  { disposals }: DisposingTenant,
  memberIds: readonly string[],
  after: DisposalCursor | null,
  limit: number,
): Promise<DisposalPlan> => planOf(await disposals.ofMembers({ memberIds, after, limit }), limit);

export const factsOfEvents = async (
  { disposals }: DisposingTenant,
  eventIds: readonly string[],
): Promise<readonly DisposalCandidate[]> => (await disposals.kept(eventIds)).flatMap(candidateOf);

/** A row without query fields is bare already. */
function candidateOf(row: AgedRow): readonly DisposalCandidate[] {
  const { _id, event_id, query, recorded_at } = row;
  if (query === undefined) return [];
  return [
    {
      event_id,
      source_system: _id.source_system,
      sequence: _id.seq,
      event_family: query.event_family,
      member_id: query.member_id ?? null,
      effective_at_ms: query.effective_at.getTime(),
      recorded_at_ms: recorded_at.getTime(),
      worm_sha256: row.worm_sha256 ?? null,
      raw_sha256: rawOf(row),
    },
  ];
}

/** What an altered record says of its raw body is not followed: that body then stays. */
function rawOf(row: AgedRow): string | null {
  const { record, from_raw } = row;
  if (from_raw !== true || record === undefined || isAltered(row)) return null;
  const { payload } = JSON.parse(record.toString('utf8')) as { payload?: unknown };
  const sha256 = isJsonObject(payload) ? payload['raw_sha256'] : undefined;
  return typeof sha256 === 'string' ? sha256 : null;
}

/**
 * Disposes of events: first the entry that accounts for it, then the content, then whatever was made of it. Begun again
 * after a crash it ends the same way: the entry has a fixed name, and a bare row stays bare.
 *
 * @throws INTERNAL for an entry of a reserved partition: no policy reaches those.
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
  const eventIds = order.events.map(({ event_id }) => event_id);
  const kept = await tenant.disposals.kept(eventIds);
  const raw = kept.flatMap((row) => rawOf(row) ?? []);
  const ties = new Map(kept.map(({ event_id, query }) => [event_id, query ? tenant.ties.of(query) : []]));
  await tenant.append([disposalEntry(order)]);
  const stripped = places.map((place, i) => ({ place, disposed_of: ties.get(eventIds[i] ?? '') ?? [] }));
  await tenant.disposals.strip(stripped, order.disposal_id);
  await tenant.disposals.forgetHashes([...new Set(raw)], eventIds);
  await tenant.forget(places);
}

/** The same for the same order, whenever it is made. */
export const disposalEntry = ({ disposal_id, at, policies, events }: DisposalOrder): SystemEntry => ({
  source_system: '_system',
  source_record_id: disposal_id,
  event_family: DISPOSAL_FAMILY,
  event_type: DISPOSAL_TYPE,
  event_effective_timestamp: at,
  payload: { disposal_id, policies: [...policies], events: events.map((event) => ({ ...event })) },
});

/** Those of these bodies that still serve an event, or that an open exception is about. */
export async function rawInUse(
  { disposals }: DisposingTenant,
  rawSha256s: readonly string[],
  unknown: UnknownBodies,
): Promise<readonly string[]> {
  const inUse = new Set(await disposals.openExceptionsAbout(rawSha256s));
  for (const sha256 of rawSha256s) {
    if (!inUse.has(sha256) && (await servesAnEvent(disposals, sha256, unknown))) inUse.add(sha256);
  }
  return [...inUse];
}

async function servesAnEvent(disposals: TenantDisposals, sha256: string, unknown: UnknownBodies): Promise<boolean> {
  let known = false;
  for await (const eventIds of disposals.eventsOfRaw(sha256)) {
    known = true;
    if ((await disposals.kept(eventIds)).length > 0) return true;
  }
  return !known && unknown === 'KEEP';
}

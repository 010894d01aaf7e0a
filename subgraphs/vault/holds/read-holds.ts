import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { isoTime } from '../../../shared/clock/clock.js';
import type { HoldSubject, HoldSummary } from '../../../shared/contracts/holds.js';
import type { RecordTies } from '../../../shared/contracts/record-ties.js';
import { isIdOf } from '../../../shared/ids/ids.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { type Page, pageOf } from '../../../shared/pagination/cursor.js';
import type { ListQuery } from '../../../shared/records/records.js';
import { type HoldDeps, settled } from './place-hold.js';
import type { HoldCounts, StoredHold, TenantHolds, Tombstone, TombstoneQuery } from './ports.js';

/** A hold with the counts of its listing. */
export type CountedHold = StoredHold & { readonly listed: HoldCounts };

const NONE: HoldCounts = { events: 0, documents: 0, refused: 0 };

async function withCounts(
  deps: Pick<HoldDeps, 'holds'>,
  tenantId: TenantId,
  holds: readonly StoredHold[],
): Promise<readonly CountedHold[]> {
  if (holds.length === 0) return [];
  const counts = await deps.holds.forTenant(tenantId).counts(holds.map(({ hold_id }) => hold_id));
  return holds.map((hold) => ({ ...hold, listed: counts.get(hold.hold_id) ?? NONE }));
}

export async function counted(deps: Pick<HoldDeps, 'holds'>, hold: StoredHold): Promise<CountedHold> {
  const [found = { ...hold, listed: NONE }] = await withCounts(deps, hold.tenant_id, [hold]);
  return found;
}

/** An ACTIVE hold that is shown is effective: a hold that a crash left unsettled is settled first. */
export async function listHolds(
  deps: HoldDeps,
  context: RequestContext,
  query: ListQuery<StoredHold>,
): Promise<Page<CountedHold>> {
  const tenantId = authorise(context, 'holds:read');
  const { items, next_cursor } = await deps.holds.forTenant(tenantId).page(query);
  return { items: await shownHolds(deps, tenantId, items), next_cursor };
}

/** Returns the holds with these identifiers, by the rule of `getHold`. */
export async function namedHolds(
  deps: HoldDeps,
  context: RequestContext,
  holdIds: readonly string[],
): Promise<readonly CountedHold[]> {
  const tenantId = authorise(context, 'holds:read');
  return shownHolds(deps, tenantId, await deps.holds.forTenant(tenantId).among(holdIds));
}

async function shownHolds(deps: HoldDeps, tenantId: TenantId, holds: readonly StoredHold[]) {
  const seen: StoredHold[] = [];
  for (const hold of holds) seen.push(await settled(deps, hold));
  return withCounts(deps, tenantId, seen);
}

export async function getHold(deps: HoldDeps, context: RequestContext, holdId: string): Promise<CountedHold | null> {
  const tenantId = authorise(context, 'holds:read');
  const found = isIdOf('hold', holdId) ? await deps.holds.forTenant(tenantId).get(holdId) : null;
  return found && counted(deps, await settled(deps, found));
}

/** Returns the listed records of a hold, or null for an unknown hold. */
export async function listTombstones(
  deps: HoldDeps,
  context: RequestContext,
  holdId: string,
  query: TombstoneQuery,
): Promise<Page<Tombstone> | null> {
  const tenantId = authorise(context, 'holds:read');
  const holds = deps.holds.forTenant(tenantId);
  if (!isIdOf('hold', holdId) || (await holds.get(holdId)) === null) return null;
  const rows = await holds.tombstones(holdId, query);
  return pageOf(rows, query.limit, ({ held_at, hold_id, kind, id }) => ({
    atMs: held_at.getTime(),
    id: `${hold_id}/${kind}/${id}`,
  }));
}

/** Returns the holds over subjects, for other subgraphs. */
export async function holdsCovering(
  { gate }: Pick<HoldDeps, 'gate'>,
  tenantId: TenantId,
  subjects: readonly HoldSubject[],
): Promise<readonly (readonly [string, readonly string[]])[]> {
  return [...(await gate.holdsOver(tenantId, subjects))];
}

export async function holdSummaries(
  deps: Pick<HoldDeps, 'holds'>,
  tenantId: TenantId,
  holdIds: readonly string[],
): Promise<readonly HoldSummary[]> {
  const found = new Map(
    (await deps.holds.forTenant(tenantId).among(holdIds)).map((hold) => [hold.hold_id, summaryOf(hold)]),
  );
  return holdIds.flatMap((id) => found.get(id) ?? []);
}

const summaryOf = ({ hold_id, name, matter_id, status, created_at, release }: StoredHold): HoldSummary => ({
  hold_id,
  name,
  matter_id,
  status,
  created_at: isoTime(created_at.getTime()),
  released_at: release === null ? null : isoTime(release.released_at.getTime()),
});

export async function holdsOfMatter(
  deps: Pick<HoldDeps, 'holds'>,
  tenantId: TenantId,
  matterId: string,
): Promise<readonly string[]> {
  const active = await deps.holds.forTenant(tenantId).active();
  return active.filter(({ matter_id }) => matter_id === matterId).map(({ hold_id }) => hold_id);
}

/**
 * Returns the records that the scopes of holds name. Filtered records are not included: the graph finds them through
 * the members.
 */
export async function holdTies(
  holds: Pick<TenantHolds, 'among'>,
  holdIds: readonly string[],
): Promise<readonly RecordTies[]> {
  return (await holds.among(holdIds)).map(tiesOf);
}

function tiesOf({ hold_id, created_at, status, scope, matter_id }: StoredHold): RecordTies {
  const named = (kind: string, ids: readonly string[] = []): string[] => ids.map((id) => `${kind}:${id}`);
  return {
    kind: 'hold',
    id: hold_id,
    at: isoTime(created_at.getTime()),
    label: null,
    status,
    names: [
      ...named('member', scope.member_ids),
      ...named('event', scope.event_ids),
      ...named('document', scope.document_ids),
      ...(matter_id === null ? [] : [`matter:${matter_id}`]),
    ],
  };
}

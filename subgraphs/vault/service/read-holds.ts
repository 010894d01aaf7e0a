import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { isoTime } from '../../../shared/clock/clock.js';
import type { HoldSubject, HoldSummary } from '../../../shared/contracts/holds.js';
import { isIdOf } from '../../../shared/ids/ids.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { type Page, pageOf } from '../../../shared/pagination/cursor.js';
import { type HoldDeps, settled } from './place-hold.js';
import type { HoldCounts, HoldQuery, StoredHold, Tombstone, TombstoneQuery } from './ports/hold-store.js';

/** A hold with what its listing has come to. */
export interface CountedHold {
  readonly hold: StoredHold;
  readonly counts: HoldCounts;
}

const NONE: HoldCounts = { events: 0, documents: 0, refused: 0 };

export async function withCounts(
  deps: Pick<HoldDeps, 'holds'>,
  tenantId: TenantId,
  holds: readonly StoredHold[],
): Promise<readonly CountedHold[]> {
  if (holds.length === 0) return [];
  const counts = await deps.holds.forTenant(tenantId).counts(holds.map(({ hold_id }) => hold_id));
  return holds.map((hold) => ({ hold, counts: counts.get(hold.hold_id) ?? NONE }));
}

/** What is shown as ACTIVE is in force: a hold that a crash has left unsettled is settled before anybody sees it. */
const shown = async (
  deps: HoldDeps,
  tenantId: TenantId,
  holds: readonly StoredHold[],
): Promise<readonly StoredHold[]> => {
  const seen: StoredHold[] = [];
  for (const hold of holds) seen.push(await settled(deps, tenantId, hold));
  return seen;
};

export async function listHolds(deps: HoldDeps, context: RequestContext, query: HoldQuery): Promise<Page<CountedHold>> {
  const tenantId = authorise(context, 'holds:read');
  const rows = await deps.holds.forTenant(tenantId).list(query);
  const page = pageOf(rows, query.limit, (hold) => ({ atMs: hold.created_at.getTime(), id: hold.hold_id }));
  const items = await withCounts(deps, tenantId, await shown(deps, tenantId, page.items));
  return { items, next_cursor: page.next_cursor };
}

export async function getHold(deps: HoldDeps, context: RequestContext, holdId: string): Promise<CountedHold | null> {
  const tenantId = authorise(context, 'holds:read');
  const found = isIdOf('hold', holdId) ? await deps.holds.forTenant(tenantId).get(holdId) : null;
  if (found === null) return null;
  const [counted] = await withCounts(deps, tenantId, await shown(deps, tenantId, [found]));
  return counted ?? null;
}

/** What a hold covers, as far as its listing has come; null for an unknown hold. */
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

/** For other subgraphs: which holds are over these. */
export async function holdsCovering(
  { gate }: Pick<HoldDeps, 'gate'>,
  tenantId: TenantId,
  subjects: readonly HoldSubject[],
): Promise<readonly (readonly [string, readonly string[]])[]> {
  return [...(await gate.look(tenantId, subjects))];
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

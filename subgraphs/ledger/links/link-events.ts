import type { Clock } from '../../../shared/clock/clock.js';
import type { Logger } from '../../../shared/telemetry/logger.js';
import { isAltered, type LedgerRow } from '../append/domain/index.js';
import type { LedgerStore } from '../append/index.js';
import type { Chain, ConsumerCursors } from '../followers/index.js';
import { authorizationsNamed, deniesForAuthorization } from './domain/authorization-mismatch.js';
import { edgesOf } from './domain/edges.js';
import { keysOfKinds, type NumberKey } from './domain/linked-event.js';
import { isJoined, linkedEventOf } from './domain/numbers.js';
import { type EvaluateDeps, evaluate, isEvaluated, RELEVANT_ROLES, verdictOf } from './evaluate-links.js';
import type { LinkPlace, LinkRow, LinkStore, TenantLinks } from './ports.js';

interface LinkDeps extends EvaluateDeps {
  readonly logger: Pick<Logger, 'error'>;
  /** How long a remittance may precede its claim, or a payment its authorization. */
  readonly graceMs: number;
}

/** A backlog is not in time order: the expected event may be in the next chain. */
const LEAST_GRACE_MS = 600_000;
/** Limit of waiting rows for one batch; the due scan finds the others. */
const MAX_WAITING = 2_000;
/** Limit of claims for one batch's remittances; above it each is looked up alone. */
const MAX_CLAIMS_AT_ONCE = 1_000;
/** One claim of a number is enough. */
const MAX_OF_NUMBER = 20;
/** Limit of claims that name one authorization. */
const MAX_CLAIMS = 100;

/** Adds ledger rows of one chain to the links, and evaluates them and the rows that wait for them. Idempotent. */
export async function linkRows(deps: LinkDeps, { tenantId }: Chain, rows: readonly LedgerRow[]): Promise<void> {
  const links = deps.links.forTenant(tenantId);
  const found: LinkRow[] = [];
  const gone: LinkPlace[] = [];
  for (const row of rows) {
    if (row.record !== undefined && !isJoined(row)) continue;
    const altered = isAltered(row);
    if (altered) deps.logger.error({ event_id: row.event_id }, 'an altered record is not linked');
    const linked = altered ? undefined : rowOf(deps, row);
    if (linked !== undefined) found.push(linked);
    // Removes links of a disposed or altered record.
    else if (altered || row.record === undefined) gone.push({ source_system: row._id.source_system, seq: row._id.seq });
  }
  await links.remove(gone);
  const evaluated = await unsettled(deps, links, found);
  await links.put(
    found.map((row) => (evaluated.has(row.event_id) ? { ...row, watched: true } : { ...row, due_at: null })),
  );
  for (const row of found) if (evaluated.has(row.event_id)) await evaluate(deps, { ...row, watched: true });
  const relevant = found.filter(({ role }) => RELEVANT_ROLES.has(role));
  for (const row of await waitingFor(links, relevant)) if (!evaluated.has(row.event_id)) await evaluate(deps, row);
}

function rowOf({ clock, graceMs }: LinkDeps, row: LedgerRow): LinkRow | undefined {
  const linked = linkedEventOf(row);
  if (linked === undefined) return undefined;
  const graceEnds = Math.max(row.recorded_at.getTime() + graceMs, clock.nowMs() + Math.min(graceMs, LEAST_GRACE_MS));
  return {
    ...linked,
    tenant_id: row.tenant_id,
    source_system: row._id.source_system,
    seq: row._id.seq,
    watched: false,
    due_at: linked.clock?.due_at ?? (isEvaluated(linked) ? new Date(graceEnds) : null),
    opened: [],
  };
}

/** Most remittances find their claim and are never stored as waiting. */
async function unsettled(deps: LinkDeps, links: TenantLinks, rows: readonly LinkRow[]): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  const evaluated = rows.filter(isEvaluated);
  const settled = await plainlySettled(links, evaluated);
  for (const row of evaluated) {
    if (settled.has(row.event_id)) continue;
    const { open, watched } = await verdictOf(deps, links, row);
    if (watched || open.length > 0) ids.add(row.event_id);
  }
  return ids;
}

/** Remittances that have their claim and no authorization: one query for all of them. */
async function plainlySettled(links: TenantLinks, evaluated: readonly LinkRow[]): Promise<ReadonlySet<string>> {
  const plain = evaluated.filter(
    (row) => row.role === 'REMITTANCE' && !deniesForAuthorization(row) && authorizationsNamed([row]).length === 0,
  );
  const claims = await links.claims([...new Set(plain.flatMap(({ keys }) => keys))], MAX_CLAIMS_AT_ONCE);
  const byKey = new Map<NumberKey, LinkRow[]>();
  for (const claim of claims) {
    for (const key of claim.keys) {
      const known = byKey.get(key);
      if (known === undefined) byKey.set(key, [claim]);
      else if (known.length < MAX_OF_NUMBER) known.push(claim);
    }
  }
  const settled = new Set<string>();
  for (const row of plain) {
    const sharing = [...new Set(row.keys.flatMap((key) => byKey.get(key) ?? []))];
    const own = new Set(edgesOf(row, sharing).map(({ event_id }) => event_id));
    const isPlain = authorizationsNamed(sharing.filter(({ event_id }) => own.has(event_id))).length === 0;
    if (own.size > 0 && isPlain) settled.add(row.event_id);
  }
  return settled;
}

/** Rows that wait for one of these events, by their numbers or those of the claim between. */
async function waitingFor(links: TenantLinks, relevant: readonly LinkRow[]): Promise<LinkRow[]> {
  const keys = new Set<NumberKey>(relevant.flatMap((row) => row.keys));
  if (keys.size === 0) return [];
  const decisions = relevant.filter(({ role }) => role === 'AUTHORIZATION_DECISION');
  const numbers = keysOfKinds(
    decisions.flatMap((row) => row.keys),
    ['AUTHORIZATION'],
  );
  for (const claim of await links.sharing(numbers, ['CLAIM'], MAX_CLAIMS)) {
    for (const key of claim.keys) keys.add(key);
  }
  return links.waiting([...keys], MAX_WAITING);
}

interface ForgetDeps {
  readonly store: LedgerStore;
  readonly cursors: ConsumerCursors;
  readonly links: LinkStore;
  readonly clock: Clock;
}

/**
 * Deletes all links; a running service rebuilds them from the ledger. Exceptions are named by their events, so none is
 * opened twice.
 */
export async function forgetLinks({ store, cursors, links, clock }: ForgetDeps): Promise<number> {
  let chains = 0;
  for await (const tenantId of store.tenantIds()) {
    for (const sourceSystem of await store.forTenant(tenantId).sourceSystems()) {
      const chain = { tenantId, sourceSystem };
      // Reset before and after, so that links the consumer made in between are rebuilt too.
      await cursors.reset(chain, clock.nowMs());
      await links.forTenant(tenantId).clear(sourceSystem);
      await cursors.reset(chain, clock.nowMs());
      chains += 1;
    }
  }
  return chains;
}

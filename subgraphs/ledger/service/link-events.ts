import type { Logger } from '../../../shared/telemetry/logger.js';
import { authorizationsNamed, deniesForAuthorization } from '../domain/authorization-mismatch.js';
import type { LedgerRow } from '../domain/ledger-row.js';
import { edgesOf } from '../domain/link-edges.js';
import { isJoined, linkedEventOf } from '../domain/link-numbers.js';
import { keysOfKinds, type NumberKey } from '../domain/linked-event.js';
import { isAltered } from '../domain/search-row.js';
import { isJudged, type JudgeDeps, judge, TELLING_ROLES, verdictOf } from './judge-links.js';
import type { Chain } from './ports/consumer-cursors.js';
import type { LinkPlace, LinkRow, TenantLinks } from './ports/link-store.js';

export interface LinkDeps extends JudgeDeps {
  readonly logger: Pick<Logger, 'error'>;
  /** A remittance may come so long before its claim, and a payment before the authorization. */
  readonly graceMs: number;
}

/** A backlog is not read in the order of time: what an event waits for may be in the next chain. */
const LEAST_GRACE_MS = 600_000;
/** Beyond so many that wait for one batch, those due by time are found by their time. */
const MAX_WAITING = 2_000;
/** Beyond so many claims of one batch's remittances each is looked up by itself. */
const MAX_CLAIMS_AT_ONCE = 1_000;
/** One claim of a number is enough to have been found. */
const MAX_OF_NUMBER = 20;
/** Claims that name one authorization. */
const MAX_CLAIMS = 100;

/**
 * Puts ledger rows of one chain among the links, judges those that something is expected of, and those that wait for what has
 * come. Idempotent.
 */
export async function linkRows(deps: LinkDeps, { tenantId }: Chain, rows: readonly LedgerRow[]): Promise<void> {
  const links = deps.links.forTenant(tenantId);
  const found: LinkRow[] = [];
  const gone: LinkPlace[] = [];
  for (const row of rows) {
    if (row.record !== undefined && !isJoined(row)) continue;
    const altered = isAltered(row);
    if (altered) deps.logger.error({ event_id: row.event_id }, 'an altered record is left out of the links');
    const linked = altered ? undefined : rowOf(deps, row);
    if (linked !== undefined) found.push(linked);
    // A record that was disposed of, or is no longer what it was, may stand there from before.
    else if (altered || row.record === undefined) gone.push({ source_system: row._id.source_system, seq: row._id.seq });
  }
  await links.remove(gone);
  const judged = await unsettled(deps, links, found);
  await links.put(
    found.map((row) => (judged.has(row.event_id) ? { ...row, watched: true } : { ...row, due_at: null })),
  );
  for (const row of found) if (judged.has(row.event_id)) await judge(deps, { ...row, watched: true });
  const told = found.filter(({ role }) => TELLING_ROLES.has(role));
  for (const row of await waitingFor(links, told)) if (!judged.has(row.event_id)) await judge(deps, row);
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
    due_at: linked.clock?.due_at ?? (isJudged(linked) ? new Date(graceEnds) : null),
    opened: [],
  };
}

/** Nearly every remittance finds its claim there: such a one is never written as waiting. */
async function unsettled(deps: LinkDeps, links: TenantLinks, rows: readonly LinkRow[]): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  const judged = rows.filter(isJudged);
  const settled = await plainlySettled(links, judged);
  for (const row of judged) {
    if (settled.has(row.event_id)) continue;
    const { open, watched } = await verdictOf(deps, links, row);
    if (watched || open.length > 0) ids.add(row.event_id);
  }
  return ids;
}

/** Remittances whose claim is there and that have nothing to do with an authorization: one query for all of them. */
async function plainlySettled(links: TenantLinks, judged: readonly LinkRow[]): Promise<ReadonlySet<string>> {
  const plain = judged.filter(
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

/** Those that wait for one of these events: by their own numbers, or by those of the claim between. */
async function waitingFor(links: TenantLinks, told: readonly LinkRow[]): Promise<LinkRow[]> {
  const keys = new Set<NumberKey>(told.flatMap((row) => row.keys));
  if (keys.size === 0) return [];
  const decisions = told.filter(({ role }) => role === 'AUTHORIZATION_DECISION');
  const numbers = keysOfKinds(
    decisions.flatMap((row) => row.keys),
    ['AUTHORIZATION'],
  );
  for (const claim of await links.sharing(numbers, ['CLAIM'], MAX_CLAIMS)) {
    for (const key of claim.keys) keys.add(key);
  }
  return links.waiting([...keys], MAX_WAITING);
}

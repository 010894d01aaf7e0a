import type { ChainHead, LedgerFeed } from '../../../shared/contracts/ledger-feed.js';
import { Problem } from '../../../shared/errors/problem.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { MAX_PAGE_LIMIT } from '../../../shared/pagination/cursor.js';
import type { StoredDocument } from '../documents/index.js';
import { matches } from './domain/scope.js';
import { eventSubject } from './domain/subjects.js';
import { documentSubjects } from './keep-held.js';
import { type SettleDeps, settled } from './place-hold.js';
import { type HoldListing, NOTHING_LISTED, type StoredHold } from './ports.js';

interface FollowDeps extends SettleDeps {
  readonly ledgerFeed: LedgerFeed;
}

const PAGE = 500;
/** Pages per hold and run; the next run continues. */
const PAGES_A_RUN = 40;
/** Time until a tenant with a damaged record is followed again. */
const PAUSE_MS = 600_000;
/** Interval of a full walk over the documents, which are attached and reassigned after their upload. */
const DOCUMENTS_EVERY_MS = 3_600_000;

/**
 * Lists the records that active holds cover, by following the ledger and the documents. Protection does not depend on
 * the listing.
 * Also settles unsettled holds.
 *
 * @param pausedUntilMs tenants with a damaged record, by when they are followed again
 */
export async function followHolds(
  deps: FollowDeps,
  signal?: AbortSignal,
  pausedUntilMs: Map<TenantId, number> = new Map(),
): Promise<void> {
  for (const tenantId of await deps.holds.tenantIds()) {
    if ((pausedUntilMs.get(tenantId) ?? 0) > deps.clock.nowMs()) continue;
    try {
      await followTenant(deps, tenantId, signal);
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'INTEGRITY_FAILURE') throw error;
      // Each attempt reports the damage again; the other tenants do not wait for its repair.
      pausedUntilMs.set(tenantId, deps.clock.nowMs() + PAUSE_MS);
    }
  }
}

async function followTenant(deps: FollowDeps, tenantId: TenantId, signal: AbortSignal | undefined): Promise<void> {
  for (const hold of await deps.holds.forTenant(tenantId).active()) {
    if (signal?.aborted) return;
    const current = await withCurrentMembers(deps, tenantId, await settled(deps, hold));
    await followHold(deps, tenantId, current, signal);
  }
}

/**
 * Extends a hold to all current ids of its members, as the gate does.
 * After a merge or an unmerge, the listing restarts. After an unmerge the list is emptied first, so that it names no
 * other member.
 */
async function withCurrentMembers(deps: FollowDeps, tenantId: TenantId, hold: StoredHold): Promise<StoredHold> {
  const [wide = hold] = await deps.gate.widened(tenantId, [hold]);
  const { member_ids } = wide.scope;
  if (member_ids === undefined) return wide;
  const now = [...member_ids].sort();
  const before = hold.listing.member_ids ?? [...(hold.scope.member_ids ?? [])].sort();
  if (before.join('\n') === now.join('\n')) return wide;
  if (before.some((id) => !now.includes(id))) await deps.holds.forTenant(tenantId).unlist(hold.hold_id);
  return { ...wide, listing: { ...NOTHING_LISTED, current_at: hold.listing.current_at, member_ids: now } };
}

async function followHold(
  deps: FollowDeps,
  tenantId: TenantId,
  hold: StoredHold,
  signal: AbortSignal | undefined,
): Promise<void> {
  let listing = hold.listing;
  for (let page = 0; page < PAGES_A_RUN && signal?.aborted !== true; page++) {
    const events = await eventsPage(deps, tenantId, hold, listing);
    const documents = await documentsPage(deps, tenantId, hold, events.listing);
    const current = events.ended && documents.ended;
    const at = current ? new Date(deps.clock.nowMs()) : listing.current_at;
    const moved = documents.listing !== listing || listing.current_at === null;
    listing = { ...documents.listing, current_at: at };
    // Nothing is written for a quiet ledger: following it costs one read.
    if (moved) await deps.holds.forTenant(tenantId).saveListing(hold.hold_id, hold.revision, listing);
    if (current) return;
  }
}

interface Followed {
  readonly listing: HoldListing;
  readonly ended: boolean;
}

async function eventsPage(
  deps: FollowDeps,
  tenantId: TenantId,
  hold: StoredHold,
  listing: HoldListing,
): Promise<Followed> {
  const request = { after: listing.heads, all: true, named: [], limit: PAGE };
  const { entries, more } = await deps.ledgerFeed.read(tenantId, request);
  if (entries.length === 0) return { listing, ended: !more };
  const { candidates } = await deps.ledgerDisposal.facts(
    tenantId,
    entries.map(({ event_id }) => event_id),
  );
  const held = candidates.map(eventSubject).filter((subject) => matches(hold, subject));
  await deps.holds.forTenant(tenantId).addToListing(hold.hold_id, held, new Date(deps.clock.nowMs()));
  return { listing: { ...listing, heads: headsAfter(listing.heads, entries) }, ended: !more };
}

function headsAfter(heads: readonly ChainHead[], entries: readonly ChainHead[]): readonly ChainHead[] {
  const after = new Map(heads.map(({ source_system, sequence }) => [source_system, sequence]));
  for (const { source_system, sequence } of entries) after.set(source_system, sequence);
  return [...after].map(([source_system, sequence]) => ({ source_system, sequence }));
}

async function documentsPage(
  deps: FollowDeps,
  tenantId: TenantId,
  hold: StoredHold,
  listing: HoldListing,
): Promise<Followed> {
  const nowMs = deps.clock.nowMs();
  const started = listing.documents_started_at;
  const isDue = started === null || started.getTime() <= nowMs - DOCUMENTS_EVERY_MS;
  if (listing.documents_cursor === null && !isDue && listing.current_at !== null) {
    return latestDocuments(deps, tenantId, hold, listing);
  }
  const cursor = listing.documents_cursor ?? undefined;
  const page = await deps.documents(tenantId).page({ limit: MAX_PAGE_LIMIT, order: 'asc', cursor, where: {} });
  await listDocuments(deps, tenantId, hold, page.items);
  const startedAt = cursor === undefined ? new Date(nowMs) : started;
  const next = { ...listing, documents_cursor: page.next_cursor, documents_started_at: startedAt };
  return { listing: next, ended: page.next_cursor === null };
}

/** Lists the documents uploaded since the last check, between two full walks. */
async function latestDocuments(
  deps: FollowDeps,
  tenantId: TenantId,
  hold: StoredHold,
  listing: HoldListing,
): Promise<Followed> {
  const fromMs = (listing.current_at ?? new Date(0)).getTime() - OVERLAP_MS;
  const { items } = await deps.documents(tenantId).page({ limit: MAX_PAGE_LIMIT, order: 'asc', fromMs, where: {} });
  if (items.length === 0) return { listing, ended: true };
  await listDocuments(deps, tenantId, hold, items);
  return { listing: { ...listing }, ended: true };
}

/** Covers late uploads and clock differences of other processes. */
const OVERLAP_MS = 60_000;

async function listDocuments(
  deps: FollowDeps,
  tenantId: TenantId,
  hold: StoredHold,
  documents: readonly StoredDocument[],
): Promise<void> {
  const undisposed = documents.filter(({ status }) => status !== 'DISPOSED');
  const held = (await documentSubjects(deps, tenantId, undisposed)).filter((subject) => matches(hold, subject));
  await deps.holds.forTenant(tenantId).addToListing(hold.hold_id, held, new Date(deps.clock.nowMs()));
}

import type { ChainHead, LedgerFeed } from '../../../shared/contracts/ledger-feed.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { MAX_PAGE_LIMIT, pageOf } from '../../../shared/pagination/cursor.js';
import { matches } from '../domain/hold-scope.js';
import { eventSubject } from '../domain/hold-subjects.js';
import { type HoldDeps, settled } from './place-hold.js';
import type { StoredDocument } from './ports/document-store.js';
import { type HoldListing, NOTHING_LISTED, type StoredHold } from './ports/hold-store.js';
import { documentSubjects } from './subjects-of.js';

export interface FollowDeps extends Pick<HoldDeps, 'holds' | 'gate' | 'documents' | 'ledgerDisposal' | 'clock'> {
  readonly ledgerFeed: LedgerFeed;
}

const PAGE = 500;
/** Of one hold in one run; the next goes on from there. */
const PAGES_A_RUN = 40;
/** Documents are attached and change hands after they came: all of them are looked at again this often. */
const DOCUMENTS_EVERY_MS = 3_600_000;

/**
 * Lists what holds in force cover: by following the ledger, and over the documents. The listing shows what is held; what is
 * held does not wait for it. Unsettled holds are settled on the way.
 */
export async function followHolds(deps: FollowDeps, signal?: AbortSignal): Promise<void> {
  for (const tenantId of await deps.holds.tenantIds()) {
    for (const hold of await deps.holds.forTenant(tenantId).active()) {
      if (signal?.aborted) return;
      const standing = await begun(deps, tenantId, await settled(deps, tenantId, hold));
      await followHold(deps, tenantId, standing, signal);
    }
  }
}

/**
 * The hold over everybody whom it holds by now, as the gate has it. Where members were merged or unmerged since it was listed,
 * ledger and documents are walked anew; after an unmerge the list is emptied first, so that it names nobody who is not held.
 */
async function begun(deps: FollowDeps, tenantId: TenantId, hold: StoredHold): Promise<StoredHold> {
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
    // At rest nothing is written: a hold that follows a quiet ledger costs one read.
    if (moved) await deps.holds.forTenant(tenantId).saveListing(hold.hold_id, hold.revision, listing);
    if (current) return;
  }
}

interface Looked {
  readonly listing: HoldListing;
  readonly ended: boolean;
}

async function eventsPage(
  deps: FollowDeps,
  tenantId: TenantId,
  hold: StoredHold,
  listing: HoldListing,
): Promise<Looked> {
  const request = { after: listing.heads, all: true, named: [], limit: PAGE };
  const { entries, more } = await deps.ledgerFeed.read(tenantId, request);
  if (entries.length === 0) return { listing, ended: !more };
  const facts = await deps.ledgerDisposal.facts(
    tenantId,
    entries.map(({ event_id }) => event_id),
  );
  const held = facts.map(eventSubject).filter((subject) => matches(hold, subject));
  await deps.holds.forTenant(tenantId).bury(hold.hold_id, held, new Date(deps.clock.nowMs()));
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
): Promise<Looked> {
  const nowMs = deps.clock.nowMs();
  const started = listing.documents_started_at;
  const isDue = started === null || started.getTime() <= nowMs - DOCUMENTS_EVERY_MS;
  if (listing.documents_cursor === null && !isDue && listing.current_at !== null) {
    return latestDocuments(deps, tenantId, hold, listing);
  }
  const cursor = listing.documents_cursor ?? undefined;
  const rows = await deps.documents(tenantId).list({ limit: MAX_PAGE_LIMIT, order: 'asc', cursor });
  const page = pageOf(rows, MAX_PAGE_LIMIT, ({ created_at, document_id }) => ({
    atMs: created_at.getTime(),
    id: document_id,
  }));
  await buryDocuments(deps, tenantId, hold, page.items);
  const startedAt = cursor === undefined ? new Date(nowMs) : started;
  const next = { ...listing, documents_cursor: page.next_cursor, documents_started_at: startedAt };
  return { listing: next, ended: page.next_cursor === null };
}

/** Between two walks over all of them: those that came since the last look. */
async function latestDocuments(
  deps: FollowDeps,
  tenantId: TenantId,
  hold: StoredHold,
  listing: HoldListing,
): Promise<Looked> {
  const fromMs = (listing.current_at ?? new Date(0)).getTime() - OVERLAP_MS;
  const rows = await deps.documents(tenantId).list({ limit: MAX_PAGE_LIMIT, order: 'asc', fromMs });
  if (rows.length === 0) return { listing, ended: true };
  await buryDocuments(deps, tenantId, hold, rows);
  return { listing: { ...listing }, ended: true };
}

/** Uploads that were answered late, and clocks of other processes. */
const OVERLAP_MS = 60_000;

async function buryDocuments(
  deps: FollowDeps,
  tenantId: TenantId,
  hold: StoredHold,
  documents: readonly StoredDocument[],
): Promise<void> {
  const standing = documents.filter(({ status }) => status !== 'DISPOSED');
  const held = (await documentSubjects(deps, tenantId, standing)).filter((subject) => matches(hold, subject));
  await deps.holds.forTenant(tenantId).bury(hold.hold_id, held, new Date(deps.clock.nowMs()));
}

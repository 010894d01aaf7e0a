import type { LedgerDisposal } from '../../../../shared/contracts/disposal.js';
import type { ChainHead, FeedEntry, LedgerFeed } from '../../../../shared/contracts/ledger-feed.js';
import type { LedgerRecord, LedgerRecords } from '../../../../shared/contracts/ledger-records.js';
import { Problem } from '../../../../shared/errors/problem.js';
import type { Ids } from '../../../../shared/ids/ids.js';
import type { TenantId } from '../../../../shared/ids/tenant.js';
import { isJsonObject, type JsonObject } from '../../../../shared/json/strict-json.js';
import { describeUnexpected } from '../../../../shared/telemetry/describe-error.js';
import type { Logger } from '../../../../shared/telemetry/logger.js';
import { instantOf } from '../../../../shared/time/rfc3339.js';
import { type Told, toldBy } from '../../domain/members/told-of.js';
import type { FeedCursors } from '../ports/member-feed-store.js';
import { type TakeInDeps, takeIn } from './take-in.js';
import { sweepUnknown } from './unknown-members.js';

export interface FollowLedgerDeps extends TakeInDeps {
  readonly ledgerFeed: Pick<LedgerFeed, 'read'>;
  readonly ledgerRecords: Pick<LedgerRecords, 'records'>;
  readonly ledgerDisposal: Pick<LedgerDisposal, 'tenantIds'>;
  readonly cursors: FeedCursors;
  readonly ids: Ids;
  readonly logger: Logger;
}

const PAGE = 200;
/** Of one tenant in one run; the next goes on from there. */
const PAGES_A_RUN = 50;

/**
 * Takes what events tell of members into the directory, by a cursor for each chain that moves when all of a page is durable: a
 * crash repeats, and what is told again changes nothing.
 */
export async function followLedger(deps: FollowLedgerDeps, signal?: AbortSignal): Promise<void> {
  for (const tenantId of await deps.ledgerDisposal.tenantIds()) {
    if (signal?.aborted) return;
    try {
      await followTenant(deps, tenantId, signal);
      await sweepUnknown(deps, tenantId, signal);
    } catch (error) {
      // One tenant's trouble is not another's; its cursor stands where it stood.
      deps.logger.warn(describeUnexpected(error), 'members could not be followed in the ledger');
    }
  }
}

async function followTenant(
  deps: FollowLedgerDeps,
  tenantId: TenantId,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (let page = 0; page < PAGES_A_RUN && signal?.aborted !== true; page++) {
    const after = await deps.cursors.of(tenantId);
    const { entries, more } = await deps.ledgerFeed.read(tenantId, {
      after,
      all: true,
      named: [],
      limit: PAGE,
      contents: true,
    });
    if (entries.length === 0) return;
    const told = await toldOf(deps, tenantId, entries);
    await takeIn(deps, tenantId, told);
    await deps.cursors.advance(tenantId, headsOf(entries));
    if (!more) return;
  }
}

/** What entries tell, in their order: of their contents as they came with the feed, else of their records. */
async function toldOf(
  deps: FollowLedgerDeps,
  tenantId: TenantId,
  entries: readonly FeedEntry[],
): Promise<readonly Told[]> {
  const others = entries.filter(({ content }) => content === undefined);
  const records = others.length === 0 ? [] : await recordsOf(deps, tenantId, others);
  const contents = new Map(records.map(({ event_id, record }) => [event_id, contentOf(record)]));
  return entries.flatMap((entry) => {
    const content = entry.content ?? contents.get(entry.event_id);
    const told = content && toldByContent(entry, content);
    return told ? [told] : [];
  });
}

/** Records as they stand; one that is damaged is told by the ledger itself, and must not stop the others. */
async function recordsOf(
  { ledgerRecords }: FollowLedgerDeps,
  tenantId: TenantId,
  entries: readonly FeedEntry[],
): Promise<readonly LedgerRecord[]> {
  // The place in the tree is for those who prove something; records are read by chain and number.
  const places = entries.map(({ source_system, sequence }) => ({ source_system, seq: sequence, tree_index: 0 }));
  try {
    return await ledgerRecords.records(tenantId, places);
  } catch (error) {
    if (!isDamage(error)) throw error;
  }
  const found: LedgerRecord[] = [];
  for (const place of places) {
    try {
      found.push(...(await ledgerRecords.records(tenantId, [place])));
    } catch (error) {
      if (!isDamage(error)) throw error;
    }
  }
  return found;
}

const isDamage = (error: unknown): boolean => error instanceof Problem && error.code === 'INTEGRITY_FAILURE';

/** Undefined for one that is disposed of. */
const contentOf = (record: string | null): JsonObject | undefined =>
  record === null ? undefined : (JSON.parse(record) as JsonObject);

/** Null for one that names nobody. */
function toldByContent({ event_id, recorded_at }: FeedEntry, content: JsonObject): Told | null {
  const { member_id, source_record_id, payload, event_effective_timestamp } = content;
  const effective = typeof event_effective_timestamp === 'string' ? instantOf(event_effective_timestamp) : undefined;
  return toldBy({
    event_id,
    member_id: typeof member_id === 'string' ? member_id : null,
    source_record_id: typeof source_record_id === 'string' ? source_record_id : '',
    effectiveMs: effective ?? instantOf(recorded_at) ?? 0,
    payload: payload !== undefined && isJsonObject(payload) ? payload : {},
  });
}

/** The last entry of each chain. */
const headsOf = (entries: readonly FeedEntry[]): readonly ChainHead[] => [
  ...new Map(entries.map(({ source_system, sequence }) => [source_system, { source_system, sequence }])).values(),
];

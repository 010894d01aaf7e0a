import type { LedgerDisposal } from '../../../shared/contracts/disposal.js';
import type { ChainHead, FeedEntry, LedgerFeed } from '../../../shared/contracts/ledger-feed.js';
import type { LedgerRecords } from '../../../shared/contracts/ledger-records.js';
import type { Ids } from '../../../shared/ids/ids.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { isJsonObject, type JsonObject } from '../../../shared/json/strict-json.js';
import { describeUnexpected } from '../../../shared/telemetry/describe-error.js';
import type { Logger } from '../../../shared/telemetry/logger.js';
import { instantOf } from '../../../shared/time/rfc3339.js';
import { readRecords } from '../records/index.js';
import { type ApplyDeps, applyMentions } from './apply-events.js';
import { type Mention, readMention } from './domain/read-event.js';
import type { FeedCursors } from './ports.js';
import { sweepUnknown } from './unknown-members.js';

interface FollowLedgerDeps extends ApplyDeps {
  readonly ledgerFeed: Pick<LedgerFeed, 'read'>;
  readonly ledgerRecords: Pick<LedgerRecords, 'records'>;
  readonly ledgerDisposal: Pick<LedgerDisposal, 'tenantIds'>;
  readonly cursors: FeedCursors;
  readonly ids: Ids;
  readonly logger: Logger;
}

const PAGE = 200;
/** Pages of one tenant in one run. */
const PAGES_A_RUN = 50;

/**
 * Updates the directory from events. A cursor for each chain advances after a page is durable; a crash repeats the page, which
 * changes nothing.
 */
export async function followLedger(deps: FollowLedgerDeps, signal?: AbortSignal): Promise<void> {
  for (const tenantId of await deps.ledgerDisposal.tenantIds()) {
    if (signal?.aborted) return;
    try {
      await followTenant(deps, tenantId, signal);
      await sweepUnknown(deps, tenantId, signal);
    } catch (error) {
      // The failure of one tenant must not stop the others; its cursor stays.
      deps.logger.warn(describeUnexpected(error), 'the directory could not be updated from the ledger');
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
    await applyMentions(deps, tenantId, await mentionsIn(deps, tenantId, entries));
    await deps.cursors.advance(tenantId, headsOf(entries));
    if (!more) return;
  }
}

/** Reads the mentions of members in entries, in order; reads records if the feed did not deliver their content. */
async function mentionsIn(
  deps: FollowLedgerDeps,
  tenantId: TenantId,
  entries: readonly FeedEntry[],
): Promise<readonly Mention[]> {
  const others = entries.filter(({ content }) => content === undefined);
  const places = others.map(({ source_system, sequence }) => ({ source_system, seq: sequence }));
  const records = await readRecords(deps, tenantId, places);
  const contents = new Map(records.flatMap((row) => (row ? [[row.event_id, contentOf(row.record)] as const] : [])));
  return entries.flatMap((entry) => {
    const content = entry.content ?? contents.get(entry.event_id);
    const mention = content && mentionIn(entry, content);
    return mention ? [mention] : [];
  });
}

/** @returns undefined for a disposed record */
function contentOf(record: string | null): JsonObject | undefined {
  const content: unknown = record === null ? undefined : JSON.parse(record);
  return isJsonObject(content) ? content : undefined;
}

/** @returns null for an event without a member */
function mentionIn({ event_id, recorded_at }: FeedEntry, content: JsonObject): Mention | null {
  const { member_id, source_record_id, payload, event_effective_timestamp } = content;
  const effective = typeof event_effective_timestamp === 'string' ? instantOf(event_effective_timestamp) : undefined;
  return readMention({
    event_id,
    member_id: typeof member_id === 'string' ? member_id : null,
    source_record_id: typeof source_record_id === 'string' ? source_record_id : '',
    effectiveMs: effective ?? instantOf(recorded_at) ?? 0,
    payload: payload !== undefined && isJsonObject(payload) ? payload : {},
  });
}

/** Returns the last entry of each chain. */
const headsOf = (entries: readonly FeedEntry[]): readonly ChainHead[] => [
  ...new Map(entries.map(({ source_system, sequence }) => [source_system, { source_system, sequence }])).values(),
];

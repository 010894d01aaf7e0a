import { isoTime } from '../../../shared/clock/clock.js';
import type { ChainHead, FeedEntry, FeedPage, FeedRequest } from '../../../shared/contracts/ledger-feed.js';
import { isReservedSourceSystem } from '../../../shared/ids/tenant.js';
import type { LedgerRow } from '../domain/ledger-row.js';
import { contentOf } from '../domain/record-content.js';
import type { EntryKeys, TenantLedger } from './ports/ledger-store.js';
import type { RecentRows } from './recent-rows.js';

export const MOST_FEED_ENTRIES = 1_000;

type FeedLedger = Pick<TenantLedger, 'sourceSystems' | 'head' | 'keys'>;

/** The heads of all chains, the reserved ones included. */
export async function feedHeads(ledger: FeedLedger): Promise<readonly ChainHead[]> {
  const heads: ChainHead[] = [];
  for (const source_system of await ledger.sourceSystems()) {
    const head = await ledger.head(source_system);
    if (head) heads.push({ source_system, sequence: head._id.seq });
  }
  return heads;
}

export interface FeedDeps {
  readonly tenantId: string;
  readonly ledger: FeedLedger;
  readonly recent: Pick<RecentRows, 'from'>;
}

/** What stands behind the cursors, chain by chain, up to a limit over all of them. */
export async function readFeed(deps: FeedDeps, { after, all, named, limit, contents }: FeedRequest): Promise<FeedPage> {
  const { tenantId, ledger, recent } = deps;
  const done = new Map(after.map(({ source_system, sequence }) => [source_system, sequence]));
  const open = all ? (await ledger.sourceSystems()).filter((name) => !isReservedSourceSystem(name)) : [];
  const entries: FeedEntry[] = [];
  for (const name of new Set([...open, ...named])) {
    // One more than is told shows whether there is more.
    const room = limit + 1 - entries.length;
    const fromSeq = (done.get(name) ?? 0) + 1;
    const fresh = recent.from(tenantId, name, fromSeq, room);
    if (fresh.length > 0) entries.push(...fresh.map(contents === true ? entryWithContent : entryOf));
    else entries.push(...(await ledger.keys(name, fromSeq, room)).map(entryOf));
    if (entries.length > limit) return { entries: entries.slice(0, limit), more: true };
  }
  return { entries, more: false };
}

const entryWithContent = (row: LedgerRow): FeedEntry => {
  const content = contentOf(row);
  return content === undefined ? entryOf(row) : { ...entryOf(row), content };
};

const entryOf = ({ _id, event_id, entry_hash, recorded_at }: EntryKeys): FeedEntry => ({
  event_id,
  source_system: _id.source_system,
  sequence: _id.seq,
  entry_hash,
  recorded_at: isoTime(recorded_at.getTime()),
});

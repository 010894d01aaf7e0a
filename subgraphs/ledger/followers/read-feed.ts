import { isoTime } from '../../../shared/clock/clock.js';
import type { ChainHead, FeedEntry, FeedPage, FeedRequest } from '../../../shared/contracts/ledger-feed.js';
import { isReservedSourceSystem } from '../../../shared/ids/tenant.js';
import { contentOf, type LedgerRow } from '../append/domain/index.js';
import type { EntryKeys, TenantLedger } from '../append/index.js';
import type { RecentRows } from './recent-rows.js';

export const MOST_FEED_ENTRIES = 1_000;

type FeedLedger = Pick<TenantLedger, 'sourceSystems' | 'head' | 'keys'>;

/** Returns the heads of all chains, including reserved ones. */
export async function feedHeads(ledger: FeedLedger): Promise<readonly ChainHead[]> {
  const heads: ChainHead[] = [];
  for (const source_system of await ledger.sourceSystems()) {
    const head = await ledger.head(source_system);
    if (head) heads.push({ source_system, sequence: head._id.seq });
  }
  return heads;
}

interface FeedDeps {
  readonly tenantId: string;
  readonly ledger: FeedLedger;
  readonly recent: Pick<RecentRows, 'from'>;
}

/** Returns the rows after the cursors, chain by chain, up to a limit over all chains. */
export async function readFeed(deps: FeedDeps, { after, all, named, limit, contents }: FeedRequest): Promise<FeedPage> {
  const { tenantId, ledger, recent } = deps;
  const done = new Map(after.map(({ source_system, sequence }) => [source_system, sequence]));
  const open = all ? (await ledger.sourceSystems()).filter((name) => !isReservedSourceSystem(name)) : [];
  const entries: FeedEntry[] = [];
  for (const name of new Set([...open, ...named])) {
    // Reads one row more than it returns, to know whether there are more.
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

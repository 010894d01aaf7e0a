import { delay } from '../../../shared/clock/timers.js';
import type { ChainHead, FeedEntry, LedgerFeed, LedgerFollower } from '../../../shared/contracts/ledger-feed.js';
import { messageIdOf } from '../../../shared/contracts/platform-events.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { EventDataOf } from '../../../shared/outbox/event-kinds.js';
import { describeUnexpected } from '../../../shared/telemetry/describe-error.js';
import type { Logger } from '../../../shared/telemetry/logger.js';
import { followsLedger, fromOf } from '../domain/ledger-from.js';
import { wantsSource } from '../domain/webhook.js';
import type { MessageBodies } from './message-bodies.js';
import type { LedgerCursors } from './ports/ledger-cursors.js';
import type { MessageStore, StoredMessage } from './ports/message-store.js';
import type { WebhookRecord, WebhookStore } from './ports/webhook-store.js';
import { storedMessage } from './publish-messages.js';
import type { Relay } from './relay-messages.js';

/** Entries made into messages at once. */
const BATCH_ENTRIES = 500;
/** A run that failed is tried again so often and so soon. */
const MOST_ATTEMPTS = 10;
const RETRY_MS = 1_000;

export interface FollowDeps {
  readonly ledgerFeed: LedgerFeed;
  readonly webhooks: Pick<WebhookStore, 'standing' | 'tenantIds'>;
  readonly cursors: LedgerCursors;
  readonly messages: MessageStore;
  readonly relay: Pick<Relay, 'deliver'>;
  readonly bodies: Pick<MessageBodies, 'keep'>;
  readonly logger: Logger;
}

/**
 * Makes events of the ledger into messages (design.md decision 5: the ledger is its own outbox). A cursor for each tenant
 * and chain says what is done; it moves when messages and deliveries are durable, so that a crash repeats and loses nothing.
 * Each subscription is told of what was appended after it began to want it (domain/ledger-from.ts).
 */
export class LedgerFollow implements LedgerFollower {
  readonly #deps: FollowDeps;
  /** Tenants under way, with what has grown meanwhile; null for every chain. */
  readonly #underWay = new Map<string, { again: Set<string> | null | undefined; readonly done: Promise<boolean> }>();
  #closed = false;

  constructor(deps: FollowDeps) {
    this.#deps = deps;
  }

  /** Answers at once; the work goes on behind it. */
  async grown(tenantId: TenantId, chains: readonly string[]): Promise<boolean> {
    const following = await this.#following(tenantId);
    const wanted = chains.filter((chain) => following.some(({ source_systems }) => wantsSource(source_systems, chain)));
    if (wanted.length > 0) void this.#followPatiently(tenantId, new Set(wanted));
    return following.length > 0;
  }

  /** Every tenant that has subscriptions: the net under what was told. Ends between tenants when told to. */
  async lookAll(signal?: AbortSignal): Promise<void> {
    for (const tenantId of await this.#deps.webhooks.tenantIds()) {
      if (signal?.aborted) return;
      await this.#follow(tenantId, null);
    }
  }

  /** Begins nothing more; resolves when nothing is under way. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#underWay.values()].map(({ done }) => done));
  }

  /** What fails is tried again for a while: another process may be on its way up. The look finds what then is left. */
  async #followPatiently(tenantId: TenantId, chains: Set<string>): Promise<void> {
    for (let attempt = 0; attempt < MOST_ATTEMPTS && !this.#closed; attempt++) {
      if (attempt > 0) await delay(RETRY_MS);
      if (await this.#follow(tenantId, chains)) return;
    }
  }

  /** One run for a tenant in this process; what comes meanwhile is done by the same. Others' runs change nothing. */
  #follow(tenantId: TenantId, chains: Set<string> | null): Promise<boolean> {
    const known = this.#underWay.get(tenantId);
    if (known) {
      known.again = known.again === null || chains === null ? null : new Set([...(known.again ?? []), ...chains]);
      return known.done;
    }
    const state = { again: undefined as Set<string> | null | undefined, done: Promise.resolve(true) };
    state.done = this.#run(tenantId, chains, state);
    this.#underWay.set(tenantId, state);
    return state.done;
  }

  async #run(
    tenantId: TenantId,
    first: Set<string> | null,
    state: { again: Set<string> | null | undefined },
  ): Promise<boolean> {
    try {
      for (let chains: Set<string> | null | undefined = first; chains !== undefined; chains = state.again) {
        state.again = undefined;
        await followTenant(this.#deps, tenantId, chains);
      }
      return true;
    } catch (error) {
      // The cursor stands where it stood: the next look goes on from there.
      this.#deps.logger.warn(describeUnexpected(error), 'the ledger could not be followed');
      return false;
    } finally {
      this.#underWay.delete(tenantId);
    }
  }

  async #following(tenantId: TenantId): Promise<readonly WebhookRecord[]> {
    return (await this.#deps.webhooks.standing(tenantId)).filter(followsLedger);
  }
}

/** @param chains those that have grown; null: whichever have. */
async function followTenant(deps: FollowDeps, tenantId: TenantId, chains: ReadonlySet<string> | null): Promise<void> {
  for (;;) {
    // Read anew for each page: a page that is read long after its beginning goes to those who are there then.
    const following = (await deps.webhooks.standing(tenantId)).filter(followsLedger);
    if (following.length === 0) return;
    const after = await positionsOf(deps, tenantId, following);
    const named = chains === null ? namedBy(following) : [...chains];
    const page = await deps.ledgerFeed.read(tenantId, {
      after,
      all: chains === null && following.some(takesAll),
      named,
      limit: BATCH_ENTRIES,
    });
    await relayEntries(deps, tenantId, following, page.entries);
    await deps.cursors.advance(tenantId, headsOf(page.entries));
    if (!page.more) return;
  }
}

/** Where reading goes on: behind what is done, and behind what nobody is to be told of. */
async function positionsOf(
  { cursors }: Pick<FollowDeps, 'cursors'>,
  tenantId: TenantId,
  following: readonly WebhookRecord[],
): Promise<readonly ChainHead[]> {
  const done = new Map((await cursors.of(tenantId)).map(({ source_system, sequence }) => [source_system, sequence]));
  const names = new Set([
    ...done.keys(),
    ...following.flatMap((each) => each.ledger_from.map((head) => head.source_system)),
  ]);
  return [...names].map((source_system) => {
    const interested = following.filter(({ source_systems }) => wantsSource(source_systems, source_system));
    const first = Math.min(...interested.map((webhook) => fromOf(webhook, source_system)));
    return { source_system, sequence: Math.max(done.get(source_system) ?? 0, Number.isFinite(first) ? first : 0) };
  });
}

const takesAll = ({ source_systems }: WebhookRecord): boolean => source_systems === null;

const namedBy = (following: readonly WebhookRecord[]): string[] => [
  ...new Set(following.flatMap(({ source_systems }) => source_systems ?? [])),
];

/**
 * A message is kept for each entry that some subscription wants, though it be paused: it can be recovered then. Delivered
 * it is to those that are ACTIVE now.
 */
async function relayEntries(
  { messages, relay, bodies }: FollowDeps,
  tenantId: TenantId,
  following: readonly WebhookRecord[],
  entries: readonly FeedEntry[],
): Promise<void> {
  const kept: StoredMessage[] = [];
  const pairs: { webhook: WebhookRecord; message: StoredMessage }[] = [];
  for (const entry of entries) {
    const wanting = following.filter(
      (webhook) =>
        wantsSource(webhook.source_systems, entry.source_system) &&
        entry.sequence > fromOf(webhook, entry.source_system),
    );
    if (wanting.length === 0) continue;
    const message = messageOf(tenantId, entry);
    kept.push(message);
    for (const webhook of wanting) if (webhook.status === 'ACTIVE') pairs.push({ webhook, message });
  }
  await messages.forTenant(tenantId).insert(kept);
  for (const { message_id, body } of kept) bodies.keep(message_id, body);
  await relay.deliver(tenantId, pairs);
}

/** The same on every reading: its id follows from the event's. */
function messageOf(tenantId: TenantId, entry: FeedEntry): StoredMessage {
  const { event_id, source_system, sequence, entry_hash, recorded_at } = entry;
  const data = { event_id, source_system, sequence, entry_hash, recorded_at } satisfies EventDataOf<'event.ingested'>;
  return storedMessage(tenantId, { message_id: messageIdOf(event_id), type: 'event.ingested', at: recorded_at, data });
}

/** The last entry of each chain. */
const headsOf = (entries: readonly FeedEntry[]): readonly ChainHead[] => [
  ...new Map(entries.map(({ source_system, sequence }) => [source_system, { source_system, sequence }])).values(),
];

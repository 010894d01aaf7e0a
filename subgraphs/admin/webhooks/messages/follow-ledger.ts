import { delay } from '../../../../shared/clock/timers.js';
import type { ChainHead, FeedEntry, LedgerFeed, LedgerFollower } from '../../../../shared/contracts/ledger-feed.js';
import { messageIdOf } from '../../../../shared/contracts/platform-events.js';
import type { TenantId } from '../../../../shared/ids/tenant.js';
import type { EventDataOf } from '../../../../shared/outbox/event-kinds.js';
import { describeUnexpected } from '../../../../shared/telemetry/describe-error.js';
import type { Logger } from '../../../../shared/telemetry/logger.js';
import { followsLedger, fromOf, wantsSource } from '../domain.js';
import type { WebhookRecord, WebhookStore } from '../ports.js';
import type { MessageBodies } from './bodies.js';
import type { LedgerCursors, MessageStore, StoredMessage } from './ports.js';
import { type Relay, storedMessage } from './publish.js';

/** Entries converted to messages at once. */
const BATCH_ENTRIES = 500;
/** Attempts of a run, and the wait between them. */
const MAX_ATTEMPTS = 10;
const RETRY_MS = 1_000;

interface FollowDeps {
  readonly ledgerFeed: LedgerFeed;
  readonly webhooks: Pick<WebhookStore, 'existing' | 'tenantIds'>;
  readonly cursors: LedgerCursors;
  readonly messages: MessageStore;
  readonly relay: Pick<Relay, 'deliver'>;
  readonly bodies: Pick<MessageBodies, 'keep'>;
  readonly logger: Logger;
}

/** A run for a tenant, and the chains to follow again after it; null for all. */
interface Run {
  again: Set<string> | null | undefined;
  done: Promise<boolean>;
}

/**
 * Converts ledger events to messages (design.md decision 5: the ledger is its own outbox). A cursor for each tenant and chain
 * records the progress. It advances when messages and deliveries are durable, so that a crash repeats work and loses nothing.
 * Each webhook receives the events after its start position (domain/ledger-from.ts).
 */
export class LedgerFollow implements LedgerFollower {
  readonly #deps: FollowDeps;
  /** Tenants in progress, with the chains that grew meanwhile; null for every chain. */
  readonly #running = new Map<string, Run>();
  #closed = false;

  constructor(deps: FollowDeps) {
    this.#deps = deps;
  }

  /** Starts following the chains and returns at once. */
  async grown(tenantId: TenantId, chains: readonly string[]): Promise<boolean> {
    const following = await this.#following(tenantId);
    const wanted = chains.filter((chain) => following.some(({ source_systems }) => wantsSource(source_systems, chain)));
    if (wanted.length > 0) void this.#followWithRetries(tenantId, new Set(wanted));
    return following.length > 0;
  }

  /** Follows the ledger of every tenant with webhooks, to find missed events. Stops between tenants on the signal. */
  async lookAll(signal?: AbortSignal): Promise<void> {
    for (const tenantId of await this.#deps.webhooks.tenantIds()) {
      if (signal?.aborted) return;
      await this.#follow(tenantId, null);
    }
  }

  /** Starts no further run; resolves when all runs have ended. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#running.values()].map(({ done }) => done));
  }

  /** Retries a failed run, because another process may be starting; lookAll covers later failures. */
  async #followWithRetries(tenantId: TenantId, chains: Set<string>): Promise<void> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS && !this.#closed; attempt++) {
      if (attempt > 0) await delay(RETRY_MS);
      if (await this.#follow(tenantId, chains)) return;
    }
  }

  /** Runs once for a tenant in this process; the same run also handles growth meanwhile. Runs of other processes are harmless. */
  #follow(tenantId: TenantId, chains: Set<string> | null): Promise<boolean> {
    const known = this.#running.get(tenantId);
    if (known) {
      known.again = known.again === null || chains === null ? null : new Set([...(known.again ?? []), ...chains]);
      return known.done;
    }
    const state: Run = { again: undefined, done: Promise.resolve(true) };
    state.done = this.#run(tenantId, chains, state);
    this.#running.set(tenantId, state);
    return state.done;
  }

  async #run(tenantId: TenantId, first: Set<string> | null, state: Pick<Run, 'again'>): Promise<boolean> {
    try {
      for (let chains: Set<string> | null | undefined = first; chains !== undefined; chains = state.again) {
        state.again = undefined;
        await followTenant(this.#deps, tenantId, chains);
      }
      return true;
    } catch (error) {
      // The cursor is unchanged, so the next run continues there.
      this.#deps.logger.warn(describeUnexpected(error), 'could not follow the ledger');
      return false;
    } finally {
      this.#running.delete(tenantId);
    }
  }

  async #following(tenantId: TenantId): Promise<readonly WebhookRecord[]> {
    return (await this.#deps.webhooks.existing(tenantId)).filter(followsLedger);
  }
}

/** @param chains the chains that have grown; null for all. */
async function followTenant(deps: FollowDeps, tenantId: TenantId, chains: ReadonlySet<string> | null): Promise<void> {
  for (;;) {
    // Read for each page, so that a late page goes to the webhooks that exist then.
    const following = (await deps.webhooks.existing(tenantId)).filter(followsLedger);
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

/** Returns the positions to read from: after the cursor, and after entries that no webhook wants. */
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
 * Stores a message for each entry that a webhook wants, even a paused one, which can recover it later. Delivers it to the
 * ACTIVE webhooks.
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

/** Builds the message of an entry; its id derives from the event id, so that it is the same on every read. */
function messageOf(tenantId: TenantId, entry: FeedEntry): StoredMessage {
  const { event_id, source_system, sequence, entry_hash, recorded_at } = entry;
  const data = { event_id, source_system, sequence, entry_hash, recorded_at } satisfies EventDataOf<'event.ingested'>;
  return storedMessage(tenantId, { message_id: messageIdOf(event_id), type: 'event.ingested', at: recorded_at, data });
}

/** Returns the last entry of each chain. */
const headsOf = (entries: readonly FeedEntry[]): readonly ChainHead[] => [
  ...new Map(entries.map(({ source_system, sequence }) => [source_system, { source_system, sequence }])).values(),
];

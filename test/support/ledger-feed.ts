import type {
  FeedEntry,
  FeedPage,
  FeedRequest,
  LedgerFeed,
  LedgerFollower,
} from '../../shared/contracts/ledger-feed.js';
import { isReservedSourceSystem } from '../../shared/ids/tenant.js';

/** A ledger in memory, for those who follow one; it can be made to fail. */
export class MemoryLedgerFeed implements LedgerFeed {
  readonly #chains = new Map<string, FeedEntry[]>();
  #made = 0;
  failure: Error | undefined;
  reads = 0;

  /** @returns the entries as they are fed. */
  append(tenantId: string, sourceSystem: string, count = 1): readonly FeedEntry[] {
    const chain = this.#chainOf(tenantId, sourceSystem);
    const fresh = Array.from({ length: count }, (_, n): FeedEntry => {
      this.#made += 1;
      return {
        event_id: `evt_01JQ${String(this.#made).padStart(22, '0')}`,
        source_system: sourceSystem,
        sequence: chain.length + n + 1,
        entry_hash: String(this.#made).padStart(64, '0'),
        recorded_at: '2026-03-02T14:11:10.000Z',
      };
    });
    chain.push(...fresh);
    return fresh;
  }

  async heads(tenantId: string) {
    if (this.failure) throw this.failure;
    return this.#namesOf(tenantId).map((source_system) => ({
      source_system,
      sequence: this.#chainOf(tenantId, source_system).length,
    }));
  }

  async read(tenantId: string, { after, all, named, limit }: FeedRequest): Promise<FeedPage> {
    if (this.failure) throw this.failure;
    this.reads += 1;
    const open = all ? this.#namesOf(tenantId).filter((name) => !isReservedSourceSystem(name)) : [];
    const behind = [...new Set([...open, ...named])].flatMap((name) => {
      const done = after.find(({ source_system }) => source_system === name)?.sequence ?? 0;
      return this.#chainOf(tenantId, name).slice(done);
    });
    return { entries: behind.slice(0, limit), more: behind.length > limit };
  }

  #namesOf(tenantId: string): string[] {
    return [...this.#chains.keys()]
      .filter((key) => key.startsWith(`${tenantId} `))
      .map((key) => key.slice(tenantId.length + 1));
  }

  #chainOf(tenantId: string, sourceSystem: string): FeedEntry[] {
    const key = `${tenantId} ${sourceSystem}`;
    const chain = this.#chains.get(key) ?? [];
    this.#chains.set(key, chain);
    return chain;
  }
}

/** For code that requires followers and notifies none. */
export const NOBODY_FOLLOWS: LedgerFollower = { grown: async () => false };

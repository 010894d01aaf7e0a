import type { Clock } from '../../../shared/clock/clock.js';
import type { TenantLedger } from '../append/index.js';
import { spaceOf } from '../event-keys/domain/index.js';
import type { ConsumerCursors } from '../followers/index.js';
import type { SearchFreshness } from './schema.js';

/** Time in ms for which the progress is reused: chains are many, and searches come in bursts. */
const KEPT_MS = 1_000;
const MAX_KEPT = 1_000;

interface Kept {
  readonly atMs: number;
  readonly freshness: Promise<SearchFreshness>;
}

/** Returns the progress of a tenant's index. */
export class IndexProgress {
  readonly #deps: { readonly cursors: ConsumerCursors; readonly clock: Clock };
  readonly #kept = new Map<string, Kept>();

  constructor(deps: { readonly cursors: ConsumerCursors; readonly clock: Clock }) {
    this.#deps = deps;
  }

  of(tenantId: string, ledger: TenantLedger, space: string): Promise<SearchFreshness> {
    const key = `${tenantId} ${space}`;
    const nowMs = this.#deps.clock.monotonicMs();
    const kept = this.#kept.get(key);
    if (kept && nowMs - kept.atMs < KEPT_MS) return kept.freshness;
    if (this.#kept.size >= MAX_KEPT) this.#kept.clear();
    const freshness = this.#look(tenantId, ledger, space);
    this.#kept.set(key, { atMs: nowMs, freshness });
    freshness.catch(() => this.#kept.delete(key));
    return freshness;
  }

  async #look(tenantId: string, ledger: TenantLedger, space: string): Promise<SearchFreshness> {
    const done = new Map((await this.#deps.cursors.ofTenant(tenantId)).map((row) => [row.sourceSystem, row.seq]));
    const sources = (await ledger.sourceSystems()).filter((name) => spaceOf(name) === space);
    const heads = await Promise.all(sources.map((name) => ledger.head(name)));
    let [indexed, behind] = [0, 0];
    sources.forEach((name, i) => {
      const seq = done.get(name) ?? 0;
      indexed += seq;
      behind += Math.max(0, (heads[i]?._id.seq ?? 0) - seq);
    });
    return { indexed, behind };
  }
}

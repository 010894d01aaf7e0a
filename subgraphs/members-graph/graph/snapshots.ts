import { nextTurn } from '../../../shared/clock/timers.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { linksNow, type MergeLinks, peopleIn } from '../members/domain/index.js';
import type { MergeStore } from '../members/index.js';
import type { GraphStore } from './ports.js';

/** The live generation of a tenant's graph and its merges. */
export interface GraphSnapshot {
  readonly generation: number;
  /** Null for too many merges to cache: each walk reads its own. */
  readonly merges: KnownMerges | null;
}

interface KnownMerges {
  /** Number of the last entry included. */
  readonly last: number;
  readonly links: MergeLinks;
  /** Merged members, each with all ids of the person, the survivor first. */
  readonly people: ReadonlyMap<string, readonly string[]>;
}

interface SnapshotDeps {
  readonly graph: Pick<GraphStore, 'live'>;
  readonly merges: MergeStore;
}

/** Cached links of one tenant, about 100 bytes each. */
const MAX_LINKS = 5_000;
const MAX_TENANTS = 100;
const PAGE = 1_000;
const NO_MERGES: KnownMerges = { last: 0, links: new Map(), people: new Map() };

/**
 * Caches snapshots. A walk starts at once on the cached snapshot while the current one is read. If they differ, the walk is
 * discarded and repeated, so an answer is never older than its request.
 */
export class GraphSnapshots {
  readonly #deps: SnapshotDeps;
  readonly #known = new Map<TenantId, GraphSnapshot>();

  constructor(deps: SnapshotDeps) {
    this.#deps = deps;
  }

  /** @param read has no side effects: it may run twice. */
  async over<T>(tenantId: TenantId, read: (snapshot: GraphSnapshot) => Promise<T>): Promise<T> {
    const known = this.#known.get(tenantId);
    if (known === undefined) return read(await this.#current(tenantId));
    const reading = read(known);
    // Sent after the walk's own reads, which the caller waits for.
    const checking = nextTurn().then(() => this.#current(tenantId, known));
    const [answer, now] = await Promise.allSettled([reading, checking]);
    if (now.status === 'rejected') throw now.reason;
    if (now.value !== known) return read(now.value);
    if (answer.status === 'rejected') throw answer.reason;
    return answer.value;
  }

  /** Returns the same object as `known` if nothing changed. */
  async #current(tenantId: TenantId, known?: GraphSnapshot): Promise<GraphSnapshot> {
    const [generation, merges] = await Promise.all([
      this.#deps.graph.live(tenantId),
      this.#mergesSince(tenantId, known === undefined ? NO_MERGES : known.merges),
    ]);
    if (known !== undefined && known.generation === generation && known.merges === merges) return known;
    const snapshot = { generation, merges };
    this.#known.delete(tenantId);
    this.#known.set(tenantId, snapshot);
    const [oldest] = this.#known.size > MAX_TENANTS ? this.#known.keys() : [];
    if (oldest !== undefined) this.#known.delete(oldest);
    return snapshot;
  }

  async #mergesSince(tenantId: TenantId, known: KnownMerges | null): Promise<KnownMerges | null> {
    if (known === null) return null;
    let { last, links } = known;
    for (let isWhole = false; !isWhole; ) {
      const entries = await this.#deps.merges(tenantId).after(last, PAGE);
      isWhole = entries.length < PAGE;
      if (entries.length > 0) links = linksNow(entries, links);
      last = entries.at(-1)?.number ?? last;
      if (links.size > MAX_LINKS) return null;
    }
    return links === known.links ? known : { last, links, people: peopleIn(links) };
  }
}

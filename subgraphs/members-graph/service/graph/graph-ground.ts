import { nextTurn } from '../../../../shared/clock/timers.js';
import type { TenantId } from '../../../../shared/ids/tenant.js';
import { linksNow, type MergeLinks, peopleIn } from '../../domain/members/merges.js';
import type { GraphStore } from '../ports/graph-store.js';
import type { MergeStore } from '../ports/merge-store.js';

/** What every walk over a tenant's graph stands on. */
export interface Ground {
  /** The generation that is live. */
  readonly generation: number;
  /** Null where there are too many merges to be held: they are looked for with each walk. */
  readonly merges: KnownMerges | null;
}

export interface KnownMerges {
  /** Number of the last entry that they follow from. */
  readonly last: number;
  readonly links: MergeLinks;
  /** Whom the merges name, with all ids of the person, the surviving one first. */
  readonly people: ReadonlyMap<string, readonly string[]>;
}

export interface GroundDeps {
  readonly graph: Pick<GraphStore, 'live'>;
  readonly merges: MergeStore;
}

/** Of one tenant: some hundred bytes each. */
const MOST_LINKS = 5_000;
const MOST_TENANTS = 100;
/** Entries read at once. */
const PAGE = 1_000;
const NO_MERGES: KnownMerges = { last: 0, links: new Map(), people: new Map() };

/**
 * Grounds as they were last seen. A walk begins at once on what is known, and beside it the ground is looked at: where it has
 * changed, what was read is dropped and read anew. So an answer never stands on less than what held when it was asked for.
 */
export class GraphGrounds {
  readonly #deps: GroundDeps;
  readonly #known = new Map<TenantId, Ground>();

  constructor(deps: GroundDeps) {
    this.#deps = deps;
  }

  /** @param read without effects: it may be called twice. */
  async over<T>(tenantId: TenantId, read: (ground: Ground) => Promise<T>): Promise<T> {
    const known = this.#known.get(tenantId);
    if (known === undefined) return read(await this.#look(tenantId));
    const reading = read(known);
    // Behind it on the wire: who waits, waits for the walk.
    const looking = nextTurn().then(() => this.#look(tenantId, known));
    const [answer, now] = await Promise.allSettled([reading, looking]);
    if (now.status === 'rejected') throw now.reason;
    if (now.value !== known) return read(now.value);
    if (answer.status === 'rejected') throw answer.reason;
    return answer.value;
  }

  /** The very ground that is known, where nothing has changed. */
  async #look(tenantId: TenantId, known?: Ground): Promise<Ground> {
    const [generation, merges] = await Promise.all([
      this.#deps.graph.live(tenantId),
      this.#mergesSince(tenantId, known === undefined ? NO_MERGES : known.merges),
    ]);
    if (known !== undefined && known.generation === generation && known.merges === merges) return known;
    const ground = { generation, merges };
    this.#known.delete(tenantId);
    this.#known.set(tenantId, ground);
    const [oldest] = this.#known.size > MOST_TENANTS ? this.#known.keys() : [];
    if (oldest !== undefined) this.#known.delete(oldest);
    return ground;
  }

  async #mergesSince(tenantId: TenantId, known: KnownMerges | null): Promise<KnownMerges | null> {
    if (known === null) return null;
    let { last, links } = known;
    for (let isWhole = false; !isWhole; ) {
      const entries = await this.#deps.merges(tenantId).after(last, PAGE);
      isWhole = entries.length < PAGE;
      if (entries.length > 0) links = linksNow(entries, links);
      last = entries.at(-1)?.number ?? last;
      if (links.size > MOST_LINKS) return null;
    }
    return links === known.links ? known : { last, links, people: peopleIn(links) };
  }
}

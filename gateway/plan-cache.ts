import { Lru } from '../shared/cache/lru.js';

/** Ad-hoc plans kept; a plan is a few KiB. */
const MAX_AD_HOC_PLANS = 500;

/**
 * Query plans by operation hash. Plans of trusted operations are never evicted, so that an analyst's variety cannot
 * slow the routes down; the shape is the gateway's KeyValueCache.
 */
export class PlanCache<Plan extends object> {
  readonly #trustedHashes: ReadonlySet<string>;
  readonly #trusted = new Map<string, Plan>();
  readonly #adHoc = new Lru<string, Plan>(MAX_AD_HOC_PLANS);

  constructor(trustedHashes: Iterable<string>) {
    this.#trustedHashes = new Set(trustedHashes);
  }

  has(hash: string): boolean {
    return this.#trusted.has(hash) || this.#adHoc.get(hash) !== undefined;
  }

  async get(hash: string): Promise<Plan | undefined> {
    return this.#trusted.get(hash) ?? this.#adHoc.get(hash);
  }

  async set(hash: string, plan: Plan): Promise<void> {
    if (this.#trustedHashes.has(hash)) this.#trusted.set(hash, plan);
    else this.#adHoc.set(hash, plan);
  }

  /** Called by the gateway when it has loaded a supergraph: plans of another one are worth nothing. */
  async clear(): Promise<void> {
    this.#trusted.clear();
    this.#adHoc.clear();
  }

  async delete(hash: string): Promise<boolean> {
    return this.#trusted.delete(hash);
  }
}

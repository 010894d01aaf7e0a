import { Lru } from '../../../shared/cache/lru.js';
import { FACT_PARTITIONS } from '../../../shared/facts/fact.js';
import type { LinkedEntry } from './ports/tree-store.js';
import type { ComparedTenant, SignedLeaves } from './signed-leaves.js';

const PARTITIONS: ReadonlySet<string> = new Set(Object.values(FACT_PARTITIONS));

/** About 10 MiB. */
const MAX_PROVEN = 50_000;

interface ProvenEntriesDeps {
  readonly leaves: Pick<SignedLeaves, 'compare'>;
  readonly tenants: { of(tenantId: string): Promise<ComparedTenant> };
}

/**
 * Compares the entries of the service's own partitions with the newest signed tree. Facts are read again with every
 * question about their subject: an entry hash that a signed checkpoint covers, or that this process has appended, is
 * proven once. The caller has computed each entry hash from the row.
 */
export class ProvenEntries {
  readonly #deps: ProvenEntriesDeps;
  readonly #proven = new Lru<string, true>(MAX_PROVEN);

  constructor(deps: ProvenEntriesDeps) {
    this.#deps = deps;
  }

  /** Notes facts that the ledger has acknowledged to this process. */
  appended(tenantId: string, sourceSystem: string, entries: readonly Pick<LinkedEntry, 'entry_hash'>[]): void {
    if (!PARTITIONS.has(sourceSystem)) return;
    for (const { entry_hash } of entries) this.#proven.set(keyOf(tenantId, entry_hash), true);
  }

  /** Returns the entries that the signed tree, or before its checkpoint the chain, contradicts. */
  async unproven<Entry extends LinkedEntry>(tenantId: string, entries: readonly Entry[]): Promise<readonly Entry[]> {
    const unknown = entries.filter(({ entry_hash }) => this.#proven.get(keyOf(tenantId, entry_hash)) === undefined);
    if (unknown.length === 0) return [];
    const { leaves, tenants } = this.#deps;
    const verdicts = await leaves.compare(await tenants.of(tenantId), unknown);
    return unknown.filter(({ entry_hash }, i) => {
      const { isProven = false, isSigned = false } = verdicts[i] ?? {};
      if (isSigned) this.#proven.set(keyOf(tenantId, entry_hash), true);
      return !isProven;
    });
  }
}

const keyOf = (tenantId: string, entryHash: string): string => `${tenantId} ${entryHash}`;

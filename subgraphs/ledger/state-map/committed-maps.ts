import { objectIn } from '../../../shared/json/object-in.js';
import { isJsonObject } from '../../../shared/json/strict-json.js';
import { isAltered, type LedgerRow } from '../append/domain/index.js';
import type { TenantContexts } from '../append/index.js';
import type { TreeStore } from '../transparency/index.js';
import { MAP_PARTITION, MAP_VERSION } from './domain/map-entry.js';

/** An entry `map.committed` at the index that it names. */
export interface CommittedMap {
  readonly tree_size: number;
  /** Lower-case hex. */
  readonly root: string;
  readonly event_id: string;
  readonly seq: number;
  readonly entry_hash: string;
}

interface CommittedDeps {
  readonly contexts: Pick<TenantContexts, 'of'>;
  readonly trees: TreeStore;
}

/** Entries read at once, from the end of the chain. */
const PAGE = 16;

/** Reads the entries `map.committed` of tenants. An entry at another index than it names is void. */
export class CommittedMaps {
  readonly #deps: CommittedDeps;

  constructor(deps: CommittedDeps) {
    this.#deps = deps;
  }

  /** The newest map of a tree of at most this size; null for none. */
  async newest(tenantId: string, size = Number.MAX_SAFE_INTEGER): Promise<CommittedMap | null> {
    for await (const map of this.descending(tenantId)) if (map.tree_size <= size) return map;
    return null;
  }

  /** The older of the two newest maps. */
  async oldestKept(tenantId: string): Promise<number | null> {
    let oldest: number | null = null;
    let found = 0;
    for await (const { tree_size } of this.descending(tenantId)) {
      oldest = tree_size;
      if (++found === 2) break;
    }
    return oldest;
  }

  /** All maps at their own index, newest first. */
  async *descending(tenantId: string): AsyncGenerator<CommittedMap> {
    const { ledger } = await this.#deps.contexts.of(tenantId);
    const tree = this.#deps.trees(tenantId);
    const head = await ledger.head(MAP_PARTITION);
    for (let to = Number(head?._id.seq ?? 0); to > 0; to -= PAGE) {
      const rows = await ledger.rows(MAP_PARTITION, Math.max(1, to - PAGE + 1), to, PAGE);
      const indexes = await tree.treeIndexOf(
        MAP_PARTITION,
        rows.map(({ _id }) => _id.seq),
      );
      for (const row of rows.toReversed()) {
        const map = committedMapOf(row);
        if (map !== null && indexes.get(map.seq) === map.tree_size) yield map;
      }
    }
  }
}

/** What an entry of `_map` states; null for an altered one and one of another form. */
export function committedMapOf(row: LedgerRow): CommittedMap | null {
  if (row.record === undefined || isAltered(row)) return null;
  const payload = objectIn(row.record.toString('utf8'))?.['payload'];
  if (!isJsonObject(payload) || payload['map'] !== MAP_VERSION) return null;
  const { tree_size, root } = payload;
  if (typeof tree_size !== 'number' || !Number.isSafeInteger(tree_size) || typeof root !== 'string') return null;
  return { tree_size, root, event_id: row.event_id, seq: row._id.seq, entry_hash: row.entry_hash };
}

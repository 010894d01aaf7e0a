import type { Clock } from '../../../shared/clock/clock.js';
import type { PublishedCheckpoint } from '../../../shared/contracts/checkpoints.js';
import { problem } from '../../../shared/errors/problem.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { FrozenMap, MapLogKind, MapLogLeaf, MapLogPage } from '../../../shared/state-map/calls.js';
import { MAX_LOG_LEAVES, MAX_PROOF_KEYS } from '../../../shared/state-map/calls.js';
import { EMPTY_SUBTREE, mapKey } from '../../../shared/state-map/hashes.js';
import { proveMany } from '../../../shared/state-map/multiproof.js';
import { MapDamaged } from '../../../shared/state-map/node.js';
import type { TenantContexts } from '../append/index.js';
import type { CheckpointRow, TreeRow, TreeStore } from '../transparency/index.js';
import type { CommittedMap, CommittedMaps } from './committed-maps.js';
import { MAP_PARTITION } from './domain/map-entry.js';
import { CHUNK_LEAVES, decodeItem, LogItem } from './domain/map-item.js';
import type { MapStore, TenantMap } from './ports.js';

interface FrozenDeps {
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly contexts: TenantContexts;
  readonly trees: TreeStore;
  readonly maps: MapStore;
  readonly committed: CommittedMaps;
  /** A checkpoint over every entry acknowledged before. */
  readonly force: (tenantId: TenantId) => Promise<CheckpointRow | null>;
  readonly shown: (tenantId: TenantId, row: CheckpointRow) => Promise<PublishedCheckpoint>;
}

const FREEZE_ATTEMPTS = 5;

/** Maps that builds of bundles keep while they prove keys in them. */
export class FrozenMaps {
  readonly #deps: FrozenDeps;

  constructor(deps: FrozenDeps) {
    this.#deps = deps;
  }

  /** @see StateMaps.freeze */
  async freeze(tenantId: TenantId, holder: string): Promise<FrozenMap> {
    const { clock, force, maps, shown } = this.#deps;
    for (let attempt = 0; attempt < FREEZE_ATTEMPTS; attempt++) {
      const checkpoint = await force(tenantId);
      if (checkpoint === null) throw problem('CONFLICT', { message: 'The ledger of this tenant is empty.' });
      const map = await this.#under(tenantId, checkpoint);
      if (map === null) continue;
      const { tree_size, root, event_id, seq, entry_hash } = map;
      await maps(tenantId).pin({ holder, tree_size, root, pinned_at: new Date(clock.nowMs()) });
      const entry = { event_id, source_system: MAP_PARTITION, seq, entry_hash };
      return { tree_size, root, entry, checkpoint: await shown(tenantId, checkpoint) };
    }
    throw problem('UNAVAILABLE', { retryAfterSeconds: 1, internal: 'no checkpoint carries a state map' });
  }

  release(tenantId: TenantId, holder: string): Promise<void> {
    return this.#deps.maps(tenantId).unpin(holder);
  }

  /** @see StateMaps.proof */
  async proof(
    tenantId: TenantId,
    treeSize: number,
    { keys, after, last }: { readonly keys: readonly string[]; readonly after: string | null; readonly last: boolean },
  ): Promise<Buffer> {
    if (keys.length > MAX_PROOF_KEYS) throw new RangeError('a slice of a proof has too many keys');
    const root = await this.#rootOf(tenantId, treeSize);
    const slice = { after: after === null ? null : Buffer.from(after, 'hex'), last };
    return damage(() =>
      proveMany(
        this.#deps.maps(tenantId),
        { version: treeSize, root },
        keys.map((key) => Buffer.from(key, 'hex')),
        slice,
      ),
    );
  }

  /** @see StateMaps.log */
  async log(
    tenantId: TenantId,
    treeSize: number,
    {
      kind,
      id,
      from,
      limit,
    }: { readonly kind: MapLogKind; readonly id: string; readonly from: number; readonly limit: number },
  ): Promise<MapLogPage> {
    const map = this.#deps.maps(tenantId);
    const key = mapKey(kind, id).toString('hex');
    const causes = await damage(() => logCauses(map, key, treeSize));
    const page = causes.slice(from, from + Math.min(limit, MAX_LOG_LEAVES));
    const leaves = await this.#leaves(tenantId, page);
    return { leaves, count: causes.length };
  }

  async #leaves(tenantId: TenantId, causes: readonly number[]): Promise<readonly MapLogLeaf[]> {
    const tree = this.#deps.trees(tenantId);
    const rows: TreeRow[] = [];
    for (const cause of causes) {
      const [row] = await tree.rows(cause, 1);
      if (row === undefined || row.tree_index !== cause) throw damaged('a log names an index without a leaf');
      rows.push(row);
    }
    const { ledger } = await this.#deps.contexts.of(tenantId);
    const found: MapLogLeaf[] = [];
    for (const { source_system, seq, entry_hash, tree_index } of rows) {
      const [entry] = await ledger.rows(source_system, seq, seq, 1);
      if (entry?.entry_hash !== entry_hash) throw damaged('a log names another entry than the ledger');
      found.push({ entry_hash, cause_index: tree_index, event_id: entry.event_id, source_system, seq, tree_index });
    }
    return found;
  }

  /** The map with the last leaf under the checkpoint as its entry. */
  async #under(tenantId: TenantId, { tree_size }: CheckpointRow): Promise<CommittedMap | null> {
    const map = await this.#deps.committed.newest(tenantId, tree_size);
    return map?.tree_size === tree_size - 1 ? map : null;
  }

  async #rootOf(tenantId: TenantId, treeSize: number): Promise<Buffer> {
    if (treeSize === 0) return EMPTY_SUBTREE;
    const pins = await this.#deps.maps(tenantId).pins();
    if (!pins.some(({ tree_size }) => tree_size === treeSize)) {
      throw problem('NOT_FOUND', { message: 'No build holds this version of the state map.' });
    }
    // The entry states the root; the row of the pin proves nothing.
    for await (const map of this.#deps.committed.descending(tenantId)) {
      if (map.tree_size === treeSize) return Buffer.from(map.root, 'hex');
      if (map.tree_size < treeSize) break;
    }
    throw damaged('the entry of a held state map is missing');
  }
}

/** All causes of a log below a tree index. The builder compares count and root with the map. */
async function logCauses(map: TenantMap, key: string, treeSize: number): Promise<readonly number[]> {
  const row = (await map.items([key])).get(key);
  if (row === undefined) return [];
  const item = decodeItem(row.data);
  if (!(item instanceof LogItem)) throw new MapDamaged('the row of a log holds a list');
  const causes: number[] = [];
  for (let number = 0; number < Math.floor(item.count / CHUNK_LEAVES); number++) {
    const chunk = await map.chunk(key, number);
    if (chunk === null) throw new MapDamaged('a part of a log is missing');
    for (let at = 0; at < chunk.length; at += 8) causes.push(Number(chunk.readBigUInt64BE(at)));
  }
  return [...causes, ...item.tail].filter((cause) => cause < treeSize);
}

const damaged = (internal: string): Error => problem('INTEGRITY_FAILURE', { internal });

async function damage<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof MapDamaged ? damaged(error.message) : error;
  }
}

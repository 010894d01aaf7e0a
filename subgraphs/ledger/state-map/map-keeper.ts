import type { Clock } from '../../../shared/clock/clock.js';
import { EMPTY_SUBTREE } from '../../../shared/state-map/hashes.js';
import { MapDamaged, type MapRoot } from '../../../shared/state-map/node.js';
import type { Logger } from '../../../shared/telemetry/logger.js';
import type { CommittedMaps } from './committed-maps.js';
import { foldSlice } from './fold-slice.js';
import { EntryDamaged, type FoldReader, type MapStore, type TenantMap, type UpdateMap } from './ports.js';

/** Entries of one version: bounds the memory of a fold. */
const SLICE_ENTRIES = 20_000;
/** Entries of one read. */
const READ_ENTRIES = 2_000;

/**
 * Time in ms for which a pin holds a version. A build takes minutes and removes its pin. Where a process dies in between,
 * the pin would keep every later version; a build that is still at work freezes a newer one.
 */
const PIN_LIFE_MS = 24 * 60 * 60_000;

interface MapKeeperDeps {
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly logger: Logger;
  readonly maps: MapStore;
  readonly reader: FoldReader;
  readonly update: UpdateMap;
  readonly committed: CommittedMaps;
}

/** Folds new entries into the stored maps of tenants. Only the holder of a tenant's tree calls it. */
export class MapKeeper {
  readonly #deps: MapKeeperDeps;

  constructor(deps: MapKeeperDeps) {
    this.#deps = deps;
  }

  /**
   * Returns the root after the first `size` entries; the version of that size is stored. Starts from the last entry
   * `map.committed`, or from the first entry of the tree where the stored map is damaged.
   *
   * @param goOn asked between reads; false ends the fold.
   * @returns null when it was ended.
   * @throws EntryDamaged for an entry of the ledger that is missing or altered
   */
  async rootAt(tenantId: string, size: number, goOn: () => Promise<boolean>): Promise<Buffer | null> {
    const { maps, committed, logger } = this.#deps;
    const map = maps(tenantId);
    const last = await committed.newest(tenantId, size);
    if (last !== null) {
      try {
        return await this.#fold(
          tenantId,
          map,
          { version: last.tree_size, root: Buffer.from(last.root, 'hex') },
          size,
          goOn,
        );
      } catch (error) {
        if (!(error instanceof MapDamaged) || error instanceof EntryDamaged) throw error;
        logger.error(
          { tenant_id: tenantId, tree_size: last.tree_size, reason: error.message },
          'the stored state map is damaged; folding all entries again',
        );
      }
    }
    await map.removeAll();
    return this.#fold(tenantId, map, null, size, goOn);
  }

  /** Removes what only versions before the last two committed ones and the pinned ones read. */
  async prune(tenantId: string): Promise<void> {
    const { clock, maps, committed } = this.#deps;
    const map = maps(tenantId);
    await map.unpinBefore(new Date(clock.nowMs() - PIN_LIFE_MS));
    const oldest = await committed.oldestKept(tenantId);
    if (oldest === null) return;
    const pins = await map.pins();
    await map.removeStale(Math.min(oldest, ...pins.map(({ tree_size }) => tree_size)));
  }

  async #fold(
    tenantId: string,
    map: TenantMap,
    base: MapRoot | null,
    size: number,
    goOn: () => Promise<boolean>,
  ): Promise<Buffer | null> {
    const { reader, update } = this.#deps;
    const committed = base?.version ?? 0;
    let from = base;
    await map.removeAfter(committed);
    for (let at = committed; at < size; at = from?.version ?? at) {
      const end = Math.min(size, at + SLICE_ENTRIES);
      const entries = [];
      for (let next = at; next < end; next += READ_ENTRIES) {
        if (!(await goOn())) return null;
        entries.push(...(await reader.entries(tenantId, next, Math.min(end, next + READ_ENTRIES))));
      }
      from = { version: end, root: await foldSlice({ map, update }, { committed, from }, end, entries) };
    }
    return from?.root ?? EMPTY_SUBTREE;
  }
}
